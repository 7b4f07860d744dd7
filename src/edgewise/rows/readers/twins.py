"""Files that hold the same rows, as copies or in another format: they would count twice."""

from __future__ import annotations

import filecmp
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, EdgewiseError
from edgewise.rows.readers.byte_streams import begins_compressed, opened_bytes
from edgewise.rows.readers.opened_file import OpenedFile, readable

# So many of the first rows are compared, fewer of wide files. Files with fewer may be alike by
# chance, such as a row of zeros for each hour, and so may those whose rows are mostly the same.
_MOST_ROWS, _FEWEST_ROWS, _FEWEST_DIFFERENT = 1000, 30, 20
_MOST_VALUES = 2_000_000
# Of files that are the same byte by byte, fewer different rows tell; still, zeros may be chance.
_FEWEST_IN_COPY = 3
# Another format may round: to float32, or to a few digits. Relative to the spread of a column.
_ROUNDING = 1e-3
# The rows of so many files are compared; of more files, only of those that begin alike.
_FEW_FILES = 64
_FIRST_BYTES, _COMPARED_BYTES = 1 << 14, 1 << 12
_TEXT = ("CSV", "JSON lines")
# The means of so many rows, and of so many columns, are kept of each file.
_MOST_COLUMNS = 32
_LENGTHS = (_FEWEST_ROWS, 100, 300, _MOST_ROWS)


def refuse_twins(
    files: Sequence[OpenedFile], columns: Sequence[str], along: Sequence[str] = ()
) -> None:
    """Refuse two files that begin with the same rows: as many as the shorter has, up to 1000.

    Few files, and files of several kinds or forms, are all compared by their rows. Of many files of
    one form, those are compared whose first lines are the same, or that have the same size and the
    same first bytes if they are no text.
    """
    variables = [name for name in columns if name not in along]
    if not variables:
        return
    suspects = _suspects([file for file in files if file.rescannable])
    sketches = [_sketch(file, variables[:_MOST_COLUMNS]) for file in suspects]
    for one, others in _alike_in_means([sketch for sketch in sketches if len(sketch.means)]):
        # Read anew: the first rows of all files would fill the memory.
        if not _varied(one, variables):
            continue
        rows = _first_rows(one, variables)
        for other in others:
            if _same_start(rows, _first_rows(other, variables)) or _copies(one, other):
                raise DataError(
                    f"data: files '{one.path}' and '{other.path}' begin with the same rows; one "
                    "may be a copy or an earlier version of the other, and its rows would count "
                    "twice. Leave one of them out."
                )


def _suspects(files: Sequence[OpenedFile]) -> list[OpenedFile]:
    if len(files) < 2:
        return []
    if len(files) <= _FEW_FILES or len({_form(file) for file in files}) > 1:
        return list(files)
    if files[0].kind in _TEXT:
        looks: list[object] = [_first_lines(file) for file in files]
    else:
        sizes = [os.path.getsize(file.path) for file in files]
        often = Counter(sizes)
        looks = [
            (size, _first_bytes(file.path)) if often[size] > 1 else None
            for file, size in zip(files, sizes, strict=True)
        ]
    alike = Counter(look for look in looks if look is not None)
    return [file for file, look in zip(files, looks, strict=True) if alike[look] > 1]


def _form(file: OpenedFile) -> object:
    """What copies of rows must have in common to be copies of bytes."""
    packing, text = os.path.splitext(file.path)[1].lower(), file.form
    cells = None if text is None else (text.encoding, text.sep, text.decimal, text.quote)
    return file.kind, packing, file.names, cells


def _first_bytes(path: str) -> bytes:
    with readable(path), open(path, "rb") as file:
        return _digest(file.read(_FIRST_BYTES))


def _digest(some: bytes) -> bytes:
    return hashlib.blake2b(some, digest_size=16).digest()


def _first_lines(file: OpenedFile) -> bytes | None:
    """The digest of as many lines as twins have in common; None if there are not as many.

    The lines before the first row are left out, and all ends of lines are the same.
    """
    skip, raw, lines = 0 if file.form is None else file.form.skip, b"", [b""]
    with readable(file.path), _opened_text(file.path) as stream:
        while more := stream.read(max(_FIRST_BYTES, len(raw))):  # a header may be of megabytes
            raw += more
            lines = _as_ascii(raw, file).split(b"\n", skip + _FEWEST_ROWS)[skip:]
            start = b"\n".join(lines[:_FEWEST_ROWS])
            if len(lines) > _FEWEST_ROWS or len(start) >= _COMPARED_BYTES:
                return _digest(start[:_COMPARED_BYTES])
    return _digest(start) if len(lines) == _FEWEST_ROWS and lines[-1] else None


def _opened_text(path: str) -> BinaryIO:
    file = open(path, "rb")  # noqa: SIM115
    if not begins_compressed(file.peek(1)):
        return file
    file.close()
    return opened_bytes(Path(path))


