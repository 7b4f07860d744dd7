"""What `EdgeTest` has after fitting, as scikit-learn's covariance estimators do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from edgewise._base.checks import check_choice, check_flag
from edgewise._base.matrices import population_covariance
from edgewise._base.text import listed
from edgewise._base.types import BoolArray, FloatArray
from edgewise.errors import DataError
from edgewise.estimators.gaussian import Gaussian
from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult
from edgewise.rows.not_rows import is_a
from edgewise.rows.opening import open_table
from edgewise.rows.table import LocalTable, Part, Table
from edgewise.rows.values import raise_for_nonfinite
from edgewise.states.accumulate import read_into
from edgewise.states.moments import Moments


class FittedTest:
    """What an `EdgeTest` knows after fitting: views of its result, and what they say of other rows.

    Likelihoods and distances use the whole estimate of Θ, edge or not.
    """

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

    def _once_tested(self) -> tuple[EdgeTestResult, Gaussian]:
        raise NotImplementedError

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

    def get_precision(self) -> FloatArray:
        """The estimate of Θ, as `precision_`.

        Returns
        -------
        ndarray of shape (p, p)
            The estimate.
        """
        return self.precision_

    def score(self, X: Any, y: object = None) -> float:
        """The Gaussian log-likelihood of other rows, per row, as in scikit-learn.

        It uses `location_` and the inverse of the covariance, with all of its entries. So it says
        how well mean and covariance predict, not how good the edges are: settings that only change
        the decision, such as `alpha`, have the same score. Columns are in their own units, also
        where the test standardised them; with a `column_transform` they are the scores of their
        values among the rows of `fit`.

        Parameters
        ----------
        X : array-like, data frame, Arrow stream, path or list of paths
            Rows, as for `fit`. They are read once.
        y : ignored
            There for scikit-learn.

        Returns
        -------
        float
            The mean of the log-likelihoods of the rows.
        """
        gaussian = self._law_of_rows()
        state, _ = read_into(Moments(order=2), self._opened(X))
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

    def error_norm(
        self,
        comp_cov: Any,
        norm: str = "frobenius",
        scaling: bool = True,
        squared: bool = True,
    ) -> float:
        """How far the estimate of the covariance is from another matrix.

        Parameters
        ----------
        comp_cov : array-like of shape (p, p)
            The matrix to compare with.
        norm : {"frobenius", "spectral"}
            The root of the sum of squares, or the largest singular value.
        scaling : bool
            Divide the squared norm by p.
        squared : bool
            Give the squared norm.

        Returns
        -------
        float
            The norm of the difference.
        """
        check_choice("norm", norm, ("frobenius", "spectral"))
        other, own = np.asarray(comp_cov, dtype=float), self.covariance_
        if other.shape != own.shape:
            raise DataError(f"comp_cov: expected a matrix of shape {own.shape}, got {other.shape}.")
        divisor = len(own) if check_flag("scaling", scaling) else 1
        with np.errstate(over="ignore"):
            length = np.linalg.norm(other - own, "fro" if norm == "frobenius" else 2)
            length = length / np.sqrt(divisor)
            return float(np.square(length) if check_flag("squared", squared) else length)

    def _law_of_rows(self) -> Gaussian:
        """The Gaussian distribution with the estimated mean and covariance, if rows have these."""
        result, gaussian = self._once_tested()
        if not registered()[result.method].estimates_rows:
            raise DataError(
                f"X: method {result.method!r} estimates the correlations of latent variables, not "
                "of the rows, so rows have no likelihood or distance; use method='score' with "
                "column_transform='normal-scores'."
            )
        return gaussian

    def _opened(self, X: Any) -> Table:
        """Other rows of the columns that were fitted."""
        table = open_table(X)
        self._remember_features(X, table, reset=False)
        known = getattr(self, "_score_map_", None)
        return table if known is None else open_table(table, transform=known)


def _known_to_sklearn(X: Any, table: Table) -> bool:
    """Whether scikit-learn finds the columns of `X` itself, and words its errors."""
    if table.named:
        return is_a(X, "pandas", "DataFrame")
    return hasattr(X, "shape") or isinstance(X, list | tuple)


def _distances(part: Part, gaussian: Gaussian) -> FloatArray:
    found = [np.empty(0)]
    for block in part.blocks():
        distances = gaussian.squared_distances(np.asarray(block, dtype=np.float64))
        if not np.isfinite(distances).all():
            raise_for_nonfinite(block, part.feature_names)
        found.append(distances)
    return np.concatenate(found)


def _one_after_the_other(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.concatenate([a, b])
