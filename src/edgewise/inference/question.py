"""The question to a measurement: the level, the correction, the effect, and the family."""

from __future__ import annotations

from dataclasses import dataclass, field

from edgewise.inference.effect import MinEffect
from edgewise.inference.family import Family


@dataclass(frozen=True, slots=True)
class Question:
    """A level, a correction for the number of pairs, the smallest effect, and which pairs."""

    alpha: float
    correction: str | None
    min_effect: MinEffect = field(default_factory=MinEffect)
    family: Family = field(default_factory=Family)
