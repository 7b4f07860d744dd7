"""Laws of independent components, which may be skewed and have heavy tails."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from edgewise._base.checks import check_real
from edgewise._base.types import FloatArray
from edgewise.simulate.distributions.distribution import Distribution


class IndependentComponents(Distribution):
    """Columns that are independent, have the same law, and have a known fourth moment."""

    @abstractmethod
    def component_kurtosis(self) -> float:
        """The fourth moment of a component.

        Returns
        -------
        float
            It is 3 for the Gaussian.
        """

    def mardia_kurtosis(self, n_features: int) -> float:
        return n_features * self.component_kurtosis() + n_features * (n_features - 1)


@dataclass(frozen=True)
class Gamma(IndependentComponents):
    """Gamma components, with skewness 2/√shape; shape 1 is the exponential law.

    Parameters
    ----------
    shape : float
        The shape parameter, above 0; a small one gives a large skewness and kurtosis.

    Examples
    --------
    >>> from edgewise.simulate import Gamma
    >>> Gamma(shape=2).component_kurtosis()
    6.0
    """

    shape: float = 1.0

    def __post_init__(self) -> None:
        check_real("shape", self.shape, above=0)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        if self.shape == 1:
            return rng.standard_exponential((n, p)) - 1
        return (rng.standard_gamma(self.shape, (n, p)) - self.shape) / math.sqrt(self.shape)

    def component_kurtosis(self) -> float:
        return 3 + 6 / self.shape


@dataclass(frozen=True)
class LogNormal(IndependentComponents):
    """Log-normal components: the exponentials of N(0, sigma²).

    Parameters
    ----------
    sigma : float
        Standard deviation of the logarithms, above 0.

    Examples
    --------
    >>> from edgewise.simulate import LogNormal
    >>> round(LogNormal(sigma=1).component_kurtosis(), 1)
    113.9
    """

    sigma: float = 1.0

    def __post_init__(self) -> None:
        check_real("sigma", self.sigma, above=0, below=10)

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        growth = math.exp(self.sigma**2)
        deviation = math.sqrt(math.expm1(self.sigma**2) * growth)
        rows: FloatArray = rng.lognormal(0.0, self.sigma, (n, p)) - math.sqrt(growth)
        return rows / deviation

    def component_kurtosis(self) -> float:
        growth = math.exp(self.sigma**2)
        return growth**4 + 2 * growth**3 + 3 * growth**2 - 3


@dataclass(frozen=True)
class Pareto(IndependentComponents):
    """Pareto components: P(x > t) falls like t^−shape, in each column by itself.

    `ClaytonPareto` has the same margins, but its columns are large in the same rows. Fourth moments
    exist for shape > 4.

    Parameters
    ----------
    shape : float
        The shape parameter, above 2; a small one gives heavy tails.

    Examples
    --------
    >>> from edgewise.simulate import Pareto
    >>> round(Pareto(shape=6).component_kurtosis(), 2), Pareto(shape=3).component_kurtosis()
    (38.67, inf)
    """

    shape: float = 3.0

    def __post_init__(self) -> None:
        check_real(
            "shape", self.shape, above=2, below=1e6, hint=" The variance is infinite up to 2."
        )

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        a = self.shape
        mean, deviation = 1 / (a - 1), math.sqrt(a / (a - 2)) / (a - 1)
        rows: FloatArray = rng.pareto(a, (n, p)) - mean
        return rows / deviation

    def component_kurtosis(self) -> float:
        a = self.shape
        if a <= 4:
            return math.inf
        return 3 * (a - 2) * (3 * a**2 + a + 2) / (a * (a - 3) * (a - 4))
