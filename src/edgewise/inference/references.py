"""The distributions that statistics are compared with, in tails that do not underflow."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise._special import log_upper_tails

#: Student's t with so many degrees of freedom is the normal distribution.
CERTAIN = 1e8
# SciPy's tail loses digits below this value: SciPy 1.13 to 1.16 as early as 1e-250, later 1e-290.
_SMALLEST_SAFE = 1e-240
# And its quantiles do so earlier: below 1e-150, or 1e-238 in later versions (issue 25968).
_SMALLEST_LOG_LEVEL = math.log(1e-100)
_LARGEST_LOG = 700.0
_LARGE = 20.0


class Reference(ABC):
    """The distribution of a statistic under the null; `anytime`: at all looks at a stream at once."""

    __slots__ = ()
    anytime: ClassVar[bool] = False

    @property
    def degrees_of_freedom(self) -> float | FloatArray | None:
        return None

    @abstractmethod
    def log_two_sided(self, t: FloatArray) -> FloatArray:
        """log P(|T| > |t|)."""

    @abstractmethod
    def critical(self, log_level: float) -> Any:
        """t with P(|T| > t) = exp(log_level): one number, or one for each pair."""

    def of_pairs(self, family: BoolArray | None = None) -> Reference:
        """The reference of the pairs above the diagonal alone, or some of these, row by row."""
        return self


@dataclass(frozen=True, slots=True)
class Normal(Reference):
    def log_two_sided(self, t: FloatArray) -> FloatArray:
        return math.log(2) + log_upper_tails(np.abs(t))

    def critical(self, log_level: float) -> float:
        return -float(special.ndtri_exp(log_level - math.log(2)))


@dataclass(frozen=True, eq=False, slots=True)
class Student(Reference):
    """Student's t distribution, with the same degrees of freedom for all pairs or with its own."""

    df: float | FloatArray

    def __post_init__(self) -> None:
        if isinstance(self.df, int):  # as a float it would not be the same text in a file
            object.__setattr__(self, "df", float(self.df))

    @property
    def degrees_of_freedom(self) -> float | FloatArray:
        return self.df

    def of_pairs(self, family: BoolArray | None = None) -> Student:
        if not isinstance(self.df, np.ndarray):
            return self
        own = pairs_of(self.df)
        return Student(own if family is None else own[family])

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        return log_two_sided_tail(t, self.df)

    def critical(self, log_level: float) -> Any:
        if log_level > _SMALLEST_LOG_LEVEL:
            return -special.stdtrit(self.df, math.exp(log_level) / 2)
        different, place = np.unique(np.ravel(self.df), return_inverse=True)
        found = np.array([_far_critical(float(df), log_level) for df in different])[place]
        return found.reshape(np.shape(self.df)) if np.ndim(self.df) else float(found[0])


def _far_critical(df: float, log_level: float) -> float:
    from scipy import optimize  # slow to import, and seldom needed

    def excess(log_t: float) -> float:
        return float(log_two_sided_tail(np.array([math.exp(log_t)]), df)[0]) - log_level

    # In the logarithm of t, where the tail is nearly a line; beyond every float, infinite.
    if excess(_LARGEST_LOG) > 0:
        return math.inf
    return math.exp(optimize.brentq(excess, 0.0, _LARGEST_LOG, xtol=1e-15, rtol=1e-14))


@dataclass(frozen=True, slots=True)
class AnytimeReference(Reference):
    """Critical values that hold at all times at once, for an estimate with standard error s.

    An asymptotic confidence sequence (Waudby-Smith et al. 2024) is the estimate ± s √{(tρ²+1)/(tρ²)
    · log((tρ²+1)/α²)} after t rows, so log α = ½(log(tρ²+1) − z² tρ²/(tρ²+1)). z has the tail
    probability of Student's t, since an s from K batches is never known.
    """

    n_samples: int
    rho2: float
    student: Student
    anytime: ClassVar[bool] = True

    @property
    def degrees_of_freedom(self) -> float | FloatArray:
        return self.student.df

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        information = self.n_samples * self.rho2
        z = special.ndtri_exp(self.student.log_two_sided(t) - math.log(2))
        log_p = 0.5 * (math.log1p(information) - information / (1 + information) * z * z)
        return np.minimum(log_p, 0.0)

    def level_of_one_look(self, n_samples: FloatArray | float, log_level: float) -> Any:
        """The log level at which a single test has the same critical value after so many rows."""
        information = n_samples * self.rho2
        z = np.sqrt((np.log1p(information) - 2 * log_level) * (1 + 1 / information))
        return math.log(2) + special.log_ndtr(-z)

    def critical(self, log_level: float) -> Any:
        return self.student.critical(float(self.level_of_one_look(self.n_samples, log_level)))


def tuned_rho2(alpha: float, n_samples: int) -> float:
    """ρ² for which the sequence of level α is narrowest at `n_samples` rows (to first order)."""
    size = -2 * math.log(alpha)
    return (size + math.log1p(size)) / n_samples


def log_two_sided_tail(t: FloatArray, df: FloatArray | float) -> FloatArray:
    """log P(|T| > |t|) for Student's T; where P underflows, by Gauss–Laguerre quadrature."""
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
    # log B(ν/2, ½); for large ν by Stirling's series, where two logarithms of Γ would cancel.
    a = np.maximum(df / 2, _LARGE)
    series = 1 / (8 * a) - 1 / (192 * a**3) + 1 / (640 * a**5) - 17 / (14336 * a**7)
    by_series = series - np.log(a / math.pi) / 2
    log_beta = np.where(df / 2 > _LARGE, by_series, special.betaln(np.minimum(df / 2, _LARGE), 0.5))
    log_density = -(df + 1) / 2 * log_spread - 0.5 * np.log(df) - log_beta
    return np.asarray(math.log(2) + log_density + log_integral)


@cache
def _laguerre() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights; they take longer than a small test, and are seldom needed."""
    return np.polynomial.laguerre.laggauss(48)
