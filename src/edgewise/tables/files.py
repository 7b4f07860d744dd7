"""Files, folders and patterns of them as one table."""

from __future__ import annotations

import copy
import glob
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from queue import Full, Queue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import unquote

import numpy as np

from edgewise._optional import is_installed, require
from edgewise._parallel import one_blas_thread
from edgewise._text import listed, one_line
from edgewise.errors import DataError
from edgewise.tables.formats import (
    Address,
    OpenedFile,
    fingerprint,
    in_folder,
    location,
    open_file,
    open_pipe,
    readable,
    unchanged,
)
from edgewise.tables.options import label_number
from edgewise.tables.reading import Reading
from edgewise.tables.table import (
    ROW_NUMBERS,
    BadCells,
    ColumnBlock,
    Partition,
    PartitionCounts,
    Rows,
    Table,
    batch_rows,
    column_places,
    known_total,
    select_columns,
)

if TYPE_CHECKING:
    from edgewise.tables.text import TextFormat

StrPath = str | os.PathLike[str]
T = TypeVar("T")
_Item = TypeVar("_Item")
_AHEAD = 2  # items waiting; each is a batch of some megabytes
_FEWEST_ROWS = 3  # that can tell whether a column numbers the rows


class Position(NamedTuple):
    """How far reading has come: this many rows of this file, and all files before it."""

    file: int
    rows: int


# With fewer columns, decoding them takes longer than the sums on one core.
_MANY_COLUMNS = 64


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
        self._read_ahead, self.along = read_ahead, tuple(along)
        self._start = Position(0, 0)
        self._files: list[OpenedFile]
        if self.paths == ["-"]:
            self._files = [open_pipe(None, self.reading)]
        else:
            self._files = [_with_folders(open_file(path, self.reading)) for path in self.paths]
        # Rows of each file, as far as it has been read to its end.
        self._counted = [file.n_rows for file in self._files]
        self.rescannable = all(file.rescannable for file in self._files)
        self.named = self._files[0].named
        first = self._files[0]
        for file in self._files:
            _check_names(file)
        index = _row_numbers(self._files, {*(columns or ()), *along})
        self.column_names, self.where = first.names, first.where
        self.feature_names, self.left_out = select_columns(
            first.names, first.where, columns, exclude, along, _held(self._files, index)
        )
        chosen = columns is not None
        for file in self._files:
            _check_columns(file, first, self.feature_names, chosen, {*index, *self.left_out})
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

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        """The rows from a number on, not read ahead if that is not 0."""
        if not start:
            return (block for _, block in self.positioned_blocks())
        number = 0
        while (rows := self._files[number].n_rows) is not None and start >= rows:
            if number + 1 == len(self._files):
                return iter(())
            number, start = number + 1, start - rows
        return (block for _, block in self.starting_at(Position(number, start))._read())

    def labels(self, name: str) -> list[Any]:
        values: list[Any] = []
        for file in self._files:
            with readable(file.path):
                values += file.values(name)
        return values

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        """Run a pass, which is told how far reading has come."""
        so_far = PartitionCounts()

        def read() -> Iterator[Rows]:
            for position, block in self.positioned_blocks():
                so_far.position = position
                yield block

        return one_pass(Partition(0, "", self.feature_names, read, so_far))

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
    """The columns that number the rows in all files, unless they are asked for by their names."""
    able = [
        file for file in files if file.estimated_rows is None or file.estimated_rows >= _FEWEST_ROWS
    ]
    found = dict.fromkeys(name for file in able or files for name in file.index)
    return tuple(
        name
        for name in found
        if name not in asked and all(name in file.index for file in able if name in file.names)
    )


def _held(files: Sequence[OpenedFile], index: Collection[str]) -> dict[str, str]:
    """What columns hold that are no variables; text in some of the files only is a mistake."""
    held: dict[str, str] = dict.fromkeys(index, ROW_NUMBERS)
    for file in files:
        for name, what in file.texts.items():
            if name not in held:
                alike = all(name in one.texts for one in files if name in one.names)
                where = "" if file is files[0] else f" of {file.where}"
                held[name] = what if alike else BadCells(f"{what}{where}")
    return held


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
    chosen: bool,
    left_out: Collection[str],
) -> None:
    """Check that the wanted columns exist and hold numbers, and by default that no others exist."""
    # Columns left out of the first file do not matter, and if columns were chosen, no other
    # columns matter. A column that holds no numbers, or those of the rows, matters in no file.
    ours, known = set(wanted), set(file.names if chosen else first.names)
    theirs = [
        name for name in file.names if name in ours or (name not in known and name not in left_out)
    ]
    column_places(
        wanted,
        theirs,
        lambda difference: DataError(
            f"data: file '{file.path}' differs from '{first.path}': {difference}; all files need "
            "the same columns."
        ),
    )


