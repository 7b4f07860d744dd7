"""How a command opens its data, tests them, and writes files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import READING, column_names, family_of, given_method_options
from edgewise.cli.streams import info, warnings_shown, write_bytes
from edgewise.errors import DataError

if TYPE_CHECKING:
    from rich.progress import Progress

    from edgewise.results.result import EdgeTestResult
    from edgewise.tables.reading import DataToRead
    from edgewise.tables.table import Table


def data_of(options: dict[str, Any], data: Any = None) -> DataToRead:
    """DATA, or one file of it, to be read as the options say."""
    from edgewise.tables.reading import open_table

    reading = {name: options[name] for name in (one.replace("-", "_") for one in READING)}
    if reading["index_col"] == "none":
        reading["index_col"] = False
    return open_table([*options["data"]] if data is None else data, **reading)


def open_columns_of(options: dict[str, Any], columns: Sequence[str] | None = None) -> Table:
    """The named columns of DATA, or those that the options choose, with weights and labels."""
    from edgewise.sums.save import as_state
    from edgewise.tables.open import open_columns
    from edgewise.tables.options import weighted_columns

    for path in options["data"]:
        if as_state(path) is not None:
            raise DataError(
                f"data: expected rows, got the state file '{path}'; `edgewise test` takes a single "
                "state, `edgewise merge` several."
            )
    exclude = None
    if columns is None:
        columns, exclude = column_names(options["columns"]), column_names(options["exclude"])
    if options.get("weights") is not None:
        columns, exclude = weighted_columns(columns, exclude, options["weights"])
    labels = options.get("clusters")
    return open_columns(data_of(options), columns, exclude, () if labels is None else (labels,))


@contextmanager
def opened(
    options: dict[str, Any],
    what: str,
    passes: int | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[tuple[Table, Table]]:
    """The columns of DATA, and their rows as the options say, in a context that shows progress."""
    from edgewise.tables.open import as_table

    how: dict[str, Any] = {
        name: options.get(name) for name in ("clusters", "weights", "transform", "missing")
    }
    how["weight_kind"] = options.get("weight_kind", "sampling")
    with warnings_shown():
        table = open_columns_of(options, columns)
        rows = table.estimated_rows
        # How often normal scores read the rows depends on whether they fit in memory.
        known = rows is not None and passes is not None and how["transform"] is None
        total = rows * passes if known else None  # type: ignore[operator]
        with progress_bar(total, what) as advance:
            yield table, as_table(table, progress=advance, **how)


@contextmanager
def progress_bar(
    total: float | None, what: str, unit: str = "rows"
) -> Iterator[Callable[[float], None]]:
    """Yield a function to be called with how much was just done, which a terminal shows."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from edgewise._parallel import watched_by

    done = TextColumn("{task.completed:,.0f} {task.fields[unit]}")
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    with (
        Progress(*columns, console=Console(stderr=True), transient=True) as progress,
        watched_by(partial(_line, progress)),
        _line(progress, total, what, unit) as advance,
    ):
        yield advance


@contextmanager
def _line(
    progress: Progress, total: float | None, what: str, unit: str
) -> Iterator[Callable[[float], None]]:
    task = progress.add_task(what, total=total, unit=unit)
    try:
        yield partial(progress.advance, task)
    finally:
        progress.remove_task(task)


def run_test(options: dict[str, Any]) -> tuple[EdgeTestResult, Table | None]:
    """The result for these options, and its rows if they can be read again."""
    from edgewise._checks import default_names
    from edgewise.api.edge_test import edge_test
    from edgewise.methods.registry import DEFAULT_METHOD, method_of
    from edgewise.results.summary import bars, missing_value_notes
    from edgewise.sums.save import as_state

    names = ("alpha", "correction", "min_effect")
    how = {name: options[name] for name in names} | given_method_options(options)
    rows: Table | None = None
    state: Any = as_state(options["data"][0]) if len(options["data"]) == 1 else None
    if state is not None:
        about_rows = ("columns", "exclude", "clusters", "weights", "transform")
        if any(options[name] for name in about_rows):
            raise click.UsageError(
                "--columns, --exclude, --clusters, --weights and --transform are about rows; a state "
                "has none left."
            )
        sums = getattr(state, "state", state)  # a confidence sequence holds another state
        known = tuple(sums.feature_names or default_names(sums.n_features or 0))
        method = options["method"] or state.default_method
        how |= {"missing": options["missing"], **family_of(options, known)}
        with warnings_shown():
            result = edge_test(state, method=method, **how)
    else:
        method = options["method"] or DEFAULT_METHOD
        # What a test of clusters needs is summed in one pass.
        needs = method_of(method, given_method_options(options)).needs
        again = (needs.reads_again or needs.undecided) and options["clusters"] is None
        with opened(options, "testing", 1 + again) as (table, chosen):
            family = family_of(options, table.feature_names)
            result = edge_test(chosen, method=method, **how, **family)
        rows = table if table.rescannable else None
    for sentence in missing_value_notes(result):
        info(sentence)
    for bar in bars(result):
        info(bar, prefix="")
    info_cautions(result)
    return result, rows


def info_cautions(result: Any) -> None:
    for caution in result.cautions:
        info(f"caution: {caution}")


#: Files whose endings decide what is written, and what to do where there is no name.
_NAMED = {
    "--plot": "name a file that ends in .png, .svg or .pdf",
    "--graph": "name a file, or use --graphml -",
}


def checked_outputs(
    outputs: Mapping[str, str | None], options: dict[str, Any] | None = None
) -> dict[str, str | None]:
    """The outputs of a command by their options, with "-" for what goes to standard output.

    Refuses before a long run: what cannot be written, is an input, or goes where another goes.
    """
    from edgewise._files import check_writable

    sources = _inputs(options) if options else []
    found: dict[str, str | None] = {}
    places: dict[str, str] = {}
    for option, path in outputs.items():
        found[option] = path
        if path is None:
            continue
        if _is_standard_output(path):
            found[option] = place = "-"
            if option in _NAMED:
                raise click.UsageError(
                    f"{option}: the ending of a file decides what is written, and standard output "
                    f"has none; {_NAMED[option]}."
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
    return found


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


def checked_state_output(path: str, options: dict[str, Any] | None = None) -> str:
    """Where a state goes: a path, or "-"; not to a terminal, since it is not text."""
    place = checked_outputs({"--output": path}, options)["--output"] or path
    if place == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "--output: a state is not text for a terminal; name a file, or send it to a program."
        )
    return place


def _is_standard_output(path: str) -> bool:
    """Whether a path is "-" or another name of this process's standard output."""
    if path == "-":
        return True
    try:
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # no such file yet; a stream without a number, in a notebook
        return False


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
