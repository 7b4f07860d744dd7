"""Radii ε: with probability 1 − α the covariance estimate is within ε of the truth.

`log_level(eps)` is the logarithm of the smallest level whose `epsilon` is at most eps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise.errors import ParameterError
from edgewise.sums.concordance import Concordance, latent_tau, left_by_ties

# Székely & Bakirov (2003): P(Σ wᵢZᵢ² > x) ≤ P(Z² > x) holds for x ≥ 1.5364, that is, for
# levels up to P(Z² > 1.5364) = 0.2152. Above it the trace radius is not proven.
TRACE_MAX_ALPHA = math.erfc(math.sqrt(1.5364 / 2))

_EXACT_POINTS = 300
_CHECKED_LEVELS = (0.001, 0.05, 0.5)


class Radius(Protocol):
    """How far the estimate may be from the truth, as a function of the level α."""

    def epsilon(self, alpha: float) -> float: ...

    def log_level(self, epsilon: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class NormalRadius:
    """ε = √v z_{1−α/2}: the paper's Lemma 1 (v = 2λ_max) or Corollary 1 (v = 2 Tr of Cov(U(Σ̂))).

    Proven up to `max_alpha`, above which `epsilon` raises; with `for_all` it bounds each entry at
    every level, and all at once up to that level only.
    """

    variance: float
    max_alpha: float = 1.0
    for_all: float | None = None

    def epsilon(self, alpha: float) -> float:
        if alpha > self.max_alpha and self.for_all is None:
            raise ParameterError(
                f"alpha: expected at most {math.floor(self.max_alpha * 1e4) / 1e4} with the trace "
                f"radius, got {alpha!r}; its bound is not proven above that. Use method='whitened' "
                "or 'spectral' with radius='chi2', or a smaller alpha."
            )
        return math.sqrt(self.variance) * float(-special.ndtri(alpha / 2))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        if self.variance <= 0:
            return np.where(epsilon > 0, -np.inf, 0.0)
        log_p = math.log(2) + special.log_ndtr(-epsilon / math.sqrt(self.variance))
        return np.where(log_p > math.log(self.max_alpha), 0.0, np.minimum(log_p, 0.0))


@dataclass(frozen=True, eq=False, slots=True)
class ChiSquareRadius:
    """ε² is the 1 − α quantile of Σ λ_k χ²₁, λ the spectrum of Cov(Σ̂) in Frobenius weights.

    Of an estimated spectrum `counts` says how many eigenvalues each value stands for, and `slack`
    by what share the radius is widened.
    """

    spectrum: FloatArray
    counts: FloatArray | None = None
    slack: float = 0.0

    @classmethod
    def estimated(cls, values: FloatArray, counts: FloatArray) -> ChiSquareRadius:
        """The mean of several estimates, one per row, widened by three standard errors at worst."""
        rows = len(values)
        epsilon = np.sqrt(
            [
                [upper_quantile(alpha, *row) for row in zip(values, counts, strict=True)]
                for alpha in _CHECKED_LEVELS
            ]
        )
        error = epsilon.std(axis=1, ddof=1) / math.sqrt(rows) / epsilon.mean(axis=1)
        return cls(values.ravel(), counts.ravel() / rows, 3 * float(error.max()))

    def epsilon(self, alpha: float) -> float:
        return (1 + self.slack) * math.sqrt(upper_quantile(alpha, self.spectrum, self.counts))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        """Exact for up to a few hundred values, and interpolated (to about 1e-8) for more."""
        points, inverse = np.unique(epsilon / (1 + self.slack), return_inverse=True)
        law = _positive(self.spectrum, self.counts)
        if points.size > _EXACT_POINTS:
            levels = self._interpolated(points**2, *law)
        else:
            levels = np.array([log_tail(float(e) ** 2, *law) for e in points])
        return np.asarray(levels)[inverse]

    @staticmethod
    def _interpolated(x: FloatArray, weights: FloatArray, counts: FloatArray) -> FloatArray:
        from scipy.interpolate import make_interp_spline  # slow to import, and seldom needed

        mean = float(counts @ weights)
        deviation = math.sqrt(2 * float(counts @ weights**2))
        levels = np.zeros(x.shape)
        above, below = x >= mean, (x > 0) & (x < mean)
        if above.any():
            place = np.arcsinh((x[above] - mean) / deviation)
            nodes = np.linspace(0.0, max(float(place.max()), 1e-6), _EXACT_POINTS)
            at = [log_tail(mean + deviation * math.sinh(u), weights, counts) for u in nodes]
            levels[above] = make_interp_spline(nodes, at, k=5)(place)
        if below.any():
            # On logarithmic scales the lower tail is smooth: near zero it is a power of x.
            place = np.log(x[below])
            nodes = np.linspace(float(place.min()) - 1e-6, math.log(mean), _EXACT_POINTS)
            at = [_log_contour(math.exp(u), weights, counts, upper=False) for u in nodes[:-1]]
            at.append(math.log1p(-math.exp(log_tail(mean, weights, counts))))
            lower = np.exp(np.minimum(make_interp_spline(nodes, at, k=5)(place), 0.0))
            levels[below] = np.log1p(-np.minimum(lower, 1 - 1e-16))
        return np.minimum(levels, 0.0)


@dataclass(frozen=True, slots=True)
class HoeffdingRadius:
    """ε = offset + unit · √(log(2d/α)/(2N)): Hoeffding's inequality for U-statistics, all d
    entries.

    N independent pairs of rows, `unit` the norm of the kernels' ranges, `offset` what ties leave
    open.
    """

    unit: float
    independent_pairs: float
    n_entries: int
    offset: float = 0.0

    def epsilon(self, alpha: float) -> float:
        log_term = math.log(2 * self.n_entries / alpha)
        return self.offset + self.unit * math.sqrt(log_term / (2 * self.independent_pairs))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        error = np.maximum(epsilon - self.offset, 0.0) / self.unit
        exponent = 2 * self.independent_pairs * error**2
        return np.minimum(math.log(2 * self.n_entries) - exponent, 0.0)

    def rows_for(self, alpha: float, wanted: FloatArray) -> FloatArray:
        """After how many rows like these it is as small as wanted; ties stay as they are."""
        left = np.asarray(wanted - self.offset)
        with np.errstate(divide="ignore"):
            rows = math.log(2 * self.n_entries / alpha) * (self.unit / left) ** 2
        return np.where(left > 0, rows, np.inf)


@dataclass(frozen=True, slots=True)
class ChebyshevRadius:
    """ε = √(v/α), v at least the mean of ‖Σ^{−1/2}Σ̂Σ^{−1/2} − I‖²_F: Chebyshev's inequality."""

    variance: float

    def epsilon(self, alpha: float) -> float:
        return math.sqrt(self.variance / alpha)

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            log_p = math.log(self.variance) - 2 * np.log(epsilon)
        return np.minimum(log_p, 0.0)


