"""What a simulation study is made of, and what it finds."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from edgewise._base.types import AnyArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = ("smoke", "quick", "paper")

#: Arrays by name: what one draw measured, or, stacked along the first axis, what many did.
Measured = Mapping[str, AnyArray]


@dataclass(frozen=True)
class Cell:
    """One setting of a study, and how often it is drawn.

    `parameters` are plain values, from which with a seed everything follows. `together` draws are
    made, and kept, at a time.
    """

    parameters: Mapping[str, Any]
    n_draws: int
    together: int = 10

    def key(self, study: str) -> str:
        """A name for the draws of this setting, whatever their number."""
        text = json.dumps([study, dict(self.parameters)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def generator(seed: int, key: str, draw: int) -> np.random.Generator:
    """The randomness of one draw: its own, whoever makes it and in whatever order."""
    words = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(key.encode()), draw))
    return np.random.default_rng(words)


@dataclass(frozen=True)
class Claim:
    """A sentence that is checked, what was measured, and whether it holds."""

    says: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Table:
    """Tidy results: one observation a row."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Findings:
    """What a study found, and the picture of it."""

    claims: list[Claim]
    table: Table
    notes: list[str]
    draw: Callable[[], Figure]


class Study(Protocol):
    """A question to many simulated data sets."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> int:
        """Of what `measure` returns: one more makes draws that were kept useless."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def paper(self) -> str:
        """What the paper shows there, in our words."""
        ...

    @property
    def design(self) -> str:
        """What is simulated here."""
        ...

    def cells(self, scale: str) -> Sequence[Cell]: ...

    def measure(self, parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
        """One draw."""
        ...

    def findings(self, results: Sequence[tuple[Cell, Measured]]) -> Findings: ...
