"""Formats of files: how to know one, and how to open it."""

from __future__ import annotations

import csv
import io
import os
import warnings
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from edgewise._checks import default_names
from edgewise._optional import require
from edgewise._text import listed, one_line
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.arrays import as_rows
from edgewise.tables.open import CELLS, TEXT, Reading
from edgewise.tables.table import Rows, batch_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from edgewise.tables.text import TextFormat

#: What standard input is called in messages and lists of files.
STANDARD_INPUT = "standard input"
_PYARROW = ("pyarrow", "tables")

# Where files are.


class Address(str):
    """A file that is not on this machine, such as s3://bucket/rows.parquet; used like a `Path`."""

    @property
    def name(self) -> str:
        return self.partition("?")[0].rpartition("/")[2]

    def open(self, mode: str = "rb") -> Any:
        """The file as a stream of bytes, in which one can also seek."""
        system, path = _file_system(self)
        return system.open_input_file(path)

    def info(self) -> Any:
        """What the file system says of it: kind, size, time of the last write."""
        system, path = _file_system(self)
        return system.get_file_info(path)

    def inside(self) -> list[str]:
        from pyarrow import fs

        system, path = _file_system(self)
        found = system.get_file_info(fs.FileSelector(path, recursive=True))
        scheme = self.partition("://")[0]
        files = [one.path for one in found if one.type != fs.FileType.Directory]
        return [one if "://" in one else f"{scheme}://{one.lstrip('/')}" for one in files]


@lru_cache(maxsize=64)
def _file_system(url: str) -> tuple[Any, str]:
    """The file system of an address, of Arrow or else of fsspec, and the path in it."""
    require(*_PYARROW, f"'{url}'")
    from pyarrow import ArrowInvalid, fs

    try:
        return fs.FileSystem.from_uri(url)  # type: ignore[no-any-return]
    except ArrowInvalid:
        pass  # a kind that Arrow does not know
    except OSError as error:
        raise DataError(f"data: '{url}' cannot be reached: {one_line(error)}.") from error
    try:
        system, path = import_module("fsspec").core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise DataError(
            f"data: '{url}' cannot be opened ({one_line(error)}); install fsspec and the package "
            "that it names, or copy the file to this machine."
        ) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def location(path: str | os.PathLike[str]) -> Path | Address:
    """Where a file is: on this machine, unless it has the form of an address."""
    text = os.fspath(path)
    if "://" not in text or os.path.exists(text):
        return Path(text)
    return Path(text.removeprefix("file://")) if text.startswith("file://") else Address(text)


# Fingerprints: what tells that a file is not the one that was opened. A method that reads the rows
# twice takes both passes as passes over the same rows. A file that was replaced or added to in
# between, or during a pass, would give numbers of neither version.

# The last bytes of a file are looked at, too: the time of two writes is the same where a file
# system counts it in seconds, or where somebody sets it. In Parquet they say where the rows are.
_END = 1 << 18


#: The size of a file, the time of its last write, and a checksum of its end; not the inode, which
#: some network file systems change.
Fingerprint: TypeAlias = tuple[int, int, int]


def fingerprint(path: str | os.PathLike[str]) -> Fingerprint:
    if isinstance(place := location(path), Address):
        info = place.info()
        return info.size or 0, info.mtime_ns or 0, 0
    with place.open("rb", buffering=0) as file:
        known = os.fstat(file.fileno())
        file.seek(max(known.st_size - _END, 0))
        return known.st_size, known.st_mtime_ns, zlib.crc32(file.read(_END))


def changed(path: str, how: str) -> DataError:
    return DataError(
        f"data: file '{path}' changed while it was in use: {how}. Its rows are read more than "
        "once, or in several steps, and must stay the same: start again, and keep the file as it "
        "is until the end, or pass a copy."
    )


@contextmanager
def unchanged(path: str, then: Fingerprint | None, *, may_grow: bool = False) -> Iterator[None]:
    """Refuse a file that changed before or during this block; `may_grow` allows for more rows."""

    def check() -> None:
        try:
            now = fingerprint(path)
        except OSError as error:
            raise changed(path, f"it cannot be read any more ({error.strerror})") from error
        if then is not None and now != then and not (may_grow and now[0] > then[0]):
            how = f"it was written anew, with {then[0]:,} bytes before, now {now[0]:,}"
            raise changed(path, how)

    if then is None:
        yield
        return
    check()
    try:
        yield
    except Exception:
        check()
        raise
    check()


