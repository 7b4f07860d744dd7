"""The reference of a self-normalised sum: its terms keep their sizes, and their signs are flipped.

Given the sizes a_k of its terms, Σ a_k² = 1, the sum Σ ε_k a_k with random signs ε is what a
statistic is compared with: it holds at every n for symmetric terms, and in the limit for all. Its
tail is thinner than the normal one, the more the fewer terms dominate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._base import special
from edgewise._base.types import BoolArray, FloatArray

_STEPS = 60
_NOTHING = 1e-12
# The normal part of the law has at least this share: where all signs agree, the sum would end, and
# the formula with it.
_LEAST_REST = 0.05
# Below this size the sums of hyperbolic functions cancel; their series do not.
_SMALL = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class SignFlip:
    """The law of Σ ε_k a_k, one for each entry, known by Σ a_k⁴ and Σ a_k⁶.

    The tail is the saddlepoint formula of Lugannani and Rice for r equal signs of size a and a
    normal rest: a² = Σa⁶/Σa⁴ and r = (Σa⁴)³/(Σa⁶)² give them the same two sums. Σa⁶ may be an upper
    bound, at most (Σa⁴)^{3/2}: the tail is then as heavy as that allows.
    """

    fourth: FloatArray
    sixth: FloatArray

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        """log P(|T| > |t|), entry by entry."""
        t = np.abs(t)
        known = np.isfinite(t) & self._known
        score = np.where(self._known, t, np.nan)
        law = self._law(known)
        score[known] = law.score(law.point(t[known]))
        return math.log(2) + special.log_ndtr(-score)

    def critical(self, log_level: float) -> FloatArray:
        """t with P(|T| > t) = exp(log_level), entry by entry."""
        wanted = -float(special.ndtri_exp(log_level - math.log(2)))
        critical = np.full(self.fourth.shape, np.nan)
        law = self._law(self._known)
        critical[self._known] = law.slope(law.point_of_score(wanted))
        return critical

    @property
    def _known(self) -> BoolArray:
        return np.isfinite(self.fourth) & np.isfinite(self.sixth)

    def _law(self, which: BoolArray) -> _Saddle:
        return _Saddle.of(self.fourth[which], self.sixth[which])


@dataclass(frozen=True, eq=False, slots=True)
class _Saddle:
    """K(s) = rest·s²/2 + r log cosh(as), and the tail of Lugannani and Rice at K′(s) = t."""

    a: FloatArray
    count: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, fourth: FloatArray, sixth: FloatArray) -> _Saddle:
        # Without any fourth power the law is the normal one.
        safe = np.clip(fourth, _NOTHING, 1.0)
        sixth = np.clip(sixth, safe**2, safe**1.5)
        a2 = sixth / safe
        count = np.minimum(safe**3 / sixth**2, (1 - _LEAST_REST) / a2)
        return cls(np.sqrt(a2), count, 1 - count * a2)

    def slope(self, s: FloatArray) -> FloatArray:
        """K′(s)."""
        return np.asarray(self.rest * s + self.count * self.a * np.tanh(self.a * s))

    def curvature(self, s: FloatArray) -> FloatArray:
        """K″(s)."""
        return np.asarray(
            self.rest + self.count * self.a**2 / np.cosh(np.minimum(self.a * s, 350)) ** 2
        )

    def point(self, t: FloatArray) -> FloatArray:
        """s with K′(s) = t, by Newton's method; K′ is concave, so steps from the left end there."""
        s = t.copy()
        for _ in range(_STEPS):
            step = (self.slope(s) - t) / self.curvature(s)
            s = np.maximum(s - step, s / 4)
            if not (np.abs(step) > 1e-13 * s).any():
                break
        return s

    def score(self, s: FloatArray) -> FloatArray:
        """The z of a standard normal that is as rare as t = K′(s): r + log(u/r)/r.

        r² = 2(sK′ − K) and u² = s²K″. The normal part has the same of both.
        """
        root2, excess = _of_signs(self.a * s)
        root2 = np.maximum(self.rest * s * s + self.count * root2, _NOTHING**2)
        root = np.sqrt(root2)
        return np.asarray(root + np.log1p(self.count * excess / root2) / (2 * root))

    def point_of_score(self, wanted: float) -> FloatArray:
        """s whose score is `wanted`: between two ends that enclose it, by the Illinois method."""
        low, high = np.zeros(self.a.shape), np.full(self.a.shape, wanted)
        below, above = np.full(self.a.shape, -wanted), self.score(high) - wanted
        while (short := above < 0).any():
            low, below = np.where(short, high, low), np.where(short, above, below)
            high = np.where(short, 2 * high, high)
            above = self.score(high) - wanted
        s, before = high.copy(), np.zeros(self.a.shape)
        for _ in range(_STEPS):
            s = high - above * (high - low) / np.maximum(above - below, _NOTHING**2)
            missed = self.score(s) - wanted
            if not (np.abs(missed) > 1e-13 * wanted).any():
                break
            side = np.sign(missed)
            under = side < 0
            # An end that stays twice has its value halved, so that the next point moves past.
            kept = np.where(side == before, 0.5, 1.0)
            low, below = np.where(under, s, low), np.where(under, missed, kept * below)
            high, above = np.where(under, high, s), np.where(under, kept * above, missed)
            before = side
        return s


def _of_signs(y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """r² = 2(y tanh y − log cosh y) of one sign, and u² − r² with u² = y²/cosh² y."""
    small = y < _SMALL
    y2 = np.where(small, y, 0.0) ** 2
    root2 = y2 * _power_series(y2, (1, -1 / 2, 2 / 9, -17 / 180, 62 / 1575, -691 / 42525))
    series = y2**2 * _power_series(y2, (-1 / 2, 4 / 9, -17 / 60, 248 / 1575, -691 / 8505))
    large = np.where(small, 1.0, y)
    # log cosh y = y + log((1 + e^{−2y})/2)
    log_cosh = large + np.log1p(np.exp(-2 * large)) - math.log(2)
    direct = 2 * (large * np.tanh(large) - log_cosh)
    excess = (large / np.cosh(np.minimum(large, 350))) ** 2 - direct
    return np.where(small, root2, direct), np.where(small, series, excess)


def _power_series(x: FloatArray, coefficients: tuple[float, ...]) -> FloatArray:
    total = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total
