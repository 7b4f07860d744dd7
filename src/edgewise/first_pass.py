"""The first pass over the rows: everything starts here."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from edgewise._validation import nonfinite_counts, nonfinite_message
from edgewise.errors import NonFiniteError
from edgewise.moments.batches import BatchMoments
from edgewise.moments.moments import Moments
from edgewise.sources.detect import as_source
from edgewise.sources.source import Source


@overload
def accumulate(data: Any, *, order: int = 4, n_batches: None = None) -> Moments: ...
@overload
def accumulate(data: Any, *, order: int = 4, n_batches: int) -> BatchMoments: ...
def accumulate(
    data: Any, *, order: int = 4, n_batches: int | None = None
) -> Moments | BatchMoments:
    """Read all rows once into a state that can be tested, merged and added to.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path or list of paths
        The rows.
    order : {4, 2}
        The highest order of sums kept by a `Moments` state; 2 is cheaper and enough for
        `method="fisher"`.
    n_batches : int, optional
        Make a `BatchMoments` state, for `method="batch"`, of this many to twice as many batches.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> ew.edge_test(ew.accumulate(X), method="fisher").n_samples
    1000
    >>> ew.edge_test(ew.accumulate(X, n_batches=50), method="batch").n_samples
    1000
    """
    source = as_source(data)
    state = Moments(order=order) if n_batches is None else BatchMoments(n_batches)
    if source.named:
        state.feature_names = source.feature_names
    take_rows(state, source)
    return state


def take_rows(state: Moments | BatchMoments, source: Source) -> None:
    """Put all rows of a source into a state."""
    try:
        for batch in source.batches():
            state.update(batch)
    except NonFiniteError as error:
        raise describe_nonfinite(error, source) from error


def describe_nonfinite(error: NonFiniteError, source: Source) -> NonFiniteError:
    """The error of one batch, told by name and, where they can be read again, for all rows."""
    counts = error.counts
    if source.rescannable:
        counts = np.sum([nonfinite_counts(batch) for batch in source.batches()], axis=0)
    return NonFiniteError(nonfinite_message(counts, source.feature_names), counts)
