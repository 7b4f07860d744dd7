"""The tests of edges with a scikit-learn face."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from edgewise._types import BoolArray, FloatArray
from edgewise._validation import check_choice
from edgewise.dispatch import edge_test
from edgewise.edges.registry import METHODS
from edgewise.edges.result import EdgeTestResult
from edgewise.moments.moments import Moments
from edgewise.sources.detect import as_source


def _one_pass(estimator: EdgeTest) -> bool:
    method = METHODS.get(estimator.method)
    # An unknown method is partial_fit's own error, not a missing attribute.
    if method is not None and (method.passes > 1 or estimator.standardize):
        able = [name for name, known in METHODS.items() if known.passes == 1]
        raise AttributeError(
            f"method {estimator.method!r} with these options reads the rows twice, so it cannot "
            f"learn from batches; partial_fit needs a method out of {', '.join(able)}."
        )
    return True


class EdgeTest(BaseEstimator):  # type: ignore[misc]
    """Which variables are connected? A test of every edge of the graphical model.

    Parameters
    ----------
    method : {"score", "fisher", "trace", "eig"}
        The test; see `edgewise.edge_test`.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", None}
        How the per-edge methods account for testing many edges.
    mu : float
        Of "trace" and "eig": the paper's constant.
    standardize : bool
        Of "trace" and "eig": divide the columns by their standard deviations first.

    Attributes
    ----------
    result_ : EdgeTestResult
        Everything the test found; the other attributes are views of it.
    covariance_, precision_, partial_correlation_ : ndarray of shape (p, p)
    pvalues_ : ndarray of shape (p, p)
        Corrected p-values, NaN on the diagonal.
    adjacency_ : ndarray of bool of shape (p, p)
        The edges.
    threshold_ : float or ndarray of shape (p, p)
    n_samples_seen_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when the data came with names.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise import EdgeTest
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.standard_normal((3, 1000))
    >>> EdgeTest().fit(np.column_stack([a, a + b, a + b + c])).adjacency_.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """

    def __init__(
        self,
        method: str = "score",
        alpha: float = 0.05,
        correction: str | None = "holm",
        *,
        mu: float = 1.0,
        standardize: bool = False,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.correction = correction
        self.mu = mu
        self.standardize = standardize

    def fit(self, X: Any, y: object = None) -> Self:
        """Test the edges among the columns of `X`; `y` is ignored."""
        self._forget()
        result = self._test(X)
        self._remember_features(X, reset=True)
        self._result = result
        self.n_samples_seen_ = result.n_samples
        return self

    moments_: Moments
    _result: EdgeTestResult | None

    @available_if(_one_pass)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Take in more rows; the test is made when its result is first asked for."""
        check_choice("method", self.method, tuple(METHODS))
        first = not hasattr(self, "moments_")
        state = Moments(order=METHODS[self.method].order)
        for batch in as_source(X).batches():
            state.update(batch)
        self._remember_features(X, reset=first)
        self.moments_ = state if first else self.moments_ + state
        self.n_samples_seen_ = self.moments_.n_samples
        self._result = None
        return self

    def fit_moments(self, state: Moments) -> Self:
        """Test from a state that has seen the rows already."""
        self._forget()
        result = self._test(state)
        self._result = result
        self.moments_ = state
        self.n_features_in_ = result.n_features
        self.n_samples_seen_ = state.n_samples
        return self

    def _test(self, data: Any) -> EdgeTestResult:
        # Only what differs from the default is passed on, so that an option that the method
        # does not have is refused when it was asked for, and only then.
        options = {
            name: value
            for name, default in (("mu", 1.0), ("standardize", False))
            if (value := getattr(self, name)) != default
        }
        return edge_test(
            data, method=self.method, alpha=self.alpha, correction=self.correction, **options
        )

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") or name == "_result"]:
            delattr(self, name)

    def _remember_features(self, X: Any, *, reset: bool) -> None:
        if hasattr(X, "shape") or hasattr(X, "__array__") or isinstance(X, list):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = np.array(as_source(X).feature_names, dtype=object)
        if reset:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = names

    @property
    def result_(self) -> EdgeTestResult:
        check_is_fitted(self)
        if self._result is None:
            self._result = self._test(self.moments_)
        return self._result

    @property
    def covariance_(self) -> FloatArray:
        return self.result_.covariance

    @property
    def precision_(self) -> FloatArray:
        return self.result_.precision

    @property
    def partial_correlation_(self) -> FloatArray:
        return self.result_.partial_correlation

    @property
    def pvalues_(self) -> FloatArray:
        return self.result_.adjusted_pvalue

    @property
    def adjacency_(self) -> BoolArray:
        return self.result_.reject

    @property
    def threshold_(self) -> float | FloatArray:
        return self.result_.threshold
