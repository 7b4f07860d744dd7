"""What a simulation study is made of, and what it finds."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from edgewise._base.types import AnyArray
from edgewise.studies.claims import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = ("smoke", "quick", "paper")

#: Arrays by name: what one draw measured, or what many draws did, stacked along the first axis.
Measured = Mapping[str, AnyArray]


@dataclass(frozen=True)
class Cell:
    """One setting of a study, and how often it is drawn.

    `parameters` are plain values; with a seed they determine every number. A worker makes
    `together` draws at a time, and they are kept in one file.
    """

    parameters: Mapping[str, Any]
    n_draws: int
    together: int = 10

    def key(self, study: str) -> str:
        """A name for the draws of this setting, which does not depend on their number."""
        text = json.dumps([study, dict(self.parameters)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def generator(seed: int, key: str, draw: int) -> np.random.Generator:
    """The random numbers of one draw; they do not depend on who makes it, nor on the order."""
    words = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(key.encode()), draw))
    return np.random.default_rng(words)


class Deviation(NamedTuple):
    """Where the study does not do what the paper did, and why."""

    what: str
    paper: str
    here: str
    why: str


@dataclass(frozen=True)
class Table:
    """Tidy results: one row per observation."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Findings:
    """What a study found, and a function that draws it.

    The caption says what each panel shows, with n, p and the number of draws.
    """

    claims: list[Claim]
    table: Table
    notes: list[str]
    draw: Callable[[], Figure]
    caption: str


class Study(Protocol):
    """A question that is put to many simulated data sets."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> int:
        """The version of what `measure` returns; draws of another revision are made again."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def paper(self) -> str:
        """What the paper shows in this figure, in our words."""
        ...

    def design(self, cells: Sequence[Cell]) -> str:
        """What we simulate, with the numbers of these cells."""
        ...

    def deviations(self, cells: Sequence[Cell]) -> Sequence[Deviation]:
        """Where that is not what the paper did; none if the paper has no such study."""
        ...

    def cells(self, scale: str) -> Sequence[Cell]: ...

    def measure(self, parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
        """Make one draw."""
        ...

    def findings(self, results: Sequence[tuple[Cell, Measured]]) -> Findings: ...
