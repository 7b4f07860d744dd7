"""Weighted sums of independent χ²₁ variables: Q = Σ λ_k Z_k².

P(Q > x) = (1/2πi) ∫ exp(K(s) − s x)/s ds, K(s) = −½ Σ log(1 − 2λ_k s), along any path that starts
and ends at infinity on the right and crosses the real axis between the pole at 0 and the first
branch point 1/(2λ_max). Through the saddle point the integrand does not oscillate, and on a
parabola that bends to the right it falls like a Gaussian, so the trapezoidal rule converges
geometrically. The factor exp(K(c) − c x) comes out of the integral: tail probabilities keep their
relative accuracy however small they are.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from edgewise._types import FloatArray

#: Relative change under halving of the step at which the integral is taken as exact. The error of
#: the trapezoidal rule on an analytic integrand is about squared by each halving.
_TOLERANCE = 1e-11
_MAX_HALVINGS = 12


def log_tail(x: float, weights: FloatArray) -> float:
    """log P(Σ λ_k χ²₁ > x), to about 1e-10 relative in P.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> round(math.exp(log_tail(3.841458820694124, np.array([1.0]))), 12)
    0.05
    """
    weights = weights[weights > 0]
    if x <= 0 or weights.size == 0:
        return 0.0 if x <= 0 else -math.inf
    if x >= weights.sum():
        return _log_contour(x, weights, upper=True)
    lower = math.exp(_log_contour(x, weights, upper=False))
    return math.log1p(-min(lower, 1.0)) if lower < 1 else -math.inf


def log_lower_tail(x: float, weights: FloatArray) -> float:
    """log P(Σ λ_k χ²₁ ≤ x) for x between zero and the mean.

    There the saddle point is negative, and the same integral is minus the lower tail.
    """
    return _log_contour(x, weights[weights > 0], upper=False)


def upper_quantile(alpha: float, weights: FloatArray) -> float:
    """x with P(Σ λ_k χ²₁ > x) = alpha, to about 1e-10 relative.

    Examples
    --------
    >>> import numpy as np
    >>> round(upper_quantile(0.05, np.array([1.0, 1.0])), 9)
    5.991464547
    """
    weights = weights[weights > 0]
    if weights.size == 0:
        return 0.0
    target = math.log(alpha)
    mean = float(weights.sum())
    low = high = mean
    while log_tail(low, weights) < target:
        low /= 2
    while log_tail(high, weights) > target:
        high *= 2
    if low == high:
        return mean
    root: float = optimize.brentq(
        lambda x: log_tail(x, weights) - target, low, high, xtol=1e-14 * mean, rtol=1e-13
    )
    return root


def _saddle(x: float, weights: FloatArray, *, upper: bool) -> float:
    """Where K′(s) = Σ λ/(1 − 2λs) equals x, kept away from the pole at zero; λ_max is 1."""
    deviation = math.sqrt(2 * float(weights @ weights))
    # Any point between the pole and the branch point will do; near the mean the saddle runs into
    # the pole, where the integrand is steep.
    nearest = min(0.25, 0.5 / deviation)

    def slope_gap(s: float) -> float:
        return float(np.sum(weights / (1 - 2 * weights * s))) - x

    # At the mean, to rounding, the saddle is the pole itself; the caller chose the side.
    at_zero = slope_gap(0.0)
    if upper:
        if at_zero >= 0:
            return nearest
        # Σλ/(1−2λs) ≥ 1/(1−2s), so the root lies below ½(1 − 1/x); and it is above zero.
        top = 0.5 * (1 - 1 / (x * (1 + 1e-12) + weights.size))
        root = optimize.brentq(slope_gap, 0.0, top) if slope_gap(top) > 0 else top
        return max(root, nearest)
    if at_zero <= 0:
        return -nearest
    bottom = -1.0
    while slope_gap(bottom) > 0:
        bottom *= 2
    return min(optimize.brentq(slope_gap, bottom, 0.0), -nearest)


def _log_contour(x: float, weights: FloatArray, *, upper: bool) -> float:
    """Log of |(1/2πi) ∫ exp(K(s) − s x)/s ds| along s = c + it + κt², c the saddle point."""
    scale = float(weights.max())
    weights, x = weights / scale, x / scale
    c = _saddle(x, weights, upper=upper)
    left = 1 - 2 * weights * c
    second = 2 * float(np.sum((weights / left) ** 2))
    third = 8 * float(np.sum((weights / left) ** 3))
    bend = third / (6 * second)
    height = -0.5 * float(np.sum(np.log(left))) - c * x
    # At least as wide as the Gaussian of the saddle; the parabola narrows it further out.
    width = 1 / math.sqrt(second)
    step = width / 4
    # Far out, rounding of the exponent itself is all that is left of the difference.
    tolerance = max(_TOLERANCE, 1e-15 * abs(height))
    previous = math.nan
    for _ in range(_MAX_HALVINGS):
        total = _trapezoid(x, weights, c, bend, height, step)
        if abs(total - previous) <= tolerance * abs(total):
            break
        previous, step = total, step / 2
    return height + math.log(abs(total))


def _trapezoid(
    x: float, weights: FloatArray, c: float, bend: float, height: float, step: float
) -> float:
    """The real integral over t ≥ 0, doubled, in chunks until the terms no longer count."""
    total, start, chunk = 0.0, 0, 64
    while True:
        t = step * np.arange(start, start + chunk)
        s = c + 1j * t + bend * t * t
        exponent = -0.5 * np.log(1 - 2 * np.multiply.outer(s, weights)).sum(axis=1) - s * x
        terms = (np.exp(exponent - height) * (1j + 2 * bend * t) / s).imag / math.pi
        if start == 0:
            terms[0] /= 2
        total += step * float(terms.sum())
        if np.abs(terms[-4:]).max() * chunk * step <= 1e-16 * abs(total):
            return total
        start += chunk
