"""NumPy's own files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgewise._base.text import listed, one_line
from edgewise._base.types import AnyArray
from edgewise.errors import DataError, EdgewiseError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrays import ArrayTable
from edgewise.rows.readers.opened_file import OpenedFile, readable
from edgewise.rows.readers.raw_reads import fill
from edgewise.rows.table import batch_rows


class _Stored(NamedTuple):
    """Where and how an array is stored in a file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    start: int
    columns_first: bool


def open_npy(path: Path) -> OpenedFile:
    """A .npy file of two dimensions, read block by block.

    It is not mapped into memory: a mapped file that somebody cuts ends the process.
    """
    _check_mark(path, b"\x93NUMPY", ".npy array")
    with _plain_file(path, ".npy array"):
        stored = _stored(path)
    named: tuple[str, ...] = stored.dtype.names or ()
    # Zeros, which take no memory, stand for all rows: only their shape and kind are looked at.
    rows = np.broadcast_to(np.zeros((), stored.dtype), stored.shape)
    table = ArrayTable(_plain(rows[:1]) if named else rows, name=f"file '{path}'")
    names = named or table.feature_names
    place = {name: i for i, name in enumerate(names)}

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        return _read_blocks(path, stored, [place[name] for name in columns], skip)

    return _opened(path, names, bool(named), stored.shape[0], read)


def open_npz(path: Path) -> OpenedFile:
    """A .npz file: one array of two dimensions, or several of one dimension as columns."""
    _check_mark(path, b"PK", ".npz archive")
    with _plain_file(path, ".npz archive"), np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names, rows = _only_table(path, arrays)
    given = ArrayTable(rows, name=f"file '{path}'").feature_names if names is None else names

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        yield from _blocks(rows, given, columns, skip)

    told: tuple[str, ...] = ()
    if len(arrays) > 1 and names is None:
        told = (f"its only array of two dimensions is read, of {len(arrays)} arrays",)
    opened = _opened(path, given, names is not None, len(rows), read)
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
        raise DataError(
            f"data: file '{path}' is not a plain {what}: {reason}; is it complete?"
        ) from error


def _check_mark(path: Path, mark: bytes, what: str) -> None:
    """Refuse another file; NumPy would take it as a pickle, and say how to load that."""
    with path.open("rb") as file:
        start = file.read(len(mark))
    if not start:
        raise DataError(f"data: file '{path}' is empty; expected an array.")
    if start != mark:
        raise DataError(
            f"data: file '{path}' is not a plain {what}, although its name says so; give it the "
            "ending of what it is."
        )


def _only_table(
    path: Path, arrays: Mapping[str, AnyArray]
) -> tuple[tuple[str, ...] | None, AnyArray]:
    """The names of the columns, if they have any, and the rows."""
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if len(tables) == 1:
        return None, np.asarray(ArrayTable(arrays[tables[0]], name=f"file '{path}'")._values)
    lengths = {array.shape for array in arrays.values()}
    if arrays and not tables and len(lengths) == 1 and len(lengths.pop()) == 1:
        columns = np.column_stack(list(arrays.values()))
        return tuple(arrays), np.asarray(ArrayTable(columns, name=f"file '{path}'")._values)
    shapes = [f"{name!r} of shape {array.shape}" for name, array in arrays.items()]
    raise DataError(
        f"data: expected one array of two dimensions in '{path}', or columns of equal length, got "
        f"{listed(shapes) or 'no arrays'}; pass the one you mean, as in "
        "np.load(path)['name']."
    )


def _stored(path: Path) -> _Stored:
    """What the header of a file says; its length is checked against it."""
    # NumPy reads all versions of the header only so. Of the map itself no page is touched.
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    columns_first = mapped.flags.f_contiguous and not mapped.flags.c_contiguous
    return _Stored(mapped.shape, mapped.dtype, mapped.offset, columns_first)


def _read_blocks(path: Path, stored: _Stored, places: list[int], skip: int) -> Iterator[Rows]:
    n, step, item = stored.shape[0], batch_rows(len(places)), stored.dtype.itemsize
    width = item * math.prod(stored.shape[1:])  # bytes of a row
    with path.open("rb", buffering=0) as file:
        if stored.columns_first:
            for start in range(skip, n, step):
                columns = np.empty((len(places), min(step, n - start)), stored.dtype)
                for place, column in zip(places, columns, strict=True):
                    fill(
                        _bytes(column),
                        file,
                        stored.start + (place * n + start) * item,
                    )
                yield columns.T
            return
        # The same room for all blocks: what is given out is a copy of the columns.
        room = np.empty((min(step, n), *stored.shape[1:]), stored.dtype)
        for start in range(skip, n, step):
            rows = room[: min(step, n - start)]
            fill(_bytes(rows), file, stored.start + start * width)
            yield _plain(rows)[:, places]


def _bytes(room: AnyArray) -> memoryview:
    return memoryview(room.reshape(-1).view(np.uint8))  # type: ignore[arg-type,unused-ignore]


def _blocks(
    rows: AnyArray, names: Sequence[str], columns: Sequence[str], skip: int
) -> Iterator[Rows]:
    """Blocks of an array in memory."""
    place = {name: i for i, name in enumerate(names)}
    order = [place[name] for name in columns]
    step = batch_rows(len(columns))
    for start in range(skip, rows.shape[0], step):
        yield rows[start : start + step][:, order]


def _plain(rows: AnyArray) -> AnyArray:
    """Rows of records as rows of numbers; others as they are."""
    if rows.dtype.names is None:
        return rows
    from numpy.lib.recfunctions import structured_to_unstructured

    plain: AnyArray = structured_to_unstructured(rows)
    return plain


def _opened(path: Path, names: tuple[str, ...], named: bool, n: int, read: object) -> OpenedFile:
    entries = range(0, max(n, 1), batch_rows(len(names)))
    return OpenedFile(str(path), names, named, n, n, read, entries=entries)  # type: ignore[arg-type]
