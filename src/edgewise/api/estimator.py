"""The tests of edges as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.covariance import EmpiricalCovariance, empirical_covariance, log_likelihood
from sklearn.utils.validation import check_is_fitted, validate_data

from edgewise._linalg import BoolArray, FloatArray
from edgewise._text import listed
from edgewise.api.edge_test import measured_and_decided
from edgewise.errors import DataError, EdgewiseWarning, ParameterError, warn
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of, method_options, registered
from edgewise.results.result import EdgeTestResult
from edgewise.sums.save import RowState, as_state
from edgewise.tables.open import as_table, is_a
from edgewise.tables.options import NORMAL_SCORES, values_of
from edgewise.tables.table import Table, all_rows, raise_for_nonfinite


def _view_of_result(name: str, doc: str) -> Any:
    return property(attrgetter(f"result_.{name}"), doc=doc)


class EdgeTest(EmpiricalCovariance):  # type: ignore[misc]
    """Which variables are connected? A test of every edge of the graphical model.

    It is a covariance estimator of scikit-learn: `score` and `mahalanobis` judge other rows by the
    whole estimate of Θ, edge or not.

    Parameters
    ----------
    method : str or Method
        The test, by name or with its options, as in ``ew.methods.Batch(n_batches=50)``.
    alpha, correction, min_effect, columns, exclude, given, pairs, missing : optional
        As in `edge_test`.
    clusters, weights : str, optional
        As in `edge_test`, for columns of the rows; arrays are given to `fit`.
    column_transform : {"normal-scores", "diff", "log-diff", None}
        `transform` of `edge_test`. (scikit-learn takes whatever has a `transform` for a transformer
        of data.)
    **options
        Options of the method, such as `n_batches` of "batch"; `set_params` takes them too.

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
    n_samples_seen_, n_features_in_ : int
        Rows and columns.
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
        columns: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        given: str | Sequence[str] | None = None,
        pairs: Iterable[tuple[str, str]] | None = None,
        missing: str = "auto",
        clusters: str | None = None,
        weights: str | None = None,
        column_transform: str | None = None,
        **options: Any,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.correction = correction
        self.min_effect = min_effect
        self.columns = columns
        self.exclude = exclude
        self.given = given
        self.pairs = pairs
        self.missing = missing
        self.clusters = clusters
        self.weights = weights
        self.column_transform = column_transform
        self.__dict__.update(options)

    # For `get_precision` of scikit-learn.
    store_precision = True
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    n_samples_seen_: int
    result_: EdgeTestResult
    _estimate_: PrecisionEstimate

    def _options(self) -> dict[str, Any]:
        own = super().get_params(deep=False)
        return {
            name: value
            for name, value in vars(self).items()
            if name not in own and not name.startswith("_") and not name.endswith("_")
        }

    def _method(self) -> Method:
        return method_of(self.method, self._options(), EdgeTest)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, and the options of the method that were set."""
        return {**super().get_params(deep), **self._options()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or options of the method."""
        options = {name: params.pop(name) for name in method_options() if name in params}
        super().set_params(**params)
        self.__dict__.update(options)
        self._tunes_alpha = "alpha" in params
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        able = self.missing in ("drop", "pairwise")
        if self.missing == "auto":
            with suppress(ParameterError):
                able = "missing" in self._method().supports
        tags.input_tags.allow_nan = able
        return tags

    def fit(
        self, X: Any, y: object = None, sample_weight: Any = None, *, clusters: Any = None
    ) -> Self:
        """Test the edges among the columns.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path, list of paths, or a state
            The rows, or what `accumulate` made of them; those of Dask and Spark are read where
            they are.
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
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        state = as_state(X)
        rows: dict[str, Any] = {"columns": self.columns, "exclude": self.exclude}
        rows["weights"] = self.weights if sample_weight is None else sample_weight
        rows["clusters"] = self.clusters if clusters is None else clusters
        rows |= {"missing": self.missing, "transform": self.column_transform}
        table = None if isinstance(state, RowState) else as_table(X, **rows)
        measurement, result = measured_and_decided(
            state if table is None else table,
            self._method(),
            alpha=self.alpha,
            correction=self.correction,
            min_effect=self.min_effect,
            given=self.given,
            pairs=self.pairs,
            leave_out=False,  # scikit-learn has counted the columns
            **(rows if table is None else {"missing": self.missing}),
        )
        if table is None:
            self.n_features_in_ = result.n_features
        else:
            self._remember_features(X, values_of(table), reset=True)
        self.result_, self._estimate_ = result, measurement.estimate
        self.n_samples_seen_ = result.n_samples
        return self

    def _remember_features(self, X: Any, table: Table, *, reset: bool) -> None:
        if _known_to_sklearn(X, table):
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
        same = list(names) == known or not named  # columns without names are matched by position
        if len(names) != self.n_features_in_ or not same:
            expected = f"the columns {listed([*map(repr, known)])}"
            if len(names) != self.n_features_in_:
                expected = f"{self.n_features_in_} columns"
            raise DataError(
                f"X: expected {expected}, got {len(names)}: {listed([*map(repr, names)])}; pass "
                "the same columns each time."
            )

    covariance_: FloatArray = _view_of_result(
        "covariance", "The estimate of the covariance matrix."
    )
    precision_: FloatArray = _view_of_result("precision", "The estimate of its inverse, Θ.")
    partial_correlation_: FloatArray = _view_of_result(
        "partial_correlation", "With ones on the diagonal."
    )
    pvalues_: FloatArray = _view_of_result(
        "adjusted_pvalue", "Corrected p-values, NaN on the diagonal."
    )
    adjacency_: BoolArray = _view_of_result("reject", "The edges: true where there is one.")
    threshold_: float | FloatArray = _view_of_result(
        "threshold", "What the absolute precision was compared with."
    )

    @property
    def location_(self) -> FloatArray:
        """The mean of each column."""
        check_is_fitted(self)
        centre = self._estimate_.centre
        location = centre.origin + (0.0 if centre.offset is None else centre.offset)
        location.flags.writeable = False
        return location

    def score(self, X_test: Any, y: object = None) -> float:
        """The mean Gaussian log-likelihood of other rows, as in scikit-learn; `y` is ignored.

        It says how well mean and covariance predict, not how good the edges are.
        """
        if self.__dict__.get("_tunes_alpha"):
            warn(
                "The score does not depend on alpha: a search over it returns its first value. "
                "alpha is the probability of a false edge that you accept; choose it yourself.",
                EdgewiseWarning,
            )
        centred, precision = self._centred(X_test), self._precision_of_rows()
        return float(log_likelihood(empirical_covariance(centred, assume_centered=True), precision))

    def mahalanobis(self, X: Any) -> FloatArray:
        """The squared Mahalanobis distance of each of other rows from `location_`."""
        centred = self._centred(X)
        return np.asarray(((centred @ self._precision_of_rows()) * centred).sum(axis=1))

    def _centred(self, X: Any) -> FloatArray:
        """Other rows of the columns that were fitted, minus the mean of those."""
        check_is_fitted(self)
        method = self.result_.method
        if "latent variables" in registered()[method].supports:
            raise DataError(
                f"X: method {method!r} estimates the correlations of latent variables, not "
                "of the rows, so rows have no likelihood or distance; use method='score'."
            )
        if self.column_transform == NORMAL_SCORES:
            raise DataError(
                "X: column_transform='normal-scores' ranks the rows of fit, and other rows have no "
                "ranks among them, so they have no likelihood or distance; fit the values."
            )
        table = as_table(X, columns=self.columns, exclude=self.exclude)
        self._remember_features(X, table, reset=False)
        rows = all_rows(as_table(table, transform=self.column_transform))
        if not np.isfinite(rows).all():
            raise_for_nonfinite(rows, table.feature_names)
        if not len(rows):
            raise DataError("X: expected at least one row, got none.")
        return np.asarray(rows - self.location_)

    def _precision_of_rows(self) -> FloatArray:
        """Θ in the units of the rows, also where the test standardised the columns."""
        estimate = self._estimate_
        scaled, root = -estimate.partial_correlation, estimate.residual_map.diagonal()
        np.fill_diagonal(scaled, 1.0)
        try:
            np.linalg.cholesky(scaled)
        except np.linalg.LinAlgError as error:
            raise DataError(
                "X: this estimate of Θ, made entry by entry, is not positive definite: no Gaussian "
                "distribution has it, and rows have no likelihood or distance. Use method='score' "
                "with more rows than columns."
            ) from error
        return np.asarray(scaled * np.outer(root, root))


def _known_to_sklearn(X: Any, table: Table) -> bool:
    """Whether scikit-learn finds the same columns of `X` itself, and words its errors."""
    if is_a(X, "pandas", "DataFrame"):
        return [str(name) for name in X.columns] == list(table.feature_names)
    here = table.local and (hasattr(X, "shape") or isinstance(X, list | tuple))
    return here and not table.named and np.shape(X)[1:] == (len(table.feature_names),)
