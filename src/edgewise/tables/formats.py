"""Formats of files: how to know one, and how to open it."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import warnings
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, time
from functools import lru_cache
from importlib import import_module
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise._checks import default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise._optional import require
from edgewise._text import listed, one_line
from edgewise.errors import DataError, DataTypeError, EdgewiseError
from edgewise.tables.arrays import check_rows
from edgewise.tables.options import label_number
from edgewise.tables.reading import CELLS, TEXT, Reading
from edgewise.tables.table import HINT, Rows, batch_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from edgewise.tables.text import TextFormat

#: What standard input is called in messages and lists of files.
STANDARD_INPUT = "standard input"

# ---------------------------------------------------------------------------------------------
# Where files are.


@dataclass(frozen=True, slots=True)
class Address:
    """A file that is not on this machine, such as s3://bucket/rows.parquet; used like a `Path`."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.url.partition("?")[0].rpartition("/")[2]

    def open(self, mode: str = "rb") -> Any:
        """The file as a stream of bytes, in which one can also seek."""
        system, path = _file_system(self.url)
        return system.open_input_file(path)

    def info(self) -> Any:
        """What the file system says of it: kind, size, time of the last write."""
        system, path = _file_system(self.url)
        return system.get_file_info(path)

    def inside(self) -> list[str]:
        """The addresses of all files in a folder, and in the folders in it."""
        from pyarrow import fs

        system, path = _file_system(self.url)
        found = system.get_file_info(fs.FileSelector(path, recursive=True))
        scheme = self.url.partition("://")[0]
        return [
            one.path if "://" in one.path else f"{scheme}://{one.path.lstrip('/')}"
            for one in found
            if one.type != fs.FileType.Directory
        ]


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


# ---------------------------------------------------------------------------------------------
# Fingerprints: what tells that a file is not the one that was opened. A method that reads the rows
# twice takes both passes as passes over the same rows. A file that was replaced or added to in
# between, or during a pass, would give numbers of neither version.

# The last bytes of a file are looked at, too: the time of two writes is the same where a file
# system counts it in seconds, or where somebody sets it.
_END = 4096
_PARQUET = b"PAR1"


class Fingerprint(NamedTuple):
    """The size of a file, the time of its last write, and a checksum of its end.

    Of Parquet the whole footer. Not the inode, which some network file systems change.
    """

    size: int
    modified: int
    end: int


def fingerprint(path: str | os.PathLike[str]) -> Fingerprint:
    """The fingerprint of a file as it is now; of an address without its end."""
    if isinstance(place := location(path), Address):
        info = place.info()
        return Fingerprint(info.size or 0, info.mtime_ns or 0, 0)
    with place.open("rb", buffering=0) as file:
        known = os.fstat(file.fileno())
        end = _last(file, known.st_size, _END)
        if end.endswith(_PARQUET):
            footer = int.from_bytes(end[-8:-4], "little") + 8
            if _END < footer < known.st_size:
                end = _last(file, known.st_size, footer)
    return Fingerprint(known.st_size, known.st_mtime_ns, zlib.crc32(end))


def _last(file: Any, size: int, wanted: int) -> bytes:
    file.seek(max(size - wanted, 0))
    parts = []
    while some := file.read(wanted):
        parts.append(some)
        wanted -= len(some)
    return b"".join(parts)


def check_unchanged(path: str, then: Fingerprint, *, may_grow: bool = False) -> None:
    """Refuse a file of another fingerprint; `may_grow` allows for rows that were added."""
    try:
        now = fingerprint(path)
    except FileNotFoundError as error:
        raise changed(path, "there is no file of that name any more") from error
    except OSError as error:
        raise changed(path, f"it cannot be read any more ({error.strerror})") from error
    if now == then or (may_grow and now.size > then.size):
        return
    if now.size != then.size:
        raise changed(path, f"it had {then.size:,} bytes, now {now.size:,}")
    raise changed(path, f"it was written anew, with the same {now.size:,} bytes")


