"""What the commands print: the answer on standard output, all else on standard error."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import as_typed
from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning
from edgewise.plots.safe_names import printable, short_names

if TYPE_CHECKING:
    from rich.text import Text

    from edgewise.results.result import EdgeTestResult

_MOST = 15  # edges that are printed


def prepare_streams() -> None:
    """Give each stream a file, and let it write any character in its own encoding."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Started without it, as by `>&-`. No file that is opened later may take its number,
            # and what is written to standard output must fail rather than vanish.
            number = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))
        elif isinstance(stream, io.TextIOWrapper) and name != "stdin":
            stream.reconfigure(errors="backslashreplace")


def _wrapped(text: str, stream: Any) -> str:
    """A text in lines that end between words, if it goes to a terminal."""
    if not stream.isatty():
        return text
    width = max(shutil.get_terminal_size().columns - 1, 40)
    return textwrap.fill(
        text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def output(sentence: str = "") -> None:
    """Print a sentence of the answer."""
    print(_wrapped(printable(sentence), sys.stdout), flush=True)


def info(sentence: str, prefix: str = "edgewise: ", *, as_it_is: bool = False) -> None:
    """Print a line on standard error; where it cannot be written nobody is left to read it."""
    text = prefix + printable(sentence, "\n\t" if as_it_is else "")
    try:
        print(text if as_it_is else _wrapped(text, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Let a stream that failed swallow the rest, which Python would try to write at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print our own warnings as they come, except those that a result repeats as cautions."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EdgewiseWarning)
        warnings.simplefilter("ignore", BrokenAssumptionWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, EdgewiseWarning):
                info(as_typed(str(message)))
            else:
                others(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def info_dropped(n_dropped: int) -> None:
    """Say how many rows were left out."""
    if n_dropped:
        rows = f"{n_dropped:,} row{'s' * (n_dropped != 1)}"
        info(f"left out {rows} with missing or infinite values.")


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: int = 1
) -> None:
    """Print a table whose first `left` columns hold text, the others numbers; no word is broken."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120  # pipes and files have no width
    made = Table()
    for place, heading in enumerate(headings):
        text, number = Text(printable(heading, "\n")), place >= left
        made.add_column(text, justify="right" if number else "left", no_wrap=number)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row))
    console.print(made)


def print_pairs(result: Any, headings: Sequence[str], numbers: Sequence[str], every: bool) -> None:
    """Print the pairs that were rejected, or the strongest, with some of their numbers."""
    from rich.text import Text

    pairs, names = result.edges(), list(result.feature_names)
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - 40 - 12 * len(numbers)
        names = short_names(names, max(room // 2, 6))
    short = dict(zip(result.feature_names, names, strict=True))
    rows: list[Sequence[str | Text]] = []
    for pair in pairs if every else pairs[:_MOST]:
        cells = [Text(f"{getattr(pair, name):+.3f}") for name in numbers]
        cells[-1].stylize("blue" if getattr(pair, numbers[-1]) > 0 else "red")
        interval = f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}"
        p = "< 1e-300" if pair.adjusted_pvalue < 1e-300 else f"{pair.adjusted_pvalue:.2g}"
        rows.append((f"{short[pair.source]} – {short[pair.target]}", *cells, interval, p))
    family = ",\nall at once" if result.interval_family == "all pairs" else ""
    interval = f"{100 * result.interval_level:.4g} % interval{family}"
    print_table([*headings, interval, "adjusted p"], rows)
    if left := len(pairs) - len(rows):
        output(f"… and {left:,} more {headings[0]}{'s' * (left != 1)} (--all-edges).")
    if result.interval_note:
        output(result.interval_note)


def print_edges(result: EdgeTestResult, *, every: bool) -> None:
    from edgewise.results.summary import lagged_edges

    if result.n_edges:
        headings = ("edge", "partial\ncorrelation")
        print_pairs(result, headings, ("partial_correlation",), every)
    for line in lagged_edges(result):
        output(line)


def show_notes(notes: Iterable[str], cautions: Iterable[str]) -> None:
    """Print notes and cautions, each once."""
    for note in notes:
        info(as_typed(note))
    for caution in dict.fromkeys(map(str, cautions)):
        info(f"caution: {as_typed(caution)}")


#: Cautions that the method which suits the rows has not; the last, hardly more than "batch".
_AVOIDED = {"dependence", "heavy tails", "dominant rows", "rare events", "few rows", "far tails"}


def show_next(result: EdgeTestResult) -> None:
    """Say in a line what to do after a test, with the command for it, if there is anything."""
    kinds = {getattr(one, "kind", "") for one in result.cautions if getattr(one, "breaks", False)}
    avoided = _AVOIDED & kinds - ({"far tails"} if result.method == "batch" else set())
    if "levels" in kinds:
        if click.get_current_context().params["transform"] is None:
            _next(f"test the differences of consecutive rows: {typed('--transform', 'diff')}")
    elif result.method == "kendall":  # which asks another question
        if "dependence" in avoided:
            _next(f"put rows into batches: {typed('--n-batches', '100')}")
    elif (avoided and not result.why) or result.rows_needed is not None:
        _next("leave --method out, and edgewise chooses one that suits these rows.")


def _next(what: str) -> None:
    info(f"Next: {what}", prefix="", as_it_is=True)


def typed(*more: str) -> str:
    """The command of the user, and more options, to be copied."""
    return shlex.join(["edgewise", *click.get_current_context().obj, *more])
