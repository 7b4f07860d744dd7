"""`edgewise accumulate` and `edgewise merge`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from edgewise._checks import check_choice, check_real
from edgewise._files import locked
from edgewise.api.accumulate import accumulate, accumulated
from edgewise.cli.options import PATH, arguments, command, data_argument, option
from edgewise.cli.run import check_outputs, data_of, progress_bar, written
from edgewise.cli.show import info_dropped, output
from edgewise.errors import DataError, ParameterError
from edgewise.sums.moments import Moments
from edgewise.sums.save import fingerprint, load_state, state_class

_OUTPUT = option("--output", required=True, metavar="STATE|-", help="The state file to write.")


@command(
    "accumulate",
    {
        "The state": (
            data_argument(),
            *("--columns", "--exclude", "--missing", "--weights"),
            *(_OUTPUT, "--kind"),
            click.Option(
                ["--n-batches"], type=int, help="Batches; by default 100, or fewer if p > 160."
            ),
            *("--checkpoint-every", "--resume"),
        )
    },
    """
    # A folder of files into a state, which `edgewise test` takes
    edgewise accumulate 2024/ -o 2024.state
    # A long run; after an interruption, the same command continues it
    edgewise accumulate 2024/ -o 2024.state --checkpoint-every 60 --resume
    # Rows from another program
    gzip -dc returns.csv.gz | edgewise accumulate - --exclude Date -o a.state
    """,
)
def accumulate_command(**options: Any) -> None:
    """Read DATA once, in constant memory, into a state that can be merged and tested.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl files, or - for CSV from standard input.
    """
    path, every, resume = options["output"], options["checkpoint_every"], options["resume"]
    seconds = check_real("checkpoint_every", 60.0 if every is None else every, above=0)
    kind, n_batches = options["kind"], options["n_batches"]
    check_choice("kind", kind, ("batches", "moments", "products", "concordance"))
    if options["missing"] == "pairwise" or options["weights"]:
        if kind != "batches":
            raise click.UsageError(
                "--missing pairwise and --weights make a state of pairs, which serves method "
                f"batch; leave out --kind {kind}."
            )
        kind = "pairwise"
    if kind in ("moments", "products"):
        empty: Any = Moments(order=4 if kind == "moments" else "all")
    else:
        empty = state_class(kind)(**({} if n_batches is None else {"n_batches": n_batches}))
    check_outputs(options, "output")
    how = arguments(accumulate, options, "columns", "exclude", "missing", "weights")
    keeps, checkpoint = every is not None or resume, Path(f"{path}.checkpoint")
    if path == "-" and keeps:
        raise click.UsageError(
            "--checkpoint-every and --resume keep a file beside the output; name a file."
        )
    with nullcontext() if path == "-" else locked(path), progress_bar("reading") as bar:
        if checkpoint.exists() and not resume:
            raise DataError(
                f"output: '{checkpoint}' keeps the rows of a run that was interrupted; add "
                "--resume to continue it, or delete that file to start anew."
            )
        full, n_dropped = accumulated(
            data_of(options),
            empty,
            **how,
            checkpoint=checkpoint if keeps else None,
            every=seconds,
            resume=resume,
            progress=bar.advance,
        )
        if not full.n_samples:
            raise DataError("data: expected rows, got none; no state was written.")
        with written(path) as file:
            full.save(file)
        if keeps:
            checkpoint.unlink(missing_ok=True)
    if path != "-":
        output(f"{full.n_samples:,} rows of {full.n_features} columns are in {path}")
    info_dropped(n_dropped)


@command(
    "merge",
    {
        "Options": (
            click.Argument(["states"], nargs=-1, required=True, type=PATH, metavar="STATE..."),
            _OUTPUT,
        )
    },
    """
    # Two years; the rows of the first came before those of the second
    edgewise merge 2023.state 2024.state -o years.state
    # Test what was merged
    edgewise test years.state
    # Add today's rows to those of all days before
    edgewise accumulate today.csv -o today.state
    edgewise merge years.state today.state -o years.state
    """,
    reads_files=False,
)
def merge_command(**options: Any) -> None:
    """Add up STATEs of the same kind and columns, in the order given.

    A STATE that is given twice, or as a copy, is refused: its rows would count twice.
    """
    path, states = options["output"], options["states"]
    check_outputs(options, "output")
    # The output may be an input: nobody may change it between reading and writing.
    with nullcontext() if path == "-" else locked(path, wait=60.0), written(path) as file:
        total = _sum_of(states)
        total.save(file)
    if path != "-":
        output(f"{total.n_samples:,} rows of {len(states)} states are in {path}")


def _sum_of(paths: tuple[str, ...]) -> Any:
    total: Any = None
    seen: dict[str, str] = {}
    for path in paths:
        state: Any = load_state(path)
        mark = fingerprint(state._contents())
        if mark in seen and state.n_samples:
            raise DataError(
                f"state file '{path}' holds the same rows as '{seen[mark]}', which would count "
                "twice; name each state once."
            )
        seen[mark] = path
        if total is not None and type(state) is not type(total):
            raise DataError(
                f"state file '{path}' holds {type(state).__name__}, '{paths[0]}' "
                f"{type(total).__name__}; only states of one kind can be added."
            )
        try:
            total = state if total is None else total + state
        except ParameterError as error:
            raise DataError(f"state file '{path}': {error}") from error
    return total