def changed(path: str, how: str) -> DataError:
    """The error for a file that is not the one that was opened."""
    return DataError(
        f"data: file '{path}' changed while it was in use: {how}. Its rows are read more than "
        "once, or in several steps, and must stay the same: start again, and keep the file as it "
        "is until the end, or pass a copy."
    )


@contextmanager
def unchanged(path: str, then: Fingerprint | None, *, may_grow: bool = False) -> Iterator[None]:
    """Refuse a file that changed before or during this block; without a fingerprint, nothing."""
    if then is None:
        yield
        return
    check_unchanged(path, then, may_grow=may_grow)
    try:
        yield
    except Exception as error:
        try:
            check_unchanged(path, then, may_grow=may_grow)
        except DataError as other:
            raise other from error
        raise
    check_unchanged(path, then, may_grow=may_grow)


@contextmanager
def all_unchanged(paths: Iterable[str]) -> Iterator[None]:
    """The same for files that are opened several times in this block."""
    with ExitStack() as checks:
        for path in paths:
            if os.path.isfile(path):  # a pipe has no past
                checks.enter_context(unchanged(path, fingerprint(path)))
        yield


def check_size(path: Path | Address, size: int) -> None:
    """Refuse a file that became shorter: reading what is mapped into memory would end the process."""
    if size and isinstance(path, Path) and (now := path.stat().st_size) < size:
        raise changed(str(path), f"it had {size:,} bytes, now {now:,}")


# ---------------------------------------------------------------------------------------------
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
    # The columns that do not hold numbers, and what they hold.
    texts: Mapping[str, str] = field(default_factory=dict)
    # Columns that only number or name the rows, and a note about each of them.
    index: tuple[str, ...] = ()
    index_notes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    labels: Callable[[str], list[Any]] | None = None  # all values of a column, if it may hold text
    entries: Sequence[int] = (0,)  # rows at which a pass can start without reading those before
    rescannable: bool = True
    form: TextFormat | None = None
    kind: str = "CSV"
    mark: Fingerprint | None = None
    held: bool = False  # in memory since it was opened, so that no change matters

    @property
    def where(self) -> str:
        """The file in a message."""
        return self.path if self.path == STANDARD_INPUT else f"file '{self.path}'"

    def note(self, left_out: Collection[str]) -> str:
        """What is unusual about how it was read, to follow its name in a sentence."""
        index = zip(self.index, self.index_notes, strict=True)
        notes = [*self.notes, *(note for name, note in index if note and name in left_out)]
        return "".join(
            f"{' ' if not k and not note.startswith('its ') else '; ' if k else ': '}{note}"
            for k, note in enumerate(notes)
        )

    def unchanged(self, *, may_grow: bool = False) -> AbstractContextManager[None]:
        """Refuse the file if it changes before or during a block that reads its rows."""
        return unchanged(self.path, None if self.held else self.mark, may_grow=may_grow)

    def values(self, name: str) -> list[Any]:
        """All values of a column, which may hold text; None where there is none."""
        with self.unchanged(), readable(self.path):
            if self.labels is not None:
                return self.labels(name)
            blocks = [np.asarray(block)[:, 0] for block in self.read([name], 0)]
            return list(np.concatenate(blocks).tolist()) if blocks else []


_READERS = ("pyarrow", "lzma", "zlib", "_lzma", "zipfile")


