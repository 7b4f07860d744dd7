"""Elliptical laws: Gaussian rows, and rows that each have a random scale of their own.

A random scale leaves the columns uncorrelated but makes them dependent, which exposes Gaussian
tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from edgewise._base.checks import check_real
from edgewise._base.types import FloatArray
from edgewise.simulate.distributions.distribution import Distribution

_LARGEST_LOG = math.log(np.finfo(float).max)


@dataclass(frozen=True)
class Gaussian(Distribution):
    """Standard normal.

    Examples
    --------
    >>> from edgewise.simulate import Gaussian
    >>> Gaussian().mardia_kurtosis(3)
    15.0
    """

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        return rng.standard_normal((n, p))

    def mardia_kurtosis(self, n_features: int) -> float:
        return float(n_features * (n_features + 2))


@dataclass(frozen=True)
class PowerExponential(Distribution):
    """Density ∝ exp(−½ (xᵀx)^{ω/2}), scaled (Gómez et al. 1998).

    ω = 1 is the multivariate Laplace, ω = 2 the Gaussian; smaller ω has heavier tails.
    x = R u with u uniform on the sphere and R^ω ~ Gamma(p/ω, scale 2).

    Parameters
    ----------
    omega : float
        The exponent ω, above 0.

    Examples
    --------
    >>> from edgewise.simulate import PowerExponential
    >>> laplace = PowerExponential(omega=1)
    >>> round(laplace.mardia_kurtosis(3), 3)
    22.5
    >>> round(laplace.log_radial_moment(2, n_features=3), 3)  # log 48
    3.871
    """

    omega: float = 1.0

    def __post_init__(self) -> None:
        check_real("omega", self.omega, above=0)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        direction = rng.standard_normal((n, p))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        log_scale = (self.log_radial_moment(2, p) - math.log(p)) / 2
        rows: FloatArray = direction * np.exp(self._log_radius(rng, n, p) - log_scale)
        return rows

    def _log_radius(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        """log R, because R itself may overflow where ω is small."""
        shape = p / self.omega
        if shape >= 1:
            return np.log(rng.gamma(shape, 2.0, (n, 1))) / self.omega
        # A gamma of small shape underflows: it is one of shape + 1, times U^{1/shape}.
        larger = np.log(rng.gamma(shape + 1, 2.0, (n, 1))) / self.omega
        return larger - rng.standard_exponential((n, 1)) / p

    def log_radial_moment(self, order: int, n_features: int) -> float:
        """The logarithm of E R^k = 2^{k/ω} Γ((p+k)/ω)/Γ(p/ω), before scaling.

        Parameters
        ----------
        order : int
            The power, k.
        n_features : int
            How many columns, p.

        Returns
        -------
        float
            The logarithm, because the moment itself may overflow where ω is small.
        """
        shape = n_features / self.omega
        more = order / self.omega
        log = more * math.log(2) + special.gammaln(shape + more) - special.gammaln(shape)
        return float(log)

    def mardia_kurtosis(self, n_features: int) -> float:
        second, fourth = (self.log_radial_moment(k, n_features) for k in (2, 4))
        log = fourth - 2 * (second - math.log(n_features))
        return math.exp(log) if log < _LARGEST_LOG else math.inf


@dataclass(frozen=True)
class StudentT(Distribution):
    """Multivariate t, df > 2: the Student copula with Student margins.

    Every test here needs fourth moments, which exist for df > 4.

    Parameters
    ----------
    df : float
        Degrees of freedom.

    Examples
    --------
    >>> from edgewise.simulate import StudentT
    >>> StudentT(df=8).mardia_kurtosis(3), StudentT(df=4).mardia_kurtosis(3)
    (22.5, inf)
    """

    df: float = 5.0

    def __post_init__(self) -> None:
        check_real("df", self.df, above=2, hint=" The variance is infinite otherwise.")

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        mixing = rng.chisquare(self.df, (n, 1)) / (self.df - 2)
        return rng.standard_normal((n, p)) / np.sqrt(mixing)

    def mardia_kurtosis(self, n_features: int) -> float:
        if self.df <= 4:
            return math.inf
        return n_features * (n_features + 2) * (self.df - 2) / (self.df - 4)


@dataclass(frozen=True)
class Contaminated(Distribution):
    """Gaussian rows, of which a `share` is `scale` times as large.

    Parameters
    ----------
    share : float
        The expected share of large rows, between 0 and 1.
    scale : float
        How much larger they are.

    Examples
    --------
    >>> from edgewise.simulate import Contaminated
    >>> round(Contaminated(share=0.1, scale=3).mardia_kurtosis(3), 2)
    41.67
    """

    share: float = 0.05
    scale: float = 5.0

    def __post_init__(self) -> None:
        check_real("share", self.share, above=0, below=1)
        check_real("scale", self.scale, above=0, below=1e6)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        size = np.where(rng.random((n, 1)) < self.share, self.scale, 1.0)
        rows: FloatArray = rng.standard_normal((n, p)) * (size / math.sqrt(self._mean_power(2)))
        return rows

    def _mean_power(self, power: int) -> float:
        return 1 - self.share + self.share * self.scale**power

    def mardia_kurtosis(self, n_features: int) -> float:
        return n_features * (n_features + 2) * self._mean_power(4) / self._mean_power(2) ** 2
