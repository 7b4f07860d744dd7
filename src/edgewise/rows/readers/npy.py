"""NumPy's own files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from edgewise._base.text import one_line
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrays import ArrayTable
from edgewise.rows.readers.opened_file import OpenedFile
from edgewise.rows.table import batch_rows


def open_npy(path: Path) -> OpenedFile:
    """A .npy file of two dimensions, mapped into memory."""
    try:
        table = ArrayTable(np.load(path, mmap_mode="r", allow_pickle=False), name=f"file '{path}'")
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"data: file '{path}' is not a plain .npy array: {one_line(error)}."
        ) from error
    names = table.feature_names
    schema = pa.schema([(name, pa.float64()) for name in names])

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        place = {name: i for i, name in enumerate(names)}
        order = [place[name] for name in columns]
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
        step = batch_rows(len(columns))
        for start in range(skip, rows.shape[0], step):
            yield rows[start : start + step][:, order]

    n = table.n_rows or 0
    entries = range(0, max(n, 1), batch_rows(len(names)))
    return OpenedFile(str(path), schema, False, n, n, read, entries=entries)
