"""Evidence from rows: the first pass, and as many further passes as a method asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from edgewise._checks import check_testable_shape
from edgewise._linalg import FloatArray
from edgewise.inference.sample_of_state import StateEvidence
from edgewise.paper.covcov import covcov_matrix
from edgewise.sums.accumulate import first_pass
from edgewise.sums.batches import BatchMoments
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments
from edgewise.sums.pairs import ExactPairs, PairSums, exact_pairs, pair_sums
from edgewise.sums.pairwise import PairwiseMoments
from edgewise.sums.power import CentralQuartics, transformed_quartics
from edgewise.sums.score import Leverage, ScoreSums, all_pairs_at_once, all_pairs_exactly, few_rows
from edgewise.tables.options import view
from edgewise.tables.table import Partition, Pass, Rows, SameRows, Sums

if TYPE_CHECKING:
    from edgewise.paper.operator import CovcovOperator


@dataclass(frozen=True, eq=False, kw_only=True)
class RowEvidence(StateEvidence):
    """The state of the first pass, and the sums of further passes over the rows."""

    rows: SameRows

    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        if A is None and isinstance(self.state, Moments) and self.state.order == 4:
            return self.state.quartics()
        A = np.eye(len(self.feature_names)) if A is None else A
        whitened_by = self.moments().n_samples if left_out else None
        return transformed_quartics(self.rows, self.centre, A, whitened_by=whitened_by)

    def pair_sums(self, leverage: Leverage) -> PairSums:
        return pair_sums(self.rows, self.centre, leverage)

    def exact_pairs(
        self, leverage: Leverage, partial: FloatArray, nearly_one: float
    ) -> ExactPairs | None:
        return exact_pairs(self.rows, self.centre, leverage, partial, nearly_one)

    def score_sums(self, leverage: Leverage, partial: FloatArray, nearly_one: float) -> ScoreSums:
        n = leverage.n_samples
        if not few_rows(n, len(leverage.root)):
            return all_pairs_at_once(self.rows, self.centre, leverage, partial, nearly_one)
        centred = self.leading_rows(n + 1)  # one more than there were, if there are more now
        if centred.shape[1] != n:
            self.rows.sums(_nothing)  # the rows have changed, which it says
        return all_pairs_exactly(centred, leverage, partial)

    def covcov_matrix(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> FloatArray:
        return covcov_matrix(
            self.rows, self._even_moments(), A=A, frobenius=frobenius, left_out=left_out
        )

    def covcov_operator(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> CovcovOperator:
        # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
        from edgewise.paper.operator import CovcovOperator

        return CovcovOperator(
            self.rows,
            self._even_moments(),
            A=A,
            frobenius=frobenius,
            in_memory=self.in_memory,
            left_out=left_out,
        )

    def sums(self, one_pass: Pass) -> Sums:
        return self.rows.sums(one_pass)

    def in_batches(self) -> RowEvidence:
        if isinstance(self.state, BatchMoments):
            return self
        empty = BatchMoments() if self.uneven is None else PairwiseMoments()
        state = first_pass(empty, self.rows.table)[0]
        self.rows.check(state.n_samples)
        return replace(self, state=state)

    def inside(self, intervals: FloatArray) -> RowEvidence:
        table = view(self.rows.table, intervals=intervals)
        state, left_out, first_look = first_pass(Moments(), table)
        self.rows.check(state.n_samples + left_out - self.n_dropped)
        check_testable_shape(state.n_samples, len(self.feature_names))
        return replace(
            self, state=state, first_look=first_look, rows=SameRows(table, state.n_samples)
        )

    def leading_rows(self, most: int) -> FloatArray:
        one_pass = partial(_leading_of, most=most, centre=self.centre)
        return self.rows.table.reduce(one_pass, partial(_leading, most=most))


def _nothing(batches: Iterator[Rows]) -> Sums:
    for _ in batches:
        pass
    return ()


def _leading_of(part: Partition, most: int, centre: Centre) -> FloatArray:
    """The first rows of a part, minus the mean; features first."""
    centred, rows = [np.empty((len(part.feature_names), 0))], 0
    for block in part.blocks():
        centred.append(centre.subtract_from(block, np.empty(block.shape[::-1])))
        rows += block.shape[0]
        if rows >= most:
            break
    return np.concatenate(centred, axis=1)[:, :most]


def _leading(a: FloatArray, b: FloatArray, most: int) -> FloatArray:
    """The leading rows of two parts that follow each other."""
    return np.concatenate([a, b], axis=1)[:, :most]
