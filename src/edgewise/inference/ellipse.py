"""An interval of the difference of two correlations that agrees with the test of their equality."""

from __future__ import annotations

import math

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.inference.intervals import ConfidenceInterval

_GRID = 24
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 32
_SATURATED = 1e6  # tanh is one long before


def difference_interval(
    z_a: FloatArray, z_b: FloatArray, reach_a: FloatArray, reach_b: FloatArray
) -> ConfidenceInterval:
    """The range of tanh a − tanh b over ((a − z_A)/r_A)² + ((b − z_B)/r_B)² ≤ 1.

    With r = c·se, the ellipse is the set of (a, b) whose likelihood ratio is at most c². Its range
    has the width of the delta method in the limit, stays within ±2, and contains 0 exactly where
    the ellipse meets the line a = b: where |z_A − z_B| ≤ c√(V_A + V_B), so that the test of
    equality does not reject.

    Parameters
    ----------
    z_a, z_b : ndarray
        Fisher's z in the two groups.
    reach_a, reach_b : ndarray
        The standard errors times the critical value.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = difference_interval(*np.array([[0.5], [0.1], [0.2], [0.2]]))
    >>> low.round(3), high.round(3)
    (array([0.107]), array([0.611]))
    """
    reach_a, reach_b = np.minimum(reach_a, _SATURATED), np.minimum(reach_b, _SATURATED)
    return ConfidenceInterval(
        -_largest(z_b, z_a, reach_b, reach_a), _largest(z_a, z_b, reach_a, reach_b)
    )


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
