"""What every result can do: be read as text, HTML, a data frame, CSV and JSON."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from html import escape
from importlib import import_module
from typing import Any, Literal, overload

import numpy as np

from edgewise._checks import check_choice, check_count
from edgewise._files import atomic_path
from edgewise._optional import is_installed, require
from edgewise._text import distinct_texts

FrameKind = Literal["pandas", "polars", "pyarrow"]
_FRAME_KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "pyarrow")
# What spreadsheets take for the start of a formula; some also in full width.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def view(name: str) -> Any:
    """A function of a layer above results, as in "plots.plots.plot", imported when it is used."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"edgewise.{module}"), function)


class Shown:
    """The base of all results; a subclass has `summary`, `_brief` and `_table`."""

    __slots__ = ()

    def summary(self) -> str:
        """A few lines to read."""
        raise NotImplementedError

    def _brief(self) -> dict[str, Any]:
        """What the repr shows."""
        raise NotImplementedError

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """The headings and the rows of a data frame."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._brief().items())
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self.summary())}</pre>'

    def to_frame(self, backend: FrameKind | None = None) -> Any:
        """The rows as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.

        Returns
        -------
        data frame
            One row for each pair, method or fact.
        """
        if backend is None:  # without any of them the last: the extra "tables" brings it
            there: list[FrameKind] = [kind for kind in _FRAME_KINDS if is_installed(kind)]
            backend = there[0] if there else "pyarrow"
        check_choice("backend", backend, _FRAME_KINDS)
        headings, rows = self._table()
        columns = {name: [row[k] for row in rows] for k, name in enumerate(headings)}
        module = require(str(backend), "tables" if backend == "pyarrow" else None, "A data frame")
        return module.table(columns) if backend == "pyarrow" else module.DataFrame(columns)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """The rows of `to_frame` as a CSV file, without any comments.

        A number that is not known is an empty cell. A text that a spreadsheet would run as a
        formula gets an apostrophe in front.

        Parameters
        ----------
        path : str or path
            The file, which is replaced if there is one.
        """
        headings, rows = self._table()
        texts = {cell for row in rows for cell in row if isinstance(cell, str)}
        safe: dict[Any, Any] = {**distinct_texts(sorted(texts), _safe_cell)}
        with (
            atomic_path(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(headings)
            for row in rows:  # equal to no other value, NaN is an empty cell
                writer.writerow([safe.get(cell, cell) if cell == cell else None for cell in row])

    @overload
    def to_json(
        self, path: None = None, *, indent: int | None = None, digits: int | None = None
    ) -> str: ...
    @overload
    def to_json(
        self, path: str | os.PathLike[str], *, indent: int | None = None, digits: int | None = None
    ) -> None: ...
    def to_json(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        indent: int | None = None,
        digits: int | None = None,
    ) -> str | None:
        """The result as JSON, every number to its last bit.

        Of a symmetric matrix each row starts on the diagonal. JSON has neither NaN nor infinity: in
        an array null is NaN, and "Infinity" is a text.

        Parameters
        ----------
        path : str or path, optional
            A file to write, in UTF-8; by default the text is returned.
        indent : int, optional
            Spaces by which each level is indented; by default everything is on one line.
        digits : int, optional
            Significant digits of the numbers in arrays: 6 make a large file half as long. By
            default all.

        Returns
        -------
        str or None
            The text; None if it was written to a file.
        """
        if digits is not None:
            check_count("digits", digits, at_least=1)
        return write_json(self._document(), path, indent, digits=digits)

    def _document(self) -> dict[str, Any]:
        headings, rows = self._table()
        lines = [dict(zip(headings, map(encoded, row), strict=True)) for row in rows]
        return lines[0] if len(lines) == 1 else {"rows": lines}


def _safe_cell(text: str) -> str:
    """A text that can be written and that no spreadsheet runs as a formula."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def write_json(
    document: dict[str, Any],
    path: str | os.PathLike[str] | None,
    indent: int | None,
    *,
    digits: int | None = None,
) -> str | None:
    """The document as JSON text, or None after it was written to a file."""
    how: dict[str, Any] = {"indent": indent, "allow_nan": False}
    how["separators"] = (",", ":" if indent is None else ": ")
    how["default"] = partial(_listed, digits=digits)
    text = json.dumps(document, ensure_ascii=False, **how)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # A name that is not proper Unicode (half a surrogate pair) can still be escaped.
        text = json.dumps(document, **how)
    if path is None:
        return text
    with atomic_path(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")
    return None


def _listed(array: np.ndarray[Any, Any], *, digits: int | None) -> list[Any]:
    """An array as JSON has it: of a symmetric matrix the upper triangle."""
    floats, cells = array.dtype.kind == "f", array
    if array.dtype.kind == "b":
        cells = array.astype(np.int8)
    if digits is not None and floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            places = digits - 1 - np.floor(np.log10(np.abs(array)))
            up, down = (10.0 ** np.maximum(own, 0) for own in (places, -places))
            near = np.rint(array * up / down) / up * down
        cells = np.where(np.isfinite(near), near, array)
    if floats and not np.isfinite(array).all():
        cells = cells.astype(object)
        cells[np.isnan(array)] = None
        cells[np.isposinf(array)], cells[np.isneginf(array)] = "Infinity", "-Infinity"
    if array.ndim == 2 and np.array_equal(array, array.T, equal_nan=floats):
        return [row[i:].tolist() for i, row in enumerate(cells)]
    listed: list[Any] = cells.tolist()
    return listed


def encoded(value: Any) -> Any:
    """A value as JSON has it: of a dataclass its fields and, as `kind`, its name."""
    if is_dataclass(value):
        own = {
            known.name: encoded(getattr(value, known.name))
            for known in fields(value)
            if known.metadata.get("written", True)
        }
        return {"kind": type(value).__name__, **own}
    if isinstance(value, np.ndarray):
        return value  # `_listed` when it is written
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and (about := getattr(value, "kind", None)):  # a caution
        return {"text": str(value), "kind": about, "breaks": getattr(value, "breaks", False)}
    if (as_dict := getattr(value, "_asdict", None)) is not None:
        value = as_dict()
    if isinstance(value, Mapping):
        return {str(name): encoded(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
