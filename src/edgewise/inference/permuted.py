"""P-values and critical values from permutations of the labels of two groups.

If the two laws are equal, every permutation of the labels is as likely as the one that was drawn:
then the p-values are exact. If only the partial correlations are equal, they hold in the limit,
because the statistic is studentised (Chung & Romano, Ann. Statist. 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import symmetric
from edgewise._base.types import BoolArray, FloatArray
from edgewise.errors import ParameterError

# Two computations of the same statistic differ by less: a tie counts against the difference.
_ROUNDING = 1e-9
_KEPT_SHARE = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class PermutedMaxima:
    """The sizes |D| of permuted labels, largest first.

    Attributes
    ----------
    largest : ndarray of shape (permutations,)
        The largest of all tests in each permutation.
    each : ndarray of shape (kept, pairs)
        The largest sizes of each pair by itself: not all, but the share that levels need.
    """

    largest: FloatArray
    each: FloatArray

    def critical(self, log_level: float, *, simultaneous: bool) -> float | FloatArray:
        """The |D| whose p-value is just above the level; infinite if permutations are too few."""
        n = len(self.largest)
        allowed = math.floor(math.exp(log_level) * (1 + n) * (1 + 1e-12))
        if simultaneous:
            return math.inf if allowed < 1 else float(self.largest[min(allowed, n) - 1])
        pairs = self.each.shape[1]
        p = math.isqrt(2 * pairs) + 1
        if allowed < 1:
            return np.full((p, p), math.inf)
        if allowed > len(self.each):
            raise ParameterError(
                f"level: expected at least {1 - len(self.each) / (1 + n):.4g} for intervals of one "
                f"pair by permutations, got {-math.expm1(log_level):.4g}; the result keeps only "
                "the largest statistics of each pair."
            )
        return symmetric(self.each[allowed - 1], p, diagonal=np.nan)


@dataclass(frozen=True, eq=False, slots=True)
class PermutedTests:
    """What permutations say about all tests.

    Attributes
    ----------
    log_pvalue : ndarray of shape (tests,)
        Of each test by itself: (1 + number of sizes as large)/(1 + permutations).
    log_adjusted : ndarray of shape (tests,)
        Stepping down from the largest size (Westfall & Young 1993; Romano & Wolf 2005).
    sizes : ndarray of shape (tests,)
        |D| as it was observed.
    draws : ndarray of shape (permutations, tests)
        The same after each permutation.
    family : ndarray of bool of shape (tests,)
        The tests that are corrected for each other; the others have no adjusted p-value.
    """

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    sizes: FloatArray
    draws: FloatArray
    family: BoolArray

    @classmethod
    def of(
        cls, sizes: FloatArray, draws: FloatArray, family: BoolArray | None = None
    ) -> PermutedTests:
        """From |D| of every test, and the same after each permutation, in rows of `draws`."""
        family = np.ones(len(sizes), dtype=bool) if family is None else family
        draws = draws * (1 + _ROUNDING)
        n = 1 + len(draws)
        alone = (1 + (draws >= sizes).sum(axis=0)) / n
        order = np.argsort(-sizes, kind="stable")
        order = order[family[order]]
        # The largest over the tests from rank k on, for every k at once.
        running = np.maximum.accumulate(draws[:, order[::-1]], axis=1)[:, ::-1]
        exceeded = (1 + (running >= sizes[order]).sum(axis=0)) / n
        adjusted = np.full(len(sizes), np.nan)
        adjusted[order] = np.maximum.accumulate(exceeded)
        return cls(np.log(alone), np.log(adjusted), sizes, draws, family)

    def log_any(self, tests: slice) -> float:
        """The logarithm of the p-value of "none of these tests differs", from their largest size.

        The first size that steps down is the largest, so with all tests this is its adjusted
        p-value.
        """
        own = self.family[tests]
        largest = self.draws[:, tests][:, own].max(axis=1)
        observed = self.sizes[tests][own].max()
        return math.log((1 + int((largest >= observed).sum())) / (1 + len(largest)))

    def maxima(self, tests: slice, alpha: float) -> PermutedMaxima:
        """What intervals of some of the tests need."""
        kept = math.ceil(max(alpha, _KEPT_SHARE) * (1 + len(self.draws)))
        each = -np.sort(-self.draws[:, tests], axis=0)[:kept]
        largest = self.draws[:, self.family].max(axis=1)
        return PermutedMaxima(np.sort(largest)[::-1].copy(), each)
