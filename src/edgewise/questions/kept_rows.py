"""Rows kept in memory for many questions about single pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise._base.warn import without_warnings
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.kernels.centre import Centre
from edgewise.kernels.leverage import Leverage
from edgewise.kernels.score import all_pairs_at_once, few_rows
from edgewise.kernels.score_pair import one_pair_exactly
from edgewise.methods.sandwich import NEARLY_ONE, leverage_of
from edgewise.methods.score import score_of_pair
from edgewise.questions.edge_test import edge_test
from edgewise.results.result import EdgeTestResult
from edgewise.rows.block import ColumnBlock, Piece
from edgewise.rows.opening import open_table
from edgewise.rows.passes import RowsAtHand
from edgewise.rows.table import Part, Table
from edgewise.states.accumulate import read_into
from edgewise.states.moments import Moments

# A column of which the others leave a smaller share of variance than one over this is left to
# `edge_test`: it has an error to raise, or rounding that only the same steps repeat.
_MOST_INFLATED = 1e3


class Answer(NamedTuple):
    """The numbers of one pair."""

    partial_correlation: float
    statistic: float
    log_pvalue: float


class KeptRows:
    """Centred rows of unit variance, features first, and their correlations.

    Parameters
    ----------
    table : Table
        The rows; they are read once.
    """

    def __init__(self, table: Table) -> None:
        rows, self.n_dropped = table.reduce(_gathered, _joined)
        self.feature_names = table.feature_names
        whole = open_table(rows.T, feature_names=self.feature_names)
        state, _ = read_into(Moments(order=2), whole)
        self.n_samples = state.n_samples
        self.mean = state.mean()
        covariance = state.covariance()
        scale = np.sqrt(covariance.diagonal())
        # `edge_test` names a column that is constant or overflows, if it is asked about.
        self.scale = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
        self.rows = state.centre().subtract_from(rows.T, rows)
        self.rows /= self.scale[:, np.newaxis]
        self.correlation = covariance / self.scale / self.scale[:, np.newaxis]

    def answer(self, columns: Sequence[int]) -> Answer:
        """The test of the first two columns, given the others."""
        chosen, n, p = np.array(columns), self.n_samples, len(columns)
        try:
            inverse = np.linalg.inv(self.correlation[chosen[:, np.newaxis], chosen])
        except np.linalg.LinAlgError:
            return self._slowly(columns)
        inflated = inverse.diagonal().tolist()
        if not 0 < min(inflated) <= max(inflated) < _MOST_INFLATED:
            return self._slowly(columns)
        root = np.sqrt(inverse.diagonal())
        rho = -inverse.item(0, 1) / math.sqrt(inflated[0] * inflated[1])
        if few_rows(n, p):
            sums = one_pair_exactly(self.rows, chosen, Leverage(inverse / root, root, n), rho)
        else:
            sums = self._by_products(chosen, inverse, root, rho)
        return Answer(rho, *score_of_pair(rho, *sums, n, p))

    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """What `edge_test` says about these columns."""
        chosen = list(columns)
        rows = self.rows[chosen] * self.scale[chosen, np.newaxis] + self.mean[chosen, np.newaxis]
        names = [self.feature_names[k] for k in chosen]
        with without_warnings():
            return edge_test(rows.T, feature_names=names, correction=None)

    def _slowly(self, columns: Sequence[int]) -> Answer:
        result = self.whole(columns)
        return Answer(
            float(result.partial_correlation[0, 1]),
            float(result.statistic[0, 1]),
            float(result.log_pvalue[0, 1]),
        )

    def _by_products(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        """The sums as `edge_test` makes them from many rows."""
        n, p = self.n_samples, len(chosen)
        nothing = Centre(np.zeros(p), None)
        correlations = np.array([[1.0, rho], [rho, 1.0]])
        estimate = PrecisionEstimate(n, nothing, inverse, inverse, correlations, inverse / root)
        block = ColumnBlock([Piece([self.rows[k] for k in chosen], 0, n)], p)
        sums = all_pairs_at_once(
            RowsAtHand([block]), nothing, leverage_of(estimate), correlations, NEARLY_ONE
        )
        second, fourth, sixth = sums.second[0, 1], sums.fourth[0, 1], sums.sixth[0, 1]
        return float(second), float(fourth * second**2), float(sixth * second**3)


def _gathered(part: Part) -> tuple[FloatArray, int]:
    """All rows of a part, features first, and how many were left out."""
    blocks = [np.asarray(block, dtype=np.float64).T for block in part.blocks()]
    empty = np.empty((len(part.feature_names), 0))
    return np.concatenate([empty, *blocks], axis=1), part.n_dropped


def _joined(a: tuple[FloatArray, int], b: tuple[FloatArray, int]) -> tuple[FloatArray, int]:
    return np.concatenate([a[0], b[0]], axis=1), a[1] + b[1]
