"""Files, folders and patterns of them as one table."""

from __future__ import annotations

import copy
import glob
import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from edgewise._parallel import one_blas_thread
from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.tables.formats import (
    FOLDER_ENDINGS,
    Address,
    OpenedFile,
    location,
    open_file,
    open_pipe,
    readable,
    unchanged,
)
from edgewise.tables.open import Reading
from edgewise.tables.table import (
    ROW_NUMBERS,
    BadCells,
    FileRead,
    Partition,
    PartitionCounts,
    Rows,
    Table,
    column_places,
    known_total,
    select_columns,
)

if TYPE_CHECKING:
    from edgewise.tables.text import TextFormat

StrPath = str | os.PathLike[str]
T = TypeVar("T")
_Item = TypeVar("_Item")
_AHEAD = 2  # blocks waiting; each is of some megabytes
_FEWEST_ROWS = 3  # that can tell whether a column numbers the rows
# With fewer columns, decoding them takes longer than the sums on one core.
_MANY_COLUMNS = 64


class Position(NamedTuple):
    """How far reading has come: this many rows of this file, and all files before it."""

    file: int
    rows: int


class FileTable(Table):
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
        self.along, self._start = tuple(along), Position(0, 0)
        if self.paths == ["-"]:
            self._files = [open_pipe(None, self.reading)]
        else:
            self._files = [open_file(path, self.reading) for path in self.paths]
        # Rows of each file, as far as it has been read to its end.
        self._counted = [file.n_rows for file in self._files]
        self.n_rows = known_total(self._counted)
        self.rescannable = all(file.rescannable for file in self._files)
        # A thread that waits for a pipe cannot be woken.
        self._read_ahead = read_ahead and self.rescannable
        first = self._files[0]
        self.named, self.column_names, self.where = first.named, first.names, first.where
        for file in self._files:
            twice = [name for name, count in Counter(file.names).items() if count > 1]
            if twice:
                raise DataError(
                    f"data: {file.where} has the column {twice[0]!r} more than once; rename or drop "
                    "the repeated columns."
                )
        held = _held(self._files, {*(columns or ()), *along})
        index = [name for name, what in held.items() if what == ROW_NUMBERS]
        self.feature_names, self.left_out = select_columns(
            first.names, first.where, columns, exclude, along, held
        )
        # If columns were chosen, no others matter; else no other file may have more of them, except
        # such as hold no numbers, or those of the rows.
        ours = {*self.feature_names}
        spare = {*index, *self.left_out, *first.names}
        for file in self._files:
            others = {*file.names} - ours if columns is not None else spare - ours
            column_places(
                self.feature_names,
                [name for name in file.names if name not in others],
                lambda difference, path=file.path: DataError(  # type: ignore[misc]
                    f"data: file '{path}' differs from '{first.path}': {difference}; all files "
                    "need the same columns."
                ),
            )
        self.notes = _notes(self._files, index, len(paths))

    def forms(self) -> list[TextFormat | None]:
        return [file.form for file in self._files]

    @property
    def files(self) -> tuple[FileRead, ...]:  # type: ignore[override]
        return tuple(map(FileRead, (file.path for file in self._files), self._counted))

    @property
    def estimated_rows(self) -> int | None:
        return known_total([file.estimated_rows for file in self._files])

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if not start:
            return (block for _, block in self.positioned_blocks())
        number = 0
        while (rows := self._files[number].n_rows) is not None and start >= rows:
            if number + 1 == len(self._files):
                return iter(())
            number, start = number + 1, start - rows
        return (block for _, block in self.starting_at(Position(number, start))._read())

    def labels(self, name: str) -> list[Any]:
        found: list[Any] = []
        for file in self._files:
            with unchanged(file.path, file.mark), readable(file.path):
                found += file.labels(name)
        return found

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        counts = PartitionCounts()

        def read() -> Iterator[Rows]:
            for counts.position, block in self.positioned_blocks():
                yield block

        return one_pass(Partition(0, "", self.feature_names, read, counts))

    def starting_at(self, position: Position) -> FileTable:
        later = copy.copy(self)
        later._start = position
        return later

    def positioned_blocks(self) -> Iterator[tuple[Position, Rows]]:
        if not self._read_ahead:
            return self._read()
        return prefetched(self._read(), few_columns=len(self.feature_names) < _MANY_COLUMNS)

    def entries(self) -> Sequence[int]:
        numbers, before = [], 0
        for file in self._files:
            numbers += [before + row for row in file.entries]
            if file.n_rows is None:
                break  # where the files after it begin is not known
            before += file.n_rows
        return numbers

    def _read(self) -> Generator[tuple[Position, Rows], None, None]:
        for number in range(self._start.file, len(self._files)):
            file = self._files[number]
            rows = self._start.rows if number == self._start.file else 0
            # Text says how many rows it has when it has been read: until then it may get longer.
            may_grow = self._counted[number] is None
            with unchanged(file.path, file.mark, may_grow=may_grow), readable(file.path):
                for block in file.read(self.feature_names, rows, self.along):
                    rows += block.shape[0]
                    yield Position(number, rows), block
            self._counted[number] = rows


def _held(files: Sequence[OpenedFile], wanted: Collection[str]) -> dict[str, str]:
    """What columns hold that are no variables, unless they number the rows and are wanted.

    They must number the rows of all files, and text in some of the files only is a mistake.
    """
    able = [
        file for file in files if file.estimated_rows is None or file.estimated_rows >= _FEWEST_ROWS
    ]
    held: dict[str, str] = {
        name: ROW_NUMBERS
        for file in able or files
        for name in file.index
        if name not in wanted and all(name in other.index for other in able if name in other.names)
    }
    for file in files:
        for name, what in file.texts.items():
            if name not in held:
                alike = all(name in one.texts for one in files if name in one.names)
                where = "" if file is files[0] else f" of {file.where}"
                held[name] = what if alike else BadCells(f"{what}{where}")
    return held


