"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_QUIET = 1.0  # seconds without a bar
_EARLY = 3.0  # seconds without an estimate of the time left
_UNEQUAL = 0.2  # share of unequal steps without one
_ROUNDING = 1e-9  # parts of steps are added up
_STEADY = 0.2  # how far the rate of late may differ from the rate of all the time


@contextmanager
def progress_bar(
    total: float | None, what: str, unit: str = "rows", *, unequal: bool = False
) -> Iterator[Callable[[float], None]]:
    """Show how much is done, its share, its rate and the time left.

    It yields a function, to be called with how much was just done. Nothing is shown in the first
    second, nor if standard error is not a terminal. The time left is shown once it is stable; if
    the steps take `unequal` times, not before a fifth of them is done. Long steps of the work
    inside, such as a choice among columns, get a line of their own below.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from edgewise._base.steps import watched_by

    rate = TextColumn("{task.completed:,.0f} {task.fields[unit]}, {task.fields[rate]}/s")
    left = TextColumn("{task.fields[left]}", style="cyan")
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), rate, left)
    console = Console(stderr=True)
    with (
        Progress(*columns, console=console, transient=True) as progress,
        watched_by(partial(_line, progress)),
        _line(progress, total, what, unit, _UNEQUAL if unequal else 0.0) as tell,
    ):
        yield tell


@contextmanager
def _line(
    progress: Progress, total: float | None, what: str, unit: str, early: float = 0.0
) -> Iterator[Callable[[float], None]]:
    """A line of the bars, as long as its work goes on."""
    task = progress.add_task(what, total=total, unit=unit, rate="0", left="", visible=False)
    known = next(one for one in progress.tasks if one.id == task)
    marks = [(0.0, 0.0)]

    def tell(done: float) -> None:
        progress.advance(task, done)
        if known.total is not None and known.completed > known.total * (1 + _ROUNDING):
            # More passes than expected (a matrix-free solver): a full bar would be wrong.
            known.total = None
        elapsed = known.elapsed or 0.0
        if elapsed > 1.02 * marks[-1][0]:  # so that few marks serve for hours
            marks.append((elapsed, known.completed))
        speed = known.completed / elapsed if elapsed else 0.0
        text = left_text(remaining(marks, known.total, early))
        # An estimate that was shown stays until there is a better one.
        text = text or (known.fields["left"] if known.total is not None else "")
        progress.update(task, rate=rate_text(speed), left=text, visible=elapsed > _QUIET)

    try:
        yield tell
    finally:
        progress.remove_task(task)


def remaining(
    marks: Sequence[tuple[float, float]], total: float | None, early: float = 0.0
) -> float | None:
    """Seconds left, or None as long as that would be a guess.

    Parameters
    ----------
    marks : sequence of (float, float)
        How many seconds had passed when how much was done, from (0, 0) on.
    total : float, optional
        How much there is to do.
    early : float
        The share of the work before which the first steps say little about the others.

    Returns
    -------
    float or None
        What the rate since half of the time gives. None in the first seconds, and while that rate
        is not yet about the rate of all the time: files are opened, caches fill.

    Examples
    --------
    >>> remaining([(0, 0), (2, 200), (4, 400)], 1000)
    6.0
    >>> remaining([(0, 0), (2, 10), (4, 400)], 1000)  # it has just become fast
    """
    now, done = marks[-1]
    if total is None or now < _EARLY or done < early * total:
        return None
    then, before = max(mark for mark in marks if mark[0] <= now / 2)
    recent = (done - before) / (now - then)
    if recent <= 0 or abs(recent * now / done - 1) > _STEADY:
        return None
    return max(total - done, 0.0) / recent


def rate_text(rate: float) -> str:
    """A rate in three digits, without powers of ten.

    Examples
    --------
    >>> rate_text(65_912.3), rate_text(12.345), rate_text(0.0646)
    ('65,900', '12.3', '0.0646')
    """
    three = float(f"{rate:.3g}")
    return f"{three:,.0f}" if three >= 100 else f"{three:g}"


def left_text(seconds: float | None) -> str:
    """The time left, in hours, minutes and seconds."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left"


def peak_memory() -> str:
    """The largest memory use of this process so far, for --verbose."""
    try:
        import resource
    except ImportError:  # Windows
        return "peak memory unknown"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    return f"peak memory {most * unit / 2**20:,.0f} MB"
