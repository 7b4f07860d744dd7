"""`edgewise accumulate` and `edgewise merge`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import (
    PATH,
    Choice,
    Manual,
    column_names,
    data_argument,
    reading_section,
    section,
)
from edgewise.cli.run import check_state_output, data_of, progress_bar, refuse_states, written
from edgewise.cli.streams import info, info_dropped, info_files, output, warnings_shown
from edgewise.errors import DataError, ParameterError

if TYPE_CHECKING:
    from edgewise.sums.save import AnyState
    from edgewise.tables.table import Table

_state_option = click.option(
    "-o",
    "--output",
    "state",
    required=True,
    type=PATH,
    metavar="STATE|-",
    help="The state file to write.",
)


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
@section(
    "The state",
    *(data_argument, "--columns", "--exclude", "--missing", "--weights", "--weight-kind"),
    _state_option,
    click.option(
        "--kind",
        type=Choice(("batches", "moments", "products", "concordance")),
        default="batches",
        show_default=True,
        help="batches serve method batch, moments the methods trace, spectral and fisher, "
        "products (of at most 60 columns) also eig, concordance method kendall.",
    ),
    click.option("--n-batches", type=int, help="Batches; by default 100, or fewer if p > 160."),
    click.option(
        "--checkpoint-every",
        type=float,
        metavar="SECONDS",
        help="Save a checkpoint beside STATE this often.",
    ),
    click.option(
        "--resume", is_flag=True, help="Continue from the checkpoint of an interrupted run."
    ),
    "--verbose",
)
@reading_section
def accumulate_command(
    state: str, checkpoint_every: float | None, resume: bool, **options: Any
) -> None:
    """Read DATA once, in constant memory, into a state that can be merged and tested.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl files, or - for CSV from standard input.
    """
    from edgewise._checks import check_real
    from edgewise.api.accumulate import accumulated
    from edgewise.cli.show import peak_memory
    from edgewise.sums.moments import Moments
    from edgewise.sums.save import state_class
    from edgewise.tables.files import files_read

    keeps = checkpoint_every is not None or resume
    every = check_real(
        "checkpoint-every", 60.0 if checkpoint_every is None else checkpoint_every, above=0
    )
    kind, n_batches = _kind(options), options["n_batches"]
    if kind in ("moments", "products"):
        empty = Moments(order=4 if kind == "moments" else "all")
    else:
        empty = state_class(kind)(**({} if n_batches is None else {"n_batches": n_batches}))
    check_state_output(state, options)
    how = {name: options.pop(name) for name in ("missing", "weights", "weight_kind")}
    how["missing"] = how["missing"] or "raise"
    start = time.perf_counter()
    with warnings_shown(), _locked(state, keeps, resume) as checkpoint:
        table = _columns_of(options, how["weights"])
        try:
            with progress_bar("reading", table.estimated_rows) as bar:
                full, n_dropped = accumulated(
                    table,
                    empty,
                    **how,
                    checkpoint=checkpoint,
                    every=every,
                    resume=resume,
                    progress=bar.advance,
                )
        except KeyboardInterrupt:
            if checkpoint is not None and checkpoint.exists():
                info(f"{checkpoint} is kept; --resume continues from it.")
            raise
        if not full.n_samples:
            raise DataError("data: expected rows, got none; no state was written.")
        with written(state) as file:
            full.save(file)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
    seconds = time.perf_counter() - start
    _say_where(f"{full.n_samples:,} rows of {full.n_features} columns are in ", state)
    info_dropped(n_dropped)
    if options["verbose"]:
        info_files(files_read(table))
        rate = full.n_samples / seconds
        info(f"{seconds:.1f} s, {rate:,.0f} rows/s, {peak_memory()}", prefix="")


def _columns_of(options: dict[str, Any], weights: str | None) -> Table:
    """The columns that the options choose, with that of the weights."""
    from edgewise.tables.open import open_columns
    from edgewise.tables.options import weighted_columns

    refuse_states(options)
    names = column_names(options["columns"]), column_names(options["exclude"])
    return open_columns(
        data_of(options), *(names if weights is None else weighted_columns(*names, weights))
    )


def _say_where(sentence: str, state: str) -> None:
    if state == "-":
        info(f"{sentence}standard output")
    else:
        output(f"{sentence}{state}")


@contextmanager
def _locked(place: str, keeps: bool, resume: bool) -> Iterator[Path | None]:
    """Keep other writers from the output; yield the file for checkpoints, if they are kept."""
    from edgewise._files import locked, remove_abandoned

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
        remove_abandoned(checkpoint)
        yield checkpoint if keeps else None


def _kind(options: dict[str, Any]) -> str:
    """Rows that lack values or count differently need a state of their own."""
    kind = str(options["kind"])
    sampling = options["weights"] is not None and options["weight_kind"] == "sampling"
    if options["missing"] != "pairwise" and not sampling:
        return kind
    if kind != "batches":
        raise click.UsageError(
            f"--missing pairwise and --weights make a state of pairs, which serves method batch; "
            f"leave out --kind {kind}."
        )
    return "pairwise"


_WAIT = 60.0  # seconds for others that merge into the same file


@click.command(
    "merge",
    cls=Manual,
    short_help="Merge several state files into one.",
    examples="""
    # Two years; the rows of the first came before those of the second
    edgewise merge 2023.state 2024.state -o years.state
    # Test what was merged
    edgewise test years.state
    # Add today's rows to those of all days before
    edgewise accumulate today.csv -o today.state
    edgewise merge years.state today.state -o years.state
    """,
)
@section(
    "Options",
    click.argument("states", nargs=-1, required=True, type=PATH, metavar="STATE..."),
    _state_option,
)
def merge_command(states: tuple[str, ...], state: str) -> None:
    """Add up STATEs of the same kind and columns, in the order given.

    A STATE that is given twice, or as a copy, is refused: its rows would count twice.
    """
    from edgewise._files import locked

    check_state_output(state)
    # The output may be an input: nobody may change it between reading and writing.
    with nullcontext() if state == "-" else locked(state, wait=_WAIT), written(state) as file:
        total = _sum_of(states)
        total.save(file)
    _say_where(f"{total.n_samples:,} rows of {len(states)} states are in ", state)


def _sum_of(paths: Sequence[str]) -> AnyState:
    from edgewise.sums.save import load_state

    total = load_state(paths[0])
    seen = [(paths[0], total)]
    for path in paths[1:]:
        other = load_state(path)
        if type(other) is not type(total):
            raise DataError(
                f"state file '{path}' holds {type(other).__name__}, '{paths[0]}' "
                f"{type(total).__name__}; only states of one kind can be added."
            )
        for twin, before in seen:
            if _same_rows(before, other):
                raise DataError(
                    f"state file '{path}' holds the same rows as '{twin}', which would count "
                    "twice; name each state once."
                )
        seen.append((path, other))
        sums: list[Any] = [getattr(one, "state", one) for one in (total, other)]
        try:
            total = total + other  # type: ignore[operator]
        except ParameterError as error:
            raise DataError(f"state file '{path}': {error}") from error
        if (sums[0].feature_names is None) != (sums[1].feature_names is None):
            info(f"the columns of '{path}' are matched by place: only some states have names.")
    return total


def _same_rows(a: Any, b: Any) -> bool:
    from edgewise.sums.save import fingerprint

    if not a.n_samples or a.n_samples != b.n_samples:
        return False
    return fingerprint(a._contents()) == fingerprint(b._contents())