def relative_variance(n_samples: int, n_features: int, kurtosis: float) -> float:
    """The mean of ‖Σ^{−1/2}Σ̂Σ^{−1/2} − I‖²_F for every n; `kurtosis` is Mardia's over the
    Gaussian.
    """
    n, p = n_samples, n_features
    # The sum over i, j of Var Σ̂_ij = (m_iijj − σ_ij²)/n + (σ_iiσ_jj + σ_ij²)/(n(n − 1)), Σ = I.
    return (kurtosis * p * (p + 2) - p) / n + p * (p + 1) / (n * (n - 1))


def kernel_ranges(lengths: FloatArray) -> FloatArray:
    """Lengths of the ranges of ½(x_i − x_i′)(x_j − x_j′): ±½Δ_iΔ_j, and [0, ½Δ_i²]."""
    ranges = np.outer(lengths, lengths)
    np.fill_diagonal(ranges, lengths**2 / 2)
    return ranges


def concordance_radius(
    concordance: Concordance, whitening: FloatArray, replaced: bool
) -> HoeffdingRadius:
    """The radius of ‖L⁻¹(Σ − Σ̂)L⁻ᵀ‖₂, with Σ̂ = LLᵀ and L⁻¹ the `whitening`.

    Σ̂_ij − Σ_ij| ≤ (π/2)|τ̂_ij − τ_ij|; ties add the share of tied pairs to the error. If Σ̂ was replaced by another matrix, the radius is too large for any threshold.
    """
    tau, tied = latent_tau(concordance.total, concordance.n_pairs), concordance.tied()
    p, left = len(tau), left_by_ties(tied)
    either = np.minimum(np.add.outer(tied, tied), 1.0)
    open_to_ties = either + np.abs(tau) * (1 - np.sqrt(np.outer(left, left)))
    np.fill_diagonal(open_to_ties, 0.0)
    unit = np.pi * _largest(np.ones((p, p)) - np.eye(p), whitening)
    offset = np.pi / 2 * _largest(open_to_ties, whitening)
    if replaced:
        offset = max(offset, 1.0)
    return HoeffdingRadius(unit, concordance.independent_pairs, p * (p - 1) // 2, offset)


def _largest(errors: FloatArray, whitening: FloatArray) -> float:
    """The largest ‖AEAᵀ‖₂ with |E_ij| ≤ `errors`, by the lesser of two bounds."""
    size = np.abs(whitening)
    within = float(np.linalg.norm(size @ errors @ size.T, 2))
    return min(within, float(np.linalg.norm(errors, 2) * np.linalg.norm(whitening, 2) ** 2))


# An empirical Bernstein bound on all entries of Σ̂, for every n; docs/theory/bounds.md has the proof.
#
# Let y = x − E x, for columns divided by the length of their declared range. Then the covariance with
# the divisor n is mean(yyᵀ) − ȳȳᵀ: products y_iy_j and columns y_i are means of n independent terms.
# For each of these d + p means, three events fail with probability e^{−L} at most: the mean is too
# high, too low, or the mean square of its terms is too low. All bounds hold on the other events.


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


# Weighted sums of independent χ² variables: Q = Σ λ_k χ²_{m_k}, with m_k = 1 unless given.
#
# P(Q > x) = (1/2πi) ∫ exp(K(s) − s x)/s ds, K(s) = −½ Σ m_k log(1 − 2λ_k s), along any path that
# starts and ends at infinity on the right and crosses the real axis between the pole at 0 and the
# first branch point 1/(2λ_max). Through the saddle point the integrand does not oscillate, and on a
# parabola that bends to the right it falls like a Gaussian, so the trapezoidal rule converges
# geometrically. The factor exp(K(c) − c x) comes out of the integral: tail probabilities keep their
# relative accuracy however small they are.

# Relative change under halving of the step at which the integral is taken as exact. The error of
# the trapezoidal rule on an analytic integrand is about squared by each halving.
_TOLERANCE = 1e-11
_MAX_HALVINGS = 12
_NEXT_TO_NOTHING = 1e-6
# Of more weights than these together, the largest stay and nodes stand for the others.
_LARGEST_WEIGHTS, _NODES = 16, 32


def log_tail(x: float, weights: FloatArray, counts: FloatArray | None = None) -> float:
    """log P(Σ λ_k χ²_{m_k} > x), to about 1e-10 relative in P.

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


def upper_quantile(alpha: float, weights: FloatArray, counts: FloatArray | None = None) -> float:
    """x with P(Σ λ_k χ²_{m_k} > x) = alpha, to about 1e-10 relative.

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
    counts = np.ones(weights.shape) if counts is None else counts
    # A weight that hardly counts would only pull the saddle point towards its branch point.
    kept = (weights > 0) & (counts > _NEXT_TO_NOTHING)
    weights, counts = weights[kept], counts[kept]
    if weights.size <= _LARGEST_WEIGHTS + _NODES:
        return weights, counts
    weights, places = np.unique(weights, return_inverse=True)
    counts = np.asarray(np.bincount(places, counts), dtype=np.float64)
    if weights.size <= _LARGEST_WEIGHTS + _NODES:
        return weights, counts
    from scipy.linalg import eigh_tridiagonal  # slow to import, and seldom needed

    most = slice(-_LARGEST_WEIGHTS)
    rest, total = weights[most], float(counts[most].sum())
    # Lanczos with the diagonal matrix of the weights, from the roots of their counts.
    basis, diagonal, beside = np.zeros((_NODES, rest.size)), np.zeros(_NODES), np.zeros(_NODES)
    following, steps = np.sqrt(counts[most] / total), 0
    while steps < _NODES:
        basis[steps], following = following, rest * following
        diagonal[steps] = basis[steps] @ following
        steps += 1
        for _ in range(2):
            following = following - (basis[:steps] @ following) @ basis[:steps]
        beside[steps - 1] = np.linalg.norm(following)
        if beside[steps - 1] <= 1e-15 * rest[-1]:
            break
        following /= beside[steps - 1]
    nodes, vectors = eigh_tridiagonal(diagonal[:steps], beside[: steps - 1])
    found = np.append(np.maximum(nodes, 0.0), weights[-_LARGEST_WEIGHTS:])
    return found, np.append(total * vectors[0] ** 2, counts[-_LARGEST_WEIGHTS:])


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

    def trapezoid(step: float) -> float:
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

    for _ in range(_MAX_HALVINGS):
        total = trapezoid(step)
        if abs(total - previous) <= tolerance * abs(total):
            break
        previous, step = total, step / 2
    return height + math.log(abs(total))
