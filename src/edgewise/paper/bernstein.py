"""An empirical Bernstein bound on all entries of Σ̂, for every number of rows.

docs/theory/bounds.md has the proof. Let y = x − E x, for columns divided by the length of their
declared range. Then s = mean(yyᵀ) − ȳȳᵀ, where s is the covariance with the divisor n: the products
y_iy_j and the columns y_i are means of n independent terms. For each of these d + p means, three
events fail with probability e^{−L} at most: the mean is too high, it is too low, or the mean square
of its terms is too low. All bounds below hold on the other events. a = √(2L/n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray

_EXACT_POINTS = 300


@dataclass(frozen=True, eq=False, slots=True)
class BernsteinRadius:
    """ε = ‖S e Sᵀ‖₂, e the errors of all entries of Σ̂ for columns of range one."""

    n_samples: int
    #: The distance from the mean of each column to the farther end of its range.
    reach: FloatArray
    #: Of the rows, and the standard deviation of the product of two centred columns; divisor n.
    covariance: FloatArray
    deviation: FloatArray
    #: S: the absolute map to the coordinates of the transfer, times the lengths of the ranges.
    scale: FloatArray

    @property
    def n_events(self) -> int:
        """3(d + p): events whose probabilities are added."""
        p = len(self.reach)
        return 3 * (p * (p + 1) // 2 + p)

    def epsilon(self, alpha: float) -> float:
        return self._epsilon(math.log(self.n_events) - math.log(alpha), self.n_samples)

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        """Exact for up to a few hundred values, and interpolated (to about 1e-4) for more."""
        log_events = math.log(self.n_events)
        points, inverse = np.unique(epsilon, return_inverse=True)
        known = points > self._epsilon(log_events, self.n_samples)
        levels = np.zeros(points.shape)
        levels[known] = log_events - self._exponents(points[known])
        return np.asarray(np.minimum(levels, 0.0)[inverse])

    def rows_for(self, alpha: float, epsilon: FloatArray) -> FloatArray:
        """After how many rows like these the radius is `epsilon`; infinite where it never is."""
        exponent = math.log(self.n_events) - math.log(alpha)
        points, inverse = np.unique(epsilon, return_inverse=True)
        found = [
            # Decreasing in the rows, so increasing in their inverse.
            1 / _root(lambda share: self._epsilon(exponent, 1 / share), one) if one > 0 else np.inf
            for one in map(float, points)
        ]
        return np.asarray(np.array(found)[inverse]).reshape(np.shape(epsilon))

    def _exponents(self, points: FloatArray) -> FloatArray:
        """L with ε(L) = each point, which are sorted."""
        if points.size <= _EXACT_POINTS:
            return np.array([self._exponent(float(point)) for point in points])
        from scipy.interpolate import PchipInterpolator  # slow to import, and seldom needed

        low, high = (math.log(self._exponent(float(points[end]))) for end in (0, -1))
        nodes = np.linspace(low, high, _EXACT_POINTS)
        at = np.log([self._epsilon(math.exp(node), self.n_samples) for node in nodes])
        inside = np.clip(np.log(points), at[0], at[-1])
        return np.asarray(np.exp(PchipInterpolator(at, nodes)(inside)))

    def _exponent(self, point: float) -> float:
        return _root(lambda exponent: self._epsilon(exponent, self.n_samples), point)

    def _epsilon(self, exponent: float, n_samples: float) -> float:
        errors = self.scale @ self.entry_errors(exponent, n_samples) @ self.scale.T
        # A symmetric matrix without negative entries: its largest eigenvalue is its norm.
        return float(np.linalg.eigvalsh(errors)[-1]) if np.isfinite(errors).all() else math.inf

    def entry_errors(self, exponent: float, n_samples: float) -> FloatArray:
        """How far each entry of Σ̂ may be from Σ, at once with probability 1 − 3(d + p)e^{−L}."""
        a = math.sqrt(2 * exponent / n_samples)
        root = np.sqrt(self.covariance.diagonal())
        # |ȳ_i| ≤ a/2, as Hoeffding has it; then the sharper of that and Bernstein.
        reach = np.minimum(self.reach + a / 2, 1.0)
        spread = np.minimum(_largest_deviation(root, reach, a), 0.5)
        mean = np.minimum(a / 2, a * spread + reach * a**2 / 6)
        reach = np.minimum(self.reach + mean, 1.0)
        ranges = np.maximum.outer(reach, reach)  # of y_iy_j
        distances = np.minimum(ranges, np.outer(reach, reach) + np.outer(spread, spread))
        np.fill_diagonal(ranges, reach**2)
        np.fill_diagonal(distances, reach**2)
        # What is known is the deviation about the sample means, not about the means.
        seen = self.deviation + np.outer(mean, root) + np.outer(root, mean)
        bernstein = a * _largest_deviation(seen, distances, a) + distances * a**2 / 6
        products = np.minimum(a * ranges / 2, bernstein)
        # |s − Σ| ≤ |mean(y_iy_j) − Σ| + |ȳ_iȳ_j|, and Σ̂ − s = s/(n − 1).
        whole = products + np.outer(mean, mean)
        return np.asarray(whole + np.abs(self.covariance) / max(n_samples - 1, 1.0))


def _largest_deviation(seen: FloatArray, distance: FloatArray, a: float) -> FloatArray:
    """The largest q that goes with the deviation seen: q² − caq ≤ seen² + (aq + ca²/6)²."""
    if a >= 1:
        return np.full(np.shape(seen), np.inf)
    linear = a * (1 + a**2 / 3) * distance
    constant = seen**2 + (a**2 * distance / 6) ** 2
    left = 1 - a**2
    return np.asarray((linear + np.sqrt(linear**2 + 4 * left * constant)) / (2 * left))


def _root(increasing: Callable[[float], float], target: float) -> float:
    """Where an increasing function on (0, ∞) reaches the target."""
    from scipy.optimize import brentq  # slow to import, and seldom needed

    low = high = 0.0  # logarithms
    while high < 600 and increasing(math.exp(high)) < target:
        high += 2.0
    while low > -600 and increasing(math.exp(low)) > target:
        low -= 2.0

    def beyond(logarithm: float) -> float:
        return math.log(max(increasing(math.exp(logarithm)), 1e-300)) - math.log(target)

    if not beyond(low) < 0 < beyond(high):
        return math.exp(high if beyond(high) <= 0 else low)
    return math.exp(brentq(beyond, low, high, xtol=1e-13, rtol=1e-14))
