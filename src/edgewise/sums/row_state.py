"""The states that a pass over rows fills, and that a test takes in place of rows."""

from __future__ import annotations

from typing import TypeAlias

from edgewise.sums.batches import BatchMoments
from edgewise.sums.concordance import ConcordanceMoments
from edgewise.sums.moments import Moments
from edgewise.sums.pairwise import PairwiseMoments

RowState: TypeAlias = Moments | BatchMoments | ConcordanceMoments | PairwiseMoments
