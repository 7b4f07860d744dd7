"""`edgewise accumulate`."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.engine import engine_options, is_local, opened_table
from edgewise.cli.manual import Manual
from edgewise.cli.options import PATH, data_options, tell_dropped

if TYPE_CHECKING:
    from pathlib import Path

    from edgewise.rows.table import Table
    from edgewise.states.batches import BatchMoments
    from edgewise.states.moments import Moments


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
@engine_options
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
    type=click.Choice(("batches", "moments")),
    default="batches",
    show_default=True,
    help="batches serve method batch, moments the methods trace, spectral and fisher.",
)
@click.option("--n-batches", type=int, default=100, show_default=True, help="Batches to keep.")
@click.option(
    "--checkpoint-every",
    type=float,
    metavar="SECONDS",
    help="Save a checkpoint beside STATE this often.",
)
@click.option("--resume", is_flag=True, help="Continue from the checkpoint of an interrupted run.")
@click.option("-v", "--verbose", is_flag=True, help="Say how much time and memory it took.")
def command(
    output: str,
    kind: str,
    n_batches: int,
    checkpoint_every: float | None,
    resume: bool,
    verbose: bool,
    **asked: Any,
) -> None:
    """Read DATA once, in constant memory, into a state that can be merged and tested.

    DATA is files, folders or patterns of .csv, .csv.gz, .parquet, .feather, .arrow and .npy files,
    or - for CSV from standard input.
    """
    from pathlib import Path

    from edgewise._base.atomic import check_writable, sweep
    from edgewise._base.checks import check_real
    from edgewise.cli.progress import peak_memory
    from edgewise.errors import DataError

    keeps = checkpoint_every is not None or resume
    if keeps and not is_local(asked):
        raise click.UsageError("--checkpoint-every and --resume need --engine local.")
    every = check_real(
        "checkpoint-every", 60.0 if checkpoint_every is None else checkpoint_every, above=0
    )
    checkpoint = Path(f"{output}.checkpoint") if keeps else None
    empty = _empty_state(kind, n_batches)
    start = time.perf_counter()
    with opened_table(asked) as table:
        check_writable(output, getattr(table, "paths", asked["data"]))
        for written in (output, checkpoint):
            if written is not None:
                sweep(written)
        state, n_dropped = _read(asked, table, empty, checkpoint, every, resume)
    if not state.n_samples:
        raise DataError("data: expected rows, got none; no state was written.")
    state.save(output)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    tell_dropped(n_dropped)
    seconds = time.perf_counter() - start
    click.echo(f"{state.n_samples:,} rows of {state.n_features} columns are in {output}")
    if verbose:
        rate = state.n_samples / seconds
        click.echo(f"{seconds:.1f} s, {rate:,.0f} rows/s, {peak_memory()}", err=True)


def _empty_state(kind: str, n_batches: int) -> Moments | BatchMoments:
    from edgewise.states.batches import BatchMoments
    from edgewise.states.moments import Moments

    return Moments() if kind == "moments" else BatchMoments(n_batches)


def _read(
    asked: dict[str, Any],
    table: Table,
    empty: Moments | BatchMoments,
    checkpoint: Path | None,
    every: float,
    resume: bool,
) -> tuple[Moments | BatchMoments, int]:
    """A state of all rows, and how many were left out."""
    from edgewise.cli.progress import progress_bar
    from edgewise.questions.accumulate import accumulated

    total = table.estimated_rows
    try:
        with progress_bar(total, "reading") if is_local(asked) else nullcontext() as tell:
            return accumulated(
                table,
                empty,
                drop_missing=asked["drop_missing"],
                checkpoint=checkpoint,
                every=every,
                resume=resume,
                progress=tell,
            )
    except KeyboardInterrupt:
        if checkpoint is not None and checkpoint.exists():
            click.echo(f"edgewise: {checkpoint} is kept; --resume continues from it.", err=True)
        raise
