"""Evidence from a state, which has sums but no rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

from edgewise._linalg import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.estimate.inverse import SampleMoments
from edgewise.inference.sample import Evidence
from edgewise.sums.batches import BatchMoments
from edgewise.sums.concordance import Concordance, ConcordanceMoments
from edgewise.sums.moments import Moments, RowState
from edgewise.sums.pairwise import PairwiseMoments, PooledPairs
from edgewise.sums.power import CentralQuartics
from edgewise.tables.table import Pass, Sums


@dataclass(frozen=True, eq=False, kw_only=True)
class StateEvidence(Evidence):
    """What a state of rows knows."""

    state: RowState

    @property
    def n_samples(self) -> int:
        return self.state.n_samples

    @cached_property
    def uneven(self) -> PooledPairs | None:
        return self.state.pooled() if isinstance(self.state, PairwiseMoments) else None

    def uneven_batches(self) -> PairwiseMoments:
        return self.state if isinstance(self.state, PairwiseMoments) else super().uneven_batches()

    def moments(self) -> SampleMoments:
        return self._even_moments() if self.uneven is None else self.uneven

    def _even_moments(self) -> Moments:
        """The moments of rows that are complete and count the same."""
        if isinstance(self.state, PairwiseMoments):
            raise DataError(
                f"data: {self.asked_by} needs complete rows that count the same, got a "
                "PairwiseMoments state; use method='batch', or pass complete rows."
            )
        if isinstance(self.state, ConcordanceMoments):
            raise DataError(
                f"data: {self.asked_by} needs means and covariances, got a ConcordanceMoments "
                "state, which has only the order of rows; use method='kendall', or pass the rows."
            )
        return (
            self.state.pooled()
            if isinstance(self.state, BatchMoments)
            else cast(Moments, self.state)
        )

    def concordance(self, n_batches: int | None = None) -> Concordance:
        if not isinstance(self.state, ConcordanceMoments):
            return super().concordance()
        state = self.state
        if n_batches is not None and n_batches > state.n_samples:
            raise ParameterError(
                f"n_batches: expected at most the {state.n_samples} rows, got {n_batches}; use "
                "fewer batches."
            )
        if n_batches not in (None, state.n_batches):
            raise ParameterError(
                f"n_batches: the state was accumulated with {state.n_batches}, got {n_batches}; "
                "leave it out, or accumulate again."
            )
        return state.concordance(n_batches)

    def batches(self) -> BatchMoments:
        if isinstance(self.state, ConcordanceMoments):
            self.moments()  # it has none, which this says
        return self.state if isinstance(self.state, BatchMoments) else super().batches()

    def sums(self, one_pass: Pass) -> Sums:
        if isinstance(self.state, PairwiseMoments):
            raise DataError(
                f"data: {self.asked_by} reads the rows twice, got a PairwiseMoments state without "
                "rows; use method='batch', or pass the rows."
            )
        return super().sums(one_pass)

    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        if A is not None:
            self._lacks_rows()
        if not isinstance(self.state, Moments) or self.state.order == 2:
            raise DataError(
                f"data: {self.asked_by} needs fourth-order sums, got a state without them; "
                "accumulate a Moments state (order=4), or pass the rows."
            )
        return self.state.quartics()