def _as_ascii(raw: bytes, file: OpenedFile) -> bytes:
    """The text with one byte for each digit, and with the same ends of lines everywhere."""
    if file.form is not None and not file.form.ascii_compatible:
        raw = raw.decode(file.form.encoding, "replace").encode()
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _most_rows(n_columns: int) -> int:
    return max(_FEWEST_ROWS, min(_MOST_ROWS, _MOST_VALUES // n_columns))


def _first_rows(file: OpenedFile, columns: Sequence[str]) -> FloatArray:
    """The first rows; none if they cannot be read, which is told when all rows are."""
    most, taken, n = _most_rows(len(columns)), [np.empty((0, len(columns)))], 0
    with suppress(EdgewiseError), readable(file.path), closing(file.read(columns, 0)) as blocks:  # type: ignore[type-var]
        for block in blocks:
            taken.append(np.array(block[: most - n], dtype=np.float64))
            n += len(taken[-1])
            if n >= most:
                break
        return np.ascontiguousarray(np.concatenate(taken))
    return taken[0]


class _Sketch(NamedTuple):
    """What is kept of the first rows of a file: a few means, and the spread, of each column."""

    file: OpenedFile
    means: FloatArray
    spread: FloatArray


def _sketch(file: OpenedFile, columns: Sequence[str]) -> _Sketch:
    rows = _first_rows(file, columns)
    finite = _finite(rows)
    with np.errstate(over="ignore"):
        means = [finite[:length].mean(axis=0) for length in _LENGTHS if length <= len(rows)]
    return _Sketch(file, np.array(means), _spread(rows) if means else np.zeros(len(columns)))


def _finite(rows: FloatArray) -> FloatArray:
    return np.where(np.isfinite(rows), rows, 0.0)


def _spread(rows: FloatArray) -> FloatArray:
    """How far the middle half of each column spreads, so that an outlier does not count.

    Where that half is all the same, the mean distance from it.
    """
    finite, n = _finite(rows), len(rows)
    places = [n // 4, n // 2, 3 * n // 4]
    low, middle, high = np.partition(finite, places, axis=0)[places]
    with np.errstate(over="ignore"):
        spread: FloatArray = np.where(high > low, high - low, np.abs(finite - middle).mean(axis=0))
    return spread


def _alike_in_means(
    sketches: Sequence[_Sketch],
) -> Iterator[tuple[OpenedFile, Iterator[OpenedFile]]]:
    """Files, each with the others that may hold the same rows, because their means are the same."""
    if len(sketches) < 2:
        return
    first = np.array([sketch.means[0] for sketch in sketches])
    near = _tolerance(first, np.array([sketch.spread for sketch in sketches]))
    # Sorted by the column that tells most files apart, those that are alike are neighbours.
    with np.errstate(over="ignore", invalid="ignore"):
        telling = np.argmax(np.nan_to_num(np.ptp(first, axis=0) / (near.max(axis=0) + 1e-300)))
    order = np.argsort(first[:, telling])
    first, near = first[order], near[order]
    ends = np.searchsorted(first[:, telling], first[:, telling] + near[:, telling], "right")
    for k, end in enumerate(ends):
        some = slice(k + 1, max(int(end), k + 1))
        found = _all_near(first[some], first[k], np.minimum(near[some], near[k]))
        one = sketches[order[k]]
        others = [sketches[order[k + 1 + i]] for i in np.flatnonzero(found)]
        if others:
            yield one.file, (other.file for other in others if _same_means(one, other))


def _same_means(one: _Sketch, other: _Sketch) -> bool:
    both = min(len(one.means), len(other.means))
    near = _tolerance(one.means[:both], np.minimum(one.spread, other.spread))
    return bool(_all_near(one.means[:both], other.means[:both], near).all())


def _tolerance(means: FloatArray, spread: FloatArray) -> FloatArray:
    """How far means of rounded rows may be apart; adding them up rounds as well."""
    return _ROUNDING * spread + 1e-12 * np.abs(means)


def _all_near(rows: FloatArray, others: FloatArray, near: FloatArray) -> AnyArray:
    """Which rows have all their values near those of the others."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinity less infinity
        close = np.abs(rows - others) <= near
    same: AnyArray = (close | (rows == others) | (np.isnan(rows) & np.isnan(others))).all(axis=-1)
    return same


def _same_start(rows: FloatArray, others: FloatArray) -> bool:
    """Whether rows are the same but for rounding, and differ enough from each other to tell."""
    both = min(len(rows), len(others))
    if both < _FEWEST_ROWS:
        return False
    near = _ROUNDING * np.minimum(_spread(rows), _spread(others))
    if not _all_near(rows[:both], others[:both], near).all():
        return False
    return len(np.unique(_without_gaps(rows[:both]), axis=0)) >= _FEWEST_DIFFERENT


def _varied(file: OpenedFile, columns: Sequence[str]) -> bool:
    """Whether a file has enough different rows for a copy of it to be no chance."""
    seen: list[FloatArray] = []
    with suppress(EdgewiseError), readable(file.path), closing(file.read(columns, 0)) as blocks:  # type: ignore[type-var]
        for block in blocks:
            rows = _without_gaps(np.asarray(block, dtype=np.float64))
            for row in seen:
                rows = rows[(rows != row).any(axis=1)]
            while len(rows):
                seen.append(rows[0])
                if len(seen) >= _FEWEST_IN_COPY:
                    return True
                rows = rows[(rows != rows[0]).any(axis=1)]
    return False


def _without_gaps(rows: FloatArray) -> FloatArray:
    """Zeros in place of gaps, because a gap differs from itself."""
    return np.where(np.isnan(rows), 0.0, rows)


def _copies(one: OpenedFile, other: OpenedFile) -> bool:
    """Whether two files are the same, byte by byte."""
    with readable(one.path):
        return filecmp.cmp(one.path, other.path, shallow=False)
