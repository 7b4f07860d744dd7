"""A study that was run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgewise.studies.claims import Claim
from edgewise.studies.study import Cell, Study

SEED = 2016


@dataclass(frozen=True)
class Reproduction:
    """A study that was run: what it found, how long it took, and where its files are.

    Attributes
    ----------
    study : Study
        Its `name` is that of the figure, and its `title` says what it is about.
    scale : str
        "smoke", "quick" or "paper".
    seed : int
        Determines all random numbers.
    cells : list of Cell
        The settings, and how often each was drawn.
    claims : list of Claim
        What the paper or we claim (`says`), what came out (`measured`), its `verdict` ("supported",
        "not refuted" or "refuted"), and the `excess` behind it, in standard errors.
    seconds : float or None
        The time of this run; None if an earlier run had already made some of the draws.
    core_seconds : float
        The time of all draws, including those that an earlier run made.
    folder : path
        The folder with the table, the pictures and the page.
    n_draws : int
        How many data sets were drawn.
    command : str
        The command that does it again.

    Examples
    --------
    The claims that a run could not show to be true:

    >>> from edgewise.studies import Reproduction
    >>> def doubtful(done: Reproduction) -> list[str]:
    ...     return [claim.says for claim in done.claims if claim.verdict != "supported"]
    """

    study: Study
    scale: str
    seed: int
    cells: Sequence[Cell]
    claims: list[Claim]
    seconds: float | None
    core_seconds: float
    folder: Path

    @property
    def n_draws(self) -> int:
        """How many data sets were drawn."""
        return sum(cell.n_draws for cell in self.cells)

    @property
    def command(self) -> str:
        """The command that does it again."""
        seed = "" if self.seed == SEED else f" --seed {self.seed}"
        return f"edgewise reproduce {self.study.name} --scale {self.scale}{seed}"
