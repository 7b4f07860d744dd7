"""Which files the rows of a table came from."""

from __future__ import annotations

from typing import NamedTuple

from edgewise.tables.options import View
from edgewise.tables.table import Table


class FileRead(NamedTuple):
    """A file that was read.

    Attributes
    ----------
    path : str
        Its path, as it was given or found.
    rows : int or None
        How many rows it has; None if a cluster read it and did not count them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import edgewise as ew
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.random.default_rng(0).standard_normal((100, 3)))
    ...     (file,) = ew.edge_test(folder).files
    >>> file.path.endswith("rows.npy"), file.rows
    (True, 100)
    """

    path: str
    rows: int | None


def files_read(table: Table) -> tuple[FileRead, ...]:
    """The files under all views of a table, and the rows of each; empty if there are none."""
    if isinstance(table, View):
        table = table.source
    told = getattr(table, "rows_read", None)
    return tuple(FileRead(*one) for one in told()) if told is not None else ()
