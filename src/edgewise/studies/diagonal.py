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
    excess = [rate.excess(inside) for rate in chosen]
    where = "at every δ" if until == 1 else f"for δ up to {until:.3f}"
    return judge(
        f"{name} lies below the diagonal {where}: {kind}",
        f"{worst_rate(chosen, excess, inside)}; {usual_rates(chosen)}",
        excess,
    )


def on_diagonal(chosen: Sequence[Rate], name: str, where: str) -> Claim:
    excess = [rate.excess() for rate in chosen]
    worst = worst_rate(chosen, [np.abs(one) for one in excess], COMPARED)
    return judge(
        f"{name} lies on the diagonal {where}",
        f"{worst}; {usual_rates(chosen)}",
        [both_sides(one) for one in excess],
    )


def worst_rate(chosen: Sequence[Rate], excess: Sequence[FloatArray], inside: BoolArray) -> str:
    """The comparison that decides the verdict: the rate, and the level that it is compared with."""
    rate, against = max(zip(chosen, excess, strict=True), key=lambda pair: pair[1].max())
    level = LEVELS[inside][against.argmax()]
    return f"rate {rate.at(level):.4f} at δ = {level:g} ({rate.distribution}, the worst)"


def usual_rates(chosen: Sequence[Rate]) -> str:
    """The rates at the usual level."""
    at = ", ".join(f"{rate.at(0.05):.4f} ({rate.distribution})" for rate in chosen)
    return f"at δ = 0.05: {at}"