@contextmanager
def all_unchanged(paths: Iterable[str]) -> Iterator[None]:
    """The same for files that are opened several times in this block."""
    with ExitStack() as checks:
        for path in paths:
            if os.path.isfile(path):  # a pipe has no past
                checks.enter_context(unchanged(path, fingerprint(path)))
        yield


def _check_size(path: Path | Address, size: int) -> None:
    """Refuse a file that became shorter: reading what is mapped into memory would end the process."""
    if size and isinstance(path, Path) and (now := path.stat().st_size) < size:
        raise changed(str(path), f"it had {size:,} bytes, now {now:,}")


# Open files.


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What is known about a file before `read(columns, skip, along)` reads its rows."""

    path: str
    names: tuple[str, ...]
    named: bool  # whether the names came with the file
    n_rows: int | None
    estimated_rows: int | None
    read: Callable[..., Iterator[Rows]]
    labels: Callable[[str], list[Any]]  # all values of a column; None where there is none
    # The columns that do not hold numbers, and what they hold.
    texts: Mapping[str, str] = field(default_factory=dict)
    # Columns that only number or name the rows, and a note about each of them.
    index: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    entries: Sequence[int] = (0,)  # rows at which a pass can start without reading those before
    rescannable: bool = True
    form: TextFormat | None = None
    kind: str = "CSV"
    mark: Fingerprint | None = None  # None for a pipe

    @property
    def where(self) -> str:
        return self.path if self.path == STANDARD_INPUT else f"file '{self.path}'"


@contextmanager
def readable(path: str, *, whatever: bool = False) -> Iterator[None]:
    """Turn an error of a reader, with `whatever` any error, into a sentence that names the file."""
    try:
        yield
    except EdgewiseError:
        raise
    except UnicodeError as error:
        raise DataError(
            f"data: file '{path}' is not text in the encoding of its first lines "
            f"({one_line(error)}); name its encoding (encoding=... of open_table, --encoding)."
        ) from error
    except Exception as error:
        # The errors of Arrow, which may not be installed, and of readers of other formats.
        package = type(error).__module__.partition(".")[0]
        if not (whatever or isinstance(error, OSError | EOFError) or package in _READERS):
            raise
        # The readers' own errors have no number: they say what is wrong with the bytes.
        reason = getattr(error, "strerror", None) or one_line(error) or type(error).__name__
        if "pickle" in reason:  # NumPy takes any other file as one, and says how to load it
            reason = "it is of another kind, or holds objects"
        if getattr(error, "strerror", None) is None:
            reason += ". Is it complete, and of the kind that its name says?"
        raise DataError(
            f"data: file '{path}' cannot be read: {reason.removesuffix('.')}"
            f"{'' if reason.endswith('?') else '.'}"
        ) from error


_READERS = ("pyarrow", "lzma", "zlib", "_lzma", "zipfile")


def open_file(path: str | os.PathLike[str], reading: Reading | None = None) -> OpenedFile:
    """Open a file of any format; a pipe is text that is read once."""
    place, reading = location(path), reading or Reading()
    with readable(str(place)):
        if isinstance(place, Path):
            if not place.exists():
                raise DataError(f"data: there is no file '{place}'; check the path.")
            if not place.is_file():
                return open_pipe(place, reading)
        elif place.info().type.name == "NotFound":
            raise DataError(f"data: there is no file '{place}'; check the address.")
        # Before anything is known of it, so that all of it is of one version.
        mark = fingerprint(path)
        kind = format_of(place)
        reading.refuse_unless(kind.options, f"the {kind.name} file '{place}'")
        if kind.needs is not None:
            require(*kind.needs, f"The {kind.name} file '{place}'")
        return replace(kind.open(place, reading), kind=kind.name, mark=mark)


def open_pipe(path: Path | None, reading: Reading) -> OpenedFile:
    """A named pipe or a process substitution, such as <(zcat rows.csv.gz), or standard input."""
    require(*_PYARROW, "CSV text")
    from edgewise.tables.text import Pipe, open_text, standard_input

    reading.refuse_unless(TEXT | CELLS, STANDARD_INPUT if path is None else f"the pipe '{path}'")
    # Without a buffer, so that reading waits for no more than what has come.
    stream = standard_input() if path is None else path.open("rb", buffering=0)
    name = STANDARD_INPUT if path is None else str(path)
    try:
        with readable(name):
            return open_text(Pipe(stream), name, reading)
    except BaseException:
        stream.close()
        raise


# Parquet files, and Arrow IPC files (Feather).

_COLUMN_BUFFER = 1 << 17  # bytes of each column read at once
_IPC_STREAM = b"\xff\xff\xff\xff"


def _open_text(path: Path | Address, reading: Reading) -> OpenedFile:
    from edgewise.tables.text import open_text

    return open_text(path, str(path), reading)


def _open_parquet(path: Path | Address, reading: Reading) -> OpenedFile:
    """A Parquet file; reading starts at a row group."""
    from pyarrow import parquet

    def opened(**options: Any) -> Any:
        return parquet.ParquetFile(path if isinstance(path, Path) else path.open(), **options)

    with opened() as file:
        schema = file.schema_arrow
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        # Arrow's own buffering ahead would hold the whole file; `prefetched` reads ahead instead.
        # A small buffer per column, in place of the whole column chunk, stays in the cache.
        with opened(pre_buffer=False, buffer_size=_COLUMN_BUFFER) as file:
            for batch in file.iter_batches(
                batch_size=batch_rows(len(columns)),
                row_groups=range(first, len(sizes)),
                columns=list(columns),
                use_threads=False,
            ):
                yield batch.select(list(columns))

    return _of_batches(path, schema, sizes, batches)


def _open_ipc(path: Path | Address, reading: Reading) -> OpenedFile:
    """An Arrow IPC file, mapped into memory and read in slices of its batches."""
    import pyarrow as pa

    @contextmanager
    def opened(fields: list[int] | None = None) -> Iterator[Any]:
        with pa.memory_map(str(path)) if isinstance(path, Path) else path.open() as file:
            options = None if fields is None else pa.ipc.IpcReadOptions(included_fields=fields)
            yield pa.ipc.open_file(file, options=options)

    with opened() as file:
        schema = file.schema
    size = path.stat().st_size if isinstance(path, Path) else 0
    with opened([0][: len(schema)]) as file:
        sizes = [file.get_batch(k).num_rows for k in range(file.num_record_batches)]

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        rows, fields = batch_rows(len(columns)), [schema.get_field_index(name) for name in columns]
        with opened(fields if 2 * len(fields) < len(schema) else None) as file:
            for k in range(first, len(sizes)):
                chosen = file.get_batch(k).select(list(columns))
                for start in range(0, chosen.num_rows, rows):
                    _check_size(path, size)
                    part = chosen.slice(start, rows)
                    # Arrow trusts the file, and a damaged one would end the process. Numbers
                    # cannot be wrong once their lengths are right, but text and labels can.
                    part.validate(full=not all(map(pa.types.is_primitive, part.schema.types)))
                    yield part

    return _of_batches(path, schema, sizes, batches)


def _open_in_memory(path: Path | Address, reading: Reading) -> OpenedFile:
    """A file of JSON objects, one on each line, of which a key may begin in the last, or a stream."""
    from pyarrow import ipc, json

    from edgewise.tables.text import byte_stream

    with byte_stream(path) as stream:
        arrow = stream.read(4) == _IPC_STREAM
    with byte_stream(path) as stream:
        table = ipc.open_stream(stream).read_all() if arrow else json.read_json(stream)
    table.validate(full=True)
    found = table.to_batches()

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        return (batch.select(list(columns)) for batch in found[first:])

    return _of_batches(path, table.schema, [len(batch) for batch in found], batches)


def _of_batches(
    path: Path | Address, schema: pa.Schema, sizes: Sequence[int], batches: Any
) -> OpenedFile:
    """A file of row groups or record batches; those before the first row are not read."""
    from edgewise.tables.arrow import fixed_blocks, pandas_index, texts_of

    ends = list(accumulate(sizes, initial=0))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        first = max(bisect_right(ends, skip) - 1, 0)
        return fixed_blocks(batches(columns, first), len(columns), skip - ends[first], along)

    def labels(name: str) -> list[Any]:
        return [label for batch in batches([name], 0) for label in batch.column(0).to_pylist()]

    n, entries = ends[-1], ends[:-1] or (0,)
    index = {
        name: f"its column {name!r} is the index of a pandas data frame and is left out "
        "(columns=..., --columns, names it to keep it)"
        for name in pandas_index(schema)
    }
    texts = texts_of(schema)
    known = (str(path), tuple(schema.names), True, n, n, read, labels, texts, index)
    return OpenedFile(*known, entries=entries)


def _open_numpy(path: Path | Address, reading: Reading) -> OpenedFile:
    """A .npy file of two dimensions, mapped into memory, or the only array in a .npz file."""
    with readable(str(path), whatever=True):
        source = path if isinstance(path, Path) else io.BytesIO(path.open().read())
        array: Any = np.load(source, "r" if source is path else None, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            with array as archive:
                arrays = dict(archive.items())
            if len(arrays) != 1:
                shapes = [f"{name!r} of shape {one.shape}" for name, one in arrays.items()]
                raise DataError(
                    f"data: expected one array in '{path}', got {listed(shapes) or 'none'}; pass "
                    "the one you mean, as in np.load(path)['name']."
                )
            (array,) = arrays.values()
    rows = as_rows(array, f"file '{path}'")
    n, names = len(rows), default_names(rows.shape[1])
    size = path.stat().st_size if isinstance(path, Path) and isinstance(array, np.memmap) else 0

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        order, step = [names.index(name) for name in columns], batch_rows(len(columns))
        for start in range(skip, n, step):
            _check_size(path, size)
            yield np.asarray(rows[start : start + step])[:, order]

    def labels(name: str) -> list[Any]:
        return [label for block in read([name], 0) for label in np.asarray(block)[:, 0].tolist()]

    entries = range(0, max(n, 1), batch_rows(len(names)))
    return OpenedFile(str(path), names, False, n, n, read, labels, entries=entries)


# Sheets of Excel workbooks, read by openpyxl: calamine makes an empty cell of a formula without a
# value and of an error, which would be gaps that nobody sees.


def _open_excel(path: Path | Address, reading: Reading) -> OpenedFile:
    """One sheet of a workbook, which is held in memory as text: its values, not its formulas."""
    require(*_PYARROW, f"The Excel file '{path}'")
    from edgewise.tables.text import open_text

    # Whatever openpyxl stumbles over in a damaged workbook; its warnings are about styles.
    with readable(str(path), whatever=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, names = _sheet(path, 0 if reading.sheet is None else reading.sheet)
    width = max((k for row in rows for k, cell in enumerate(row, 1) if cell is not None), default=0)
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    for row in rows:
        # A cell is text of one line, so that lines have the numbers of rows.
        cells = [cell.replace("\n", " ") if isinstance(cell, str) else cell for cell in row]
        write([] if set(row) <= {None} else (*cells, *[None] * width)[:width])
    plain = replace(reading, sep=",", quote='"', decimal=".", encoding="utf-8", sheet=None)
    opened = open_text(text.getvalue().encode(), str(path), plain)
    if len(names) == 1 or reading.sheet is not None:
        return opened
    note = f"its first sheet {names[0]!r} of {len(names)} is read (sheet=..., --sheet, is another)"
    return replace(opened, notes=(note, *opened.notes))


def _sheet(path: Path | Address, given: str | int) -> tuple[list[tuple[Any, ...]], list[str]]:
    from openpyxl import load_workbook

    # Of an open file, because openpyxl refuses a path of an ending that it misses.
    with path.open("rb") as file, path.open("rb") as again:
        book = load_workbook(file, read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
        # On the command line a place is text too; the name of a sheet goes first.
        place = int(given) if str(given).isdecimal() else -1
        place = names.index(str(given)) if given in names else place
        if not 0 <= place < len(names):
            raise DataError(
                f"sheet: file '{path}' has no sheet {given!r}; it has "
                f"{listed([*map(repr, names)])}."
            )
        sheet = book.worksheets[place]
        sheet.reset_dimensions()  # some programs write wrong ones, and rows would be cut off
        rows = [*sheet.iter_rows(values_only=True)]
        if any(None in row for row in rows):
            # A formula whose value was never computed would be a gap.
            formulas = load_workbook(again, read_only=True).worksheets[place]
            formulas.reset_dimensions()
            for formula_row, row in zip(formulas.iter_rows(), rows, strict=True):
                for formula, value in zip(formula_row, row, strict=True):
                    if value is None and formula.data_type == "f":
                        raise DataError(
                            f"data: cell {formula.coordinate} of file '{path}' has a formula "
                            "without a value; open the file in a spreadsheet program and save it, "
                            "or write values."
                        )
    return rows, names


# Formats by their first bytes, or else by the ending of a name.


class Format(NamedTuple):
    """A format of files: how their names end, the function that opens one, how they begin."""

    name: str
    endings: tuple[str, ...]
    open: Callable[[Path | Address, Reading], OpenedFile]
    marks: tuple[bytes, ...] = ()
    options: frozenset[str] = frozenset()  # of `Reading` that mean something for it
    needs: tuple[str, str] | None = _PYARROW  # the module that reads it, the extra that brings it


def _packed(*endings: str) -> tuple[str, ...]:
    codecs = ("", ".gz", ".bz2", ".zst", ".xz", ".zip")
    return tuple(ending + codec for ending in endings for codec in codecs)


CSV = Format(
    "CSV", (*_packed(".csv", ".tsv", ".tab", ".txt", ".dat"), ".zip"), _open_text, (), TEXT | CELLS
)
FORMATS = (
    CSV,
    Format("Parquet", (".parquet", ".pq"), _open_parquet, (b"PAR1",)),
    Format("Arrow", (".feather", ".arrow", ".ipc"), _open_ipc, (b"ARROW1",)),
    Format("NumPy", (".npy",), _open_numpy, (b"\x93NUMPY",), needs=None),
    Format("NumPy", (".npz",), _open_numpy, needs=None),
    Format("Excel", (".xlsx", ".xlsm"), _open_excel, (), CELLS | {"sheet"}, ("openpyxl", "excel")),
    Format("Arrow", (".arrows",), _open_in_memory, (_IPC_STREAM,)),
    Format("JSON lines", _packed(".jsonl", ".ndjson"), _open_in_memory),
)
#: Taken out of a folder; a text file of another name may be a note to the reader.
FOLDER_ENDINGS = tuple(
    ending
    for kind in FORMATS
    for ending in kind.endings
    if not ending.startswith((".txt", ".dat", ".tab", ".zip"))
)
# Common formats that are one step away, and that step.
_OTHERS = {
    (".xls", ".ods"): "save it as .xlsx or .csv",
    (".json",): "write one object on each line (.jsonl), or pass the list of objects",
    (".sav", ".dta", ".sas7bdat", ".por"): "read it with pandas, and pass the data frame",
    (".rds", ".rda", ".rdata"): "in R, write it with write.csv(table, file, row.names = FALSE)",
    (".h5ad",): "read it with anndata, and pass the object",
    (".h5", ".hdf5", ".nc", ".zarr", ".mat", ".fif", ".edf"): "read it with the library for it, "
    "and pass the array or data frame",
    (".pkl", ".pickle", ".joblib"): "load it yourself, and pass the array or data frame; loading "
    "such a file can run any code",
    (".db", ".sqlite", ".sqlite3", ".duckdb"): "run a query, and pass its cursor or data frame",
}


def format_of(path: Path | Address) -> Format:
    name = path.name.lower()
    remedy = next((step for endings, step in _OTHERS.items() if name.endswith(endings)), None)
    if remedy is None:
        with path.open("rb") as file:
            head = file.read(4096)
        for kind in FORMATS:
            if kind.marks and head.startswith(kind.marks):
                return kind
        for kind in FORMATS:
            if name.endswith(kind.endings):
                return kind
        # Text has no zeros, except in UTF-16, where a mark or every other byte says so.
        if 0 not in head or head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return CSV
    raise DataError(
        "data: expected a .csv, .tsv, .parquet, .feather, .arrow, .npy, .npz, .xlsx or .jsonl "
        f"file, got '{path}'; {remedy or 'convert it first'}."
    )
