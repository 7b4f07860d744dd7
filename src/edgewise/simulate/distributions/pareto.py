"""A skewed law with heavy tails, neither elliptical nor of independent components."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from edgewise._base.checks import check_real
from edgewise._base.types import FloatArray
from edgewise.simulate.distributions.distribution import Distribution


@dataclass(frozen=True)
class ClaytonPareto(Distribution):
    """Multivariate Pareto, x_i = E_i/V: Pareto margins tied by the (survival) Clayton copula.

    The E_i are exponential, and V ~ Gamma(shape) is common to the row. So large values come
    together and small ones do not: the law is skewed, has heavy tails, and is not elliptical. The
    Clayton parameter is 1/shape. All columns are equally correlated; the rows are multiplied by the
    inverse root of that covariance. Fourth moments exist for shape > 4.

    Parameters
    ----------
    shape : float
        The shape parameter, above 2; a small one gives heavy tails.

    Examples
    --------
    >>> from edgewise.simulate import ClaytonPareto
    >>> light, heavy = ClaytonPareto(shape=20), ClaytonPareto(shape=4)
    >>> round(light.mardia_kurtosis(3), 1), heavy.mardia_kurtosis(3)
    (43.9, inf)
    """

    shape: float = 6.0

    def __post_init__(self) -> None:
        check_real(
            "shape", self.shape, above=2, below=1e6, hint=" The variance is infinite up to 2."
        )

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        common = rng.standard_gamma(self.shape, (n, 1))
        x = rng.standard_exponential((n, p)) / common - self._mean_power(1)
        own, shared = self._covariance()
        # The inverse root of own·I + shared·11ᵀ acts on the mean of a row and on the rest apart.
        mean = x.mean(axis=1, keepdims=True)
        rows: FloatArray = (x - mean) / math.sqrt(own) + mean / math.sqrt(own + p * shared)
        return rows

    def _mean_power(self, power: int) -> float:
        """E V^{−k}; infinite where it does not exist."""
        if self.shape <= power:
            return math.inf
        return math.exp(float(special.gammaln(self.shape - power) - special.gammaln(self.shape)))

    def _covariance(self) -> tuple[float, float]:
        """Cov = own·I + shared·11ᵀ."""
        second, first = self._mean_power(2), self._mean_power(1)
        return second, second - first**2

    def mardia_kurtosis(self, n_features: int) -> float:
        # Condition on w = 1/V: given w, the x_i − mean are independent.
        if self.shape <= 4:
            return math.inf
        p = n_features
        w = np.polynomial.Polynomial([0.0, 1.0])
        mean = self._mean_power(1)
        # E (E w − mean)^k as polynomials in w, E being exponential: E E^j = j!.
        m1, m2, m3, m4 = (
            sum(
                (
                    math.comb(k, j) * math.factorial(j) * (-mean) ** (k - j) * w**j
                    for j in range(k + 1)
                ),
                start=0 * w,
            )
            for k in (1, 2, 3, 4)
        )
        pairs, triples = p * (p - 1), p * (p - 1) * (p - 2)
        squares = p * m4 + pairs * m2**2
        mixed = p * m4 + pairs * (m2**2 + 2 * m3 * m1) + triples * m2 * m1**2
        total = (
            p * m4
            + pairs * (4 * m3 * m1 + 3 * m2**2)
            + 6 * triples * m2 * m1**2
            + triples * (p - 3) * m1**4
        )
        own, shared = self._covariance()
        b = shared / (own + p * shared)
        quadratic = (squares - 2 * b * mixed + b**2 * total) / own**2
        powers = [self._mean_power(k) for k in range(len(quadratic.coef))]
        return float(np.dot(quadratic.coef.astype(np.float64), powers))
