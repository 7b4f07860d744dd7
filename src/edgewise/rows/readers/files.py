"""Files, folders and patterns of them as one source."""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import check_numeric
from edgewise.rows.readers.formats import ENDINGS, OpenedFile, open_csv_stream, open_file, readable
from edgewise.rows.readers.prefetch import prefetched
from edgewise.rows.selection import selected_names

StrPath = str | os.PathLike[str]


class Position(NamedTuple):
    """How far reading has come: so many rows of this file, and all of those before it."""

    file: int
    rows: int


class FileSource:
    """The rows of one or more files, which must have the same columns in any order."""

    in_memory = False

    def __init__(
        self,
        paths: Sequence[StrPath],
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        read_ahead: bool = True,
    ) -> None:
        self.paths = expand_paths(paths)
        self._read_ahead = read_ahead
        if self.paths == ["-"]:
            self._files = [open_csv_stream(_standard_input(), "standard input")]
        else:
            self._files = [open_file(Path(path)) for path in self.paths]
        self.rescannable = self.paths != ["-"]
        self.named = self._files[0].named
        first = self._files[0]
        where = f"file '{first.path}'" if self.rescannable else first.path
        self.feature_names = selected_names(first.schema.names, columns, exclude, where)
        for file in self._files:
            _check_columns(file, first, self.feature_names, chosen=columns is not None)

    @property
    def n_rows(self) -> int | None:
        return _total([file.n_rows for file in self._files])

    @property
    def estimated_rows(self) -> int | None:
        return _total([file.estimated_rows for file in self._files])

    def batches(self) -> Iterator[Rows]:
        return (batch for _, batch in self.positioned_batches(Position(0, 0)))

    def positioned_batches(self, start: Position) -> Iterator[tuple[Position, Rows]]:
        """Batches from a position on, each with the position behind it."""
        return prefetched(lambda: self._read(start)) if self._read_ahead else self._read(start)

    def rows_of_files(self) -> list[int] | None:
        """Rows of each file, where all of them say."""
        rows = [file.n_rows for file in self._files]
        known = [count for count in rows if count is not None]
        return known if len(known) == len(rows) else None

    def reaches(self, position: Position, rows: int) -> bool:
        """Whether so many rows can end there, as far as the files say how many they have."""
        if position.file >= len(self._files):
            return False
        before = _total([file.n_rows for file in self._files[: position.file]])
        here = self._files[position.file].n_rows
        fits = here is None or position.rows <= here
        return fits and (before is None or before + position.rows == rows)

    def _read(self, start: Position) -> Iterator[tuple[Position, Rows]]:
        for number in range(start.file, len(self._files)):
            file = self._files[number]
            rows = start.rows if number == start.file else 0
            with readable(file.path):
                for batch in file.read(self.feature_names, rows):
                    rows += batch.shape[0]
                    yield Position(number, rows), batch


def _standard_input() -> BinaryIO:
    """Standard input without Python's buffer.

    The buffer has a lock, and a thread that waits in it for a pipe would bring the interpreter down
    when the program ends meanwhile.
    """
    try:
        return cast(BinaryIO, io.FileIO(sys.stdin.fileno(), closefd=False))
    except (OSError, ValueError, AttributeError):
        return sys.stdin.buffer


def expand_paths(paths: Sequence[StrPath]) -> list[str]:
    """Folders become the files of known kinds in them, patterns what they match, sorted."""
    given = [os.fspath(path) for path in paths]
    if "-" in given:
        if len(given) > 1:
            raise DataError("data: expected '-' (standard input) alone, got other files too.")
        return given
    found: list[str] = []
    for path in given:
        if "://" in path and not os.path.exists(path):
            raise DataError(
                f"data: expected a path on this machine, got '{path}'; read it with DuckDB, polars "
                "or Dask and pass what these make of it."
            )
        if not os.path.exists(path) and glob.has_magic(path):
            matches = sorted(glob.glob(path, recursive=True))
            if not matches:
                raise DataError(f"data: no file matches '{path}'.")
            for match in matches:
                found += _files_at(match)
        else:
            found += _files_at(path)
    if not found:
        raise DataError("data: expected at least one file, got none.")
    return found


def _files_at(path: str) -> list[str]:
    """The path itself, or the files in it if it is a folder; what begins with . or _ is hidden."""
    if not os.path.isdir(path):
        return [path]
    inside: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        inside += [
            os.path.join(folder, name)
            for name in names
            if name.lower().endswith(ENDINGS) and not name.startswith((".", "_"))
        ]
    if not inside:
        raise DataError(f"data: folder '{path}' has no .csv, .parquet, .arrow or .npy file.")
    return sorted(inside)


def _check_columns(
    file: OpenedFile, first: OpenedFile, wanted: tuple[str, ...], *, chosen: bool
) -> None:
    """The wanted columns are there and hold numbers; without a choice, no others either."""
    names = file.schema.names
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(
            f"data: file '{file.path}' has the column {twice[0]!r} more than once; rename or drop "
            "the repeated columns."
        )
    missing = [name for name in wanted if name not in names]
    extra = [name for name in names if name not in first.schema.names]
    if missing or (extra and not chosen):
        what = f"lacks column {missing[0]!r}" if missing else f"has the extra column {extra[0]!r}"
        raise DataError(
            f"data: file '{file.path}' {what}, unlike '{first.path}'; all files need the same "
            "columns."
        )
    fields = [file.schema.field(name) for name in wanted]
    check_numeric(fields, f"file '{file.path}'", file.first_text)


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
