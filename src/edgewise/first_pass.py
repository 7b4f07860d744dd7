"""The first pass over the rows: everything starts here."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from edgewise._validation import nonfinite_counts, nonfinite_message
from edgewise.errors import NonFiniteError, ParameterError
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
        Make a `BatchMoments` state, for `method="batch"`, of this many batches.

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
    state = Moments(order=order) if n_batches is None else _batches(source, n_batches)
    take_rows(state, source)
    return state


def take_rows(state: Moments | BatchMoments, source: Source) -> None:
    """Put all rows of a source into a state."""
    try:
        for batch in source.batches():
            state.update(batch)
    except NonFiniteError as error:
        # The state met the first bad batch only; the user wants to know about all of them.
        counts = np.sum([nonfinite_counts(batch) for batch in source.batches()], axis=0)
        raise NonFiniteError(nonfinite_message(counts, source.feature_names), counts) from error


def _batches(source: Source, n_batches: int) -> BatchMoments:
    """Where the number of rows is known, batches as long as the data allow; else growing ones."""
    known = source.n_rows
    if not known:
        return BatchMoments(n_batches)
    checked = BatchMoments(n_batches).n_batches
    if checked > known:
        raise ParameterError(
            f"n_batches: expected at most the {known} rows, got {n_batches}; use fewer batches."
        )
    return BatchMoments(checked, batch_rows=-(-known // checked))
