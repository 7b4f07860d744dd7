"""Files that hold the same rows, as copies or in another format: they would count twice."""

from __future__ import annotations

import filecmp
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.rows.readers.opened_file import OpenedFile, readable

# So many of the first rows are compared. Files with fewer may be alike by chance, such as a row of
# zeros for each hour, and so may those whose rows are mostly the same.
_MOST_ROWS, _FEWEST_ROWS, _FEWEST_DIFFERENT = 1000, 30, 20
_FIRST_BYTES = 1 << 14
# Another format may round: to float32, or to a few digits. In standard deviations of a column.
_ROUNDING = 1e-3


def refuse_twins(
    files: Sequence[OpenedFile], columns: Sequence[str], along: Sequence[str] = ()
) -> None:
    """Refuse two files that begin with the same rows, or are copies.

    Files of the same kind are compared only if they are of the same size and begin with the same
    bytes, because a copy does; files of several kinds, or packed in several ways, are all compared.
    """
    variables = [name for name in columns if name not in along]
    heads = [_head(file, variables) for file in _suspects([f for f in files if f.rescannable])]
    for one, other in _neighbours([head for head in heads if len(head.rows) >= _FEWEST_ROWS]):
        # Most pairs differ in their first rows, which is soon seen.
        if _same(one.rows[:1], other.rows[:1], one.spread) and (
            _alike(one, other) or _copies(one, other)
        ):
            raise DataError(
                f"data: files '{one.path}' and '{other.path}' begin with the same rows; one may be "
                "a copy of the other, and its rows would count twice. Leave one of them out."
            )


def _suspects(files: Sequence[OpenedFile]) -> list[OpenedFile]:
    if len(files) < 2:
        return []
    if len({(file.kind, _packing(file.path)) for file in files}) > 1:
        return list(files)
    sizes = [os.path.getsize(file.path) for file in files]
    often = Counter(sizes)
    looks = [
        (size, _start(file.path) if often[size] > 1 else b"")
        for file, size in zip(files, sizes, strict=True)
    ]
    alike = Counter(looks)
    return [file for file, look in zip(files, looks, strict=True) if alike[look] > 1]


def _start(path: str) -> bytes:
    """The digest of the first bytes of a file, which copies have in common."""
    with open(path, "rb") as file:
        return hashlib.blake2b(file.read(_FIRST_BYTES), digest_size=16).digest()


def _packing(path: str) -> str:
    """The last ending of a name, which says how the file is packed."""
    return os.path.splitext(path)[1].lower()


class _Head(NamedTuple):
    """The first rows of a file, the mean of all their values, and the spread of each column."""

    path: str
    rows: FloatArray
    mean: float
    spread: FloatArray


def _head(file: OpenedFile, columns: Sequence[str]) -> _Head:
    taken, n = [np.empty((0, len(columns)))], 0
    with readable(file.path), closing(file.read(columns, 0)) as blocks:  # type: ignore[type-var]
        for block in blocks:
            taken.append(np.array(block[: _MOST_ROWS - n], dtype=np.float64))
            n += len(taken[-1])
            if n >= _MOST_ROWS:
                break
    rows = np.concatenate(taken)
    finite = np.where(np.isfinite(rows), rows, 0.0)
    spread = finite.std(axis=0) if n else np.zeros(len(columns))
    return _Head(file.path, rows, float(finite.mean()) if finite.size else 0.0, spread)


def _neighbours(heads: Sequence[_Head]) -> Iterator[tuple[_Head, _Head]]:
    """Pairs of heads with as many rows, and about the same means: twins are among them."""
    by_mean = sorted(heads, key=lambda head: (len(head.rows), head.mean))
    for k, one in enumerate(by_mean):
        most = one.mean + _ROUNDING * max(one.spread, default=0.0)
        for other in by_mean[k + 1 :]:
            if len(other.rows) != len(one.rows) or not other.mean <= most:
                break
            yield one, other


def _alike(one: _Head, other: _Head) -> bool:
    """Whether rows are the same but for rounding, and differ enough from each other to tell."""
    if not _same(one.rows, other.rows, one.spread):
        return False
    return len(np.unique(one.rows, axis=0)) >= _FEWEST_DIFFERENT


def _same(rows: FloatArray, others: FloatArray, spread: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):  # infinity less infinity
        near = np.abs(rows - others) <= _ROUNDING * spread
    return bool((near | (rows == others) | (np.isnan(rows) & np.isnan(others))).all())


def _copies(one: _Head, other: _Head) -> bool:
    """Whether two files are the same, byte by byte; their heads are."""
    if not _same(one.rows, other.rows, np.zeros(one.rows.shape[1])):
        return False
    return filecmp.cmp(one.path, other.path, shallow=False)
