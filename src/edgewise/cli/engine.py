"""Where the rows are read: in this process, or by the workers of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgewise.cli.guesses import Choice
from edgewise.cli.options import column_names, missing_asked
from edgewise.cli.reading import reading_of
from edgewise.cli.telling import remark

if TYPE_CHECKING:
    from edgewise.rows.readers.files import FileTable
    from edgewise.rows.table import Table

_Command = TypeVar("_Command", bound=Callable[..., Any])


def engine_options(command: _Command) -> _Command:
    """--engine and the address of a cluster."""
    for decorator in (
        click.option(
            "--master",
            metavar="URL",
            help="Address of Spark: spark://host:7077.  [default: the cores of this machine]",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Address of Dask: tcp://host:8786.  [default: the cores of this machine]",
        ),
        click.option(
            "--engine",
            type=Choice(("local", "dask", "spark")),
            default="local",
            show_default=True,
            help="Who reads the rows: this process, or the workers of a cluster.",
        ),
    ):
        command = decorator(command)
    return command


def check_engine(asked: dict[str, Any]) -> None:
    """Refuse an address that belongs to another engine."""
    if asked.get("scheduler") is not None and asked["engine"] != "dask":
        raise click.UsageError("--scheduler is the address of a Dask cluster; add --engine dask.")
    if asked.get("master") is not None and asked["engine"] != "spark":
        raise click.UsageError("--master is the address of a Spark cluster; add --engine spark.")


def is_local(asked: dict[str, Any]) -> bool:
    """Whether the rows are read in this process."""
    return str(asked.get("engine", "local")) == "local"


@contextmanager
def opened_table(asked: dict[str, Any]) -> Iterator[Table]:
    """The chosen columns of DATA; the engine that reads them runs inside this context."""
    from edgewise.rows.readers.files import FileTable
    from edgewise.rows.weighting import weighted_columns

    check_engine(asked)
    data = asked["data"]
    _refuse_states(data)
    chosen: dict[str, Any] = {name: column_names(asked[name]) for name in ("columns", "exclude")}
    if asked.get("weights") is not None:
        read = weighted_columns(chosen["columns"], chosen["exclude"], asked["weights"])
        chosen = {"columns": read[0], "exclude": read[1]}
    chosen["reading"] = reading_of(asked)
    groups = asked.get("groups")
    chosen["along"] = () if groups is None else (groups,)
    if is_local(asked):
        yield told(FileTable(data, **chosen))
        return
    from edgewise.rows.clusters import connecting as clusters

    if asked["engine"] == "dask":
        from edgewise.rows.clusters.dask import dask_file_table

        files = told(FileTable(data, **chosen))
        with clusters.dask_client(asked["scheduler"]) as client:
            yield dask_file_table(files, client=client, progress=sys.stderr.isatty())
        return
    from edgewise.rows.clusters.spark_files import spark_file_table

    if not any("://" in path for path in data):
        told(FileTable(data, **chosen))  # reports mistakes before Java starts
    with clusters.spark_session(asked["master"]) as session:
        yield spark_file_table(session, data, **chosen)


def told(files: FileTable) -> FileTable:
    """The files; a remark says what was guessed about them, if it is unusual."""
    for note in files.notes:
        remark(note)
    return files


def _refuse_states(data: tuple[str, ...]) -> None:
    from edgewise.errors import DataError
    from edgewise.states.registry import as_state

    for path in data:
        if as_state(path) is not None:
            raise DataError(
                f"data: expected rows, got the state file '{path}'; `edgewise test` takes a single "
                "state, `edgewise merge` several."
            )


@contextmanager
def watched(
    asked: dict[str, Any], table: Table, what: str, passes: int | None = None
) -> Iterator[Table]:
    """The chosen rows; with a progress bar if they are read here. A cluster shows its own."""
    from edgewise.cli.progress import progress_bar
    from edgewise.rows.opening import open_table

    named = ("groups", "weights", "transform")
    how: dict[str, Any] = {name: asked.get(name) for name in named}
    how |= {"missing": missing_asked(asked), "weight_kind": asked.get("weight_kind", "sampling")}
    if not is_local(asked):
        yield open_table(table, **how)
        return
    rows = table.estimated_rows
    # How often normal scores read the rows depends on whether they fit in memory.
    known = rows is not None and passes is not None and how["transform"] is None
    total = rows * passes if known else None  # type: ignore[operator]
    with progress_bar(total, what) as tell:
        yield open_table(table, progress=tell, **how)
