"""`accumulate`: read all rows once into a state, here or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from edgewise._checks import check_choice, check_columns, check_flag, check_real
from edgewise.errors import ParameterError
from edgewise.sums.accumulate import read_into, read_with_checkpoints
from edgewise.sums.batches import DEFAULT_BATCHES, BatchMoments
from edgewise.sums.concordance import ConcordanceMoments
from edgewise.sums.moments import Moments
from edgewise.sums.pairwise import PairwiseMoments
from edgewise.sums.save import RowState
from edgewise.tables.open import as_table, on_cluster, open_files
from edgewise.tables.options import MISSING, weighted_columns

S = TypeVar("S", bound=RowState)


AnyState = Moments | BatchMoments | PairwiseMoments | ConcordanceMoments


def accumulate(
    data: Any,
    *,
    order: int | str = 4,
    n_batches: int | None = None,
    concordance: bool = False,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    missing: str = "auto",
    weights: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
    progress: Callable[[int], None] | None = None,
) -> AnyState:
    """Read all rows once into a state that can be tested, merged and added to.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path or list of paths
        The rows; those of Dask and Spark are read on the cluster.
    order : {4, 2, "all"}
        The highest order of the sums of a `Moments` state: 2 for "fisher", 4 for "trace". With
        "all", those of all products of four of at most 60 columns, for "eig".
    n_batches : int, optional
        Make a `BatchMoments` state, for "batch", of this many to twice as many batches.
    concordance : bool
        Make a `ConcordanceMoments` state, for "kendall", of `n_batches` (100) batches or more.
    columns, exclude : optional
        As in `edge_test`.
    missing : {"auto", "drop", "pairwise", "raise"}
        As in `edge_test`, but "auto" is an error; "pairwise" makes a `PairwiseMoments` state, for
        "batch".
    weights : str or array-like, optional
        As in `edge_test`; sampling weights make `PairwiseMoments`.
    checkpoint : str or path, optional
        A file that records how far reading has come. Delete it after the state is saved.
    every : float
        Seconds between two checkpoints.
    resume : bool
        Continue from the checkpoint if there is one: no row is read twice, and none is left out.
        Without it, an existing checkpoint is an error.
    progress : callable, optional
        Called with the number of rows of each block after it is read; not on a cluster.

    Returns
    -------
    Moments, BatchMoments, PairwiseMoments or ConcordanceMoments
        The state of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> ew.edge_test(ew.accumulate(X, n_batches=50), method="batch").n_samples
    1000

    With a checkpoint; if it is interrupted, the same call continues where it stopped:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", X)
    ...     ew.accumulate(f"{folder}/rows.npy", checkpoint=f"{folder}/checkpoint", resume=True)
    Moments(n_samples=1000, n_features=3, order=4)
    """
    check_choice("missing", missing, MISSING)
    pairwise = missing == "pairwise" or weights is not None
    state: AnyState
    if check_flag("concordance", concordance):
        if pairwise:
            raise ParameterError(
                "`concordance` and missing='pairwise' or sampling weights cannot be combined; "
                "ranks need complete rows that count the same."
            )
        state = ConcordanceMoments(DEFAULT_BATCHES if n_batches is None else n_batches)
    elif pairwise:
        state = PairwiseMoments(n_batches)
    else:
        state = Moments(order=order) if n_batches is None else BatchMoments(n_batches)
    rows = {"columns": columns, "exclude": exclude, "missing": missing, "progress": progress}
    rows["weights"] = weights
    if checkpoint is None and resume:
        raise ParameterError("resume: expected together with checkpoint=..., got none.")
    return accumulated(data, state, checkpoint=checkpoint, every=every, resume=resume, **rows)[0]


def accumulated(
    data: Any,
    empty: S,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
    **rows: Any,
) -> tuple[S, int]:
    """Read all rows into an empty state of any kind; also return how many were left out."""
    if checkpoint is None:
        return read_into(empty, as_table(data, **rows))
    if on_cluster(data):
        raise ParameterError(
            "`checkpoint` and a cluster cannot be combined: only files that are read here have "
            "checkpoints."
        )
    columns, exclude = rows.pop("columns", None), rows.pop("exclude", None)
    weights = rows.get("weights")
    if isinstance(weights, str):
        chosen, left = check_columns("columns", columns), check_columns("exclude", exclude)
        columns, exclude = weighted_columns(chosen, left, weights)
    elif weights is not None:
        raise ParameterError(
            "weights: expected the name of a column with checkpoint=..., got "
            f"{type(weights).__name__}; write the weights into a column of the data."
        )
    return read_with_checkpoints(
        open_files(data, columns=columns, exclude=exclude),
        empty,
        checkpoint,
        every=check_real("every", every, above=0),
        resume=resume,
        **rows,
    )
