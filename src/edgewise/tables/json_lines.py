"""JSON lines: an object on each line, its keys the columns."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.text import one_line
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.tables.byte_streams import opened_bytes
from edgewise.tables.labels import label_number
from edgewise.tables.opened_file import OpenedFile
from edgewise.tables.table import Rows, batch_rows


def open_json_lines(path: Path) -> OpenedFile:
    """A file of JSON objects, one on each line, all read once: a key may begin in the last."""
    texts: dict[str, str] = {}
    places: dict[str, int] = {}  # of the first text in each column
    names: dict[str, None] = {}
    n = 0
    for line, record in _records(path):
        n += 1
        for name, value in record.items():
            names[name] = None
            if not _is_number(value) and name not in texts:
                texts[name], places[name] = _kind(value), line

    if not names:
        raise DataError(f"data: file '{path}' is empty; expected an object on each line.")

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        records = islice((record for _, record in _records(path)), skip, None)
        while some := list(islice(records, batch_rows(len(columns)))):
            yield _block(some, columns, along)

    def labels(name: str) -> list[Any]:
        return [record.get(name) for _, record in _records(path)]

    return OpenedFile(
        str(path),
        tuple(names),
        True,
        n,
        n,
        read,
        texts=texts,
        first_text=lambda name: f" (in line {places[name]})" if name in places else "",
        labels=labels,
    )


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects, with the numbers of their lines; blank lines are left out."""
    with io.TextIOWrapper(opened_bytes(path), "utf-8-sig") as text:
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
                    f'{{"a": 1, "b": 2}}, got {_kind(record)}; each line is a row.'
                )
            yield number, record


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)  # more are beyond float64


def _block(records: Sequence[dict[str, Any]], columns: Sequence[str], along: Sequence[str]) -> Rows:
    rows: FloatArray = np.empty((len(records), len(columns)), order="F")
    for k, name in enumerate(columns):
        values = (record.get(name) for record in records)
        if name in along:
            rows[:, k] = [label_number(value) for value in values]
        else:
            rows[:, k] = [np.nan if value is None else value for value in values]
    return rows


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, int | float)


def _kind(value: object) -> str:
    kinds: dict[type, str] = {str: "text", list: "a list", dict: "objects"}
    return kinds.get(type(value), "a value")
