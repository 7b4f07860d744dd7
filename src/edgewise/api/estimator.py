"""The tests of edges as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.covariance import EmpiricalCovariance
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from edgewise._linalg import BoolArray, FloatArray, population_covariance
from edgewise._text import listed
from edgewise.api.edge_test import measured_and_decided
from edgewise.errors import DataError, ParameterError
from edgewise.estimate.inverse import Gaussian
from edgewise.inference.question import checked_family, family_mask
from edgewise.methods.method import Method
from edgewise.methods.nodewise import DEFAULT_PENALTY
from edgewise.methods.registry import DEFAULT_METHOD, method_of, method_options, registered
from edgewise.results.result import EdgeTestResult
from edgewise.sums.accumulate import read_into
from edgewise.sums.moments import Moments, RowState
from edgewise.sums.pairwise import PairwiseMoments
from edgewise.tables.not_rows import is_a
from edgewise.tables.open import as_table
from edgewise.tables.options import View, options_of, values_of
from edgewise.tables.table import LocalTable, Partition, Table
from edgewise.tables.values import raise_for_nonfinite


def _uneven(data: object) -> tuple[bool, bool]:
    """Whether rows count differently, and whether they do or may lack values."""
    weighted = options_of(data).weights == "sampling"
    return weighted, weighted or options_of(data).missing == "pairwise"


def chosen_method(estimator: Any) -> Method:
    """The method with the options that were set; options of other methods are refused."""
    defaults = signature(type(estimator)).parameters
    options = {
        name: value
        for name in method_options()
        if name in defaults and not _same(value := getattr(estimator, name), defaults[name].default)
    }
    # scikit-learn's tools seed whatever has a seed; only some methods use one.
    method = estimator.method
    kind = type(method) if isinstance(method, Method) else registered().get(str(method))
    if kind is None or "random_state" not in kind.__dataclass_fields__:
        options.pop("random_state", None)
    return method_of(method, options)


def _same(value: Any, default: Any) -> bool:
    """Whether an option has its default value; an array never does."""
    if value is default:
        return True
    return isinstance(value, str | int | float) and bool(value == default)


def _one_pass(estimator: Any) -> bool:
    try:
        chosen = chosen_method(estimator)
    except ParameterError:
        return True  # partial_fit's own error, not a missing attribute
    if chosen.needs.reads_again:
        able = [name for name, kind in registered().items() if not kind().needs.reads_again]
        raise AttributeError(
            f"method {chosen.name!r} with these options reads the rows twice, so it cannot "
            f"learn from batches; partial_fit needs a method out of {', '.join(able)}."
        )
    return True


_Function = TypeVar("_Function", bound=Callable[..., Any])
# scikit-learn has no type hints; without one here, users would lose the hints of the method.
if_one_pass: Callable[[_Function], _Function] = available_if(_one_pass)


class EdgeTest(EmpiricalCovariance):  # type: ignore[misc]
    """Which variables are connected? A test of every edge of the graphical model.

    It is a covariance estimator of scikit-learn: `score` and `mahalanobis` judge other rows by the
    whole estimate of Θ, edge or not.

    Parameters
    ----------
    method : str or Method
        The test, by name or with its options, as in ``ew.methods.Batch(n_batches=50)``; see `edge_test`.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How the per-edge methods account for testing many edges.
    min_effect : float
        Declare an edge only where the effect is larger than this.
    effect_scale : {"partial_correlation", "precision", None}
        What `min_effect` is measured in.
    given : str or sequence of str, optional
        Columns to adjust for without testing their pairs; those of an array are "x0", "x1", ….
    pairs : sequence of pairs of str, optional
        The only pairs to test.
    column_transform : {"normal-scores", None}
        `transform` of `edge_test`. (scikit-learn takes whatever has a `transform` for a transformer
        of data.) Other rows get the scores of their values among the rows of `fit`.
    missing : {"raise", "drop", "pairwise"}
        What to do with NaN and infinite values, as in `edge_test`.
    weight_kind : {"sampling", "frequency"}
        What the `sample_weight` of `fit` means, as in `edge_test`.
    mu : float
        For "trace" and "eig": the paper's constant.
    standardize : bool
        For "trace", "eig" and "spectral": divide the columns by their standard deviations first.
    radius : {"trace", "chi2", "eig", "hoeffding", "bernstein", "chebyshev"}
        For "whitened" and "spectral": what bounds the error of the covariance.
    support : interval or intervals, optional
        The columns' ranges of values, for the radii "hoeffding" and "bernstein".
    outside : float
        The share of rows that may lie outside the support.
    kurtosis : float, optional
        For "whitened" with the radius "chebyshev": the largest kurtosis, relative to Gaussian rows.
    solver : {"auto", "full", "matrix-free"}
        For "eig" and the radii "eig" and "chi2": how eigenvalues are found.
    n_batches : int, optional
        For "batch" and "entrywise": at least so many batches.
    random_state : int
        Seed of the bootstrap of ``correction="maxt"`` and of "entrywise".
    penalty : float
        For "nodewise": the penalty of the lasso, in units of √(2 log(p/√n)/n).
    max_neighbours : int, optional
        For "nodewise": the most that a column keeps; by default one for eight rows.

    Attributes
    ----------
    result_ : EdgeTestResult
        Everything the test found; the other attributes are views of it.
    covariance_, precision_, partial_correlation_ : ndarray of shape (p, p)
        The estimates; dense, edge or not.
    location_ : ndarray of shape (p,)
        The mean of each column.
    pvalues_ : ndarray of shape (p, p)
        Corrected p-values, NaN on the diagonal.
    adjacency_ : ndarray of bool of shape (p, p)
        The edges.
    threshold_ : float or ndarray of shape (p, p)
        What the absolute precision was compared with.
    moments_ : Moments, BatchMoments, PairwiseMoments or ConcordanceMoments
        The state, after `partial_fit` or `fit_moments`.
    n_samples_seen_ : int
        Rows.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Only when the data came with names.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise import EdgeTest
    >>> a, b, c = np.random.default_rng(0).standard_normal((3, 1000))
    >>> X = np.column_stack([a, a + b, a + b + c])
    >>> EdgeTest().fit(X).adjacency_.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    >>> EdgeTest(method="batch").partial_fit(X[:500]).partial_fit(X[500:]).result_.n_edges
    2
    >>> round(EdgeTest().fit(X[:500]).score(X[500:]), 1)
    -4.2
    """

    def __init__(
        self,
        method: str | Method = DEFAULT_METHOD,
        alpha: float = 0.05,
        correction: str | None = "holm",
        *,
        min_effect: float = 0.0,
        effect_scale: str | None = None,
        given: str | Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] | None = None,
        column_transform: str | None = None,
        missing: str = "raise",
        weight_kind: str = "sampling",
        mu: float = 1.0,
        standardize: bool = False,
        radius: str = "trace",
        support: Any = None,
        outside: float = 0.0,
        kurtosis: float | None = None,
        solver: str = "auto",
        n_batches: int | None = None,
        random_state: int = 0,
        penalty: float = DEFAULT_PENALTY,
        max_neighbours: int | None = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.correction = correction
        self.min_effect = min_effect
        self.effect_scale = effect_scale
        self.given = given
        self.pairs = pairs
        self.column_transform = column_transform
        self.missing = missing
        self.weight_kind = weight_kind
        self.mu = mu
        self.standardize = standardize
        self.radius = radius
        self.support = support
        self.outside = outside
        self.kurtosis = kurtosis
        self.solver = solver
        self.n_batches = n_batches
        self.random_state = random_state
        self.penalty = penalty
        self.max_neighbours = max_neighbours

    # For `get_precision` of scikit-learn.
    store_precision = True
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    moments_: RowState
    _tested: tuple[EdgeTestResult, Gaussian] | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags

    def fit(
        self, X: Any, y: object = None, sample_weight: Any = None, *, clusters: Any = None
    ) -> Self:
        """Test the edges among the columns.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            The rows; those of Dask and Spark are read where they are.
        y : ignored
            There for scikit-learn.
        sample_weight : str or array-like, optional
            How much each row counts: a column, or one number for each row.
        clusters : str or array-like, optional
            Which rows belong together: a column of labels, or one label for each row.

        Returns
        -------
        EdgeTest
            The estimator itself.
        """
        self._forget()
        table = self._opened_rows(
            X, sample_weight, clusters=clusters, transform=self.column_transform
        )
        if self.column_transform is not None:
            chosen_method(self).check_supports("transform")
        known = table.score_map() if isinstance(table, View) else None
        tested = self._test(table)
        self._remember_features(X, values_of(table), reset=True)
        if known is not None:
            self._score_map_ = known
        self._tested = tested
        self.n_samples_seen_ = tested[0].n_samples
        return self

    @if_one_pass
    def partial_fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Add more rows; the test runs when its result is first used.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            Rows, as for `fit`. The first call, also after `fit`, starts without rows.
        y : ignored
            There for scikit-learn.
        sample_weight : str or array-like, optional
            As for `fit`; in every call, or in none.

        Returns
        -------
        EdgeTest
            The estimator itself.
        """
        chosen = chosen_method(self)
        if self.column_transform is not None:
            raise ParameterError(
                "column_transform: expected None with partial_fit, got "
                f"{self.column_transform!r}, which needs all rows at once; use fit."
            )
        first = not hasattr(self, "moments_")
        table = self._opened_rows(X, sample_weight)
        weighted, uneven = _uneven(table)
        if uneven:
            chosen.check_supports("weights" if weighted else "missing")
        if first:  # and not only when the result is first used
            family_mask(table.feature_names, *checked_family(self.given, self.pairs))
        self._remember_features(X, table, reset=first)
        empty = chosen.needs.uneven_state if uneven else chosen.needs.empty_state()
        state = empty if first else self.moments_
        if isinstance(state, PairwiseMoments) != uneven:
            raise ParameterError(
                "sample_weight: expected in every call of partial_fit or in none, got it in some; "
                "call fit to start anew."
            )
        self.moments_, _ = read_into(state, table)
        self.n_samples_seen_ = self.moments_.n_samples
        self._tested = None
        return self

    def fit_moments(self, state: RowState) -> Self:
        """Test from a state that has seen the rows already.

        Parameters
        ----------
        state : Moments, BatchMoments, PairwiseMoments or ConcordanceMoments
            A state of the kind that the method works from.

        Returns
        -------
        EdgeTest
            The estimator itself.
        """
        if not isinstance(state, RowState):
            raise ParameterError(
                f"state: expected a state of rows, such as BatchMoments, got "
                f"{type(state).__name__}; for rows use fit."
            )
        self._forget()
        self._tested = self._test(state)
        self.moments_ = state
        self.n_features_in_ = self._tested[0].n_features
        self.n_samples_seen_ = state.n_samples
        return self

    def _opened_rows(self, X: Any, sample_weight: Any, **more: Any) -> Table:
        how = {"weights": sample_weight, "weight_kind": self.weight_kind, **more}
        return as_table(X, missing=self.missing, **how)

    def _test(self, data: Any) -> tuple[EdgeTestResult, Gaussian]:
        chosen = chosen_method(self)
        if options_of(data).clusters:
            chosen.check_supports("clusters")
        weighted, uneven = _uneven(data)
        if uneven:
            chosen.check_supports("weights" if weighted else "missing")
        question = chosen.question(
            self.alpha,
            self.correction,
            self.min_effect,
            self.effect_scale,
            given=self.given,
            pairs=self.pairs,
        )
        is_state = isinstance(data, RowState)
        names = getattr(self, "feature_names_in_", None) if is_state else None
        measurement, result = measured_and_decided(
            data,
            chosen,
            question,
            feature_names=names,
            transform=self.column_transform if is_state else None,
        )
        return result, Gaussian.of(measurement.estimate)

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") or name == "_tested"]:
            delattr(self, name)

    def _once_tested(self) -> tuple[EdgeTestResult, Gaussian]:
        check_is_fitted(self)
        if self._tested is None:
            self._tested = self._test(self.moments_)
        return self._tested

    def _remember_features(self, X: Any, table: Table, *, reset: bool) -> None:
        if isinstance(table, LocalTable) and _known_to_sklearn(X, table):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = np.array(table.feature_names, dtype=object)
        named = table.named or hasattr(table, "paths")
        if reset:
            self.n_features_in_ = len(names)
            if named:
                self.feature_names_in_ = names
            return
        known = list(getattr(self, "feature_names_in_", names))
        same = list(names) == known or not named  # columns without names are matched by place
        if len(names) != self.n_features_in_ or not same:
            expected = f"the columns {listed([*map(repr, known)])}"
            if len(names) != self.n_features_in_:
                expected = f"{self.n_features_in_} columns"
            raise DataError(
                f"X: expected {expected}, got {len(names)}: {listed([*map(repr, names)])}; pass "
                "the same columns each time."
            )

    @property
    def result_(self) -> EdgeTestResult:
        """Everything the test found."""
        return self._once_tested()[0]

    @property
    def covariance_(self) -> FloatArray:
        """The estimate of the covariance matrix."""
        return self.result_.covariance

    @property
    def precision_(self) -> FloatArray:
        """The estimate of its inverse, Θ."""
        return self.result_.precision

    @property
    def partial_correlation_(self) -> FloatArray:
        """The estimated partial correlations; ones on the diagonal."""
        return self.result_.partial_correlation

    @property
    def pvalues_(self) -> FloatArray:
        """Corrected p-values, NaN on the diagonal."""
        return self.result_.adjusted_pvalue

    @property
    def adjacency_(self) -> BoolArray:
        """The edges: true where there is one."""
        return self.result_.reject

    @property
    def threshold_(self) -> float | FloatArray:
        """What the absolute precision was compared with."""
        return self.result_.threshold

    @property
    def location_(self) -> FloatArray:
        """The mean of each column."""
        return self._once_tested()[1].location

    def score(self, X_test: Any, y: object = None) -> float:
        """The Gaussian log-likelihood of other rows, per row, as in scikit-learn.

        It says how well mean and covariance predict, not how good the edges are.

        Parameters
        ----------
        X_test : array-like, data frame, Arrow stream, path or list of paths
            Rows, as for `fit`. They are read once.
        y : ignored
            There for scikit-learn.

        Returns
        -------
        float
            The mean of the log-likelihoods of the rows.
        """
        gaussian = self._law_of_rows()
        state, _ = read_into(Moments(order=2), self._opened(X_test))
        n = state.n_samples
        if n == 0:
            raise DataError("X: expected at least one row to score, got none.")
        p = len(gaussian.location)
        spread = population_covariance(state.covariance(), n) if n > 1 else np.zeros((p, p))
        return gaussian.log_likelihood(state.mean(), spread)

    def mahalanobis(self, X: Any) -> FloatArray:
        """Squared Mahalanobis distances of rows from `location_`.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            Rows, as for `fit`.

        Returns
        -------
        ndarray of shape (n,)
            A distance for each row.
        """
        gaussian = self._law_of_rows()
        gaussian.check_definite()
        one_pass = partial(_distances, gaussian=gaussian)
        return self._opened(X).reduce(one_pass, _one_after_the_other)

    def _law_of_rows(self) -> Gaussian:
        """The Gaussian distribution with the estimated mean and covariance, if rows have these."""
        result, gaussian = self._once_tested()
        if "latent variables" in registered()[result.method].supports:
            raise DataError(
                f"X: method {result.method!r} estimates the correlations of latent variables, not "
                "of the rows, so rows have no likelihood or distance; use method='score' with "
                "column_transform='normal-scores'."
            )
        return gaussian

    def _opened(self, X: Any) -> Table:
        """Other rows of the columns that were fitted."""
        table = as_table(X)
        self._remember_features(X, table, reset=False)
        known = getattr(self, "_score_map_", None)
        return table if known is None else as_table(table, transform=known)


def _known_to_sklearn(X: Any, table: Table) -> bool:
    """Whether scikit-learn finds the columns of `X` itself, and words its errors."""
    if table.named:
        return is_a(X, "pandas", "DataFrame")
    return hasattr(X, "shape") or isinstance(X, list | tuple)


def _distances(part: Partition, gaussian: Gaussian) -> FloatArray:
    found = [np.empty(0)]
    for block in part.blocks():
        distances = gaussian.squared_distances(np.asarray(block, dtype=np.float64))
        if not np.isfinite(distances).all():
            raise_for_nonfinite(block, part.feature_names)
        found.append(distances)
    return np.concatenate(found)


def _one_after_the_other(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.concatenate([a, b])
