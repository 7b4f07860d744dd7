"""Do two independent groups of rows have the same partial correlation? Every pair by itself.

D = (z_A − z_B)/√(V_A + V_B) with z = atanh ρ̂, and Satterthwaite's degrees of freedom; or permuted
labels: exact if the two laws are equal, else in the limit (Chung & Romano 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, pairs_of, symmetric
from edgewise.errors import ParameterError
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.references import Student
from edgewise.inference.uncertainty import Uncertainty

_GRID = 24
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 32
_SATURATED = 1e6  # tanh is one long before
# Two computations of the same statistic differ by less: a tie counts against the difference.
_ROUNDING = 1e-9
_KEPT_SHARE = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class PermutedMaxima:
    """D| of permuted labels, largest first: of all tests (`largest`), and the most of `each` pair."""

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
class GroupZ:
    """Fisher's z of every pair in one group, its standard error, and the degrees of that."""

    fisher_z: FloatArray
    standard_error: FloatArray
    degrees: FloatArray

    @classmethod
    def of(cls, partial: FloatArray, own: Uncertainty) -> GroupZ:
        rho = np.where(np.eye(len(partial), dtype=bool), 0.0, partial)
        error, degrees = own.fisher_z_error(rho), np.asarray(own.degrees_of_freedom(), np.float64)
        return cls(np.arctanh(rho), error, np.broadcast_to(degrees, error.shape))

    def log_pvalues(self) -> FloatArray:
        """Of H₀: ρ = 0 in this group, for the pairs above the diagonal."""
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = pairs_of(self.fisher_z / self.standard_error)
        return Student(self.degrees).of_pairs().log_two_sided(statistic)


@dataclass(frozen=True, eq=False, slots=True)
class GroupDifference:
    """z_A − z_B of every pair; with `permuted` statistics in place of Student's reference."""

    first: GroupZ
    second: GroupZ
    n_tests: int
    permuted: PermutedMaxima | None = None

    @property
    def fisher_z(self) -> FloatArray:
        return self.first.fisher_z - self.second.fisher_z

    @property
    def standard_error(self) -> FloatArray:
        return np.hypot(self.first.standard_error, self.second.standard_error)

    def statistic(self) -> FloatArray:
        """D of every pair; NaN on the diagonal."""
        statistic = self.fisher_z / self.standard_error
        np.fill_diagonal(statistic, np.nan)
        return statistic

    def degrees(self) -> FloatArray:
        """ν = (V_A + V_B)²/(V_A²/ν_A + V_B²/ν_B)."""
        a, b = self.first, self.second
        # As shares of the sum, which can neither overflow nor vanish. An error that is not known
        # is infinite, and has all of it.
        unknown = np.isinf(a.standard_error)
        with np.errstate(invalid="ignore"):
            share = np.where(unknown, 1.0, (a.standard_error / self.standard_error) ** 2)
        return np.asarray(1 / (share**2 / a.degrees + (1 - share) ** 2 / b.degrees))

    def log_pvalues(self) -> FloatArray:
        reference = Student(pairs_of(self.degrees()))
        return reference.log_two_sided(pairs_of(self.statistic()))

    def interval(self, level: float, *, scale: str, simultaneous: bool) -> ConfidenceInterval:
        """Intervals of ρ_A − ρ_B, or of z_A − z_B; each leaves 0 where its own test rejects."""
        a, b, log_level = self.first, self.second, math.log1p(-level)
        if self.permuted is not None:
            critical = self.permuted.critical(log_level, simultaneous=simultaneous)
        else:
            log_level -= math.log(self.n_tests) * simultaneous
            critical = Student(self.degrees()).critical(log_level)
        if scale == "fisher_z":
            half = critical * self.standard_error
            interval = ConfidenceInterval(self.fisher_z - half, self.fisher_z + half)
        else:
            reach = critical * a.standard_error, critical * b.standard_error
            interval = difference_interval(a.fisher_z, b.fisher_z, *reach)
        for end in interval:
            np.fill_diagonal(end, 0.0)
        return interval


def log_any(log_p: FloatArray, n_tests: int) -> float:
    """The logarithm of the p-value of "no pair differs": Bonferroni's, whatever the dependence."""
    return float(min(np.min(log_p) + math.log(n_tests), 0.0))


class PermutedTests(NamedTuple):
    """D| of all tests and of `draws` after permutations; log p-values, adjusted by stepping down."""

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
        adjusted = np.full(len(sizes), np.nan)
        adjusted[order] = np.maximum.accumulate((1 + (running >= sizes[order]).sum(axis=0)) / n)
        return cls(np.log(alone), np.log(adjusted), sizes, draws, family)

    def log_any(self, tests: slice) -> float:
        """The log p-value of "none of these tests differs", from their largest size."""
        own = self.family[tests]
        largest = self.draws[:, tests][:, own].max(axis=1)
        observed = self.sizes[tests][own].max()
        return math.log((1 + int((largest >= observed).sum())) / (1 + len(largest)))

    def maxima(self, tests: slice, alpha: float) -> PermutedMaxima:
        kept = math.ceil(max(alpha, _KEPT_SHARE) * (1 + len(self.draws)))
        each = -np.sort(-self.draws[:, tests], axis=0)[:kept]
        largest = self.draws[:, self.family].max(axis=1)
        return PermutedMaxima(np.sort(largest)[::-1].copy(), each)


def difference_interval(
    z_a: FloatArray, z_b: FloatArray, reach_a: FloatArray, reach_b: FloatArray
) -> ConfidenceInterval:
    """The range of tanh a − tanh b over ((a − z_A)/r_A)² + ((b − z_B)/r_B)² ≤ 1.

    It contains 0 exactly where |z_A − z_B| ≤ c√(V_A + V_B), r = c·se: where the test does not
    reject.
    """
    reach_a, reach_b = np.minimum(reach_a, _SATURATED), np.minimum(reach_b, _SATURATED)
    low, high = _largest(z_b, z_a, reach_b, reach_a), _largest(z_a, z_b, reach_a, reach_b)
    return ConfidenceInterval(-low, high)


def _largest(
    z_a: FloatArray, z_b: FloatArray, reach_a: FloatArray, reach_b: FloatArray
) -> FloatArray:
    """The largest tanh a − tanh b: on the quarter of the ellipse with a above z_A, b below z_B.

    There may be two local maxima if both correlations are strong, so a grid comes first.
    """

    def at(angle: FloatArray | float) -> FloatArray:
        return np.tanh(z_a + reach_a * np.cos(angle)) - np.tanh(z_b - reach_b * np.sin(angle))

    # Where a − b is largest. With it, the sign of the end is that of the test to the last bit.
    best_angle = np.arctan2(reach_b, reach_a)
    best = at(best_angle)
    for angle in np.linspace(0, math.pi / 2, _GRID):
        value = at(angle)
        better = value > best
        best, best_angle = np.where(better, value, best), np.where(better, angle, best_angle)
    step = math.pi / 2 / (_GRID - 1)
    low = np.maximum(best_angle - step, 0.0)
    high = np.minimum(best_angle + step, math.pi / 2)
    for _ in range(_STEPS):
        inner = _GOLDEN * (high - low)
        left, right = high - inner, low + inner
        to_left = at(left) > at(right)
        low, high = np.where(to_left, low, left), np.where(to_left, right, high)
    return np.maximum(best, at((low + high) / 2))
