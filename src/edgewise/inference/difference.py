"""Do two independent groups of rows have the same partial correlation? Every pair by itself.

H₀ is ρ^A = ρ^B. The statistic is D = (z_A − z_B)/√(V_A + V_B), z = atanh ρ̂ with the variances that
the method measured in each group; Student's t, with degrees of freedom by Satterthwaite's formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise.inference.ellipse import difference_interval
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.permuted import PermutedMaxima
from edgewise.inference.reference import Reference, Student, StudentOfEach
from edgewise.inference.spread import CERTAIN


@dataclass(frozen=True, eq=False, slots=True)
class GroupZ:
    """Fisher's z of every pair in one group, its standard error, and the degrees of that.

    The diagonal does not matter.
    """

    fisher_z: FloatArray
    standard_error: FloatArray
    degrees: FloatArray

    @classmethod
    def of(cls, partial: FloatArray, own: PerEdge) -> GroupZ:
        """From partial correlations, and what a method says about their uncertainty."""
        z = np.arctanh(np.where(np.eye(len(partial), dtype=bool), 0.0, partial))
        # An exact test knows the variance of its z, which is that of Gaussian rows.
        degrees = CERTAIN if own.exact else _degrees(own.reference)
        error = own.spread.fisher_z
        return cls(z, error, np.broadcast_to(np.asarray(degrees, np.float64), error.shape))

    def log_pvalues(self) -> FloatArray:
        """Of H₀: ρ = 0 in this group, for the pairs above the diagonal."""
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = pairs_of(self.fisher_z / self.standard_error)
        return StudentOfEach(self.degrees).of_pairs().log_two_sided(statistic)


def _degrees(reference: Reference) -> float | FloatArray:
    """The degrees of freedom of a standard error that is compared with this reference."""
    if isinstance(reference, Student):
        return reference.df
    return reference.degrees if isinstance(reference, StudentOfEach) else CERTAIN


@dataclass(frozen=True, eq=False, slots=True)
class GroupDifference:
    """z_A − z_B of every pair, with what tests and intervals of it are made from.

    Attributes
    ----------
    first, second : GroupZ
        The two groups.
    n_tests : int
        How many tests a simultaneous interval allows for.
    permuted : PermutedMaxima or None
        The statistic after permutations of the labels, in place of Student's reference.
    """

    first: GroupZ
    second: GroupZ
    n_tests: int
    permuted: PermutedMaxima | None = None

    @property
    def fisher_z(self) -> FloatArray:
        """z_A − z_B."""
        return self.first.fisher_z - self.second.fisher_z

    @property
    def standard_error(self) -> FloatArray:
        """√(V_A + V_B)."""
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
        """Logarithms of Student's p-values, of the pairs above the diagonal."""
        reference = StudentOfEach(pairs_of(self.degrees()))
        return reference.log_two_sided(pairs_of(self.statistic()))

    def critical(self, level: float, *, simultaneous: bool) -> float | FloatArray:
        """The |D| that the test at 1 − level just rejects; for all tests at once, or for one."""
        log_level = math.log1p(-level)
        if self.permuted is not None:
            return self.permuted.critical(log_level, simultaneous=simultaneous)
        divided = log_level - math.log(self.n_tests) * simultaneous
        return StudentOfEach(self.degrees()).critical(divided)

    def interval(self, level: float, *, scale: str, simultaneous: bool) -> ConfidenceInterval:
        """Intervals of ρ_A − ρ_B, or of z_A − z_B; each leaves 0 where its own test rejects."""
        critical = self.critical(level, simultaneous=simultaneous)
        if scale == "fisher_z":
            half = critical * self.standard_error
            interval = ConfidenceInterval(self.fisher_z - half, self.fisher_z + half)
        else:
            interval = difference_interval(
                self.first.fisher_z,
                self.second.fisher_z,
                critical * self.first.standard_error,
                critical * self.second.standard_error,
            )
        for end in interval:
            np.fill_diagonal(end, 0.0)
        return interval


def log_any(log_p: FloatArray, n_tests: int) -> float:
    """The logarithm of the p-value of "no pair differs": Bonferroni's, whatever the dependence.

    Examples
    --------
    >>> round(math.exp(log_any(np.log([0.01, 0.5, 0.9]), 3)), 3)
    0.03
    """
    return float(min(np.min(log_p) + math.log(n_tests), 0.0))
