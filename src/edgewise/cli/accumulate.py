"""`edgewise accumulate`."""

from __future__ import annotations

import time

import click

from edgewise.cli.manual import Manual
from edgewise.cli.options import PATH, data_options, read_data, tell_dropped


@click.command(
    "accumulate",
    cls=Manual,
    short_help="One pass over DATA into a state file.",
    examples="""
    # A folder of files into a state, which `edgewise test` takes
    edgewise accumulate 2024/ -o 2024.state
    # A long run: broken off and started again, it goes on where it was
    edgewise accumulate 2024/ -o 2024.state --checkpoint-every 60 --resume
    # Rows from another program
    gzip -dc returns.csv.gz | edgewise accumulate - --exclude Date -o a.state
    """,
)
@data_options
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
    help="Keep a checkpoint beside STATE, renewed this often.",
)
@click.option("--resume", is_flag=True, help="Go on from the checkpoint of an interrupted run.")
@click.option("-v", "--verbose", is_flag=True, help="Say how long it took and how much memory.")
def command(
    data: tuple[str, ...],
    columns: str | None,
    exclude: str | None,
    drop_missing: bool,
    output: str,
    kind: str,
    n_batches: int,
    checkpoint_every: float | None,
    resume: bool,
    verbose: bool,
) -> None:
    """Read DATA once, in constant memory, into a state that can be merged and tested.

    DATA is files, folders or patterns of .csv, .csv.gz, .parquet, .feather, .arrow and .npy files,
    or - for CSV from standard input.
    """
    from pathlib import Path

    from edgewise._base.atomic import check_writable, sweep
    from edgewise._base.checks import check_real
    from edgewise.cli.progress import peak_memory, progress_bar
    from edgewise.errors import DataError
    from edgewise.states.batches import BatchMoments
    from edgewise.states.checkpoint import accumulate_files
    from edgewise.states.moments import Moments

    seconds_between = 60.0 if checkpoint_every is None else checkpoint_every
    every = check_real("checkpoint-every", seconds_between, above=0)
    keeps = checkpoint_every is not None or resume
    source = read_data(data, columns, exclude)
    check_writable(output, source.paths)
    if keeps and not source.rescannable:
        raise DataError(
            "data: expected files with --checkpoint-every and --resume, got standard input, which "
            "cannot be read again."
        )
    names = source.feature_names if source.named else None
    empty = (
        Moments(feature_names=names)
        if kind == "moments"
        else (BatchMoments(n_batches, feature_names=names))
    )
    checkpoint = Path(f"{output}.checkpoint") if keeps else None
    for written in (output, checkpoint):
        if written is not None:
            sweep(written)
    start = time.perf_counter()
    try:
        with progress_bar(source.estimated_rows, "reading") as tell:
            state, n_dropped = accumulate_files(
                source,
                empty,
                drop_missing=drop_missing,
                checkpoint=checkpoint,
                every=every,
                resume=resume,
                tell=tell,
            )
    except KeyboardInterrupt:
        if checkpoint is not None and checkpoint.exists():
            click.echo(f"edgewise: {checkpoint} is kept; --resume goes on from it.", err=True)
        raise
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
