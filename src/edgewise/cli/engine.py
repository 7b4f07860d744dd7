"""Where the rows are read: in this process, or by the workers of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from edgewise.rows.clusters.partitioned import PartitionedSource

_Command = TypeVar("_Command", bound=Callable[..., Any])


def engine_options(command: _Command) -> _Command:
    """--engine and the address of a cluster."""
    for decorator in (
        click.option(
            "--master",
            metavar="URL",
            help="Of Spark, as in spark://host:7077.  [default: the cores of this machine]",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Of Dask, as in tcp://host:8786.  [default: the cores of this machine]",
        ),
        click.option(
            "--engine",
            type=click.Choice(("local", "dask", "spark")),
            default="local",
            show_default=True,
            help="Who reads the rows: this process, or the workers of a cluster.",
        ),
    ):
        command = decorator(command)
    return command


def check_engine(engine: str, scheduler: str | None, master: str | None = None) -> None:
    """An address is of use only to the engine that it belongs to."""
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is the address of a Dask cluster; add --engine dask.")
    if master is not None and engine != "spark":
        raise click.UsageError("--master is the address of a Spark cluster; add --engine spark.")


@contextmanager
def rows_on_cluster(
    engine: str,
    scheduler: str | None,
    master: str | None,
    data: tuple[str, ...],
    columns: list[str] | None,
    exclude: list[str] | None,
) -> Iterator[PartitionedSource]:
    """The rows of files as the engine's workers read them, as long as the engine is up."""
    from edgewise.rows.clusters import connecting as clusters

    if engine == "dask":
        from edgewise.rows.clusters.dask import file_source
        from edgewise.rows.readers.files import FileSource

        files = FileSource(data, columns=columns, exclude=exclude)
        with clusters.dask_client(scheduler) as client:
            yield file_source(files, client=client, progress=sys.stderr.isatty())
        return
    from edgewise.rows.clusters.spark_files import spark_file_source
    from edgewise.rows.readers.files import FileSource

    if not any("://" in path for path in data):
        FileSource(data, columns=columns, exclude=exclude)  # a mistake is told before Java starts
    with clusters.spark_session(master) as session:
        yield spark_file_source(session, data, columns=columns, exclude=exclude)
