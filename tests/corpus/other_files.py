"""Files that are packed, or not text: arrays, workbooks, Parquet, Arrow and JSON lines."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import feather, parquet
from tests.corpus.file_case import ROWS, reads, refused

TEXT = b"a,b\n1.5,2\n2,3\n2.5,5\n"
X = np.array(ROWS)
TABLE = pa.table({"a": X[:, 0], "b": X[:, 1]})
DEFAULT = ("x0", "x1")


def written(write: Callable[[io.BytesIO], Any]) -> bytes:
    write(file := io.BytesIO())
    return file.getvalue()


def archive(**members: bytes) -> bytes:
    def write(file: io.BytesIO) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in members.items():
                packed.writestr(name, content)

    return written(write)


def npy(array: Any) -> bytes:
    return written(lambda file: np.save(file, array, allow_pickle=True))


def npz(**arrays: Any) -> bytes:
    return written(lambda file: np.savez(file, **arrays))


def book(
    sheets: Mapping[str, Sequence[Sequence[Any]]], change: Callable[[Any], Any] | None = None
) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change is not None:
        change(workbook)
    return written(workbook.save)


def lines(*records: Any) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def arrow_stream(file: io.BytesIO) -> None:
    with pa.ipc.new_stream(file, TABLE.schema) as stream:
        stream.write_table(TABLE)


PARQUET = written(partial(parquet.write_table, TABLE))
ARROW = written(partial(feather.write_feather, TABLE))
SHEET = [["a", "b"], *ROWS]
BOOK = book({"s": SHEET})
RECORDS = [{"a": a, "b": b} for a, b in ROWS]

PACKED = {
    ".csv.gz": reads(gzip.compress(TEXT), file="x.csv.gz"),
    ".csv.xz": reads(lzma.compress(TEXT), file="x.csv.xz"),
    ".csv.zst": reads(bytes(pa.compress(TEXT, "zstd", asbytes=True)), file="x.csv.zst"),
    ".zip of one file": reads(archive(x=TEXT), file="x.csv.zip"),
    ".zip of two files": refused(archive(x=TEXT, y=TEXT), "one file", "got 2", file="x.csv.zip"),
    "gzip called .csv": reads(gzip.compress(TEXT)),
    "gzip cut short": refused(
        gzip.compress(X.tobytes() * 99)[:60], "cannot be read", "complete", file="x.csv.gz"
    ),
}
ARRAYS = {
    ".npy": reads(npy(X), file="x.npy", names=DEFAULT),
    ".npy in Fortran's order": reads(npy(np.asfortranarray(X)), file="x.npy", names=DEFAULT),
    ".npy of records": refused(
        npy(np.array([*map(tuple, ROWS)], dtype=[("a", "f8"), ("b", "i4")])), "2D", file="x.npy"
    ),
    ".npy of one dimension": refused(npy(X[:, 0]), "2D", "(3,)", file="x.npy"),
    ".npy cut short": refused(npy(X)[:-8], "cannot be read", "complete", file="x.npy"),
    ".npz of one table": reads(npz(X=X), file="x.npz", names=DEFAULT),
    ".npz of two arrays": refused(npz(X=X, y=X[:, 0]), "'X'", "np.load(path)", file="x.npz"),
}
WORKBOOKS = {
    ".xlsx": reads(BOOK, file="x.xlsx"),
    ".xlsx with an index": reads(
        book({"s": [[None, "a", "b"], *((k, *row) for k, row in enumerate(ROWS))]}),
        "numbers the rows",
        file="x.xlsx",
    ),
    "first of two sheets": reads(
        book({"s": SHEET, "t": [["c"], [1]]}), "first sheet 's' of 2", file="x.xlsx"
    ),
    "empty rows and columns": reads(
        book(
            {
                "s": [
                    [],
                    [],
                    *([None, None, *row] for row in SHEET[:2]),
                    [],
                    *([None, None, *row] for row in SHEET[2:]),
                ]
            }
        ),
        "is empty and is left out",
        file="x.xlsx",
    ),
    "formulas without values": refused(
        book({"s": [["a", "b"], [1, "=A2*2"], [2, "=A3*2"]]}), "cell B2", "save it", file="x.xlsx"
    ),
    "empty sheet": refused(book({"s": []}), "is empty", file="x.xlsx"),
    "damaged workbook": refused(BOOK[:700], "cannot be read", "complete", file="x.xlsx"),
    "workbook with a password": refused(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "cannot be read", "kind", file="x.xlsx"
    ),
}
JSON = {
    ".jsonl": reads(lines(*RECORDS), file="x.jsonl"),
    "numbers as JSON text": refused(lines({"a": "1.5"}), "'a'", "text", file="x.jsonl"),
    "a bad line": refused(lines(*RECORDS) + b'{"a": 1', "JSON", "complete", file="x.jsonl"),
    "a number beyond float64": reads(
        b'{"a": 1' + b"0" * 400 + b', "b": 2}\n', file="x.jsonl", rows=((float("inf"), 2),)
    ),
}
COLUMNS = {
    ".parquet": reads(PARQUET, file="x.parquet"),
    ".parquet of pandas with an index": reads(
        written(
            partial(
                parquet.write_table,
                TABLE.append_column("day", pa.array([3, 1, 2])).replace_schema_metadata(
                    {"pandas": '{"index_columns": ["day"]}'}
                ),
            )
        ),
        "'day' is the index",
        file="x.parquet",
    ),
    ".parquet cut short": refused(PARQUET[:-20], "cannot be read", "complete", file="x.parquet"),
    "Parquet called .csv": reads(PARQUET),
    ".feather": reads(ARROW, file="x.feather"),
    ".arrow of a stream": reads(written(arrow_stream), file="x.arrow"),
}
UNKNOWN = {
    f"x{ending}": refused(b"\0", remedy, file=f"x{ending}")
    for ending, remedy in {
        ".json": ".jsonl",
        ".xls": "save it as .xlsx",
        ".ods": "save it as .xlsx",
        ".pkl": "can run any code",
        ".h5ad": "anndata",
        ".rds": "write.csv",
        ".sav": "pandas",
        ".mat": "pass the array",
        ".db": "cursor",
        ".docx": "convert it first",
    }.items()
}
OTHER_FILES = {**PACKED, **ARRAYS, **WORKBOOKS, **JSON, **COLUMNS, **UNKNOWN}
