"""Files, folders and patterns of them as one table."""

from __future__ import annotations

import copy
import glob
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from queue import Full, Queue
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from edgewise._parallel import one_blas_thread
from edgewise._text import listed
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.file_kinds import in_folder, open_file, open_standard_input
from edgewise.tables.opened_file import OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.table import (
    LocalTable,
    Partition,
    PartitionCounts,
    Rows,
    column_places,
    known_total,
    selected_names,
)
from edgewise.tables.values import HINT

if TYPE_CHECKING:
    from edgewise.tables.text import TextFormat

StrPath = str | os.PathLike[str]
_Item = TypeVar("_Item")
_AHEAD = 2  # items waiting; each is a batch of some megabytes
_FEWEST_ROWS = 3  # that can tell whether a column numbers the rows


class Position(NamedTuple):
    """How far reading has come: this many rows of this file, and all files before it."""

    file: int
    rows: int


# With fewer columns, decoding them takes longer than the sums on one core.
_MANY_COLUMNS = 64


class FileTable(LocalTable):
    """The rows of files with the same columns; ``["-"]`` is CSV on standard input."""

    def __init__(
        self,
        paths: Sequence[StrPath],
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
        read_ahead: bool = True,
        reading: Reading | None = None,
    ) -> None:
        self.paths = expand_paths(paths)
        self.reading = Reading() if reading is None else reading
        self._read_ahead, self.along = read_ahead, tuple(along)
        self._start = Position(0, 0)
        self._files: list[OpenedFile]
        if self.paths == ["-"]:
            self._files = [open_standard_input(self.reading)]
        else:
            self._files = [open_file(Path(path), self.reading) for path in self.paths]
        # Rows of each file, as far as it has been read to its end.
        self._counted = [file.n_rows for file in self._files]
        self.rescannable = all(file.rescannable for file in self._files)
        self.named = self._files[0].named
        first = self._files[0]
        for file in self._files:
            _check_names(file)
        index = _row_numbers(self._files, {*(columns or ()), *along})
        self.feature_names = selected_names(
            first.names, columns, exclude, first.where, along, index
        )
        chosen = columns is not None
        for file in self._files:
            _check_columns(file, first, self.feature_names, self.along, chosen, index)
        self.notes = (*_sentences(self._files, index), *_mixed(self._files, len(paths)))

    def forms(self) -> list[TextFormat | None]:
        """The forms of the files that are text; None for others."""
        return [file.form for file in self._files]

    def rows_read(self) -> list[tuple[str, int | None]]:
        """The files and the rows of each; None as long as they are not known."""
        return [(file.path, n) for file, n in zip(self._files, self._counted, strict=True)]

    @property
    def n_rows(self) -> int | None:
        return known_total([file.n_rows for file in self._files])

    @property
    def estimated_rows(self) -> int | None:
        return known_total([file.estimated_rows for file in self._files])

    def blocks(self) -> Iterator[Rows]:
        return (block for _, block in self.positioned_blocks())

    def part(self) -> Partition:
        """The only part, which records how far reading has come."""
        so_far = PartitionCounts()

        def read() -> Iterator[Rows]:
            for position, block in self.positioned_blocks():
                so_far.position = position
                yield block

        return Partition(0, "", self.feature_names, read, so_far)

    def starting_at(self, position: Position) -> FileTable:
        """The same files without the rows before a position."""
        later = copy.copy(self)
        later._start = position
        return later

    def positioned_blocks(self) -> Iterator[tuple[Position, Rows]]:
        """Blocks, each with the position after it."""
        if not self._read_ahead:
            return self._read()
        return prefetched(self._read, few_columns=len(self.feature_names) < _MANY_COLUMNS)

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

    def reaches(self, position: Position, rows: int | None) -> bool:
        """Whether this many rows can end there, as far as the files say how many they have."""
        if position.file >= len(self._files):
            return False
        before = known_total([file.n_rows for file in self._files[: position.file]])
        here = self._files[position.file].n_rows
        fits = here is None or position.rows <= here
        return fits and (before is None or rows is None or before + position.rows == rows)

    def _read(self) -> Iterator[tuple[Position, Rows]]:
        for number in range(self._start.file, len(self._files)):
            file = self._files[number]
            rows = self._start.rows if number == self._start.file else 0
            # Text says how many rows it has when it has been read: until then it may get longer.
            may_grow = self._counted[number] is None
            with file.unchanged(may_grow=may_grow), readable(file.path):
                for block in file.read(self.feature_names, rows, self.along):
                    rows += block.shape[0]
                    yield Position(number, rows), block
            self._counted[number] = rows


def _row_numbers(files: Sequence[OpenedFile], asked: Collection[str]) -> tuple[str, ...]:
    """The columns that number the rows in all files, unless they are asked for by their names.

    A file of a few rows cannot tell.
    """
    able = [
        file for file in files if file.estimated_rows is None or file.estimated_rows >= _FEWEST_ROWS
    ]
    found = dict.fromkeys(name for file in able or files for name in file.index)
    return tuple(
        name
        for name in found
        if name not in asked and all(name in file.index for file in able if name in file.names)
    )


