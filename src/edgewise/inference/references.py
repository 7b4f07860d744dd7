"""The distributions that statistics are compared with, in tails that do not underflow."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from edgewise import _special as special
from edgewise._linalg import AnyArray, FloatArray, pairs_of, symmetric
from edgewise._special import log_upper_tail, log_upper_tails

#: Student's t with so many degrees of freedom is the normal distribution.
CERTAIN = 1e8
# SciPy's tail loses digits below this value: SciPy 1.13 to 1.16 as early as 1e-250, later 1e-290.
_SMALLEST_SAFE = 1e-240
# And its quantiles do so earlier: below 1e-150, or 1e-238 in later versions (issue 25968).
_SMALLEST_LOG_LEVEL = math.log(1e-100)
_LARGEST_LOG = 700.0
_LARGE = 20.0


class Reference(ABC):
    """The distribution of a statistic under the null, symmetric about zero."""

    __slots__ = ()

    @abstractmethod
    def log_two_sided(self, t: FloatArray) -> FloatArray:
        """log P(|T| > |t|)."""

    @abstractmethod
    def critical(self, log_level: float) -> Any:
        """t with P(|T| > t) = exp(log_level): one number, or one for each pair."""

    def of_pairs(self) -> Reference:
        """The reference of the pairs above the diagonal alone, row by row."""
        return self

    def among(self, pairs: AnyArray) -> Reference:
        """The reference of some of these, by their place or a mask."""
        return self

    def reordered(self, order: AnyArray) -> Reference:
        """The reference of the columns in another order."""
        return self

    @property
    def degrees_of_freedom(self) -> float | FloatArray | None:
        """Those of the standard errors; None if it is normal."""
        return None

    @property
    def anytime(self) -> bool:
        """Whether it holds at all looks at a stream at once."""
        return False


@dataclass(frozen=True, slots=True)
class Normal(Reference):
    """The standard normal distribution."""

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        return math.log(2) + log_upper_tails(np.abs(t))

    def critical(self, log_level: float) -> float:
        return -float(special.ndtri_exp(log_level - math.log(2)))


@dataclass(frozen=True, slots=True)
class Student(Reference):
    """Student's t distribution."""

    df: float

    def __post_init__(self) -> None:
        # A number of batches is an int; as a float it would not be the same text in a file.
        object.__setattr__(self, "df", float(self.df))

    @property
    def degrees_of_freedom(self) -> float:
        return self.df

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        return log_two_sided_tail(t, self.df)

    def critical(self, log_level: float) -> float:
        if log_level > _SMALLEST_LOG_LEVEL:
            return -float(special.stdtrit(self.df, math.exp(log_level) / 2))
        from scipy import optimize  # slow to import, and seldom needed

        def excess(log_t: float) -> float:
            return float(log_two_sided_tail(np.array([math.exp(log_t)]), self.df)[0]) - log_level

        # In the logarithm of t, where the tail is nearly a line; beyond every float, infinite.
        if excess(_LARGEST_LOG) > 0:
            return math.inf
        return math.exp(optimize.brentq(excess, 0.0, _LARGEST_LOG, xtol=1e-15, rtol=1e-14))


@dataclass(frozen=True, eq=False, slots=True)
class StudentOfEach(Reference):
    """Student's t distribution with degrees of freedom of its own for each pair."""

    degrees: FloatArray

    @property
    def degrees_of_freedom(self) -> FloatArray:
        return self.degrees

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        return log_two_sided_tail(t, self.degrees)

    def critical(self, log_level: float) -> FloatArray:
        if log_level > _SMALLEST_LOG_LEVEL:
            lower = special.stdtrit(self.degrees, math.exp(log_level) / 2)
            return -np.asarray(lower, dtype=np.float64)
        different, place = np.unique(self.degrees, return_inverse=True)
        found: FloatArray = np.array([Student(df).critical(log_level) for df in different])
        return found[place].reshape(self.degrees.shape)

    def of_pairs(self) -> StudentOfEach:
        return StudentOfEach(pairs_of(self.degrees))

    def among(self, pairs: AnyArray) -> StudentOfEach:
        return StudentOfEach(self.degrees[pairs])

    def reordered(self, order: AnyArray) -> StudentOfEach:
        return StudentOfEach(self.degrees[np.ix_(order, order)])