_FOLDER = re.compile(r"([A-Za-z_]\w*)=(.+)")


def _with_folders(file: OpenedFile) -> OpenedFile:
    """A file in folders such as year=2020, with a column for each, which is left out unless named."""
    found = [_FOLDER.fullmatch(name) for name in file.path.split("/")[:-1]]
    values = {one[1]: unquote(one[2]) for one in found if one and one[1] not in file.names}
    numbers = [name for name in file.names if name not in file.texts]
    if not values or not numbers:
        return file
    texts = {name: "text" for name, value in values.items() if not value.isdecimal()}

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        inside = [name for name in columns if name not in values]
        outside = [name for name in columns if name in values]
        order = [(inside + outside).index(name) for name in columns]
        constants = [label_number(values[name]) for name in outside]
        blocks = file.read(inside or numbers[:1], skip, [name for name in along if name in inside])
        for block in blocks:
            if not outside:
                yield block
                continue
            rows = np.asarray(block)[:, : len(inside)]
            more = [np.full(len(rows), constant) for constant in constants]
            yield ColumnBlock.of(rows, *more).chosen(order)

    def labels(name: str) -> list[Any]:
        if name not in values:
            return file.values(name)
        n = sum(block.shape[0] for block in file.read(numbers[:1], 0))
        return [values[name]] * n

    note = "comes from the names of folders and is left out (columns=..., --columns, names it)"
    return replace(
        file,
        names=(*file.names, *values),
        texts={**file.texts, **texts},
        index=(*file.index, *values),
        index_notes=(*file.index_notes, *(f"its column {name!r} {note}" for name in values)),
        read=read,
        labels=labels,
    )


# ---------------------------------------------------------------------------------------------
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
            for match in matches:
                found += _files_at(Path(match))
        else:
            found += _files_at(place)
    if not found:
        raise DataError("data: expected at least one file, got none.")
    for folder in {os.path.dirname(path) for path in found}:
        while "=" in os.path.basename(folder):  # a partition
            folder = os.path.dirname(folder)
        if kind := lake_format(folder):
            raise DataError(
                f"data: '{folder}' is a table of {kind}, whose files also hold rows that were "
                f"deleted or replaced; {_LAKES[kind]}."
            )
    _refuse_repeated(found)
    return found


def _files_at(place: Path | Address) -> list[str]:
    """The path, or the files of a folder except hidden ones, whose names begin with . or _."""
    inside: list[str] = []
    if isinstance(place, Path):
        if not place.is_dir():
            return [str(place)]
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if not name.startswith((".", "_"))]
            if lake_format(folder):
                expand_paths([os.path.join(folder, "x")])
            inside += [os.path.join(folder, name) for name in names if in_folder(name)]
    else:
        with readable(str(place)):
            if place.info().type.name != "Directory":
                return [str(place)]
            every = place.inside()
        start = len(str(place).rstrip("/")) + 1
        for path in every:
            *folders, name = path[start:].split("/")
            if "_delta_log" in folders or name.endswith(".metadata.json"):
                raise DataError(
                    f"data: '{place}' is a table of Delta Lake or Iceberg, whose files also hold "
                    "rows that were deleted or replaced; pass deltalake.DeltaTable(...) or a scan "
                    "of pyiceberg."
                )
            if in_folder(name) and not any(one.startswith((".", "_")) for one in folders):
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