@contextmanager
def readable(path: str, *, whatever: bool = False) -> Iterator[None]:
    """Turn an error of a reader, with `whatever` any error, into a sentence that names the file."""
    try:
        yield
    except EdgewiseError:
        raise
    except UnicodeEncodeError as error:
        raise DataError(
            f"data: expected the name of a file in UTF-8, got {os.fsencode(path)!r}; rename it."
        ) from error
    except UnicodeError as error:
        raise DataError(
            f"data: file '{path}' is not text in the encoding of its first lines "
            f"({one_line(error)}); name its encoding (encoding=... of open_table, --encoding)."
        ) from error
    except EOFError as error:
        raise DataError(f"data: file '{path}' is cut short ({one_line(error)}).") from error
    except OSError as error:
        # The readers' own errors have no number: they say what is wrong with the bytes.
        reason = error.strerror or f"{one_line(error)}; is it complete"
        raise DataError(
            f"data: file '{path}' cannot be read: {reason}{'.' if error.strerror else '?'}"
        ) from error
    except Exception as error:
        # The errors of Arrow, which may not be installed, and of readers of other formats.
        if not whatever and type(error).__module__.partition(".")[0] not in _READERS:
            raise
        reason = one_line(error) or type(error).__name__
        raise DataError(
            f"data: file '{path}' cannot be read: {reason}. Is it complete, and of the kind that "
            "its name says?"
        ) from error


# ---------------------------------------------------------------------------------------------
# Formats by their first bytes, or else by the ending of a name.


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how their names end, the function that opens one, how they begin."""

    name: str
    endings: tuple[str, ...]
    opener: str  # in this module, or module:function
    marks: tuple[bytes, ...] = ()
    options: frozenset[str] = frozenset()  # of `Reading` that mean something for it
    needs: tuple[str, str] | None = None  # the module that reads it and the extra that brings it

    def open(self, path: Path | Address, reading: Reading) -> OpenedFile:
        """Open a file of this format."""
        reading.refuse_unless(self.options, f"the {self.name} file '{path}'")
        if self.needs is not None:
            require(*self.needs, f"The {self.name} file '{path}'")
        module, _, function = self.opener.rpartition(":")
        opener = getattr(import_module(module or __name__), function)
        opened: OpenedFile = opener(path, reading) if self.options else opener(path)
        claimed = _by_ending(path.name)
        if claimed is not None and claimed is not self:
            article = "an" if self.name[0] in "AE" else "a"
            note = f"is {article} {self.name} file, not {claimed.name}"
            opened = replace(opened, notes=(note, *opened.notes))
        return replace(opened, kind=self.name)


def _packed(*endings: str) -> tuple[str, ...]:
    codecs = ("", ".gz", ".bz2", ".zst", ".xz", ".zip")
    return tuple(ending + codec for ending in endings for codec in codecs)


_PYARROW = ("pyarrow", "tables")
_TEXT_ENDINGS = _packed(".csv", ".tsv", ".tab", ".txt", ".dat")
_OPENPYXL = ("openpyxl", "excel")
CSV = Format("CSV", _TEXT_ENDINGS, "edgewise.tables.text:open_csv", (), TEXT | CELLS, _PYARROW)
PARQUET = Format("Parquet", (".parquet", ".pq"), "open_parquet", (_PARQUET,), needs=_PYARROW)
IPC = Format(
    "Arrow",
    (".feather", ".arrow", ".ipc", ".arrows"),
    "open_ipc",
    (b"ARROW1", b"\xff\xff\xff\xff"),  # a file, a stream
    needs=_PYARROW,
)
NPY = Format("NumPy", (".npy",), "open_npy", (b"\x93NUMPY",))
NPZ = Format("NumPy", (".npz",), "open_npz")
EXCEL = Format(
    "Excel", (".xlsx", ".xlsm"), "open_excel", options=CELLS | {"sheet"}, needs=_OPENPYXL
)
JSON = Format("JSON lines", _packed(".jsonl", ".ndjson"), "open_json_lines", needs=_PYARROW)
FORMATS = (CSV, PARQUET, IPC, NPY, NPZ, EXCEL, JSON)

# Taken out of a folder; a text file of another name may be a note to the reader.
_FOLDER_ENDINGS = tuple(
    ending
    for kind in FORMATS
    for ending in kind.endings
    if not ending.startswith((".txt", ".dat", ".tab"))
)
_LOOKED_AT = 4096  # bytes of a file without a known ending
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
    """The format of a file, by its first bytes, or else by the ending of its name."""
    for endings, remedy in _OTHERS.items():
        if path.name.lower().endswith(endings):
            raise _unknown(path, remedy)
    claimed = _by_ending(path.name)
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    for kind in FORMATS:
        if kind.marks and head.startswith(kind.marks):
            return kind
    if head.startswith(b"PK\x03\x04") and claimed in (None, CSV, NPY):
        return _format_of_archive(path)
    if claimed is not None:
        return claimed
    # Text has no zeros, except in UTF-16, where a mark or every other byte says so.
    if 0 in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _unknown(path, "convert it first")
    return CSV


def _by_ending(name: str) -> Format | None:
    return next((kind for kind in FORMATS if name.lower().endswith(kind.endings)), None)


def _format_of_archive(path: Path | Address) -> Format:
    """A workbook, arrays, or text in an archive."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.namelist()
    except zipfile.BadZipFile as error:
        raise DataError(
            f"data: file '{path}' is a damaged archive ({error}); is it complete?"
        ) from error
    if any(member.startswith("xl/") for member in members):
        return EXCEL
    if members and all(member.endswith(".npy") for member in members):
        return NPZ
    if any(member.startswith(("word/", "ppt/", "META-INF/")) for member in members):
        raise _unknown(path, "convert it first")
    return CSV


