"""How a command opens its data, shows progress, and writes files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from edgewise._checks import check_ending
from edgewise._files import atomic_path, check_writable
from edgewise._parallel import watched_by
from edgewise.cli.options import READING, arguments, as_typed
from edgewise.cli.show import warnings_shown
from edgewise.errors import DataError
from edgewise.plots.export import graph_kind, plot_kind
from edgewise.sums.save import is_state_file
from edgewise.tables.files import expand_paths
from edgewise.tables.open import DataToRead, as_table, open_table
from edgewise.tables.table import Table


def data_of(options: dict[str, Any], data: str | None = None) -> DataToRead:
    """DATA, or one file of it, to be read as the options say."""
    files = [*options["data"]] if data is None else [data]
    for path in files:
        if is_state_file(path):
            raise DataError(
                f"data: expected rows, got the state file '{path}'; `edgewise test` takes a single "
                "state, `edgewise merge` several."
            )
    reading = {name: options[name] for name in READING}
    if reading["index_col"] == "none":
        reading["index_col"] = False
    return open_table(files, **reading)


def rows_of(options: dict[str, Any], bar: Bar, *, complete: bool = False) -> Table:
    """The rows of DATA, as the options say; "auto" are `complete` ones where others are no use."""
    how = arguments(as_table, options)
    if complete and how["missing"] == "auto":
        how["missing"] = "drop"
    table = as_table(data_of(options), **how, progress=bar.advance)
    bar.total = table.estimated_rows
    return table


class Bar:
    """A bar that names what runs; over rows, it starts again with each pass over them."""

    def __init__(self, progress: Any, what: str, total: float | None, unit: str) -> None:
        self._progress, self.total, self._done = progress, total, 0.0
        self._task = progress and progress.add_task(what, total=total, unit=unit)

    def name(self, what: str | None, done: float = 0.0) -> None:
        """Say what runs now, from its start, or how much of it is done."""
        self._done = done
        if self._progress:
            self._progress.update(self._task, description=what, completed=done, total=self.total)

    def advance(self, done: float) -> None:
        """So much was just done."""
        again = self.total and self._done + done > self.total
        self.name(None, done if again else self._done + done)


@contextmanager
def progress_bar(what: str, total: float | None = None, unit: str = "rows read") -> Iterator[Bar]:
    """Show warnings, and a bar if standard error is a terminal; long steps have bars of their own."""
    if not sys.stderr.isatty():
        with warnings_shown():
            yield Bar(None, what, total, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    done = TextColumn("{task.completed:,.0f} {task.fields[unit]}")
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        @contextmanager
        def step(total: float | None, what: str, unit: str) -> Iterator[Callable[[float], None]]:
            task = progress.add_task(what, total=total, unit=unit)
            try:
                yield lambda done: progress.advance(task, done)
            finally:
                progress.remove_task(task)

        bar = Bar(progress, what, total, unit)
        with warnings_shown(), watched_by(step, bar.name):
            yield bar


def check_outputs(options: dict[str, Any], *names: str) -> None:
    """Refuse outputs that cannot be written, are inputs, or go where another goes ("-": stdout)."""
    places: dict[str, str] = {}
    for name in names:
        path = options[name]
        if path is None:
            continue
        if path != "-":
            check_writable(path, _inputs(options))
        if name == "plot":
            plot_kind(path)
        elif name == "graph":
            graph_kind(path)
        elif name == "report":
            check_ending("report", path, ("html", "htm"))
        place = path if path == "-" else os.path.realpath(path)
        if place in places:
            where = "standard output" if place == "-" else f"'{path}'"
            raise click.UsageError(
                f"--{places[place]} and --{name}: only one of them can go to {where}; name another "
                "file for the other."
            )
        places[place] = name


def _inputs(options: dict[str, Any]) -> list[str]:
    """All files that a command reads, which its output must not replace."""
    found = [] if options.get("pairs") is None else [options["pairs"]]
    for path in options.get("data", ()):
        try:
            found += expand_paths([path])
        except DataError:  # whoever reads it will say so
            found.append(path)
    return [path for path in found if path != "-"]


def write_outputs(options: dict[str, Any], **writers: Callable[[str], object]) -> None:
    """Write every output that was named, each by the writer of its option."""
    for name, write in writers.items():
        if (path := options[name]) is not None:
            with written(path, ".html" if name == "report" else "") as file:
                write(file)


@contextmanager
def written(path: str, ending: str = "") -> Iterator[str]:
    """The path of a file to write; what is written to "-" goes to standard output at the end."""
    if path != "-":
        yield path
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="edgewise-") as folder:
        file = Path(folder, f"output{ending}")
        yield str(file)
        sys.stdout.flush()
        # As they are: in UTF-8, whatever the terminal shows.
        sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.flush()


def write_notes(path: str | None, notes: list[str]) -> None:
    """Write what a CSV file does not say into a file beside it."""
    if path is not None and os.path.isfile(path):
        with atomic_path(f"{path}.notes.txt") as temporary:
            text = "".join(f"{' '.join(as_typed(note).split())}\n" for note in notes)
            temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
