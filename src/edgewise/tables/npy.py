"""NumPy's own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._checks import default_names
from edgewise._linalg import AnyArray
from edgewise._text import listed, one_line
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.opened_file import OpenedFile, readable
from edgewise.tables.table import Rows, batch_rows
from edgewise.tables.values import check_rows


def open_npy(path: Path) -> OpenedFile:
    """A .npy file of two dimensions, mapped into memory."""

    def mapped() -> AnyArray:
        with _plain_file(path, ".npy array"):
            rows: AnyArray = np.load(path, mmap_mode="r", allow_pickle=False)
            return rows

    rows = mapped()
    named = rows.dtype.names
    check_rows(_plain(rows[:1]) if named else rows, name=f"file '{path}'")
    return _opened(path, named or default_names(rows.shape[1]), bool(named), len(rows), mapped)


def open_npz(path: Path) -> OpenedFile:
    """A .npz file: one array of two dimensions, or several of one dimension as columns."""
    with _plain_file(path, ".npz archive"), np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names, rows = _only_table(path, arrays)
    rows = np.asarray(check_rows(rows, name=f"file '{path}'"))
    told: tuple[str, ...] = ()
    if len(arrays) > 1 and names is None:
        told = (f"its only array of two dimensions is read, of {len(arrays)} arrays",)
    known = names or default_names(rows.shape[1])
    opened = _opened(path, known, names is not None, len(rows), lambda: rows)
    return replace(opened, notes=told, held=True)


@contextmanager
def _plain_file(path: Path, what: str) -> Iterator[None]:
    """Turn whatever NumPy stumbles over in a damaged file into a sentence."""
    try:
        with readable(str(path)):
            yield
    except EdgewiseError:
        raise
    except Exception as error:  # its parser of headers is that of Python
        reason = one_line(error) or type(error).__name__
        if "pickle" in reason:  # NumPy takes any other file as one, and says how to load it
            reason = "it is of another kind, or holds objects"
        raise DataError(
            f"data: file '{path}' is not a plain {what}: {reason}; is it complete?"
        ) from error


def _only_table(
    path: Path, arrays: Mapping[str, AnyArray]
) -> tuple[tuple[str, ...] | None, AnyArray]:
    """The names of the columns, if they have any, and the rows."""
    tables = [array for array in arrays.values() if array.ndim == 2]
    if len(tables) == 1:
        return None, tables[0]
    lengths = {array.shape for array in arrays.values()}
    if arrays and not tables and len(lengths) == 1 and len(lengths.pop()) == 1:
        return tuple(arrays), np.column_stack(list(arrays.values()))
    shapes = [f"{name!r} of shape {array.shape}" for name, array in arrays.items()]
    raise DataError(
        f"data: expected one array of two dimensions in '{path}', or columns of equal length, got "
        f"{listed(shapes) or 'no arrays'}; pass the one you mean, as in "
        "np.load(path)['name']."
    )


def _opened(
    path: Path, names: tuple[str, ...], named: bool, n: int, opened: Callable[[], Any]
) -> OpenedFile:
    place = {name: i for i, name in enumerate(names)}

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        rows, order, step = opened(), [place[name] for name in columns], batch_rows(len(columns))
        for start in range(skip, n, step):
            yield _plain(rows[start : start + step])[:, order]

    entries = range(0, max(n, 1), batch_rows(len(names)))
    return OpenedFile(str(path), names, named, n, n, read, entries=entries)


def _plain(rows: AnyArray) -> AnyArray:
    """Rows of records as rows of numbers; others as they are."""
    if rows.dtype.names is None:
        return rows
    from numpy.lib.recfunctions import structured_to_unstructured

    plain: AnyArray = structured_to_unstructured(rows)
    return plain