def _unknown(path: Path | Address, remedy: str) -> DataError:
    return DataError(
        "data: expected a .csv, .tsv, .parquet, .feather, .arrow, .npy, .npz, .xlsx or .jsonl "
        f"file, got '{path}'; {remedy}."
    )


def open_file(path: str | os.PathLike[str], reading: Reading | None = None) -> OpenedFile:
    """Open a file of any format; a pipe is text that is read once."""
    place, reading = location(path), reading or Reading()
    with readable(str(place)):
        if isinstance(place, Path):
            if not place.exists():
                raise DataError(f"data: there is no file '{place}'; check the path.")
            if is_pipe(place):
                return open_pipe(place, reading)
        elif place.info().type.name == "NotFound":
            raise DataError(f"data: there is no file '{place}'; check the address.")
        # Before anything is known of it, so that all of it is of one version.
        mark = fingerprint(path)
        return replace(format_of(place).open(place, reading), mark=mark)


def is_pipe(path: Path) -> bool:
    """Whether a path is that of a pipe or a device, which can be read only once."""
    mode = path.stat().st_mode if path.exists() else 0
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def open_pipe(path: Path | None, reading: Reading) -> OpenedFile:
    """A named pipe or a process substitution, such as <(zcat rows.csv.gz), or standard input."""
    require(*_PYARROW, "CSV text")
    from edgewise.tables.text import open_csv_stream, standard_input

    name = STANDARD_INPUT if path is None else f"the pipe '{path}'"
    reading.refuse_unless(CSV.options, name)
    if path is None:
        return open_csv_stream(standard_input(), STANDARD_INPUT, reading)
    # Without a buffer, so that reading waits for no more than what has come.
    pipe = path.open("rb", buffering=0)
    try:
        return open_csv_stream(pipe, str(path), reading, owned=True)
    except BaseException:
        pipe.close()
        raise


def in_folder(name: str) -> bool:
    """Whether a file in a folder is taken as data."""
    return name.lower().endswith(_FOLDER_ENDINGS) and not name.startswith((".", "_", "~$"))


# ---------------------------------------------------------------------------------------------
# Parquet files, and Arrow IPC files (Feather) and streams.

_COLUMN_BUFFER = 1 << 17  # bytes of each column read at once


def open_parquet(path: Path | Address) -> OpenedFile:
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


