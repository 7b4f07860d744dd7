"""Files, folders and patterns of them as one table."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import check_numeric
from edgewise.rows.readers.csv import CSV_ENDINGS, open_csv
from edgewise.rows.readers.ipc import open_ipc
from edgewise.rows.readers.npy import open_npy
from edgewise.rows.readers.opened_file import OpenedFile, readable
from edgewise.rows.readers.parquet import open_parquet
from edgewise.rows.readers.paths import (
    IPC_ENDINGS,
    NPY_ENDINGS,
    PARQUET_ENDINGS,
    StrPath,
    expand_paths,
)
from edgewise.rows.readers.prefetch import prefetched
from edgewise.rows.readers.stdin import open_csv_stream, standard_input
from edgewise.rows.selection import column_places, selected_names
from edgewise.rows.table import LocalTable, Part, SoFar, known_total

# How the files of each kind are opened.
_KINDS: dict[tuple[str, ...], Callable[[Path], OpenedFile]] = {
    CSV_ENDINGS: open_csv,
    PARQUET_ENDINGS: open_parquet,
    IPC_ENDINGS: open_ipc,
    NPY_ENDINGS: open_npy,
}


class Position(NamedTuple):
    """How far reading has come: this many rows of this file, and all files before it."""

    file: int
    rows: int


class FileTable(LocalTable):
    """The rows of one or more files, which must have the same columns in any order.

    Parameters
    ----------
    paths : sequence of paths
        Files, folders and patterns of files; or "-" alone, for CSV on standard input.
    columns, exclude : sequence of str, optional
        The columns to read, all by default, and those to leave out.
    along : sequence of str
        Columns of labels that are read along, after the others.
    read_ahead : bool
        Read the next blocks while the current one is processed.
    """

    def __init__(
        self,
        paths: Sequence[StrPath],
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
        read_ahead: bool = True,
    ) -> None:
        self.paths = expand_paths(paths)
        self._read_ahead, self.along = read_ahead, tuple(along)
        self._start = Position(0, 0)
        if self.paths == ["-"]:
            self._files = [open_csv_stream(standard_input(), "standard input")]
        else:
            self._files = [open_file(Path(path)) for path in self.paths]
        self.rescannable = self.paths != ["-"]
        self.named = self._files[0].named
        first = self._files[0]
        where = f"file '{first.path}'" if self.rescannable else first.path
        self.feature_names = selected_names(first.schema.names, columns, exclude, where, along)
        for file in self._files:
            _check_columns(file, first, self.feature_names, self.along, columns is not None)

    @property
    def n_rows(self) -> int | None:
        return known_total([file.n_rows for file in self._files])

    @property
    def estimated_rows(self) -> int | None:
        return known_total([file.estimated_rows for file in self._files])

    def blocks(self) -> Iterator[Rows]:
        return (block for _, block in self.positioned_blocks())

    def part(self) -> Part:
        """The only part, which records how far reading has come."""
        so_far = SoFar()

        def read() -> Iterator[Rows]:
            for position, block in self.positioned_blocks():
                so_far.position = position
                yield block

        return Part(0, "", self.feature_names, read, so_far)

    def starting_at(self, position: Position) -> FileTable:
        """The same files without the rows before a position."""
        later = copy.copy(self)
        later._start = position
        return later

    def positioned_blocks(self) -> Iterator[tuple[Position, Rows]]:
        """Blocks, each with the position after it."""
        return prefetched(self._read) if self._read_ahead else self._read()

    def entries(self) -> Sequence[int]:
        """The numbers of rows at which reading can begin without reading those before."""
        numbers, before = [], 0
        for file in self._files:
            numbers += [before + row for row in file.entries]
            if file.n_rows is None:
                break  # where the files after it begin is not known
            before += file.n_rows
        return numbers

    def blocks_from(self, row: int) -> Iterator[Rows]:
        """The rows from this number on, not read ahead; files before it are not opened."""
        number = 0
        while (rows := self._files[number].n_rows) is not None and row >= rows:
            if number + 1 == len(self._files):
                return iter(())
            number, row = number + 1, row - rows
        return (block for _, block in self.starting_at(Position(number, row))._read())

    def rows_of_files(self) -> list[int | None]:
        """Rows of each file, if the file says how many."""
        return [file.n_rows for file in self._files]

    def reaches(self, position: Position, rows: int) -> bool:
        """Whether this many rows can end there, as far as the files say how many they have."""
        if position.file >= len(self._files):
            return False
        before = known_total([file.n_rows for file in self._files[: position.file]])
        here = self._files[position.file].n_rows
        fits = here is None or position.rows <= here
        return fits and (before is None or before + position.rows == rows)

    def _read(self) -> Iterator[tuple[Position, Rows]]:
        for number in range(self._start.file, len(self._files)):
            file = self._files[number]
            rows = self._start.rows if number == self._start.file else 0
            with readable(file.path):
                for block in file.read(self.feature_names, rows, self.along):
                    rows += block.shape[0]
                    yield Position(number, rows), block


def open_file(path: Path) -> OpenedFile:
    """Open a file by the ending of its name."""
    name = path.name.lower()
    if not path.exists():
        raise DataError(f"data: there is no file '{path}'; check the path.")
    with readable(str(path)):
        for endings, open_kind in _KINDS.items():
            if name.endswith(endings):
                return open_kind(path)
    raise DataError(
        f"data: expected a .csv, .csv.gz, .parquet, .feather, .arrow or .npy file, got '{path}'; "
        "convert it first."
    )


def _check_columns(
    file: OpenedFile,
    first: OpenedFile,
    wanted: tuple[str, ...],
    along: tuple[str, ...],
    chosen: bool,
) -> None:
    """Check that the wanted columns exist and hold numbers, and by default that no others exist."""
    names = file.schema.names
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"data: file '{file.path}' has the column {twice[0]!r} more than once; rename or drop "
            "the repeated columns."
        )
    # Columns left out of the first file do not matter, and if columns were chosen, no other
    # columns matter.
    ours, known = set(wanted), set(names if chosen else first.schema.names)
    theirs = [name for name in names if name in ours or name not in known]
    column_places(
        wanted,
        theirs,
        lambda difference: DataError(
            f"data: file '{file.path}' differs from '{first.path}': {difference}; all files need "
            "the same columns."
        ),
    )
    fields = dict(zip(names, file.schema, strict=True))
    variables = (fields[name] for name in wanted if name not in along)
    check_numeric(variables, f"file '{file.path}'", file.first_text)