@dataclass(frozen=True, slots=True)
class AnytimeReference(Reference):
    """Critical values that hold at all times at once, for an estimate with standard error s.

    An asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Ann. Statist.
    2024) is the estimate ± s √{(tρ²+1)/(tρ²) · log((tρ²+1)/α²)} after t rows. It is narrowest, for
    its level, at the t that ρ is tuned to. The p-value is the smallest α whose interval excludes
    the null: log α = ½(log(tρ²+1) − z² tρ²/(tρ²+1)).

    The theorem needs an s that is known in the limit. An s from K batches never is, however many
    rows there are, and this matters at the levels of many pairs (measured: up to twice the error at
    50 columns). So the statistic is Student's t with K − 1 degrees of freedom. It is turned into
    the z with the same tail probability, and that z is compared with the boundary.
    """

    n_samples: int
    rho2: float
    student: Student

    @property
    def degrees_of_freedom(self) -> float:
        return self.student.df

    @property
    def anytime(self) -> bool:
        return True

    @property
    def _information(self) -> float:
        return self.n_samples * self.rho2

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        share = self._information / (1 + self._information)
        z = special.ndtri_exp(self.student.log_two_sided(t) - math.log(2))
        return np.minimum(0.5 * (math.log1p(self._information) - share * z * z), 0.0)

    def critical(self, log_level: float) -> float:
        share = self._information / (1 + self._information)
        z = math.sqrt((math.log1p(self._information) - 2 * log_level) / share)
        return self.student.critical(math.log(2) + log_upper_tail(z))


def critical_of_all(reference: Reference, log_level: float, p: int) -> Any:
    """One critical value for all pairs of p columns; or a symmetric matrix, NaN on its diagonal."""
    critical = reference.of_pairs().critical(log_level)
    return symmetric(critical, p, diagonal=np.nan) if np.ndim(critical) else critical


def degrees_of_freedom(terms: int, kurtosis: FloatArray) -> FloatArray:
    """Degrees of freedom of a variance estimate, by matching its spread to a χ² (Satterthwaite).

    A mean of m squares of terms with kurtosis κ has relative variance (κ − 1)/m, a χ²_ν/ν has 2/ν.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * terms / (kurtosis - 1)
    # Without any spread the variance is certain; the largest number stands for that.
    return np.where(kurtosis > 1, np.clip(degrees, 1.0, CERTAIN), CERTAIN)


def tuned_rho2(alpha: float, n_samples: int) -> float:
    """ρ² for which the sequence of level α is narrowest at `n_samples` rows (to first order)."""
    size = -2 * math.log(alpha)
    return (size + math.log1p(size)) / n_samples


def log_two_sided_tail(t: FloatArray, df: FloatArray | float) -> FloatArray:
    """log P(|T| > |t|) for Student's T with `df` degrees of freedom.

    Where the probability underflows, the density's tail is integrated in the variable
    s = (ν+1)/2 · log((ν+u²)/(ν+t²)), which turns it into a Gauss–Laguerre integral of a smooth
    function.
    """
    t = np.abs(t)
    direct = 2 * special.stdtr(df, -t)
    if np.any(np.equal(df, 1)):  # SciPy 1.17 has only eight digits of it (issue 25667)
        direct = np.where(np.equal(df, 1), 2 / math.pi * np.arctan2(1.0, t), direct)
    far = direct < _SMALLEST_SAFE
    if not far.any():
        return np.asarray(np.log(direct))
    with np.errstate(divide="ignore"):
        log_p: FloatArray = np.log(direct)
    log_p[far] = _far_tail(t[far], np.broadcast_to(df, t.shape)[far])
    log_p[np.isposinf(t)] = -np.inf
    return log_p


def _far_tail(t: FloatArray, df: FloatArray) -> FloatArray:
    # log(1 + t²/ν), safe for t far beyond the square root of the largest float.
    log_t = np.log(np.minimum(t, np.finfo(float).max))
    log_spread = np.logaddexp(0.0, 2 * log_t - np.log(df))
    sum_over_t2 = np.exp(log_spread + np.log(df) - 2 * log_t)[:, np.newaxis]
    nodes, weights = _laguerre()
    growth = np.expm1(2 * nodes / (df[:, np.newaxis] + 1))
    # u²/t² at the nodes, with u² = (ν+t²)e^{2s/(ν+1)} − ν
    relative = 1 + growth * sum_over_t2
    # (ν+u²)/u, over t
    integrand = sum_over_t2 * (1 + growth) / np.sqrt(relative)
    log_integral = np.log(integrand @ weights) + log_t - np.log(df + 1)
    log_scale = 0.5 * np.log(df) + _log_beta_half(df / 2)
    log_density = -(df + 1) / 2 * log_spread - log_scale
    tail: FloatArray = math.log(2) + log_density + log_integral
    return tail


@cache
def _laguerre() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights; they take longer than a small test, and are seldom needed."""
    return np.polynomial.laguerre.laggauss(48)


def _log_beta_half(a: FloatArray) -> FloatArray:
    """log B(a, ½); for large a by Stirling's series, where two logarithms of Γ would cancel."""
    x = 1 / np.maximum(a, _LARGE)
    series = x / 8 - x**3 / 192 + x**5 / 640 - 17 * x**7 / 14336
    by_series = series - np.log(np.maximum(a, _LARGE) / math.pi) / 2
    return np.where(a > _LARGE, by_series, special.betaln(np.minimum(a, _LARGE), 0.5))