def open_ipc(path: Path | Address) -> OpenedFile:
    """An Arrow IPC file or stream, mapped into memory and read in slices of its batches."""
    import pyarrow as pa

    with _ipc(path) as (schema, found, file):
        first = next(found(0), None)
        file.seek(0)
        whole = file.read_buffer() if isinstance(path, Path) else pa.py_buffer(b"")
        size = whole.size
        mapped = first is not None and all(
            0 <= buffer.address - whole.address < size
            for column in first.columns
            for buffer in column.buffers()
            if buffer
        )
    with _ipc(path, None if mapped else [0][: len(schema)]) as (_, found, _):
        sizes = [batch.num_rows for batch in found(0)]

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        rows = batch_rows(len(columns))
        fields = None if mapped else [schema.get_field_index(name) for name in columns]
        with _ipc(path, fields) as (_, found, _):
            for batch in found(first):
                chosen = batch.select(list(columns))
                for start in range(0, batch.num_rows, rows):
                    check_size(path, size)
                    part = chosen.slice(start, rows)
                    # Arrow trusts the file, and a damaged one would end the process. Numbers
                    # cannot be wrong once their lengths are right, but text and labels can.
                    part.validate(full=not all(map(pa.types.is_primitive, part.schema.types)))
                    yield part

    return _of_batches(path, schema, sizes, batches)


@contextmanager
def _ipc(path: Path | Address, fields: list[int] | None = None) -> Iterator[Any]:
    """The schema, a function that gives the batches from one on, and the file, mapped if whole."""
    import pyarrow as pa

    options = None if fields is None else pa.ipc.IpcReadOptions(included_fields=fields)
    if not isinstance(path, Path):
        source = path.open()
    else:
        source = pa.memory_map(str(path)) if fields is None else pa.OSFile(str(path))
    with source as file:
        stream = file.read(4) == b"\xff\xff\xff\xff"
        file.seek(0)
        opened = (pa.ipc.open_stream if stream else pa.ipc.open_file)(file, options=options)

        def found(first: int) -> Iterator[pa.RecordBatch]:
            if stream:
                return islice(opened, first, None)
            return map(opened.get_batch, range(first, opened.num_record_batches))

        yield opened.schema, found, file


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

    index = pandas_index(schema)
    return OpenedFile(
        str(path),
        tuple(schema.names),
        True,
        ends[-1],
        ends[-1],
        read,
        texts=texts_of(schema),
        index=index,
        index_notes=tuple(
            f"its column {name!r} is the index of a pandas data frame and is left out "
            "(columns=..., --columns, names it to keep it)"
            for name in index
        ),
        labels=labels,
        entries=ends[:-1] or (0,),
    )


# ---------------------------------------------------------------------------------------------
# NumPy's own files.


def open_npy(path: Path | Address) -> OpenedFile:
    """A .npy file of two dimensions, mapped into memory."""
    with _plain_file(path, ".npy array"):
        if isinstance(path, Path):
            rows: AnyArray = np.load(path, mmap_mode="r", allow_pickle=False)
            size = path.stat().st_size
        else:
            with path.open() as file:
                rows, size = np.load(file, allow_pickle=False), 0
    named = rows.dtype.names
    check_rows(_plain(rows[:1]) if named else rows, name=f"file '{path}'")
    return _of_array(path, rows, named, size)


