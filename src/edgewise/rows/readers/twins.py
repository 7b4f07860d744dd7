"""Files that hold the same rows, as copies or in another format: they would count twice."""

from __future__ import annotations

import filecmp
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.rows.readers.opened_file import OpenedFile, readable

# So many of the first rows are compared. Files with fewer may be alike by chance, such as a row of
# zeros for each hour, and so may those whose rows are mostly the same.
_MOST_ROWS, _FEWEST_ROWS, _FEWEST_DIFFERENT = 1000, 30, 20
# Another format may round: to float32, or to a few digits. In standard deviations of a column.
_ROUNDING = 1e-3


def refuse_twins(
    files: Sequence[OpenedFile], columns: Sequence[str], along: Sequence[str] = ()
) -> None:
    """Refuse two files that begin with the same rows, or are copies.

    Files of the same kind are compared only if they are of the same size, because a copy is; files
    of several kinds, or packed in several ways, are all compared.
    """
    variables = [name for name in columns if name not in along]
    heads = []
    for file in _suspects([file for file in files if file.rescannable]):
        head = _head(file, variables)
        if len(head) >= _FEWEST_ROWS:
            heads.append((file.path, head))
    for (one, rows), (other, others) in _neighbours(heads):
        if _alike(rows, others) or _copies(one, other):
            raise DataError(
                f"data: files '{one}' and '{other}' begin with the same rows; one may be a copy of "
                "the other, and its rows would count twice. Leave one of them out."
            )


def _suspects(files: Sequence[OpenedFile]) -> list[OpenedFile]:
    if len(files) < 2:
        return []
    if len({(file.kind, _packing(file.path)) for file in files}) > 1:
        return list(files)
    sizes = Counter(os.path.getsize(file.path) for file in files)
    return [file for file in files if sizes[os.path.getsize(file.path)] > 1]


def _packing(path: str) -> str:
    """The last ending of a name, which says how the file is packed."""
    return os.path.splitext(path)[1].lower()


def _head(file: OpenedFile, columns: Sequence[str]) -> FloatArray:
    """The first rows."""
    taken, n = [np.empty((0, len(columns)))], 0
    with readable(file.path), closing(file.read(columns, 0)) as blocks:  # type: ignore[type-var]
        for block in blocks:
            taken.append(np.array(block[: _MOST_ROWS - n], dtype=np.float64))
            n += len(taken[-1])
            if n >= _MOST_ROWS:
                break
    return np.concatenate(taken)


_Heads = list[tuple[str, FloatArray]]


def _neighbours(
    heads: _Heads,
) -> Iterator[tuple[tuple[str, FloatArray], tuple[str, FloatArray]]]:
    """Pairs of heads with as many rows, and about the same means: twins are among them."""
    by_mean = sorted(heads, key=lambda one: (len(one[1]), _mean(one[1])))
    for k, one in enumerate(by_mean):
        for other in by_mean[k + 1 :]:
            near = _mean(other[1]) - _mean(one[1]) <= _ROUNDING * _spread(one[1])
            if len(other[1]) != len(one[1]) or not near:
                break
            yield one, other


def _mean(rows: FloatArray) -> float:
    finite = rows[np.isfinite(rows)]
    return float(finite.mean()) if finite.size else 0.0


def _spread(rows: FloatArray) -> float:
    finite = rows[np.isfinite(rows)]
    return float(finite.std()) if finite.size else 0.0


def _alike(rows: FloatArray, others: FloatArray) -> bool:
    """Whether rows are the same but for rounding, and differ enough from each other to tell."""
    if len(np.unique(rows, axis=0)) < _FEWEST_DIFFERENT:
        return False
    spread = np.array([_spread(column) for column in rows.T])
    same = np.abs(rows - others) <= _ROUNDING * spread
    return bool((same | (rows == others) | (np.isnan(rows) & np.isnan(others))).all())


def _copies(one: str, other: str) -> bool:
    """Whether two files are the same, byte by byte."""
    return filecmp.cmp(one, other, shallow=False)
