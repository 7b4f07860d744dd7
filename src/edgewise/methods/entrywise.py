"""Each entry its own threshold, all at once: the bound that the paper's discussion asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from edgewise._base.checks import check_count
from edgewise._base.types import FloatArray
from edgewise.inference.largest import LargestRadius
from edgewise.inference.max_statistic import MaxStatistic
from edgewise.inference.measurement import Measurement
from edgewise.inference.reference import Student
from edgewise.inference.sample import Evidence, Needs
from edgewise.inference.spread import degrees_of_freedom
from edgewise.methods.batch import BATCHES_HELP, working_batches
from edgewise.methods.jackknife import leave_one_out
from edgewise.methods.method import Assumes, BoundMethod, option
from edgewise.paper.transfers import EntryTransfer


@dataclass(frozen=True)
class Entrywise(BoundMethod):
    r"""Edge where \|Θ̂_ij\| ≥ c se_ij: each entry has its own threshold, and all hold at once.

    se is the delete-one-batch jackknife's, never below that of Gaussian rows. c is the 1 − α
    quantile of the largest \|Θ̂_ij − Θ_ij\|/se_ij over all p(p+1)/2 entries, the diagonal
    included, from a multiplier bootstrap over the batches. It is never above its upper end,
    Student's quantile at α/(p(p+1)/2) (Bonferroni). Student's degrees of freedom are those of the
    errors: one less than the batches, and fewer where the influences of batches have heavy tails.
    Guarantee: all entries at once, as batches grow long, for rows of any distribution with fourth
    moments whose dependence is shorter than a batch. If only some pairs are tested, c is that of
    their entries and of the diagonal entries of their columns.

    Parameters
    ----------
    n_batches : int, optional
        At least that many batches and less than twice as many; by default 100, but fewer where
        batches would be very short.
    random_state : int
        Seed of the bootstrap.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.edge_test(returns, method=ew.Entrywise())
    >>> result.threshold.shape, result.n_edges
    ((20, 20), 36)

    The threshold of an entry is `result.radius` of its standard errors:

    >>> round(result.radius, 2), round(result.uncertainty.radius.of_union(0.05), 2)
    (4.15, 4.23)
    """

    n_batches: int | None = option(None, BATCHES_HELP, kind=int)
    random_state: int = option(0, "Seed of the bootstrap.", kind=int)

    name: ClassVar[str] = "entrywise"
    guarantee: ClassVar[str] = "all at once, own thresholds"
    condition: ClassVar[str] = (
        "rows of any distribution with fourth moments whose dependence dies out in a batch"
    )
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS

    def __post_init__(self) -> None:
        if self.n_batches is not None:
            check_count("n_batches", self.n_batches, at_least=2)
        check_count("random_state", self.random_state, at_least=0)

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches)

    def measure(self, evidence: Evidence) -> Measurement:
        state = working_batches(self.n_batches, evidence.batches())
        estimate = type(self).estimator(state.pooled(), evidence.feature_names, evidence.first_look)
        left_out = leave_one_out(state, estimate)
        influence = left_out.precision()
        p = len(evidence.feature_names)
        maxima = MaxStatistic(partial(np.asarray, influence), self.random_state, diagonal=True)
        student = Student(_degrees(influence))
        radius = LargestRadius(maxima.largest(), student, p * (p + 1) // 2)
        transfer = EntryTransfer(left_out.spread(estimate).precision)
        record = {"n_batches": len(left_out)}
        return self.bounded(evidence, estimate, radius, transfer, record, maxima)

    @classmethod
    def asked(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        # The record says how many batches there were, not how many the user wanted.
        return super().asked({key: record[key] for key in record if key != "n_batches"})


def _degrees(influence: FloatArray) -> float:
    """Degrees of freedom of the standard errors: batches − 1, and fewer where tails are heavy.

    Influences of batches with a kurtosis above 3 make less certain errors. The median over the
    entries is one number for all, and steadier than the kurtosis of any of them.
    """
    batches, squares = len(influence), influence**2
    mean = np.maximum(squares.mean(axis=0), np.finfo(float).tiny)
    kurtosis = np.median(np.mean((squares / mean) ** 2, axis=0))
    matched = float(degrees_of_freedom(batches, np.asarray(kurtosis)))
    return min(matched, float(batches - 1))
