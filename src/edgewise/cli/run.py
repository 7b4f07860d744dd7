"""How a command opens its data, shows progress, and writes files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgewise.cli.options import READING, column_names
from edgewise.cli.streams import warnings_shown, write_bytes
from edgewise.errors import DataError, NonFiniteError

if TYPE_CHECKING:
    from edgewise.tables.reading import DataToRead
    from edgewise.tables.table import Table

T = TypeVar("T")


def data_of(options: dict[str, Any], data: Any = None) -> DataToRead:
    """DATA, or one file of it, to be read as the options say."""
    from edgewise.tables.reading import open_table

    reading = {name: options[name] for name in READING}
    if reading["index_col"] == "none":
        reading["index_col"] = False
    return open_table([*options["data"]] if data is None else data, **reading)


def refuse_states(options: dict[str, Any]) -> None:
    """Refuse a state where rows are needed."""
    from edgewise.sums.save import as_state

    for path in options["data"]:
        if as_state(path) is not None:
            raise DataError(
                f"data: expected rows, got the state file '{path}'; `edgewise test` takes a single "
                "state, `edgewise merge` several."
            )


def rows_of(options: dict[str, Any], bar: Bar | None = None, **chosen: Any) -> Table:
    """The rows of DATA, as the options say; `chosen` in place of some options."""
    from edgewise.tables.open import as_table

    refuse_states(options)
    names = ("missing", "clusters", "weights", "weight_kind", "transform")
    how = {name: options[name] for name in names if options.get(name) is not None}
    how |= {name: column_names(options.get(name, ())) for name in ("columns", "exclude")}
    if bar is not None:
        how["progress"] = bar.advance
    table = as_table(data_of(options), **how | chosen)
    if bar is not None:
        bar.total = table.estimated_rows
    return table


class Bar:
    """A bar that names what runs; over rows, it starts again with each pass over them."""

    def __init__(self, progress: Any, what: str, total: float | None, unit: str) -> None:
        self._progress, self.total = progress, total
        self._task = progress and progress.add_task(what, total=total, unit=unit)
        self._done = 0.0

    def name(self, what: str) -> None:
        """Say what runs now, from its start."""
        self._done = 0.0
        if self._progress:
            self._progress.update(self._task, description=what, completed=0)

    def advance(self, done: float) -> None:
        """So much was just done."""
        self._done += done
        if self.total and self._done > self.total:
            self._done = min(done, self.total)
        if self._progress:
            self._progress.update(self._task, completed=self._done, total=self.total)


@contextmanager
def progress_bar(what: str, total: float | None = None, unit: str = "rows") -> Iterator[Bar]:
    """A bar on standard error, if that is a terminal; long steps inside have bars of their own."""
    if not sys.stderr.isatty():
        yield Bar(None, what, total, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from edgewise._parallel import watched_by

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
        with watched_by(step, bar.name):
            yield bar


@contextmanager
def opened(options: dict[str, Any], what: str, **chosen: Any) -> Iterator[tuple[Table, Bar]]:
    """The rows of DATA, in a context that shows progress and warnings."""
    with warnings_shown(), progress_bar(what) as bar:
        yield rows_of(options, bar, **chosen), bar


def on_complete_rows(
    call: Callable[[Table], T], rows: Table, options: dict[str, Any]
) -> tuple[Table, T]:
    """The rows and what the call finds in them; with "auto", complete rows if values are missing."""
    from edgewise.tables.options import view

    try:
        return rows, call(rows)
    except NonFiniteError:
        if options["missing"] != "auto" or not rows.rescannable:
            raise
    rows = view(rows, missing="drop")
    return rows, call(rows)


#: Files whose endings decide what is written.
_NAMED = {"--plot": ".png, .svg or .pdf", "--graph": ".graphml, .gexf or .cyjs"}


def check_outputs(outputs: Mapping[str, str | None], options: dict[str, Any] | None = None) -> None:
    """Refuse outputs that cannot be written, are inputs, or go where another goes ("-": stdout)."""
    from edgewise._files import check_writable

    sources = _inputs(options) if options else []
    places: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path == "-":
            place = "-"
            if option in _NAMED:
                raise click.UsageError(
                    f"{option}: standard output has no ending that says what is written; name a "
                    f"file that ends in {_NAMED[option]}."
                )
        else:
            check_writable(path, sources)
            _check_ending(option, path)
            place = os.path.realpath(path)
        # A device takes any number of outputs.
        if place in places and (place == "-" or not os.path.exists(place) or os.path.isfile(place)):
            where = "standard output" if place == "-" else f"'{path}'"
            raise click.UsageError(
                f"{places[place]} and {option}: only one of them can go to {where}; name another "
                "file for the other."
            )
        places[place] = option


def _inputs(options: dict[str, Any]) -> list[str]:
    """All files that a command reads, which its output must not replace."""
    from edgewise.tables.files import expand_paths

    found = [] if options.get("pairs") is None else [options["pairs"]]
    for path in options["data"]:
        try:
            found += expand_paths([path])
        except DataError:  # whoever reads it will say so
            found.append(path)
    return [path for path in found if path != "-"]


def _check_ending(option: str, path: str) -> None:
    """Refuse a name that does not say what the file is, where it should."""
    from edgewise._checks import check_ending
    from edgewise._optional import check_installed
    from edgewise.plots import export

    if option == "--plot":
        export.plot_kind(path)
    elif option == "--graph":
        export.graph_kind(path)
    elif option == "--report":
        check_ending("report", path, ("html", "htm"))
        check_installed("jinja2", "plot", "A report")


def check_state_output(path: str, options: dict[str, Any] | None = None) -> None:
    """The same for a state, which goes to no terminal, since it is not text."""
    check_outputs({"--output": path}, options)
    if path == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "--output: a state is not text for a terminal; name a file, or send it to a program."
        )


def write_outputs(
    outputs: Mapping[str, str | None], writers: Mapping[str, Callable[[str], object]]
) -> None:
    """Write every output that was named, each by the writer of its option."""
    for option, write in writers.items():
        if (path := outputs[option]) is not None:
            with written(path, ".html" if option == "--report" else "") as file:
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
        write_bytes(file.read_bytes())


def write_notes(path: str | None, notes: list[str]) -> None:
    """Write what a CSV file does not say into a file beside it."""
    from edgewise._files import atomic_path

    if path is not None and (not os.path.exists(path) or os.path.isfile(path)) and path != "-":
        with atomic_path(f"{path}.notes.txt") as temporary:
            text = "".join(f"{' '.join(note.split())}\n" for note in notes)
            temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