def _refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also by a link: its rows would count twice."""
    seen: dict[object, str] = {}
    for path in paths:
        key = file_identity(path)
        if key is None:
            continue  # opening it says so
        if key in seen:
            also = "" if seen[key] == path else f" (also as '{seen[key]}')"
            raise DataError(
                f"data: expected every file once, got '{path}' twice{also}; its rows would count "
                "twice."
            )
        seen[key] = path


# ---------------------------------------------------------------------------------------------
# Datasets of Arrow, and lakes: folders whose log says which files hold the rows of today.

_LAKES = {
    "Delta Lake": "install deltalake to read it, or pass deltalake.DeltaTable(...)",
    "Iceberg": "pass a scan of its catalog, load_catalog(...).load_table(...).scan() of pyiceberg",
}


def lake_format(folder: str) -> str | None:
    """Whether a folder is a table of Delta Lake or of Iceberg."""
    if os.path.isdir(os.path.join(folder, "_delta_log")):
        return "Delta Lake"
    metadata = os.path.join(folder, "metadata", "*.metadata.json")
    return "Iceberg" if glob.glob(glob.escape(folder) + metadata[len(folder) :]) else None


def opened_lake(paths: Sequence[StrPath]) -> Any:
    """The table of a lake, if that is what the only path is and its package can read it."""
    path = os.fspath(paths[0])
    kind = lake_format(path) if len(paths) == 1 and os.path.isdir(path) else None
    hinted = os.path.exists(os.path.join(path, "metadata", "version-hint.text"))
    with readable(path, whatever=True):
        if kind == "Delta Lake" and is_installed("deltalake"):
            return import_module("deltalake").DeltaTable(path)
        if kind == "Iceberg" and hinted and is_installed("pyiceberg"):
            return import_module("pyiceberg.table").StaticTable.from_metadata(path)
    return None


class DatasetTable(Table):
    """A dataset or scanner of pyarrow, a table of Delta Lake, a scan of Iceberg; read in batches."""

    named = True
    rescannable = True

    def __init__(
        self,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        require("pyarrow", "tables", f"A {type(data).__name__}")
        from edgewise.tables.arrow import held_by

        if hasattr(data, "to_pyarrow_dataset"):
            data = data.to_pyarrow_dataset()  # of Delta Lake
        elif type(data).__module__.startswith("pyiceberg") and hasattr(data, "scan"):
            data = data.scan()
        self._data, self._along = data, tuple(along)
        if hasattr(data, "to_arrow_batch_reader"):
            schema = data.to_arrow_batch_reader().schema
        else:
            schema = getattr(data, "projected_schema", None) or data.schema
        self.column_names = tuple(schema.names)
        self.feature_names, self.left_out = select_columns(
            schema.names, "the dataset", columns, exclude, along, held_by(schema)
        )
        files = getattr(data, "files", [])
        self._files = {path: fingerprint(path) for path in files if os.path.isfile(path)}
        kind = getattr(getattr(data, "format", None), "default_extname", "")
        self._n_rows = data.count_rows() if kind in ("parquet", "feather", "ipc") else None

    @property
    def n_rows(self) -> int | None:
        return self._n_rows

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        from pyarrow import ArrowException

        from edgewise.tables.arrow import fixed_blocks

        names = list(self.feature_names)
        try:
            with ExitStack() as checks:
                for path, then in self._files.items():
                    checks.enter_context(unchanged(path, then))
                batches = (batch.select(names) for batch in self._batches(names))
                yield from fixed_blocks(batches, len(names), along=self._along)
        except (ArrowException, OSError) as error:
            again = "pass its dataset, or use method='batch', which reads the rows once"
            raise DataError(
                f"data: the dataset cannot be read ({one_line(error)}); {again}."
                if "already scanned" in str(error)
                else f"data: the dataset cannot be read: {one_line(error)}."
            ) from error

    def _batches(self, names: list[str]) -> Any:
        if hasattr(self._data, "to_arrow_batch_reader"):
            return self._data.to_arrow_batch_reader()
        if hasattr(self._data, "projected_schema"):
            return self._data.to_batches()
        # A few batches ahead: by default whole files would wait in memory.
        scanner = self._data.scanner(
            columns=names,
            batch_size=batch_rows(len(names)),
            batch_readahead=2,
            fragment_readahead=1,
        )
        return scanner.to_batches()


# ---------------------------------------------------------------------------------------------
# Reading ahead.


class _Failure:
    """An exception from the reading thread, to be raised in the reader."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


def prefetched(
    make: Callable[[], Iterator[_Item]], *, few_columns: bool = False
) -> Iterator[_Item]:
    """The items of `make()` in order, made by a thread: decoding and BLAS release the lock.

    With `few_columns` the BLAS has one thread meanwhile, and leaves the cores to the decoder.
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


# ---------------------------------------------------------------------------------------------
# Which files the rows of a table came from.


class FileRead(NamedTuple):
    """A file that was read.

    Attributes
    ----------
    path : str
        Its path, as it was given or found.
    rows : int or None
        How many rows it has; None if a cluster read it and did not count them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import edgewise as ew
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.random.default_rng(0).standard_normal((100, 3)))
    ...     (file,) = ew.edge_test(folder).files
    >>> file.path.endswith("rows.npy"), file.rows
    (True, 100)
    """

    path: str
    rows: int | None


def files_read(table: Table) -> tuple[FileRead, ...]:
    """The files of a table, and the rows of each; empty if there are none."""
    table = getattr(table, "source", table)  # of a table with row options
    counted = getattr(table, "rows_read", None)
    return () if counted is None else tuple(FileRead(*one) for one in counted())
