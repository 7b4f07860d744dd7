"""The tests of edges as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from edgewise.errors import ParameterError
from edgewise.estimators.gaussian import Gaussian
from edgewise.inference.corrections import HOLM
from edgewise.inference.family import Family
from edgewise.methods.method import Method
from edgewise.methods.nodewise import DEFAULT_PENALTY
from edgewise.methods.registry import DEFAULT_METHOD
from edgewise.questions.edge_test import measured_and_decided
from edgewise.questions.estimator_method import chosen_method, if_one_pass
from edgewise.questions.fitted import FittedTest
from edgewise.results.result import EdgeTestResult
from edgewise.rows.grouping import GroupedTable
from edgewise.rows.missing import may_lack_values
from edgewise.rows.normal_scores import scores_under
from edgewise.rows.opening import open_table
from edgewise.rows.table import Table
from edgewise.rows.weighting import WeightedTable
from edgewise.states.accumulate import read_into
from edgewise.states.pairwise import PairwiseMoments
from edgewise.states.row_state import RowState


class EdgeTest(FittedTest, BaseEstimator):  # type: ignore[misc]
    """Which variables are connected? A test of every edge of the graphical model.

    Parameters
    ----------
    method : str or Method
        The test, by name or with its options, as in ``ew.Batch(n_batches=50)``; see
        `edgewise.edge_test`.
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
        Test the normal scores of the columns in place of their values, `transform` of `edge_test`.
        (scikit-learn takes whatever has a `transform` for a transformer of data.) Other rows get
        the scores of their values among the rows of `fit`; these are kept, sorted.
    missing : {"raise", "drop", "pairwise"}
        What to do with NaN and infinite values, as in `edge_test`.
    weight_kind : {"sampling", "frequency"}
        What the `sample_weight` of `fit` means, as in `edge_test`: with "frequency", the same as
        repeated rows.
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
        For "whitened" with the radius "chebyshev": the most that the kurtosis can be, in multiples
        of that of Gaussian rows.
    solver : {"auto", "full", "matrix-free"}
        For "eig" and the radii "eig" and "chi2": how eigenvalues are found.
    n_batches : int, optional
        For "batch" and "entrywise": by default 100, but fewer with more than 160 columns, or if
        batches would be very short.
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
        The estimates; the covariance and its inverse are dense, edge or not.
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
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.standard_normal((3, 1000))
    >>> X = np.column_stack([a, a + b, a + b + c])
    >>> EdgeTest().fit(X).adjacency_.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])

    The methods that read the rows once also learn from batches, or from a state:

    >>> stream = EdgeTest(method="batch").partial_fit(X[:500]).partial_fit(X[500:])
    >>> EdgeTest(method="batch").fit_moments(stream.moments_).result_.n_edges
    2

    Like scikit-learn's covariance estimators, it scores other rows by their Gaussian likelihood:

    >>> from sklearn.model_selection import cross_val_score
    >>> cross_val_score(EdgeTest(), X, cv=3).round(1)
    array([-4.3, -4.3, -4.2])
    >>> test = EdgeTest().fit(X[:500])
    >>> round(test.score(X[500:]), 1), test.mahalanobis(X[500:502]).round(1)
    (-4.2, array([3.6, 5.5]))
    >>> bool(test.get_precision() is test.precision_), test.error_norm(test.covariance_)
    (True, 0.0)
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

    moments_: RowState
    _tested: tuple[EdgeTestResult, Gaussian] | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags

    def fit(
        self, X: Any, y: object = None, sample_weight: Any = None, *, groups: Any = None
    ) -> Self:
        """Test the edges among the columns.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            The rows. Those of a `dask.array`, a `dask.dataframe` or a Spark data frame are read
            where they are.
        y : ignored
            There for scikit-learn.
        sample_weight : str or array-like, optional
            How much each row counts: a column, or one number for each row.
        groups : str or array-like, optional
            Which rows belong together: a column of labels, or one label for each row.

        Returns
        -------
        EdgeTest
            The estimator itself.
        """
        self._forget()
        table = self._opened_rows(X, sample_weight, groups=groups, transform=self.column_transform)
        if self.column_transform is not None:
            chosen_method(self).check_transform()
        scores = scores_under(table)
        known = None if scores is None else scores.known()
        tested = self._test(table)
        self._remember_features(X, table.below if table is scores else table, reset=True)
        if known is not None:
            self._score_map_ = known
        self._tested = tested
        self.n_samples_seen_ = tested[0].n_samples
        return self

    @if_one_pass
    def partial_fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Add more rows; the test is run when its result is first used.

        The first call, and the first call after `fit`, starts without rows. Only the methods that
        read the rows once have `partial_fit`.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            Rows, as for `fit`.
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
        uneven = isinstance(table, WeightedTable) or may_lack_values(table)
        if uneven:
            chosen.check_uneven(missing=True, weights=isinstance(table, WeightedTable))
        if first:  # and not only when the result is first used
            Family.checked(self.given, self.pairs).tested(table.feature_names)
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
        return open_table(X, missing=self.missing, **how)

    def _test(self, data: Any) -> tuple[EdgeTestResult, Gaussian]:
        chosen = chosen_method(self)
        if isinstance(data, GroupedTable):
            chosen.check_groups()
        weighted = isinstance(data, WeightedTable)
        if weighted or may_lack_values(data):
            chosen.check_uneven(missing=True, weights=weighted)
        question = chosen.question(
            self.alpha,
            # scikit-learn wants plain defaults, so the default and "holm" are the same here.
            HOLM if self.correction == "holm" else self.correction,
            self.min_effect,
            self.effect_scale,
            Family.checked(self.given, self.pairs),
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
