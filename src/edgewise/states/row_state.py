"""The states that a pass over rows fills, and that a test takes in place of rows."""

from __future__ import annotations

from typing import TypeAlias

from edgewise.states.batches import BatchMoments
from edgewise.states.concordance import ConcordanceMoments
from edgewise.states.moments import Moments
from edgewise.states.pairwise import PairwiseMoments

RowState: TypeAlias = Moments | BatchMoments | ConcordanceMoments | PairwiseMoments
