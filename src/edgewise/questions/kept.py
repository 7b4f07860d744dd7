"""What is kept for many questions about single pairs: all rows, or their fourth moments."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from edgewise._base.checks import check_testable_shape
from edgewise._base.types import AnyArray, FloatArray
from edgewise._base.warn import without_warnings
from edgewise.errors import ParameterError
from edgewise.estimators.columns_at_fault import measurable
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.from_fourth import FourthEvidence
from edgewise.kernels.centre import Centre
from edgewise.kernels.exact_score import few_rows
from edgewise.kernels.leverage import Leverage
from edgewise.kernels.power_sums import quiet
from edgewise.kernels.score import all_pairs_at_once
from edgewise.kernels.score_pair import one_pair_exactly
from edgewise.kernels.score_sums import score_weight
from edgewise.methods.sandwich import NEARLY_ONE, leverage_of
from edgewise.methods.score import Score, score_of_pair
from edgewise.questions.edge_test import edge_test
from edgewise.results.decide import decide
from edgewise.results.result import EdgeTestResult
from edgewise.rows.block import ColumnBlock, Piece
from edgewise.rows.glance import Glance
from edgewise.rows.opening import open_table
from edgewise.rows.passes import RowsAtHand, SameRows
from edgewise.rows.table import Part, Table
from edgewise.states.accumulate import read_with_glance
from edgewise.states.fourth import FourthMoments, product_sums
from edgewise.states.moments import Moments

# A column of which the others leave a smaller share of variance than one over this takes the long
# way: there is an error to raise, or rounding that only the same steps repeat.
_MOST_INFLATED = 1e3
# Fourth moments of so many columns take 28 MB.
_MOST_COLUMNS = 60
_SCALES = 1e-70, 1e70


class Answer(NamedTuple):
    """The numbers of one pair."""

    partial_correlation: float
    statistic: float
    log_pvalue: float


class Kept(ABC):
    """The correlations of all columns, and a source of fourth-order sums.

    Attributes
    ----------
    feature_names : tuple of str
        The columns.
    n_samples, n_dropped : int
        Rows, and rows that were left out because of missing values.
    """

    def __init__(self, names: tuple[str, ...], state: Moments, n_dropped: int) -> None:
        n, p = state.n_samples, len(names)
        # A question may be about two columns only.
        check_testable_shape(n, p if n < 3 else min(p, 2))
        self.feature_names, self.n_samples, self.n_dropped = names, n, n_dropped
        self.mean, covariance = state.mean(), state.covariance()
        scale = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        # A column that is constant or overflows is named as soon as a question is about it.
        known = measurable(scale, self.mean)
        self.scale = np.where(known, scale, 1.0)
        with quiet():
            self._correlation = covariance / self.scale / self.scale[:, np.newaxis]
        self._correlation[~known] = np.nan

    @abstractmethod
    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """A test of all pairs of these columns."""

    @abstractmethod
    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        """Σa², Σa⁴ and Σa⁶ of the terms of the first two of the chosen columns."""

    def answer(self, columns: Sequence[int]) -> Answer:
        """The test of the first two columns, given the others."""
        chosen = np.array(columns)
        try:
            inverse = np.linalg.inv(self._correlation[chosen[:, np.newaxis], chosen])
        except np.linalg.LinAlgError:
            return self._slowly(columns)
        inflated = inverse.diagonal().tolist()
        if not 0 < min(inflated) <= max(inflated) < _MOST_INFLATED:
            return self._slowly(columns)
        rho = -inverse.item(0, 1) / math.sqrt(inflated[0] * inflated[1])
        sums = self._sums(chosen, inverse, np.sqrt(inverse.diagonal()), rho)
        return Answer(rho, *score_of_pair(rho, *sums, self.n_samples, len(columns)))

    def _slowly(self, columns: Sequence[int]) -> Answer:
        result = self.whole(columns)
        return Answer(
            float(result.partial_correlation[0, 1]),
            float(result.statistic[0, 1]),
            float(result.log_pvalue[0, 1]),
        )


class KeptRows(Kept):
    """Centred rows of unit variance, features first.

    Parameters
    ----------
    table : Table
        The rows; they are read once.
    """

    def __init__(self, table: Table) -> None:
        rows, n_dropped = table.reduce(_gathered, _joined)
        names = table.feature_names
        state, _, _ = read_with_glance(Moments(order=2), open_table(rows.T, feature_names=names))
        super().__init__(names, state, n_dropped)
        self._rows = state.centre().subtract_from(rows.T, rows)
        self._rows /= self.scale[:, np.newaxis]

    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """What `edge_test` says about these columns."""
        chosen = list(columns)
        scale, mean = self.scale[chosen, np.newaxis], self.mean[chosen, np.newaxis]
        names = [self.feature_names[k] for k in chosen]
        with without_warnings():
            result = edge_test(
                (self._rows[chosen] * scale + mean).T, feature_names=names, correction=None
            )
        return replace(result, n_dropped=self.n_dropped)

    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        if few_rows(self.n_samples, len(chosen)):
            leverage = Leverage(inverse / root, root, self.n_samples)
            return one_pair_exactly(self._rows, chosen, leverage, rho)
        return self._by_products(chosen, inverse, root, rho)

    def _by_products(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        """The sums as `edge_test` makes them from many rows."""
        n, p = self.n_samples, len(chosen)
        nothing = Centre(np.zeros(p), None)
        pair = np.array([[1.0, rho], [rho, 1.0]])
        estimate = PrecisionEstimate(n, nothing, inverse, inverse, pair, inverse / root)
        block = ColumnBlock([Piece([self._rows[k] for k in chosen], 0, n)], p)
        leverage = leverage_of(estimate)
        sums = all_pairs_at_once(RowsAtHand([block]), nothing, leverage, pair, NEARLY_ONE)
        second, fourth, sixth = sums.second[0, 1], sums.fourth[0, 1], sums.sixth[0, 1]
        return float(second), float(fourth * second**2), float(sixth * second**3)


class KeptMoments(Kept):
    """All moments up to the fourth order, of columns of unit variance about their means.

    Parameters
    ----------
    table : Table
        The rows, of at most 60 columns; they are read twice, and not kept.
    """

    def __init__(self, table: Table) -> None:
        names = table.feature_names
        if len(names) > _MOST_COLUMNS:
            raise ParameterError(
                f"keep: expected 'rows' for more than {_MOST_COLUMNS} columns, got 'moments' for "
                f"{len(names)}; choose fewer columns, or keep the rows."
            )
        n_dropped = None
        if not table.rescannable:
            rows, n_dropped = table.reduce(_gathered, _joined)
            table = open_table(rows.T, feature_names=names)
        state, found, self._glance = read_with_glance(Moments(order=2), table)
        super().__init__(names, state, found if n_dropped is None else n_dropped)
        one_pass = partial(product_sums, centre=state.centre(), scale=self.scale)
        (gram,) = SameRows(table, state.n_samples).sums(one_pass)
        self._fourth = FourthMoments(np.zeros(len(names)), gram)

    def whole(self, columns: Sequence[int]) -> EdgeTestResult:
        """What the score test says about the fourth moments of these columns."""
        chosen, seen, method = np.array(columns), self._glance, Score()
        # Nothing that is tested depends on units, but fourth powers of these must be numbers.
        scale = np.clip(self.scale[chosen], *_SCALES)
        factor = scale / self.scale[chosen]
        glance = Glance(
            seen.n_samples,
            seen.far[:, chosen] * factor,
            seen.far_row[:, chosen],
            seen.leading[:, chosen] * factor,
        )
        evidence = FourthEvidence(
            feature_names=tuple(self.feature_names[k] for k in columns),
            asked_by="ConditionalTest",
            n_dropped=self.n_dropped,
            glance=glance,
            fourth=self._fourth.chosen(chosen).rescaled(self.mean[chosen] * factor, scale),
        )
        return decide(method.measure(evidence), method.question(0.05, None))

    def _sums(
        self, chosen: AnyArray, inverse: FloatArray, root: FloatArray, rho: float
    ) -> tuple[float, float, float]:
        # As in `FourthEvidence.score_sums`: the leverages at their mean, and a normal tail.
        n, p = self.n_samples, len(chosen)
        weight = score_weight(1 - (p - 1) / n, 0.0)
        a, b = inverse[0] / root[0], inverse[1] / root[1]
        scale = n / ((n - 1) * (1 - rho) * (1 + rho))
        product = self._fourth.squared_product(chosen, a + rho * b, b + rho * a)
        return float(weight * scale**2 * product), 0.0, 0.0


def _gathered(part: Part) -> tuple[FloatArray, int]:
    """All rows of a part, features first, and how many were left out."""
    blocks = [np.asarray(block, dtype=np.float64).T for block in part.blocks()]
    empty = np.empty((len(part.feature_names), 0))
    return np.concatenate([empty, *blocks], axis=1), part.n_dropped


def _joined(a: tuple[FloatArray, int], b: tuple[FloatArray, int]) -> tuple[FloatArray, int]:
    return np.concatenate([a[0], b[0]], axis=1), a[1] + b[1]
