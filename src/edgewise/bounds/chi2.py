"""Weighted sums of independent χ² variables: Q = Σ λ_k χ²_{m_k}, with m_k = 1 unless given.

P(Q > x) = (1/2πi) ∫ exp(K(s) − s x)/s ds, K(s) = −½ Σ m_k log(1 − 2λ_k s), along any path that
starts and ends at infinity on the right and crosses the real axis between the pole at 0 and the
first branch point 1/(2λ_max). Through the saddle point the integrand does not oscillate, and on a
parabola that bends to the right it falls like a Gaussian, so the trapezoidal rule converges
geometrically. The factor exp(K(c) − c x) comes out of the integral: tail probabilities keep their
relative accuracy however small they are.
"""

from __future__ import annotations

import math

import numpy as np

from edgewise._base.types import FloatArray

#: Relative change under halving of the step at which the integral is taken as exact. The error of
#: the trapezoidal rule on an analytic integrand is about squared by each halving.
_TOLERANCE = 1e-11
_MAX_HALVINGS = 12
_NEXT_TO_NOTHING = 1e-6


def log_tail(x: float, weights: FloatArray, counts: FloatArray | None = None) -> float:
    """log P(Σ λ_k χ²_{m_k} > x), to about 1e-10 relative in P.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> round(math.exp(log_tail(3.841458820694124, np.array([1.0]))), 12)
    0.05
    """
    weights, counts = _positive(weights, counts)
    if x <= 0 or weights.size == 0:
        return 0.0 if x <= 0 else -math.inf
    if x >= counts @ weights:
        return _log_contour(x, weights, counts, upper=True)
    lower = math.exp(_log_contour(x, weights, counts, upper=False))
    return math.log1p(-min(lower, 1.0)) if lower < 1 else -math.inf


def log_lower_tail(x: float, weights: FloatArray, counts: FloatArray | None = None) -> float:
    """log P(Σ λ_k χ²_{m_k} ≤ x) for x between zero and the mean.

    In that range the saddle point is negative, and the same integral is minus the lower tail.
    """
    return _log_contour(x, *_positive(weights, counts), upper=False)


def upper_quantile(alpha: float, weights: FloatArray, counts: FloatArray | None = None) -> float:
    """x with P(Σ λ_k χ²_{m_k} > x) = alpha, to about 1e-10 relative.

    Examples
    --------
    >>> import numpy as np
    >>> round(upper_quantile(0.05, np.array([1.0, 1.0])), 9)
    5.991464547
    """
    from scipy import optimize  # slow to import, and seldom needed

    weights, counts = _positive(weights, counts)
    if weights.size == 0:
        return 0.0
    target = math.log(alpha)
    mean = float(counts @ weights)
    low = high = mean
    while log_tail(low, weights, counts) < target:
        low /= 2
    while log_tail(high, weights, counts) > target:
        high *= 2
    if low == high:
        return mean
    root: float = optimize.brentq(
        lambda x: log_tail(x, weights, counts) - target, low, high, xtol=1e-14 * mean, rtol=1e-13
    )
    return root


def _positive(weights: FloatArray, counts: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """The weights that matter, and how often each counts."""
    counts = np.ones(weights.shape) if counts is None else counts
    # A weight that hardly counts would only pull the saddle point towards its branch point.
    kept = (weights > 0) & (counts > _NEXT_TO_NOTHING)
    return weights[kept], counts[kept]


def _saddle(x: float, weights: FloatArray, counts: FloatArray, *, upper: bool) -> float:
    """Where K′(s) = Σ mλ/(1 − 2λs) equals x, kept away from the pole at zero; λ_max is 1."""
    from scipy import optimize  # slow to import, and seldom needed

    deviation = math.sqrt(2 * float(counts @ weights**2))
    # Any point between the pole and the branch point is allowed. Near the mean the saddle comes
    # close to the pole, where the integrand is steep.
    nearest = min(0.25, 0.5 / deviation)

    def slope_gap(s: float) -> float:
        return float(counts @ (weights / (1 - 2 * weights * s))) - x

    # At the mean the saddle is the pole itself, up to rounding; the caller chose the side.
    at_zero = slope_gap(0.0)
    if upper:
        if at_zero >= 0:
            return nearest
        # Σmλ/(1−2λs) ≥ m₁/(1−2s), so the root lies below ½(1 − m₁/x); and it is above zero.
        largest = float(counts[np.argmax(weights)])
        top = 0.5 * (1 - largest / (x * (1 + 1e-12) + float(counts.sum())))
        root = optimize.brentq(slope_gap, 0.0, top) if slope_gap(top) > 0 else top
        return max(root, nearest)
    if at_zero <= 0:
        return -nearest
    bottom = -1.0
    while slope_gap(bottom) > 0:
        bottom *= 2
    return min(optimize.brentq(slope_gap, bottom, 0.0), -nearest)


def _log_contour(x: float, weights: FloatArray, counts: FloatArray, *, upper: bool) -> float:
    """Log of |(1/2πi) ∫ exp(K(s) − s x)/s ds| along s = c + it + κt², c the saddle point."""
    scale = float(weights.max())
    weights, x = weights / scale, x / scale
    c = _saddle(x, weights, counts, upper=upper)
    left = 1 - 2 * weights * c
    second = 2 * float(counts @ (weights / left) ** 2)
    third = 8 * float(counts @ (weights / left) ** 3)
    bend = third / (6 * second)
    height = -0.5 * float(counts @ np.log(left)) - c * x
    # At least as wide as the Gaussian of the saddle; the parabola narrows it further out.
    width = 1 / math.sqrt(second)
    step = width / 4
    # Far out, the rounding of the exponent itself limits the accuracy.
    tolerance = max(_TOLERANCE, 1e-15 * abs(height))
    previous = math.nan
    for _ in range(_MAX_HALVINGS):
        total = _trapezoid(x, weights, counts, c, bend, height, step)
        if abs(total - previous) <= tolerance * abs(total):
            break
        previous, step = total, step / 2
    return height + math.log(abs(total))


def _trapezoid(
    x: float,
    weights: FloatArray,
    counts: FloatArray,
    c: float,
    bend: float,
    height: float,
    step: float,
) -> float:
    """Twice the integral over t ≥ 0, in chunks until the terms no longer matter."""
    total, start, chunk = 0.0, 0, 64
    while True:
        t = step * np.arange(start, start + chunk)
        s = c + 1j * t + bend * t * t
        exponent = -0.5 * (np.log(1 - 2 * np.multiply.outer(s, weights)) @ counts) - s * x
        terms = (np.exp(exponent - height) * (1j + 2 * bend * t) / s).imag / math.pi
        if start == 0:
            terms[0] /= 2
        total += step * float(terms.sum())
        if np.abs(terms[-4:]).max() * chunk * step <= 1e-16 * abs(total):
            return total
        start += chunk
