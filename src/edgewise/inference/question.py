"""The question to a measurement: the level, the correction, and the minimal effect."""

from __future__ import annotations

from dataclasses import dataclass, field

from edgewise.inference.effect import MinEffect


@dataclass(frozen=True, slots=True)
class Question:
    """A level, a correction for the number of pairs, and the smallest effect that matters."""

    alpha: float
    correction: str | None
    min_effect: MinEffect = field(default_factory=MinEffect)
