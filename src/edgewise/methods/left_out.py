"""What the score test learns from leaving out units of rows: single rows, or rows that belong
together.

With M = Σ v vᵀ over the rows of a unit, v the unit-variance residuals, the unit adds P = Σ e_ie_j
to the score of a pair. Without the unit the regressions change too: the sum of all residual
products falls by D. P is too small, because residuals were fitted to the unit. D² is too large,
unless the errors of the unit are far larger than those of others: then the unit has fitted itself,
and D² is right. So the test uses P + λ(D − P), with λ about ½ for units of the usual scale, and
nearer 1 the larger a unit's own scale is. For single complete rows of equal weight a square has the
weight of the plain score test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import off_diagonal
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.kernels.score_sums import ScoreSums
from edgewise.kernels.score_weight import score_weight
from edgewise.methods.jackknife import ALMOST_ONE

# A unit that fits itself entirely has residuals of zero: any weight will do.
LEAST = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Some of the units: their own sums, and the estimate without each.

    `scatter` is M; `partial` are the partial correlations without the unit (0 on the diagonal),
    `ratio` is √(Θ_ii without it / Θ̂_ii), and `share` the rows that are left, minus 1, over n − 1.
    """

    scatter: FloatArray
    partial: FloatArray
    ratio: FloatArray
    share: FloatArray

    @staticmethod
    def of(scatter: FloatArray, inverse: FloatArray, root: FloatArray, share: FloatArray) -> Units:
        """From Θ without each unit, and the roots of the diagonal of Θ̂."""
        deviation = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2))
        partial = inverse / deviation[:, :, np.newaxis] / -deviation[:, np.newaxis, :]
        partial *= off_diagonal(len(root))
        partial = np.clip(partial, -ALMOST_ONE, ALMOST_ONE)
        return Units(scatter, partial, deviation / root, share)

    def precision(self) -> FloatArray:
        """Θ without each unit, in units of √(Θ̂_iiΘ̂_jj)."""
        products = self.ratio[:, :, np.newaxis] * self.ratio[:, np.newaxis, :]
        return np.where(off_diagonal(products.shape[1]), -self.partial, 1.0) * products

    def terms(self, rho: FloatArray, n: int, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P + λ(D − P) for the products e_ie_j, and for e_i² + e_j²; e has mean square one."""
        left = (1 - rho) * (1 + rho)
        own = np.diagonal(self.scatter, axis1=1, axis2=2)
        ends = own[:, :, np.newaxis] + own[:, np.newaxis, :]
        unit = n / (n - 1) / left
        plain = unit * ((1 + rho**2) * self.scatter + rho * ends)
        plain_ends = unit * ((1 + rho**2) * ends + 4 * rho * self.scatter)
        # The residual products of two variables are the inverse of their block of Θ.
        without = self.share[:, np.newaxis, np.newaxis] * left
        without = without / ((1 - self.partial) * (1 + self.partial))
        inverse = 1 / self.ratio
        scales = inverse[:, :, np.newaxis] * inverse[:, np.newaxis, :]
        lost = n * (rho - without * self.partial * scales)
        squares = inverse**2
        lost_ends = n * (2 - without * (squares[:, :, np.newaxis] + squares[:, np.newaxis, :]))
        # 1 − h of a single row; of several, as their squared residuals weigh it.
        kept = np.clip(plain_ends / np.maximum(lost_ends, LEAST * n), LEAST, 1.0)
        part = _part_lost(kept, tau[:, np.newaxis, np.newaxis])
        return plain + part * (lost - plain), plain_ends + part * (lost_ends - plain_ends)


def _part_lost(kept: FloatArray, tau: FloatArray) -> FloatArray:
    """λ with 1 + λ(1/(1−h) − 1) = √w, the root of a row's weight in the score test, w(1−h, τ).

    It is 1 − τ/2 where h = 0, and 1 where τ = 0.
    """
    root = 1 / np.sqrt(score_weight(kept, tau))
    # (1/root − 1)(1−h)/h, without the difference.
    return np.asarray(kept * (1 + kept - tau * kept) / (root * (1 + root)))


def partial_of(estimate: PrecisionEstimate) -> FloatArray:
    """ρ̂ with a diagonal of zeros, off ±1."""
    rho = np.where(off_diagonal(len(estimate.precision)), estimate.partial_correlation, 0.0)
    return np.clip(rho, -ALMOST_ONE, ALMOST_ONE)


def unit_precision(rho: FloatArray) -> FloatArray:
    """Θ̂ in units of √(Θ̂_iiΘ̂_jj)."""
    return np.eye(len(rho)) - rho


class TermSums:
    """Sums over units of what the score test is made of."""

    #: How many matrices there are.
    COUNT = 5

    def __init__(self, p: int, sums: FloatArray | None = None) -> None:
        #: second, cross, ends, and the fourth and sixth powers of the terms.
        self.sums = np.zeros((self.COUNT, p, p)) if sums is None else sums

    def add(self, product: FloatArray, squares: FloatArray) -> None:
        """More terms, of e_ie_j and of e_i² + e_j²."""
        power = product**2
        self.sums[0] += power.sum(axis=0)
        self.sums[1] += (product * squares).sum(axis=0)
        self.sums[2] += (squares**2).sum(axis=0) / 4
        self.sums[3] += (power**2).sum(axis=0)
        self.sums[4] += (power**3).sum(axis=0)

    def score_sums(self) -> ScoreSums:
        second, cross, ends, fourth, sixth = self.sums
        size = np.maximum(second, 1e-300)
        nothing = np.zeros_like(second)
        return ScoreSums(second, cross, ends, fourth / size**2, sixth / size**3, nothing)


class Powers:
    """Sums of powers of differences that come in pieces: how many, the first, second and fourth."""

    def __init__(self, shape: tuple[int, ...], sums: FloatArray | None = None) -> None:
        self._shape = shape
        self.sums = np.zeros((4, *shape)) if sums is None else sums

    def add(self, some: FloatArray) -> None:
        square = some**2
        self.sums[0] += len(some)
        self.sums[1] += some.sum(axis=0)
        self.sums[2] += square.sum(axis=0)
        self.sums[3] += (square**2).sum(axis=0)

    def jackknife(self) -> FloatArray:
        """(G − 1)/G Σ (d − mean)²."""
        count, first, second, _ = self.sums
        squares = np.maximum(second - first**2 / count, 0.0)
        return np.asarray(squares * ((count - 1) / count))

    def kurtosis(self) -> FloatArray:
        """Of the differences, whose mean is next to zero."""
        count, _, second, fourth = self.sums
        return np.asarray(count * fourth / np.maximum(second**2, 1e-300))
