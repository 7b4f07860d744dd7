"""All kinds of files: how to know one, and how to open it."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from edgewise._optional import require
from edgewise.errors import DataError
from edgewise.tables.file_marks import mark_of
from edgewise.tables.opened_file import STANDARD_INPUT, OpenedFile, readable
from edgewise.tables.reading import CELLS, TEXT, Reading


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of files: how their names end, the function that opens one, how they begin."""

    name: str
    endings: tuple[str, ...]
    opener: str  # the module and the function
    marks: tuple[bytes, ...] = ()
    options: frozenset[str] = frozenset()  # of `Reading` that mean something for it
    needs: tuple[str, str] | None = None  # the module that reads it and the extra that brings it

    def open(self, path: Path, reading: Reading) -> OpenedFile:
        """Open a file of this kind."""
        reading.refuse_unless(self.options, f"the {self.name} file '{path}'")
        if self.needs is not None:
            require(*self.needs, f"The {self.name} file '{path}'")
        module, function = self.opener.split(":")
        opener: Callable[..., OpenedFile] = getattr(
            import_module(f"edgewise.tables.{module}"), function
        )
        given: tuple[object, ...] = (reading,) if self.options else ()
        opened = opener(path, *given)
        return replace(opened, kind=self.name, notes=self._told(path) + opened.notes)

    def _told(self, path: Path) -> tuple[str, ...]:
        """A note if the name of a file says that it is of another kind."""
        claimed = _by_ending(path)
        if claimed is None or claimed is self:
            return ()
        return (f"is {'an' if self.name[0] in 'AE' else 'a'} {self.name} file, not {claimed.name}",)


_PYARROW = ("pyarrow", "tables")
_PACKED = ("", ".gz", ".bz2", ".zst", ".xz", ".zip")
_TEXT_ENDINGS = tuple(
    ending + packed for ending in (".csv", ".tsv", ".tab", ".txt", ".dat") for packed in _PACKED
)
CSV = FileKind("CSV", _TEXT_ENDINGS, "text:open_csv", (), TEXT | CELLS, _PYARROW)
PARQUET = FileKind(
    "Parquet", (".parquet", ".pq"), "arrow_files:open_parquet", (b"PAR1",), needs=_PYARROW
)
IPC = FileKind(
    "Arrow",
    (".feather", ".arrow", ".ipc", ".arrows"),
    "arrow_files:open_ipc",
    (b"ARROW1", b"\xff\xff\xff\xff"),  # a file, a stream
    needs=_PYARROW,
)
NPY = FileKind("NumPy", (".npy",), "npy:open_npy", (b"\x93NUMPY",))
NPZ = FileKind("NumPy", (".npz",), "npy:open_npz")
EXCEL = FileKind(
    "Excel",
    (".xlsx", ".xlsm"),
    "excel:open_excel",
    options=CELLS | {"sheet"},
    needs=("openpyxl", "excel"),
)
_JSON_ENDINGS = tuple(ending + packed for ending in (".jsonl", ".ndjson") for packed in _PACKED)
JSON = FileKind("JSON lines", _JSON_ENDINGS, "text:open_json_lines", needs=_PYARROW)
KINDS = (CSV, PARQUET, IPC, NPY, NPZ, EXCEL, JSON)

# Taken out of a folder; a text file of another name may be a note to the reader.
_FOLDER_ENDINGS = tuple(
    ending
    for kind in KINDS
    for ending in kind.endings
    if not ending.startswith((".txt", ".dat", ".tab"))
)
_LOOKED_AT = 4096  # bytes of a file without a known ending
# Common kinds that are one step away, and that step.
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


def kind_of(path: Path) -> FileKind:
    """The kind of a file, by its first bytes, or else by the ending of its name."""
    for endings, remedy in _OTHERS.items():
        if path.name.lower().endswith(endings):
            raise _unknown(path, remedy)
    claimed = _by_ending(path)
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    for kind in KINDS:
        if kind.marks and head.startswith(kind.marks):
            return kind
    if head.startswith(b"PK\x03\x04") and claimed in (None, CSV, NPY):
        return _kind_of_archive(path)
    if claimed is not None:
        return claimed
    # Text has no zeros, except in UTF-16, where a mark or every other byte says so.
    if 0 in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _unknown(path, "convert it first")
    return CSV


def _by_ending(path: Path) -> FileKind | None:
    name = path.name.lower()
    return next((kind for kind in KINDS if name.endswith(kind.endings)), None)


def _kind_of_archive(path: Path) -> FileKind:
    """A workbook, arrays, or text in an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
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


def _unknown(path: Path, remedy: str) -> DataError:
    return DataError(
        "data: expected a .csv, .tsv, .parquet, .feather, .arrow, .npy, .npz, .xlsx or .jsonl "
        f"file, got '{path}'; {remedy}."
    )


def open_file(
    path: Path,
    reading: Reading = Reading(),  # noqa: B008
) -> OpenedFile:
    """Open a file of any kind; a pipe is text that is read once."""
    with readable(str(path)):
        if not path.exists():
            raise DataError(f"data: there is no file '{path}'; check the path.")
        if is_pipe(path):
            return open_pipe(path, reading)
        mark = mark_of(path)  # before anything is known of it, so that all of it is of one version
        return replace(kind_of(path).open(path, reading), mark=mark)


def is_pipe(path: Path) -> bool:
    """Whether a path is that of a pipe or a device, which can be read only once."""
    mode = path.stat().st_mode if path.exists() else 0
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def open_pipe(path: Path, reading: Reading) -> OpenedFile:
    """A named pipe or a process substitution, such as <(zcat rows.csv.gz)."""
    require(*_PYARROW, "CSV text")
    from edgewise.tables.text import open_csv_stream

    reading.refuse_unless(CSV.options, f"the pipe '{path}'")
    # Without a buffer, so that reading waits for no more than what has come.
    pipe = path.open("rb", buffering=0)
    try:
        return open_csv_stream(pipe, str(path), reading, owned=True)
    except BaseException:
        pipe.close()
        raise


def open_standard_input(reading: Reading) -> OpenedFile:
    """CSV on standard input."""
    require(*_PYARROW, "CSV text")
    from edgewise.tables.text import open_csv_stream, standard_input

    reading.refuse_unless(CSV.options, STANDARD_INPUT)
    return open_csv_stream(standard_input(), STANDARD_INPUT, reading)


def in_folder(name: str) -> bool:
    """Whether a file in a folder is taken as data."""
    return name.lower().endswith(_FOLDER_ENDINGS) and not name.startswith((".", "_", "~$"))
