"""From the p-values of many edges to decisions about all of them.

Everything runs on logarithms, so that p-values below 1e-308 stay different from each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, IndexArray, pairs_of
from edgewise._special import log_upper_tail
from edgewise.inference.references import Reference

CORRECTIONS = ("holm", "bonferroni", "bh", "by", "maxt", None)
DRAWS = 9999
_ELEMENTS_AT_ONCE = 1 << 22


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

    A draw is Σ_b g_b F_b / √Σ_b F_b² with g ~ N(0, 1), F_b the influence of batch b. Statistics
    move from Student's to the normal scale of the draws by their tail probabilities. The step-down
    form (Romano & Wolf 2005) tests each edge against the maximum over those not yet rejected.

    `influences`: What each batch adds to all pairs, of shape (batches, pairs); called when it is
      needed.
    `diagonal`: Whether the influences are those of all entries, those on the diagonal last.
    `entries` (p, p): The pairs, or entries, of the family; None for all.
    """

    influences: Callable[[], FloatArray]
    random_state: int
    diagonal: bool = False
    entries: BoolArray | None = None

    def log_adjusted(self, statistic: FloatArray, reference: Reference) -> FloatArray:
        """Logarithms of the step-down adjusted p-values of the family, pair by pair."""
        observed = -special.ndtri_exp(reference.log_two_sided(statistic) - math.log(2))
        order = np.argsort(-observed)
        sizes = observed[order]
        exceeded = np.zeros(len(sizes))
        for draws in self._draws(order):
            # Maximum over the edges from rank k on, for every k at once.
            running = np.maximum.accumulate(draws[:, ::-1], axis=1)[:, ::-1]
            exceeded += (running >= sizes).sum(axis=0)
        adjusted = np.empty(len(sizes))
        adjusted[order] = np.log(np.maximum.accumulate((1 + exceeded) / (1 + DRAWS)))
        return adjusted

    def largest(self, *some: BoolArray) -> list[FloatArray]:
        """Draws of the largest |T| of the family, and of parts of it, largest first; normal scale."""
        found = [
            [draws.max(axis=1), *(draws[:, own].max(axis=1, initial=0.0) for own in some)]
            for draws in self._draws()
        ]
        return [np.sort(np.concatenate(own))[::-1] for own in zip(*found, strict=True)]

    def _draws(self, order: IndexArray | slice = slice(None)) -> Iterator[FloatArray]:
        """Draws of all |T|, many at a time."""
        flat = self.influences()
        if self.entries is not None:
            own = pairs_of(self.entries)
            if self.diagonal:
                own = np.concatenate([own, self.entries.diagonal()])
            flat = flat[:, own]
        with np.errstate(invalid="ignore", divide="ignore"):
            directions = np.nan_to_num(flat / np.linalg.norm(flat, axis=0))[:, order]
        rng = np.random.default_rng(self.random_state)
        batches, pairs = directions.shape
        chunk = max(1, _ELEMENTS_AT_ONCE // max(pairs, batches))
        for start in range(0, DRAWS, chunk):
            made = rng.standard_normal((min(chunk, DRAWS - start), batches)) @ directions
            yield np.abs(made, out=made)


def level_of_maxima(maxima: FloatArray, log_level: float) -> float:
    """The (log) level of a single pair at which the largest of all has that (log) level."""
    # The same count as in `log_adjusted`: (1 + exceeding)/(1 + draws) at most the level.
    allowed = max(int(math.exp(log_level) * (1 + len(maxima))) - 1, 0)
    z = float(maxima[min(allowed, len(maxima) - 1)])
    return math.log(2) + log_upper_tail(z)
