"""Sums of the edges of each node, with intervals by the delta method.

An error of Θ̂ is, up to its sign, the error of the second moments of the residuals Θx. So partial
correlations err together as correlations do (Pearson & Filon 1898, Olkin & Siotani 1976), −ρ in
their place: n Cov(ρ̂_ij, ρ̂_ik) = −ρ_jk(1 − ρ_ij² − ρ_ik²) − ½ρ_ijρ_ik(1 − ρ_ij² − ρ_ik² − ρ_jk²),
over (1 − ρ_ij²)(1 − ρ_ik²) the correlation c_jk. With h_ij from ρ̂_ij to the end of its interval
and s the signs of the edges, the sum reaches √(Σ_j h_ij² + max(Σ_{j≠k} s_j s_k c_jk h_ij h_ik, 0) +
¼v_i Σ_{j≠k} |ρ_ij||ρ_ik|); v_i is how much more log Θ̂_ii varies than on Gaussian rows, times the
squared critical value.

The edges were found in the same rows: the lower end allows for |ρ̂_ij| exceeding its threshold
(Weinstein, Fithian & Benjamini 2013), or is the sum of lower ends that hold at once, if larger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray
from edgewise.inference.intervals import ConfidenceInterval

# Halvings of a bracket that is at most a few hundred wide: 1e-9 of a standard error is left.
_HALVINGS = 40
_LARGEST = np.nextafter(1.0, 0.0)


class EdgeEnds(NamedTuple):
    """ρ̂_ij| of the edges, 0 elsewhere: its `middle` after selection, its ends, `sure` for all pairs."""

    size: FloatArray
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    sure: FloatArray


def bounded_ends(partial: FloatArray, edges: BoolArray, interval: ConfidenceInterval) -> EdgeEnds:
    """Of intervals that hold for all pairs at once, whichever of them are edges."""
    size, low, high = _towards_the_sign(partial, edges, interval)
    low, high = np.maximum(low, 0.0), np.maximum(high, -low)
    return EdgeEnds(size, size, low, high, low)


def selected_ends(
    partial: FloatArray,
    edges: BoolArray,
    interval: ConfidenceInterval,
    at_once: ConfidenceInterval,
    threshold: FloatArray,
    level: float,
) -> EdgeEnds:
    """Of pointwise intervals (or those `at_once`), given that |ρ̂_ij| exceeds its threshold."""
    size, low, high = _towards_the_sign(partial, edges, interval)
    beyond = (1 - level) / 2
    with np.errstate(all="ignore"):
        z, end = np.arctanh(size), np.arctanh(np.minimum(low, size))
        unit = (z - end) / -float(special.ndtri(beyond))
        t, cut = z / unit, np.arctanh(np.minimum(threshold, _LARGEST)) / unit
        # An endless interval, or a threshold that nobody knows, leaves nothing of the estimate.
        known = edges & np.isfinite(t) & np.isfinite(cut)
        middle, least = np.zeros_like(size), np.zeros_like(size)
        for matrix, tail in ((middle, 0.5), (least, beyond)):
            left = np.tanh(truncated_quantile(t[known], cut[known], tail) * unit[known])
            matrix[known] = np.minimum(left, size[known])
    sure = np.nan_to_num(_towards_the_sign(partial, edges, at_once)[1])
    return EdgeEnds(size, middle, least, np.maximum(high, size), np.clip(sure, 0.0, size))


def truncated_quantile(t: FloatArray, cut: FloatArray, tail: float) -> FloatArray:
    """μ ≥ 0 with P(Z > t | Z > cut) = tail for a normal Z of mean μ and variance one."""
    bottom, top = np.zeros_like(t), np.maximum(t, 0.0) + 10.0
    above = np.log(tail)
    for _ in range(_HALVINGS):
        middle = (bottom + top) / 2
        # The probability grows with μ.
        less = special.log_ndtr(middle - t) - special.log_ndtr(middle - cut) < above
        bottom, top = np.where(less, middle, bottom), np.where(less, top, middle)
    return np.asarray(np.where(bottom == 0.0, 0.0, (bottom + top) / 2))


def sum_ends(
    ends: EdgeEnds, chosen: BoolArray, partial: FloatArray, excess: FloatArray | None
) -> ConfidenceInterval:
    """The ends of Σ_j |ρ_ij| over the chosen edges of each node; NaN for a node without any.

    With `excess` by the delta method, else sums of the ends.
    """
    down = np.where(chosen, ends.middle - ends.low, 0.0)
    up = np.where(chosen, ends.high - ends.size, 0.0)
    below, above = (
        half.sum(axis=1) if excess is None else correlated_reach(partial, half, excess)
        for half in (down, up)
    )
    low = np.where(chosen, ends.middle, 0.0).sum(axis=1) - below
    high = np.where(chosen, ends.size, 0.0).sum(axis=1) + above
    low = np.maximum(low, np.where(chosen, ends.sure, 0.0).sum(axis=1))
    some = chosen.any(axis=1)
    return ConfidenceInterval(np.where(some, low, np.nan), np.where(some, high, np.nan))


def correlated_reach(partial: FloatArray, half: FloatArray, excess: FloatArray) -> FloatArray:
    """How far the sum of each row of |ρ̂| reaches if its entries reach `half`; `excess` is v_i."""
    chosen = half > 0
    rho = np.where(np.eye(len(partial), dtype=bool), 0.0, partial)
    rho2, size = np.square(rho), np.where(chosen, np.abs(rho), 0.0)
    # In units of 1 − ρ²: then c_jk is a polynomial, and its sums are products of matrices.
    with np.errstate(divide="ignore", invalid="ignore"):
        signed = np.where(chosen, np.sign(rho) * half / (1 - rho2), 0.0)
        by_rho, by_rho3 = signed * rho, signed * rho * rho2
        total = by_rho.sum(axis=1)
        opposite = np.sum((signed @ rho) * (signed - 2 * signed * rho2), axis=1)
        common = total**2 - np.sum(by_rho**2, axis=1)
        common -= 2 * (total * by_rho3.sum(axis=1) - np.sum(by_rho * by_rho3, axis=1))
        common -= np.sum((by_rho @ rho2) * by_rho, axis=1)
        together = np.maximum(-opposite - common / 2, 0.0)
        together += excess / 4 * (size.sum(axis=1) ** 2 - np.sum(size**2, axis=1))
        reach = np.sqrt(np.sum(half**2, axis=1) + together)
    # No dependence makes it longer than the sum; that is also the answer where ρ̂ = ±1.
    return np.asarray(np.fmin(reach, half.sum(axis=1)))


def _towards_the_sign(
    partial: FloatArray, edges: BoolArray, interval: ConfidenceInterval
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """|ρ̂_ij| and the ends of its interval, turned where ρ̂_ij is negative; 0 where no edge is."""
    positive = partial > 0
    low = np.where(positive, interval.low, -interval.high)
    high = np.where(positive, interval.high, -interval.low)
    size, low, high = (np.where(edges, each, 0.0) for each in (np.abs(partial), low, high))
    return size, low, high
