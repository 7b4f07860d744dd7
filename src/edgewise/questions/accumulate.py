"""`accumulate`: all rows, once, into a state; wherever the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from edgewise._base.checks import check_columns
from edgewise.rows.clusters.detect import partitioned_source
from edgewise.rows.opening import as_source
from edgewise.rows.views import FiniteRows
from edgewise.states.batches import BatchMoments
from edgewise.states.first_pass import read_once
from edgewise.states.moments import Moments


@overload
def accumulate(
    data: Any,
    *,
    order: int = 4,
    n_batches: None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
) -> Moments: ...
@overload
def accumulate(
    data: Any,
    *,
    order: int = 4,
    n_batches: int,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
) -> BatchMoments: ...
def accumulate(
    data: Any,
    *,
    order: int = 4,
    n_batches: int | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
) -> Moments | BatchMoments:
    """Read all rows once into a state that can be tested, merged and added to.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path or list of paths
        The rows. Those of a `dask.array`, a `dask.dataframe` or a Spark data frame are read where
        they are.
    order : {4, 2}
        The highest order of sums kept by a `Moments` state; 2 is cheaper and enough for
        `method="fisher"`.
    n_batches : int, optional
        Make a `BatchMoments` state, for `method="batch"`, of this many to twice as many batches.
    columns : str or sequence of str, optional
        The columns to keep, by name; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out, such as dates and labels.
    drop_missing : bool
        Leave out rows with NaN or infinite values instead of refusing them.
    client : distributed.Client, optional
        A Dask cluster that reads the files that `data` names, one task a file.

    Returns
    -------
    Moments or BatchMoments
        The state of all rows.

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
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    distant = partitioned_source(data, client=client, columns=columns, exclude=exclude)
    if distant is not None:
        distant = distant.without_missing() if drop_missing else distant
        return distant.accumulate(order=order, n_batches=n_batches)
    source = as_source(data, columns=columns, exclude=exclude)
    if drop_missing:
        source = FiniteRows(source)
    return read_once(source, order=order, n_batches=n_batches)
