"""From the p-values of many edges to decisions about all of them.

Everything runs on logarithms, so that p-values below 1e-308 stay different from each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise._special import log_upper_tail
from edgewise.inference.references import Reference

CORRECTIONS = ("holm", "bonferroni", "bh", "by", "maxt", None)
DRAWS = 9999
_DRAWS_AT_ONCE, _PAIRS_AT_ONCE = 512, 256


def adjust(log_p: FloatArray, correction: str | None) -> FloatArray:
    """Logarithms of adjusted p-values: a pair with at most log α is rejected at level α."""
    m = log_p.shape[0]
    if correction is None or m == 0:
        return log_p.copy()
    if correction == "bonferroni":
        return np.minimum(log_p + math.log(m), 0.0)
    order = np.argsort(log_p, kind="stable")
    rank = np.arange(1, m + 1)
    if correction == "holm":
        stepped = np.maximum.accumulate(log_p[order] + np.log(m - rank + 1))
    else:
        scaled = log_p[order] + np.log(m / rank) + _log_factor(m, correction)
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(stepped, 0.0)
    return adjusted


def log_critical_level(m: int, rejected: int, alpha: float, correction: str | None) -> float:
    """Log of the per-edge level that separates the rejected edges from the others."""
    if correction is None or m == 0:
        return math.log(alpha)
    if correction == "bonferroni":
        return math.log(alpha) - math.log(m)
    if correction == "holm":
        return math.log(alpha) - math.log(max(m - rejected, 1))
    return math.log(alpha) + math.log(max(rejected, 1) / m) - _log_factor(m, correction)


def _log_factor(m: int, correction: str) -> float:
    """Log of Σ 1/k, the factor of Benjamini and Yekutieli for arbitrary dependence."""
    return math.log(np.sum(1 / np.arange(1, m + 1))) if correction == "by" else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class MaxStatistic:
    """The largest of all |T_ij| under the null, by a Gaussian multiplier bootstrap over batches.

    A draw is Σ_b g_b F_b / √Σ_b F_b² with g ~ N(0, 1), F_b the influence of batch b; statistics
    move to its normal scale by their tail probabilities. With `diagonal`, influences are those of
    all entries, the diagonal last; `entries` are those of the family.
    """

    influences: Callable[[], FloatArray]
    random_state: int
    diagonal: bool = False
    entries: BoolArray | None = None

    def step_down(
        self, statistic: FloatArray, reference: Reference, log_alpha: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log adjusted p-values of the family, pair by pair; and draws of the largest |T|, largest
        first, of the whole family and of the pairs that are not rejected.
        """
        observed = -special.ndtri_exp(reference.log_two_sided(statistic) - math.log(2))
        order = np.argsort(-observed)
        sizes = observed[order]
        draws, directions = self._draws_and_directions()
        exceeded = np.full(len(sizes), float(DRAWS))
        # From the smallest statistics on: the largest |T| of each draw among the later ranks.
        largest, later = np.zeros(DRAWS), dict[int, FloatArray]()
        for start in range(0, len(sizes), _PAIRS_AT_ONCE)[::-1]:
            block = slice(start, start + _PAIRS_AT_ONCE)
            later[start] = largest
            if largest.min() >= sizes[start]:  # of all draws, for all ranks of the block
                largest = np.maximum(largest, _largest(draws, directions[:, order[block]]))
            else:
                running = np.abs(draws @ directions[:, order[block][::-1]])
                running[:, 0] = np.maximum(running[:, 0], largest)
                running = np.maximum.accumulate(running, axis=1)
                exceeded[block] = (running[:, ::-1] >= sizes[block]).sum(axis=0)
                largest = running[:, -1].copy()
        ranked = np.log(np.maximum.accumulate((1 + exceeded) / (1 + DRAWS)))
        adjusted = np.empty(len(sizes))
        adjusted[order] = ranked
        left = np.zeros(DRAWS)
        if (first := int(np.searchsorted(ranked, log_alpha, side="right"))) < len(sizes):
            start = first - first % _PAIRS_AT_ONCE
            rest = directions[:, order[first : start + _PAIRS_AT_ONCE]]
            left = np.maximum(later[start], _largest(draws, rest))
        return adjusted, np.sort(largest)[::-1], np.sort(left)[::-1]

    def largest(self) -> FloatArray:
        """Draws of the largest |T| of the family on the normal scale, largest first."""
        return np.sort(_largest(*self._draws_and_directions()))[::-1]

    def _draws_and_directions(self) -> tuple[FloatArray, FloatArray]:
        flat = self.influences()
        if self.entries is not None:
            own = pairs_of(self.entries)
            if self.diagonal:
                own = np.concatenate([own, self.entries.diagonal()])
            flat = flat[:, own]
        with np.errstate(invalid="ignore", divide="ignore"):
            directions = np.nan_to_num(flat / np.linalg.norm(flat, axis=0))
        rng = np.random.default_rng(self.random_state)
        return rng.standard_normal((DRAWS, len(directions))), directions


def _largest(draws: FloatArray, directions: FloatArray) -> FloatArray:
    """The largest |T| of each draw: in blocks that stay in the cache."""
    found = np.zeros(len(draws))
    for start in range(0, len(draws), _DRAWS_AT_ONCE):
        rows = slice(start, start + _DRAWS_AT_ONCE)
        for first in range(0, directions.shape[1], _PAIRS_AT_ONCE):
            made = draws[rows] @ directions[:, first : first + _PAIRS_AT_ONCE]
            np.maximum(found[rows], made.max(axis=1), out=found[rows])
            np.maximum(found[rows], -made.min(axis=1), out=found[rows])
    return found


def level_of_maxima(maxima: FloatArray, log_level: float) -> float:
    """The (log) level of a single pair at which the largest of all has that (log) level."""
    # The same count as in `log_adjusted`: (1 + exceeding)/(1 + draws) at most the level.
    allowed = max(int(math.exp(log_level) * (1 + len(maxima))) - 1, 0)
    z = float(maxima[min(allowed, len(maxima) - 1)])
    return math.log(2) + log_upper_tail(z)
