"""A result as JSON and back.

`result.schema.json`, beside this file, describes the text. JSON has neither NaN nor infinity: in a
matrix null is NaN and the texts "Infinity" and "-Infinity" are the infinities; a threshold of null
is the infinite one, which needs more rows. Reading checks everything before it believes anything,
and runs no part of the text.
"""

from __future__ import annotations

import json
import math
import os
import reprlib
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from edgewise._base.types import AnyArray, BoolArray, FloatArray
from edgewise._version import __version__
from edgewise.errors import DataError, DataTypeError

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

FORMAT = "edgewise-result"
SCHEMA_VERSION = 1
_MATRICES = (
    *("covariance", "precision", "partial_correlation", "statistic"),
    *("log_pvalue", "pvalue", "adjusted_pvalue"),
)
_STANDARD_ERRORS = ("standard_error", "partial_correlation_standard_error")
_INFINITIES = ("Infinity", "-Infinity")
_DEEPEST_OPTION = 16
_SHOWN = 60  # characters of a wrong value in a message


def json_schema() -> dict[str, Any]:
    """The schema of what `to_document` makes."""
    text = files("edgewise.results").joinpath("result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def to_document(result: EdgeTestResult) -> dict[str, Any]:
    """The result in values that JSON has; its intervals, which are no data, stay behind."""
    document: dict[str, Any] = {"format": FORMAT, "schema_version": SCHEMA_VERSION}
    for known in fields(result):
        value = getattr(result, known.name)
        if known.name == "options":
            document["options"] = _plain(value)
        elif known.name == "threshold" and not isinstance(value, np.ndarray) and value == math.inf:
            document["threshold"] = None
        elif known.name != "interval_rule":
            document[known.name] = _jsonable(value)
    document["edges"] = _edge_records(result)
    return document


def json_text(document: dict[str, Any], indent: int | None = None) -> str:
    """The document as text that any program can read, names as they are where that is possible."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # A name that is not proper Unicode (half a surrogate pair) can still be escaped.
        return json.dumps(document, indent=indent, allow_nan=False)
    return text


def _edge_records(result: EdgeTestResult) -> list[dict[str, Any]]:
    return [
        {name: _jsonable(value) for name, value in edge._asdict().items()}
        for edge in result.edges()
    ]


def _jsonable(value: Any) -> Any:
    """A field of a result; the text for a number that JSON lacks says which one it is."""
    if isinstance(value, np.ndarray):
        return _rows(value)
    if isinstance(value, np.generic):
        return _jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else _INFINITIES[value < 0]
    return list(value) if isinstance(value, tuple) else value


def _rows(matrix: AnyArray) -> Any:
    if np.isfinite(matrix).all():
        return matrix.tolist()
    cells = matrix.astype(object)
    cells[np.isnan(matrix)] = None
    cells[np.isposinf(matrix)], cells[np.isneginf(matrix)] = _INFINITIES
    return cells.tolist()


def _plain(value: Any) -> Any:
    """An option: of any kind, so a text in it must stay a text, and NaN and infinity are null."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_json(kind: type[EdgeTestResult], source: str | os.PathLike[str]) -> EdgeTestResult:
    """The result that a text or a file holds; see `EdgeTestResult.from_json`."""
    document = _Document(*_read(source))
    p = document.whole("n_features", at_least=2)
    names = document.names(p)
    matrices: dict[str, Any] = {name: document.matrix(name, p) for name in _MATRICES}
    for name in _STANDARD_ERRORS:
        matrices[name] = document.unless_null(name, document.matrix, p)
    if isinstance(document.fields.get("threshold"), list):
        threshold = document.matrix("threshold", p)
    else:
        threshold = document.unless_null("threshold", document.number, null=math.inf)
    result = kind(
        method=document.text("method"),
        alpha=document.number("alpha", above=0, below=1),
        correction=document.unless_null("correction", document.text),
        options=document.options(),
        n_samples=document.whole("n_samples", at_least=1),
        n_features=p,
        feature_names=names,
        reject=document.decisions("reject", p),
        threshold=threshold,
        radius=document.unless_null("radius", document.number),
        rows_needed=document.unless_null("rows_needed", document.whole),
        n_dropped=document.whole("n_dropped"),
        **matrices,
    )
    if document.field("edges") != _edge_records(result):
        # The one thing that is said twice: it tells a file that was changed from one that was not.
        document.refuse("edges", "the pairs that 'reject' marks, with the numbers of the matrices")
    return result


def _read(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and what to call it in a message."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("{"):
        return source.lstrip("\ufeff"), "result text"
    if not isinstance(source, str | os.PathLike):
        raise DataTypeError(
            "source: expected the text that to_json gives, or the path of a file of it, got "
            f"{type(source).__name__}."
        )
    path = os.fsdecode(source)
    where = f"result file {repr(path) if len(path) < 300 else _shown(path)}"
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            f"{where} cannot be read: {reason}; pass the text that to_json gives, or the path of a "
            "file of it."
        ) from error
    try:
        return content.decode("utf-8-sig"), where
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not UTF-8 text (byte {error.start}); write it with "
            "`edgewise test --json FILE`, or save it as UTF-8."
        ) from error


class _Document:
    """The fields of a result's JSON, each checked when it is asked for."""

    def __init__(self, text: str, where: str) -> None:
        self._where = where
        try:
            found = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where} is not JSON: {error}; write it anew with to_json.") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise DataError(
                f"{where} is not a result of edgewise: expected a JSON object with the format "
                f"{FORMAT!r}; make one with to_json or `edgewise test --json`."
            )
        self.fields: dict[str, Any] = found
        version = self.whole("schema_version", at_least=1)
        if version > SCHEMA_VERSION:
            raise DataError(
                f"{where} is of version {_shown(version)}, newer than the {SCHEMA_VERSION} that "
                f"this edgewise ({__version__}) reads; upgrade edgewise."
            )

    def refuse(self, name: str, expected: str, got: str | None = None) -> NoReturn:
        came = _shown(self.fields.get(name)) if got is None else got
        raise DataError(
            f"{self._where}: field {name!r}: expected {expected}, got {came}; write it anew with "
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

    def whole(self, name: str, at_least: int = 0) -> int:
        value = self.field(name)
        if type(value) is not int or value < at_least:
            self.refuse(name, f"a whole number from {at_least} on")
        return value

    def number(self, name: str, above: float = -math.inf, below: float = math.inf) -> float:
        value = self.field(name)
        if above == -math.inf and value in (*_INFINITIES, "NaN"):
            return float(value)
        rule = "a number" if above == -math.inf else f"a number between {above:g} and {below:g}"
        if type(value) not in (int, float) or not above < value < below:
            self.refuse(name, rule)
        try:
            return float(value)
        except OverflowError:
            self.refuse(name, rule)

    def options(self) -> dict[str, Any]:
        value = self.field("options")
        if not isinstance(value, dict) or not _is_shallow(value, _DEEPEST_OPTION):
            self.refuse("options", f"an object, nested at most {_DEEPEST_OPTION} deep")
        return value

    def names(self, count: int) -> tuple[str, ...]:
        value = self.field("feature_names")
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self.refuse("feature_names", "a list of texts")
        if len(value) != count:
            self.refuse("feature_names", f"as many as n_features, {_shown(count)}", str(len(value)))
        if len(set(value)) != count:
            self.refuse("feature_names", "every name once")
        return tuple(value)

    def matrix(self, name: str, size: int) -> FloatArray:
        rows, kinds = self._square(name, size)
        if not kinds <= {int, float, type(None)}:
            for cell in (cell for row in rows for cell in row):
                if type(cell) not in (int, float, type(None)) and cell not in _INFINITIES:
                    self.refuse(name, "numbers, null or 'Infinity'", _shown(cell))
        try:
            matrix = np.array(rows, dtype=np.float64)
        except OverflowError:
            self.refuse(name, "numbers below 1.8e308", "a larger one")
        # Python reads 1e999 as infinity, without an error.
        if np.isinf(matrix).sum() != sum(row.count(text) for row in rows for text in _INFINITIES):
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
        """Rows and the kinds of what is in them; no memory is taken on the word of a number."""
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


def _shown(value: Any) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _is_shallow(value: Any, depth: int) -> bool:
    """Whether no list or object is nested deeper: what goes too deep could never be written."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_shallow(item, depth - 1) for item in inner)
