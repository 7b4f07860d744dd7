"""Evidence from a state, which has sums but no rows."""

from __future__ import annotations

from dataclasses import dataclass

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.evidence.evidence import Evidence
from edgewise.kernels.quartics import CentralQuartics
from edgewise.states.batches import BatchMoments
from edgewise.states.moments import Moments


@dataclass(frozen=True, eq=False, kw_only=True)
class StateEvidence(Evidence):
    """What a `Moments` or `BatchMoments` state knows."""

    state: Moments | BatchMoments

    def moments(self) -> Moments:
        return self.state.pooled() if isinstance(self.state, BatchMoments) else self.state

    def batches(self) -> BatchMoments:
        return self.state if isinstance(self.state, BatchMoments) else super().batches()

    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        if A is not None:
            self._lacks_rows()
        if isinstance(self.state, BatchMoments) or self.state.order < 4:
            raise DataError(
                f"data: {self.asked_by} needs fourth-order sums, got a state without them; "
                "accumulate a Moments state (order=4), or pass the rows."
            )
        return self.state.quartics()
