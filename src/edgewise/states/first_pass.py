"""The first pass over the rows: everything starts here."""

from __future__ import annotations

from typing import overload

import numpy as np

from edgewise.errors import NonFiniteError
from edgewise.rows.block import ColumnBlock
from edgewise.rows.table import Source
from edgewise.rows.values import nonfinite_counts, nonfinite_message
from edgewise.states.batches import BatchMoments
from edgewise.states.moments import Moments


@overload
def read_once(source: Source, *, order: int = 4, n_batches: None = None) -> Moments: ...
@overload
def read_once(
    source: Source, *, order: int = 4, n_batches: int | None
) -> Moments | BatchMoments: ...
def read_once(
    source: Source, *, order: int = 4, n_batches: int | None = None
) -> Moments | BatchMoments:
    """A state of all rows of a source; a `BatchMoments` state where `n_batches` is given."""
    state = Moments(order=order) if n_batches is None else BatchMoments(n_batches)
    if source.named:
        state.feature_names = source.feature_names
    take_rows(state, source)
    return state


def take_rows(state: Moments | BatchMoments, source: Source) -> None:
    """Put all rows of a source into a state."""
    try:
        for batch in source.batches():
            # A source has one order of columns, whatever names a batch of it may carry.
            state.update(batch if isinstance(batch, ColumnBlock) else np.asarray(batch))
    except NonFiniteError as error:
        raise describe_nonfinite(error, source) from error


def describe_nonfinite(error: NonFiniteError, source: Source) -> NonFiniteError:
    """The error of one batch, told by name and, where they can be read again, for all rows."""
    counts = error.counts
    if source.rescannable:
        counts = np.sum([nonfinite_counts(batch) for batch in source.batches()], axis=0)
    return NonFiniteError(nonfinite_message(counts, source.feature_names), counts)