def _sentences(files: Sequence[OpenedFile], left_out: Collection[str]) -> tuple[str, ...]:
    """How files were read; those that were read alike share a sentence."""
    alike: dict[str, list[OpenedFile]] = {}
    for file in files:
        if note := file.note(left_out):
            alike.setdefault(note, []).append(file)
    return tuple(
        f"{some[0].where}{f' (like {len(some) - 1} more)' if len(some) > 1 else ''}{note}."
        for note, some in alike.items()
    )


def _mixed(files: Sequence[OpenedFile], n_given: int) -> tuple[str, ...]:
    """A sentence if a folder or a pattern stands for files of several kinds."""
    if n_given == len(files):
        return ()
    kinds: dict[str, str] = {}
    for file in files:
        kinds.setdefault(file.kind, file.path)
    found = [f"{kind} ('{path}')" for kind, path in kinds.items()]
    return (f"the files are of several kinds: {listed(found)}.",) if len(kinds) > 1 else ()


def _check_names(file: OpenedFile) -> None:
    twice = [name for name, count in Counter(file.names).items() if count > 1]
    if twice:
        raise DataError(
            f"data: {file.where} has the column {twice[0]!r} more than once; rename or drop the "
            "repeated columns."
        )


def _check_columns(
    file: OpenedFile,
    first: OpenedFile,
    wanted: tuple[str, ...],
    along: tuple[str, ...],
    chosen: bool,
    index: Collection[str],
) -> None:
    """Check that the wanted columns exist and hold numbers, and by default that no others exist."""
    # Columns left out of the first file do not matter, and if columns were chosen, no other
    # columns matter. A column that numbers the rows matters in no file.
    ours, known = set(wanted), set(file.names if chosen else first.names)
    theirs = [
        name for name in file.names if name in ours or (name not in known and name not in index)
    ]
    column_places(
        wanted,
        theirs,
        lambda difference: DataError(
            f"data: file '{file.path}' differs from '{first.path}': {difference}; all files need "
            "the same columns."
        ),
    )
    for name in wanted:
        if name in file.texts and name not in along:
            raise DataTypeError(
                f"{file.where}: column {name!r} must hold numbers, got {file.texts[name]}"
                f"{file.first_text(name)}; {HINT}."
            )


def expand_paths(paths: Sequence[StrPath]) -> list[str]:
    """All files, sorted: those of known kinds in a folder, and those that match a pattern."""
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
                "or Dask, and pass the data frame."
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
    _refuse_repeated(found)
    return found


def _files_at(path: str) -> list[str]:
    """The path, or the files of a folder except hidden ones, whose names begin with . or _."""
    if not os.path.isdir(path):
        return [path]
    inside: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        inside += [os.path.join(folder, name) for name in names if in_folder(name)]
    if not inside:
        raise DataError(
            f"data: folder '{path}' has no .csv, .parquet, .arrow, .npy, .xlsx or .jsonl file."
        )
    return sorted(inside)


def file_identity(path: str) -> object:
    """What a file has in common with its links; None if there is no such file."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    # A file has one number, whatever its paths; without numbers there is only the path.
    return (known.st_dev, known.st_ino) if known.st_ino else os.path.realpath(path)


def _refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also by a link: its rows would count twice."""
    seen: dict[object, str] = {}
    for path in paths:
        key = file_identity(path)
        if key is None:
            continue  # told when it is opened
        if key in seen:
            also = "" if seen[key] == path else f" (also as '{seen[key]}')"
            raise DataError(
                f"data: expected every file once, got '{path}' twice{also}; its rows would count "
                "twice."
            )
        seen[key] = path


class _Failure:
    """An exception from the reading thread, to be raised in the reader."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


def prefetched(
    make: Callable[[], Iterator[_Item]], *, few_columns: bool = False
) -> Iterator[_Item]:
    """The items of `make()` in the same order, produced by a separate thread.

    Decoding files and BLAS both release the interpreter's lock, so they overlap. With `few_columns`
    the BLAS has one thread meanwhile: more would only take the cores from those that decode.
    """
    queue: Queue[object] = Queue(maxsize=_AHEAD)
    stopped = threading.Event()

    def put(item: object) -> bool:
        while not stopped.is_set():
            try:
                queue.put(item, timeout=0.1)
            except Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for item in make():
                if not put(item):
                    return
            put(_END)
        except BaseException as error:
            put(_Failure(error))

    thread = threading.Thread(target=read, name="edgewise-reader", daemon=True)
    thread.start()
    try:
        with one_blas_thread() if few_columns else nullcontext():
            while (item := queue.get()) is not _END:
                if isinstance(item, _Failure):
                    raise item.error
                yield item  # type: ignore[misc]
    finally:
        stopped.set()
        # A thread that waits for a pipe cannot be woken; it is a daemon, so it may keep waiting.
        thread.join(timeout=1)
