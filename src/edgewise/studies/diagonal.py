"""Rates at levels over the whole axis, and whether they lie below or on the diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise.studies.claims import Claim, both_sides, judge, of_counts, of_normal

LEVELS = np.unique(np.r_[0.001, 0.002, 0.005, np.linspace(0.01, 1.0, 100)].round(3))
KINDS = ("null entry", "violation, an entry", "violation, any entry")
#: Those at which curves are compared with the diagonal: the ends of the axis say nothing, since the
#: draws are too few for smaller levels, and every test rejects at δ = 1.
COMPARED = (LEVELS > 0.0099) & (LEVELS < 1)


@dataclass(frozen=True)
class Rate:
    """A false positive rate at every level, with its standard error over draws."""

    distribution: str
    kind: str
    method: str
    rate: FloatArray
    error: FloatArray
    n_draws: int

    def excess(self, where: BoolArray = COMPARED) -> FloatArray:
        """How far it lies above the diagonal at these levels, in standard errors."""
        levels, rate = LEVELS[where], self.rate[where]
        if self.kind == KINDS[2]:
            return of_counts(np.rint(rate * self.n_draws), self.n_draws, at_most=levels)
        return of_normal(rate - levels, self.error[where], self.n_draws)

    def at(self, level: float) -> float:
        return float(self.rate[int(np.argmin(np.abs(LEVELS - level)))])


def rate_of(distribution: str, kind: str, method: str, shares: FloatArray, entries: int) -> Rate:
    """The mean share over draws, of so many entries each, at every level."""
    draws = shares.shape[1]
    error = shares.std(axis=1, ddof=1) / np.sqrt(draws)
    # With few false positives their spread says little. So the error is at least that of
    # independent entries on the diagonal.
    least = np.sqrt(LEVELS * (1 - LEVELS) / (draws * entries))
    error = np.maximum(error, least)
    return Rate(distribution, kind, method, shares.mean(axis=1), error, draws)


def below_diagonal(chosen: Sequence[Rate], name: str, kind: str, until: float = 1.0) -> Claim:
    inside = COMPARED & (until >= LEVELS)
    worst = max(float((rate.rate - LEVELS)[inside].max()) for rate in chosen)
    at = ", ".join(f"{rate.at(0.05):.4f} ({rate.distribution})" for rate in chosen)
    where = "at every δ" if until == 1 else f"for δ up to {until:.3f}"
    return judge(
        f"{name} lies below the diagonal {where}: {kind}",
        f"largest rate − δ {worst:+.4f}; rate at δ = 0.05: {at}",
        [rate.excess(inside) for rate in chosen],
    )


def on_diagonal(chosen: Sequence[Rate], name: str, where: str) -> Claim:
    at = ", ".join(f"{rate.at(0.05):.4f} ({rate.distribution})" for rate in chosen)
    farthest = max((rate.rate - LEVELS for rate in chosen), key=lambda gap: np.abs(gap).max())
    worst = farthest[np.abs(farthest).argmax()]
    return judge(
        f"{name} lies on the diagonal {where}",
        f"rate at δ = 0.05: {at}; farthest rate − δ {worst:+.4f}",
        [both_sides(rate.excess()) for rate in chosen],
    )