def _notes(files: Sequence[OpenedFile], left_out: Collection[str], n_given: int) -> tuple[str, ...]:
    """How files were read; those that were read alike share a sentence."""
    alike: dict[str, list[OpenedFile]] = {}
    for file in files:
        notes = [*file.notes, *(note for name, note in file.index.items() if name in left_out)]
        if text := "; ".join(filter(None, notes)):
            alike.setdefault(text, []).append(file)
    sentences = [
        f"{some[0].where}{f' (like {len(some) - 1} more)' if len(some) > 1 else ''}"
        f"{': ' if text.startswith('its ') else ' '}{text}."
        for text, some in alike.items()
    ]
    kinds = {file.kind: f"{file.kind} ('{file.path}')" for file in reversed(files)}
    if len(kinds) > 1 and n_given < len(files):
        sentences.append(f"the files are of several kinds: {listed([*kinds.values()])}.")
    return tuple(sentences)


# Paths.


def expand_paths(paths: Sequence[StrPath]) -> list[str]:
    """All files, sorted: those of known kinds in a folder, and those that match a pattern."""
    given = [os.fspath(path) for path in paths]
    if "-" in given:
        if len(given) > 1:
            raise DataError("data: expected '-' (standard input) alone, got other files too.")
        return given
    found: list[str] = []
    for path in given:
        place = location(path)
        if isinstance(place, Path) and not place.exists() and glob.has_magic(path):
            matches = sorted(glob.glob(path, recursive=True))
            if not matches:
                raise DataError(f"data: no file matches '{path}'.")
            found += [file for match in matches for file in _files_at(Path(match))]
        else:
            found += _files_at(place)
    if not found:
        raise DataError("data: expected at least one file, got none.")
    for folder in {os.path.dirname(path) for path in found}:
        while "=" in os.path.basename(folder):  # a partition
            folder = os.path.dirname(folder)
        metadata = os.path.join(glob.escape(folder), "metadata", "*.metadata.json")
        if os.path.isdir(os.path.join(folder, "_delta_log")) or glob.glob(metadata):
            raise _lake(folder)
    seen: dict[object, str] = {}
    for path in found:
        key = file_identity(path)
        if key in seen and key is not None:  # opening says that there is no such file
            also = "" if seen[key] == path else f" (also as '{seen[key]}')"
            raise DataError(
                f"data: expected every file once, got '{path}' twice{also}; its rows would count "
                "twice."
            )
        seen[key] = path
    return found


def _files_at(place: Path | Address) -> list[str]:
    """The path, or the files of a folder except hidden ones, whose names begin with . or _."""
    if isinstance(place, Path):
        if not place.is_dir():
            return [str(place)]
        every = [
            os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
        ]
    else:
        with readable(str(place)):
            if place.info().type.name != "Directory":
                return [str(place)]
            every = place.inside()
    start = len(str(place).rstrip("/")) + 1
    inside = []
    for path in every:
        *folders, name = path[start:].replace(os.sep, "/").split("/")
        if "_delta_log" in folders or name.endswith(".metadata.json"):
            raise _lake(str(place))
        hidden = name.startswith("~$") or any(
            one.startswith((".", "_")) for one in (*folders, name)
        )
        if name.lower().endswith(FOLDER_ENDINGS) and not hidden:
            inside.append(path)
    if not inside:
        raise DataError(
            f"data: folder '{place}' has no .csv, .parquet, .arrow, .npy, .xlsx or .jsonl file."
        )
    return sorted(inside)


def file_identity(path: str) -> object:
    """What a file has in common with its links; None if there is no such file."""
    if isinstance(location(path), Address):
        return path
    try:
        known = os.stat(path)
    except OSError:
        return None
    # A file has one number, whatever its paths; without numbers there is only the path.
    return (known.st_dev, known.st_ino) if known.st_ino else os.path.realpath(path)


def _lake(folder: str) -> DataError:
    # Its log says which of the plain files hold the rows of today.
    return DataError(
        f"data: '{folder}' is a table of Delta Lake or Iceberg, whose files also hold rows that "
        "were deleted or replaced; pass deltalake.DeltaTable(...), or a scan of pyiceberg, "
        "load_catalog(...).load_table(...).scan()."
    )


def partitioned_dataset(paths: Sequence[StrPath]) -> Any:
    """The dataset of a folder of Parquet files in folders such as year=2020; None for others.

    Each such name is a column of categories.
    """
    folder = os.fspath(paths[0])
    if len(paths) > 1 or not os.path.isdir(folder) or "=" not in "".join(os.listdir(folder)):
        return None
    from pyarrow import dataset

    if not all(path.endswith((".parquet", ".pq")) for path in expand_paths(paths)):
        return None
    folders = dataset.HivePartitioning.discover(infer_dictionary=True)
    return dataset.dataset(folder, format="parquet", partitioning=folders)


def prefetched(
    items: Generator[_Item, None, None], *, few_columns: bool = False
) -> Iterator[_Item]:
    """The items in order, made by a thread: decoding and BLAS release the lock.

    With `few_columns` the BLAS has one thread meanwhile, and leaves the cores to the decoder.
    """
    end: Any = object()
    with (
        closing(items),
        ThreadPoolExecutor(1, "edgewise-reader") as pool,
        one_blas_thread() if few_columns else nullcontext(),
    ):
        ahead = deque(pool.submit(next, items, end) for _ in range(_AHEAD))
        try:
            while (item := ahead.popleft().result()) is not end:
                ahead.append(pool.submit(next, items, end))
                yield item
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
