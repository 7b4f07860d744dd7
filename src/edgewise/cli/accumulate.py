"""`edgewise accumulate`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgewise._base.checks import check_real
from edgewise.cli.family import inputs
from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual
from edgewise.cli.opening import opened_table
from edgewise.cli.options import (
    PATH,
    data_options,
    missing_asked,
    tell_dropped,
    weights_options,
)
from edgewise.cli.outputs import checked_state_output, written
from edgewise.cli.telling import remark, remark_on_files, remarked_warnings, say_or_remark
from edgewise.errors import DataError

if TYPE_CHECKING:
    from edgewise.rows.table import Table
    from edgewise.states.row_state import RowState


@click.command(
    "accumulate",
    cls=Manual,
    short_help="One pass over DATA into a state file.",
    examples="""
    # A folder of files into a state, which `edgewise test` takes
    edgewise accumulate 2024/ -o 2024.state
    # A long run; after an interruption, the same command continues it
    edgewise accumulate 2024/ -o 2024.state --checkpoint-every 60 --resume
    # Rows from another program
    gzip -dc returns.csv.gz | edgewise accumulate - --exclude Date -o a.state
    """,
)
@data_options
@weights_options
@click.option(
    "-o",
    "--output",
    required=True,
    type=PATH,
    metavar="STATE",
    help="The state file to write.",
)
@click.option(
    "--kind",
    type=Choice(("batches", "moments", "concordance")),
    default="batches",
    show_default=True,
    help="batches serve method batch, moments the methods trace, spectral and fisher, concordance "
    "method kendall. With --missing pairwise or --weights, batches are those of pairs of columns.",
)
@click.option(
    "--n-batches",
    type=int,
    help="Batches to keep; by default 100, of --kind batches fewer with more than 160 columns.",
)
@click.option(
    "--checkpoint-every",
    type=float,
    metavar="SECONDS",
    help="Save a checkpoint beside STATE this often.",
)
@click.option("--resume", is_flag=True, help="Continue from the checkpoint of an interrupted run.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say which files were read, and how much time and memory it took.",
)
def command(
    output: str,
    kind: str,
    n_batches: int | None,
    checkpoint_every: float | None,
    resume: bool,
    verbose: bool,
    **asked: Any,
) -> None:
    """Read DATA once, in constant memory, into a state that can be merged and tested.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl files, or - for CSV from standard input.
    """
    from edgewise.cli.progress import peak_memory
    from edgewise.rows.file_read import files_read

    keeps = checkpoint_every is not None or resume
    every = check_real(
        "checkpoint-every", 60.0 if checkpoint_every is None else checkpoint_every, above=0
    )
    empty = _empty_state(_kind(kind, asked), n_batches)
    place = checked_state_output(output, inputs(asked))
    start = time.perf_counter()
    with opened_table(asked) as table, _held(place, keeps, resume) as checkpoint:
        state, n_dropped = _read(asked, table, empty, checkpoint, every, resume)
        if not state.n_samples:
            raise DataError("data: expected rows, got none; no state was written.")
        with written(place) as file:
            state.save(file)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
    tell_dropped(n_dropped)
    seconds = time.perf_counter() - start
    where = "standard output" if place == "-" else output
    say_or_remark(place, f"{state.n_samples:,} rows of {state.n_features} columns are in {where}")
    if verbose:
        remark_on_files(files_read(table))
        rate = state.n_samples / seconds
        click.echo(f"{seconds:.1f} s, {rate:,.0f} rows/s, {peak_memory()}", err=True)


@contextmanager
def _held(place: str, keeps: bool, resume: bool) -> Iterator[Path | None]:
    """Keep other writers from the output, and return the file for checkpoints if they are kept."""
    from edgewise._base.atomic import locked, sweep

    if place == "-":
        if keeps:
            raise click.UsageError(
                "--checkpoint-every and --resume keep a file beside the output; name a file."
            )
        yield None
        return
    checkpoint = Path(f"{place}.checkpoint")
    with locked(place):
        if checkpoint.exists() and not resume:
            raise DataError(
                f"output: '{checkpoint}' keeps the rows of a run that was interrupted; add "
                "--resume to continue it, or delete that file to start anew."
            )
        for written_before in (place, checkpoint):
            sweep(written_before)
        yield checkpoint if keeps else None


def _kind(kind: str, asked: dict[str, Any]) -> str:
    """Rows that lack values or count differently need a state of their own."""
    sampling = asked["weights"] is not None and asked["weight_kind"] == "sampling"
    if missing_asked(asked) != "pairwise" and not sampling:
        return kind
    if kind != "batches":
        raise click.UsageError(
            f"--missing pairwise and --weights make a state of pairs, which serves method batch; "
            f"leave out --kind {kind}."
        )
    return "pairwise"


def _empty_state(kind: str, n_batches: int | None) -> RowState:
    from edgewise.states.registry import state_class

    asked = {} if kind == "moments" or n_batches is None else {"n_batches": n_batches}
    empty: RowState = state_class(kind)(**asked)
    return empty


def _read(
    asked: dict[str, Any],
    table: Table,
    empty: RowState,
    checkpoint: Path | None,
    every: float,
    resume: bool,
) -> tuple[RowState, int]:
    """A state of all rows, and how many were left out."""
    from edgewise.cli.progress import progress_bar
    from edgewise.questions.accumulate import accumulated

    total = table.estimated_rows
    try:
        with remarked_warnings(), progress_bar(total, "reading") as tell:
            return accumulated(
                table,
                empty,
                missing=missing_asked(asked),
                weights=asked["weights"],
                weight_kind=asked["weight_kind"],
                checkpoint=checkpoint,
                every=every,
                resume=resume,
                progress=tell,
            )
    except KeyboardInterrupt:
        if checkpoint is not None and checkpoint.exists():
            remark(f"{checkpoint} is kept; --resume continues from it.")
        raise
