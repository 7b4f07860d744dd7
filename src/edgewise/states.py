"""States: mergeable sums of rows that methods work from, as `accumulate` and `load_state` return them."""

from edgewise.sums.batches import BatchMoments
from edgewise.sums.concordance import ConcordanceMoments
from edgewise.sums.moments import Moments
from edgewise.sums.pairwise import PairwiseMoments

__all__ = ["BatchMoments", "ConcordanceMoments", "Moments", "PairwiseMoments"]