def open_npz(path: Path | Address) -> OpenedFile:
    """A .npz file: one array of two dimensions, or several of one dimension as columns."""
    with (
        _plain_file(path, ".npz archive"),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        arrays = {name: archive[name] for name in archive.files}
    tables = [array for array in arrays.values() if array.ndim == 2]
    lengths = {array.shape for array in arrays.values()}
    names = None
    if len(tables) == 1:
        rows = tables[0]
    elif arrays and not tables and len(lengths) == 1 and len(lengths.pop()) == 1:
        names, rows = tuple(arrays), np.column_stack(list(arrays.values()))
    else:
        shapes = [f"{name!r} of shape {array.shape}" for name, array in arrays.items()]
        raise DataError(
            f"data: expected one array of two dimensions in '{path}', or columns of equal length, "
            f"got {listed(shapes) or 'no arrays'}; pass the one you mean, as in "
            "np.load(path)['name']."
        )
    opened = _of_array(path, np.asarray(check_rows(rows, name=f"file '{path}'")), names, 0)
    if len(arrays) > 1 and names is None:
        note = f"its only array of two dimensions is read, of {len(arrays)} arrays"
        opened = replace(opened, notes=(note,))
    return replace(opened, held=True)


@contextmanager
def _plain_file(path: Path | Address, what: str) -> Iterator[None]:
    """Turn whatever NumPy stumbles over in a damaged file into a sentence."""
    try:
        with readable(str(path)):
            yield
    except EdgewiseError:
        raise
    except Exception as error:  # its parser of headers is that of Python
        reason = one_line(error) or type(error).__name__
        if "pickle" in reason:  # NumPy takes any other file as one, and says how to load it
            reason = "it is of another kind, or holds objects"
        raise DataError(
            f"data: file '{path}' is not a plain {what}: {reason}; is it complete?"
        ) from error


def _of_array(
    path: Path | Address, rows: AnyArray, names: tuple[str, ...] | None, size: int
) -> OpenedFile:
    known = names or default_names(rows.shape[1])
    n = len(rows)

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        order, step = [known.index(name) for name in columns], batch_rows(len(columns))
        for start in range(skip, n, step):
            check_size(path, size)
            yield _plain(rows[start : start + step])[:, order]

    entries = range(0, max(n, 1), batch_rows(len(known)))
    return OpenedFile(str(path), known, bool(names), n, n, read, entries=entries)


def _plain(rows: AnyArray) -> AnyArray:
    """Rows of records as rows of numbers; others as they are."""
    if rows.dtype.names is None:
        return rows
    from numpy.lib.recfunctions import structured_to_unstructured

    plain: AnyArray = structured_to_unstructured(rows)
    return plain


# ---------------------------------------------------------------------------------------------
# Sheets of Excel workbooks, read by openpyxl: calamine makes an empty cell of a formula without a
# value and of an error, which would be gaps that nobody sees.

_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def open_excel(path: Path | Address, reading: Reading) -> OpenedFile:
    """One sheet of a workbook, which is held in memory as text: its values, not its formulas."""
    require(*_PYARROW, f"The Excel file '{path}'")
    from edgewise.tables.text import open_text

    with path.open("rb") as file:
        if file.read(len(_OLD_EXCEL)) == _OLD_EXCEL:
            raise DataError(
                f"data: file '{path}' has a password, or is of the old kind .xls; save it as .xlsx "
                "without a password."
            )
    # Whatever openpyxl stumbles over in a damaged workbook; its warnings are about styles.
    with readable(str(path), whatever=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, notes = _sheet(path, reading)
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    for row in rows:
        write(row if any(row) else [])
    plain = replace(reading, sep=",", quote='"', decimal=".", encoding="utf-8", sheet=None)
    opened = open_text(str(path), text.getvalue().encode(), plain)
    return replace(opened, notes=(*notes, *opened.notes), held=True)


def _sheet(path: Path | Address, reading: Reading) -> tuple[list[list[str]], list[str]]:
    """The rows of a sheet as text, without empty columns around them, and notes."""
    from openpyxl import load_workbook

    # Of an open file, because openpyxl refuses a path of an ending that it misses.
    with path.open("rb") as file, path.open("rb") as again:
        book = load_workbook(file, read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise DataError(f"data: expected a sheet of cells in '{path}', got none; add one.")
        place, given = 0, reading.sheet
        if given is not None and given in names:
            place = names.index(str(given))
        # On the command line a place is text too; the name of a sheet goes first.
        elif str(given).isdecimal() and int(str(given)) < len(names):
            place = int(str(given))
        elif given is not None:
            raise DataError(
                f"sheet: file '{path}' has no sheet {given!r}; it has "
                f"{listed([*map(repr, names)])}."
            )
        sheet = book.worksheets[place]
        sheet.reset_dimensions()  # some programs write wrong ones, and rows would be cut off
        rows = [*sheet.iter_rows(values_only=True)]
        if any(cell is None for row in rows for cell in row):
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
    filled = [k for row in rows for k, cell in enumerate(row) if cell is not None]
    first, last = min(filled, default=0), max(filled, default=-1) + 1
    cells = [[*map(_cell_text, (*row, *[None] * (last - len(row)))[first:last])] for row in rows]
    if len(names) == 1 or given is not None:
        return cells, []
    note = (
        f"its first sheet {names[0]!r} of {len(names)} is read (sheet=..., --sheet, names another)"
    )
    return cells, [note]


def _cell_text(cell: Any) -> str:
    """A cell as text of one line, so that lines have the numbers of rows."""
    if cell is None:
        return ""
    return cell.isoformat() if isinstance(cell, date | time) else str(cell).replace("\n", " ")


# ---------------------------------------------------------------------------------------------
# JSON lines: an object on each line, its keys the columns.


def open_json_lines(path: Path | Address) -> OpenedFile:
    """A file of JSON objects, one on each line, all read once: a key may begin in the last."""
    counts: dict[str, int] = {}  # numbers, less other values
    texts: dict[str, str] = {}
    n = 0
    for line, record in _records(path):
        n += 1
        for name, value in record.items():
            number = value is None or isinstance(value, int | float)
            counts[name] = counts.get(name, 0) + (0 if value is None else 1 if number else -1)
            if not number and name not in texts:
                text = str(value)
                shown = f"{text[:60]!r}{'…' * (len(text) > 60)}"
                texts[name] = f"{_json_kind(value)}, first {shown} in line {line}"
    if not counts:
        raise DataError(f"data: file '{path}' is empty; expected an object on each line.")
    mixed = {name: text for name, text in texts.items() if counts[name] > 0}

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        for name in columns:
            if name in mixed and name not in along:
                raise _not_number(str(path), name, mixed[name])
        records = islice((record for _, record in _records(path)), skip, None)
        while some := list(islice(records, batch_rows(len(columns)))):
            rows: FloatArray = np.empty((len(some), len(columns)), order="F")
            for k, name in enumerate(columns):
                values = [record.get(name) for record in some]
                rows[:, k] = [
                    label_number(value) if name in along else np.nan if value is None else value
                    for value in values
                ]
            yield rows

    def labels(name: str) -> list[Any]:
        return [record.get(name) for _, record in _records(path)]

    texts = {name: text for name, text in texts.items() if name not in mixed}
    return OpenedFile(str(path), tuple(counts), True, n, n, read, texts=texts, labels=labels)


def _not_number(path: str, name: str, value: str) -> DataTypeError:
    return DataTypeError(
        f"data: column {name!r} of file '{path}' must hold numbers, got {value}; if that stands "
        f"for a missing value, write null, else {HINT}."
    )


def _records(path: Path | Address) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects, with the numbers of their lines; blank lines are left out."""
    from edgewise.tables.text import byte_stream

    with io.TextIOWrapper(byte_stream(path), "utf-8-sig") as text:
        for number, line in enumerate(text, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, parse_int=_whole)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"data: line {number} of file '{path}' is not JSON: {one_line(error)}; each "
                    "line must hold one object."
                ) from error
            if not isinstance(record, dict):
                raise DataError(
                    f"data: line {number} of file '{path}' must hold an object such as "
                    f'{{"a": 1, "b": 2}}, got {_json_kind(record)}; each line is a row.'
                )
            yield number, record


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)  # more are beyond float64


def _json_kind(value: object) -> str:
    kinds: dict[type, str] = {str: "text", list: "a list", dict: "objects"}
    return kinds.get(type(value), "a value")
