"""From a radius on the covariance to a threshold on the precision."""

from __future__ import annotations

import math

import numpy as np
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from edgewise._types import FloatArray


def frobenius_threshold(eigenvalues: FloatArray, radius: float, mu: float) -> float:
    """t = μ √Σ_k (ε/(α̂_k(α̂_k − ε)))², and ∞ when ε ≥ α̂_p (the paper's Theorem 5)."""
    smallest = float(eigenvalues.min())
    if not radius < smallest:
        return math.inf
    return mu * float(np.linalg.norm(radius / (eigenvalues * (eigenvalues - radius))))


def invert_frobenius_threshold(
    eigenvalues: FloatArray, threshold: FloatArray, mu: float
) -> FloatArray:
    """The radius ε at which `frobenius_threshold` equals each value of `threshold`.

    With w = ε/(α̂_p − ε) the threshold is a smooth, increasing function of w on (0, ∞), almost
    a straight line between logarithms. Its inverse is tabulated there once, with its exact
    slope, so that the cost does not multiply the number of pairs by the number of eigenvalues.
    The cubic interpolant over steps of 0.007 is exact to about 1e-12, and beyond the table
    both ends are straight lines of slope one to the same accuracy.
    """
    smallest = float(eigenvalues.min())
    log_w = np.linspace(-14.0, 14.0, 4097)
    # In pieces, so that the nodes × eigenvalues tables stay in the cache.
    pieces = [_log_shape(piece, eigenvalues / smallest) for piece in np.array_split(log_w, 32)]
    log_t = math.log(mu / smallest) + np.concatenate([shape for shape, _ in pieces])
    slope = np.concatenate([slope for _, slope in pieces])
    inverse = CubicHermiteSpline(log_t, log_w, 1 / slope)
    with np.errstate(divide="ignore"):
        wanted = np.log(threshold)
    inside = np.clip(wanted, log_t[0], log_t[-1])
    radius: FloatArray = smallest * special.expit(inverse(inside) + (wanted - inside))
    return radius


def _log_shape(log_w: FloatArray, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log(α̂_p t/μ) and its derivative, as functions of log w; ratio = α̂_k/α̂_p.

    Each term of the sum is w/(r²(1 + w(1 − 1/r))), so its logarithmic slope is 1/(1 + w(1 − 1/r)).
    """
    w = np.exp(log_w)[:, np.newaxis]
    slopes = 1 / (1 + w * (1 - 1 / ratio))
    squares = (w * slopes / ratio**2) ** 2
    total = squares.sum(axis=1)
    return 0.5 * np.log(total), np.vecdot(squares, slopes) / total
