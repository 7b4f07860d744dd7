"""Reading JSON that may be damaged or hostile: every field is checked before it is used."""

from __future__ import annotations

import json
import math
import reprlib
from typing import Any, NoReturn

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise._version import __version__
from edgewise.errors import DataError
from edgewise.rows.file_read import FileRead

FORMAT = "edgewise-result"
SCHEMA_VERSION = 7
#: Comparisons of two groups and of more, and the command that writes each kind.
DIFFERENCE_FORMAT = "edgewise-difference"
DIFFERENCES_FORMAT = "edgewise-differences"
_COMMANDS = {FORMAT: "test", DIFFERENCE_FORMAT: "diff", DIFFERENCES_FORMAT: "diff"}
INFINITIES = ("Infinity", "-Infinity")
_DEEPEST_OPTION = 16
_SHOWN = 60  # characters of a wrong value in a message


class Document:
    """The fields of a result's JSON, each checked when it is read."""

    def __init__(self, fields: dict[str, Any], where: str) -> None:
        self.fields, self._where = fields, where

    @classmethod
    def parsed(
        cls, text: str, where: str, kind: str = FORMAT, newest: int = SCHEMA_VERSION
    ) -> Document:
        """Parse the text of a result of this kind; `where` names it in messages."""
        try:
            found = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{where} is not JSON: {error}; write it again with to_json."
            ) from error
        if not isinstance(found, dict) or found.get("format") != kind:
            raise DataError(
                f"{where} is not a result of edgewise: expected a JSON object with the format "
                f"{kind!r}; make one with to_json or `edgewise {_COMMANDS[kind]} --json`."
            )
        document = cls(found, where)
        version = document.whole("schema_version", at_least=1)
        if version > newest:
            raise DataError(
                f"{where} is of version {shown(version)}, newer than the {newest} that "
                f"this edgewise ({__version__}) reads; upgrade edgewise."
            )
        return document

    @property
    def where(self) -> str:
        """Its name in messages."""
        return self._where

    def part(self, name: str) -> Document:
        """An object inside this one."""
        value = self.field(name)
        if not isinstance(value, dict):
            self.refuse(name, "an object")
        return Document(value, f"{self._where}: field {name!r}")

    def refuse(self, name: str, expected: str, got: str | None = None) -> NoReturn:
        came = shown(self.fields.get(name)) if got is None else got
        raise DataError(
            f"{self._where}: field {name!r}: expected {expected}, got {came}; write it again with "
            "to_json."
        )

    def field(self, name: str) -> Any:
        if name not in self.fields:
            self.refuse(name, "a value", "none")
        return self.fields[name]

    def unless_null(self, name: str, read: Any, *arguments: Any, null: Any = None) -> Any:
        return null if self.field(name) is None else read(name, *arguments)

    def text(self, name: str) -> str:
        value = self.field(name)
        if not isinstance(value, str):
            self.refuse(name, "a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.field(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.refuse(name, "a list of texts")
        return tuple(value)

    def files(self) -> tuple[FileRead, ...]:
        """The files that were read."""
        value = self.field("files")
        rule = "a list of files, each with a path and a number of rows or null"
        if not isinstance(value, list):
            self.refuse("files", rule)
        for one in value:
            rows = one.get("rows", "") if isinstance(one, dict) else ""
            known = rows is None or (type(rows) is int and rows >= 0)
            if not known or not isinstance(one.get("path"), str):
                self.refuse("files", rule, shown(one))
        return tuple(FileRead(one["path"], one["rows"]) for one in value)

    def neighbours(self, count: int) -> tuple[tuple[int, ...], ...]:
        """For each of the columns, the places of others, in order."""
        value = self.field("neighbours")
        rule = f"{count} lists of different places from 0 to {count - 1}, without their own"
        if not isinstance(value, list) or len(value) != count:
            self.refuse("neighbours", rule)
        for place, own in enumerate(value):
            known = isinstance(own, list) and all(type(one) is int for one in own)
            inside = known and all(0 <= one < count for one in own)
            if not inside or sorted({*own}) != own or place in own:
                self.refuse("neighbours", rule, shown(own))
        return tuple(map(tuple, value))

    def whole(self, name: str, at_least: int = 0) -> int:
        value = self.field(name)
        if type(value) is not int or value < at_least:
            self.refuse(name, f"a whole number from {at_least} on")
        return value

    def flag(self, name: str) -> bool:
        value = self.field(name)
        if not isinstance(value, bool):
            self.refuse(name, "true or false")
        return value

    def number(self, name: str, above: float = -math.inf, below: float = math.inf) -> float:
        value = self.field(name)
        if above == -math.inf and value in (*INFINITIES, "NaN"):
            return float(value)
        rule = "a number" if above == -math.inf else f"a number between {above:g} and {below:g}"
        if type(value) not in (int, float) or not above < value < below:
            self.refuse(name, rule)
        try:
            return float(value)
        except OverflowError:
            self.refuse(name, rule)

    def vector(self, name: str, *, signed: bool = False) -> FloatArray:
        """At least one number; not below zero unless `signed`."""
        values = self.field(name)
        kinds = set(map(type, values)) if isinstance(values, list) else {None}
        rule = "a list of numbers" if signed else "a list of numbers from 0 on"
        if not values or not kinds <= {int, float}:
            self.refuse(name, rule)
        try:
            vector = np.array(values, dtype=np.float64)
        except OverflowError:
            self.refuse(name, rule)
        if not np.isfinite(vector).all() or not (signed or (vector >= 0).all()):
            self.refuse(name, rule)
        return vector

    def options(self) -> dict[str, Any]:
        value = self.field("options")
        if not isinstance(value, dict) or not _is_shallow(value, _DEEPEST_OPTION):
            self.refuse("options", f"an object, nested at most {_DEEPEST_OPTION} deep")
        return value

    def names(self, count: int) -> tuple[str, ...]:
        value = self.texts("feature_names")
        if len(value) != count:
            self.refuse("feature_names", f"as many as n_features, {shown(count)}", str(len(value)))
        if len(set(value)) != count:
            self.refuse("feature_names", "every name once")
        return value

    def matrix(self, name: str, size: int) -> FloatArray:
        rows, kinds = self._square(name, size)
        if not kinds <= {int, float, type(None)}:
            for cell in (cell for row in rows for cell in row):
                if type(cell) not in (int, float, type(None)) and cell not in INFINITIES:
                    self.refuse(name, "numbers, null or 'Infinity'", shown(cell))
        try:
            matrix = np.array(rows, dtype=np.float64)
        except OverflowError:
            self.refuse(name, "numbers below 1.8e308", "a larger one")
        # Python reads 1e999 as infinity, without an error.
        if np.isinf(matrix).sum() != sum(row.count(text) for row in rows for text in INFINITIES):
            self.refuse(name, "numbers below 1.8e308", "a larger one")
        return matrix

    def decisions(self, name: str, size: int) -> BoolArray:
        rows, kinds = self._square(name, size)
        if kinds != {bool}:
            self.refuse(name, "true or false for every pair")
        matrix = np.array(rows, dtype=np.bool_)
        if matrix.diagonal().any() or (matrix != matrix.T).any():
            self.refuse(name, "a symmetric matrix, false on its diagonal")
        return matrix

    def _square(self, name: str, size: int) -> tuple[list[list[Any]], set[type]]:
        """Check the number of rows and the kinds of their values before any memory is allocated."""
        rows = self.field(name)
        expected = f"{size} rows of {size} values, as there are features"
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            self.refuse(name, expected)
        if len(rows) != size:
            self.refuse(name, expected, f"{len(rows)} rows")
        for row in rows:
            if len(row) != size:
                self.refuse(name, expected, f"a row of {len(row)}")
        return rows, set().union(*(map(type, row) for row in rows))


def shown(value: Any) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


def _is_shallow(value: Any, depth: int) -> bool:
    """Whether no list or object is nested deeper; deeper ones could not be written as JSON."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_shallow(item, depth - 1) for item in inner)
