"""The law of Σ ε_k a_k, Σ a_k² = 1, with random signs ε: the reference of self-normalised sums.

It holds at every n for symmetric terms, and in the limit for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise._special import log_upper_tail, log_upper_tails
from edgewise.inference.references import Reference

_STEPS = 60
# Steps so small, and scores that miss by so little, are right to the last digits after one more.
_LAST_STEP, _LAST_MISS = 1e-8, 1e-9
# Where the law is far from normal, its expansion about the normal one is a bad start.
_MOST_AHEAD = 0.5
_NOTHING = 1e-12
# The normal part of the law has at least this share: where all signs agree, the sum would end, and
# the formula with it.
_LEAST_REST = 0.05
# Below this size the sums of hyperbolic functions cancel; their series do not.
_SMALL = 0.1
# The law is written once, for NumPy and for single numbers: NumPy takes a microsecond for each step
# of a single number.
_NUMBERS = SimpleNamespace(
    **{name: getattr(math, name) for name in ("tanh", "cosh", "sqrt", "log1p", "exp")},
    maximum=max,
    minimum=min,
    where=lambda condition, yes, no: yes if condition else no,
    any=bool,
)


@dataclass(frozen=True, eq=False, slots=True)
class SignFlip(Reference):
    """The law of Σ ε_k a_k, one for each entry, known by Σ a_k⁴ and Σ a_k⁶ (or a bound on it).

    The saddlepoint tail of Lugannani and Rice for r equal signs of size a and a normal rest: a² =
    Σa⁶/Σa⁴ and r = (Σa⁴)³/(Σa⁶)².
    """

    fourth: FloatArray
    sixth: FloatArray

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        known = np.isfinite(self.fourth) & np.isfinite(self.sixth)
        score = np.where(known, np.abs(t), np.nan)
        known &= np.isfinite(t)
        law = _Law.of(self.fourth[known], self.sixth[known])
        score[known] = law.score(law.point(score[known]))
        return math.log(2) + log_upper_tails(score)

    def critical(self, log_level: float) -> FloatArray:
        wanted = -float(special.ndtri_exp(log_level - math.log(2)))
        critical = np.full(self.fourth.shape, np.nan)
        known = np.isfinite(self.fourth) & np.isfinite(self.sixth)
        law = _Law.of(self.fourth[known], self.sixth[known])
        s = law.point_of_score(wanted)
        critical[known] = law.rest * s + law.count * law.a * np.tanh(law.a * s)
        return critical

    def of_pairs(self, family: BoolArray | None = None) -> SignFlip:
        fourth, sixth = pairs_of(self.fourth), pairs_of(self.sixth)
        return (
            SignFlip(fourth, sixth) if family is None else SignFlip(fourth[family], sixth[family])
        )


def log_two_sided_of_one(t: float, fourth: float, sixth: float) -> float:
    """log P(|T| > |t|) of a single law: what `SignFlip.log_two_sided` finds in an entry."""
    law = _Law.of(fourth, sixth, _NUMBERS)
    return math.log(2) + log_upper_tail(law.score(law.point(abs(t))))


class _Law(NamedTuple):
    """K(s) = rest·s²/2 + r log cosh(as), with r the `count`, and the tail at K′(s) = t."""

    a: Any
    count: Any
    rest: Any
    f: Any

    @classmethod
    def of(cls, fourth: Any, sixth: Any, f: Any = np) -> _Law:
        # Without any fourth power the law is the normal one.
        safe = f.minimum(f.maximum(fourth, _NOTHING), 1.0)
        sixth = f.minimum(f.maximum(sixth, safe**2), safe**1.5)
        a2 = sixth / safe
        count = f.minimum(safe**3 / sixth**2, (1 - _LEAST_REST) / a2)
        return cls(f.sqrt(a2), count, 1 - count * a2, f)

    def point(self, t: Any) -> Any:
        """s with K′(s) = t, by Newton's method; K′ is concave, so steps from the left end there."""
        f, pull = self.f, self.count * self.a
        # K′(s) = s − Σa⁴s³/3 + …
        s = t * (1 + f.minimum(pull * self.a**3 * t * t / 3, _MOST_AHEAD))
        for _ in range(_STEPS):
            tanh = f.tanh(self.a * s)
            curvature = self.rest + pull * self.a * (1 - tanh * tanh)
            step = (self.rest * s + pull * tanh - t) / curvature
            s = f.maximum(s - step, s / 4)
            if not f.any(abs(step) > _LAST_STEP * s):
                break
        return s

    def score(self, s: Any) -> Any:
        """The z of a standard normal that is as rare as t = K′(s): r + log(u/r)/r.

        r² = 2(sK′ − K) and u² = s²K″; of one sign, for small as, by their series.
        """
        f, y = self.f, self.a * s
        small = y < _SMALL
        x = f.where(small, y, 0.0) ** 2
        series = x * x * (-17 / 180 + x * (62 / 1575 - x * 691 / 42525))
        root2 = x * (1 - x / 2 + x * x * 2 / 9 + x * series)
        excess = x * x * (-1 / 2 + x * (4 / 9 + x * (-17 / 60 + x * (248 / 1575 - x * 691 / 8505))))
        if f.any(y >= _SMALL):
            large = f.where(small, 1.0, y)
            log_cosh = large + f.log1p(f.exp(-2 * large)) - math.log(2)
            large_root2 = 2 * (large * f.tanh(large) - log_cosh)
            large_excess = (large / f.cosh(f.minimum(large, 350.0))) ** 2 - large_root2
            root2 = f.where(small, root2, large_root2)
            excess = f.where(small, excess, large_excess)
        root2 = f.maximum(self.rest * s * s + self.count * root2, _NOTHING**2)
        root = f.sqrt(root2)
        return root + f.log1p(self.count * excess / root2) / (2 * root)

    def point_of_score(self, wanted: float) -> Any:
        """s whose score is `wanted`, by the secant method."""
        # The score is s − Σa⁴(s³ + s)/4 + …
        fourth = self.count * self.a**4
        s = wanted * (1 + np.minimum(fourth * ((wanted**2 + 1) / 4), _MOST_AHEAD))
        missed = self.score(s) - wanted
        rate = 1 - np.minimum(fourth * ((3 * wanted**2 + 1) / 4), _MOST_AHEAD)
        for _ in range(_STEPS):
            before, missed_before = s, missed
            s = np.clip(s - missed / rate, s / 2, 2 * s)
            if not (np.abs(missed) > _LAST_MISS * wanted).any():
                break
            missed = self.score(s) - wanted
            change = (missed - missed_before) * (s - before)
            # The score grows with s; where rounding alone decides, the rate stays.
            np.divide(change, np.square(s - before), out=rate, where=change > 0)
        return s
