"""A result as JSON and back.

`result.schema.json`, beside this file, describes the text. JSON has neither NaN nor infinity: in a
matrix null is NaN and the texts "Infinity" and "-Infinity" are the infinities; a threshold of null
means infinite: the method needs more rows. Reading checks every field before it uses it, and runs
no part of the text as code.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Set
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgewise._base.matrices import off_diagonal
from edgewise._base.types import AnyArray, BoolArray
from edgewise.errors import DataError, DataTypeError, EdgewiseError
from edgewise.inference.selection import Selection
from edgewise.results.edge import NEW_FIELDS
from edgewise.results.json_document import (
    FORMAT,
    INFINITIES,
    SCHEMA_VERSION,
    Document,
    shown,
)
from edgewise.results.uncertainty_json import uncertainty_document, uncertainty_in

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

_MATRICES = (
    *("covariance", "precision", "partial_correlation", "statistic"),
    *("log_pvalue", "pvalue", "adjusted_pvalue"),
)
_FAMILY_VERSION = 4  # from this version on a file says which pairs were tested
_ENDS = ("interval_low", "interval_high")
# Processors and versions of libraries differ by less in ends of intervals.
_ROUNDING = 1e-6
_STANDARD_ERRORS = ("standard_error", "partial_correlation_standard_error")


def json_schema() -> dict[str, Any]:
    """The schema of what `to_document` makes."""
    text = files("edgewise.results").joinpath("result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def to_document(result: EdgeTestResult) -> dict[str, Any]:
    """The result as values that JSON can hold."""
    document: dict[str, Any] = {"format": FORMAT, "schema_version": SCHEMA_VERSION}
    for known in fields(result):
        value = getattr(result, known.name)
        if known.name == "options":
            document["options"] = plain(value)
        elif known.name == "threshold" and not isinstance(value, np.ndarray) and value == math.inf:
            document["threshold"] = None
        elif known.name == "uncertainty":
            document["uncertainty"] = jsonable(uncertainty_document(value))
        elif known.name == "files":
            document["files"] = [file._asdict() for file in value]
        elif known.name == "selection":
            document["selection"] = None if value is None else _selection_document(value)
        else:
            document[known.name] = jsonable(value)
    document |= {"given": list(result.given)} | _interval_fields(result)
    document["edges"] = _edge_records(result)
    return document


def _edge_records(result: EdgeTestResult) -> list[dict[str, Any]]:
    return [
        {name: jsonable(value) for name, value in edge._asdict().items()} for edge in result.edges()
    ]


def _interval_fields(result: EdgeTestResult) -> dict[str, Any]:
    """Of the intervals in the edges; null where the result has none."""
    known = result.uncertainty is not None
    return {
        "interval_level": result.interval_level if known else None,
        "interval_family": result.interval_family if known else None,
    }


def jsonable(value: Any) -> Any:
    """A field of a result; a number that JSON lacks becomes a text that names it."""
    if isinstance(value, np.ndarray):
        return _rows(value)
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else INFINITIES[value < 0]
    if isinstance(value, dict):
        return {name: jsonable(part) for name, part in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _rows(matrix: AnyArray) -> Any:
    if np.isfinite(matrix).all():
        return matrix.tolist()
    cells = matrix.astype(object)
    cells[np.isnan(matrix)] = None
    cells[np.isposinf(matrix)], cells[np.isneginf(matrix)] = INFINITIES
    return cells.tolist()


def plain(value: Any) -> Any:
    """An option of any kind: a text stays a text, and NaN and infinity become null."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_json(kind: type[EdgeTestResult], source: str | os.PathLike[str]) -> EdgeTestResult:
    """The result that a text or a file holds; see `EdgeTestResult.from_json`."""
    document = Document.parsed(*read_source(source))
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
        uncertainty=uncertainty_in(document, p, matrices["standard_error"]),
        cautions=document.texts("cautions") if "cautions" in document.fields else (),
        tested=tested_in(document, p) if _has_family(document) else None,
        files=document.files() if "files" in document.fields else (),
        selection=_selection_in(document, p) if "selection" in document.fields else None,
        n_missing=_counts_in(document, "n_missing", p),
        n_dropped_alone=_counts_in(document, "n_dropped_alone", p),
        pair_rows=_pair_rows_in(document, p) if "pair_rows" in document.fields else None,
        **matrices,
    )
    _check_repeated(document, result)
    return result


def _selection_document(selection: Selection) -> dict[str, Any]:
    return {
        "penalty": selection.penalty,
        "neighbours": [list(own) for own in selection.neighbours],
    }


def _selection_in(document: Document, p: int) -> Selection | None:
    """The neighbours that were chosen; older files, and most methods, have none."""
    if document.field("selection") is None:
        return None
    part = document.part("selection")
    return Selection(part.number("penalty", above=0), part.neighbours(p))


def _counts_in(document: Document, name: str, p: int) -> tuple[int, ...]:
    """A count for each column, or none; older files have none."""
    counts = document.field(name) if name in document.fields else []
    right = isinstance(counts, list) and all(type(n) is int and n >= 0 for n in counts)
    if not right or len(counts) not in (0, p):
        document.refuse(name, f"{p} whole numbers, one for each column, or none")
    return tuple(counts)


def _pair_rows_in(document: Document, p: int) -> npt.NDArray[np.int64] | None:
    """The rows of each pair; None where all have all."""
    if document.field("pair_rows") is None:
        return None
    rows = document.matrix("pair_rows", p)
    most = min(document.whole("n_samples", 1), 1 << 53)
    if not ((rows == np.floor(rows)) & (rows >= 0) & (rows <= most) & (rows == rows.T)).all():
        document.refuse("pair_rows", "numbers of rows, the same for both orders of a pair")
    return rows.astype(np.int64)


def _has_family(document: Document) -> bool:
    """Whether the file says which pairs were tested; older ones tested all."""
    return bool(document.fields["schema_version"] >= _FAMILY_VERSION)


def tested_in(document: Document, p: int) -> BoolArray | None:
    """Which pairs were tested; None for all."""
    if document.field("tested") is None:
        return None
    tested = document.decisions("tested", p)
    if not tested.any() or (tested == off_diagonal(p)).all():
        document.refuse("tested", "some pairs, or null for all", "none or all of them")
    if (document.decisions("reject", p) & ~tested).any():
        document.refuse("reject", "edges only where 'tested' is true", "others")
    return tested


def _check_repeated(document: Document, result: EdgeTestResult) -> None:
    """What is in the file twice must agree: a difference shows that somebody changed the file."""
    try:
        expected = _edge_records(result)
    except (EdgewiseError, ArithmeticError):
        document.refuse("uncertainty", "one that gives intervals at the level 1 − alpha")
    edges, version = document.field("edges"), document.fields["schema_version"]
    new = {name for since, names in NEW_FIELDS.items() if version < since for name in names}
    expected, edges = _without(expected, new), _without(edges, new)
    if version >= 3:
        for name, value in _interval_fields(result).items():
            if not _close(document.field(name), value):
                document.refuse(name, repr(value))
    if _has_family(document) and document.texts("given") != result.given:
        document.refuse("given", "the columns that are in no tested pair")
    if not agree(edges, expected):
        document.refuse("edges", "the pairs that 'reject' marks, with the numbers of the matrices")


def _without(edges: Any, new: Set[str]) -> Any:
    """The edges as a file without the new fields has them."""
    if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
        return edges
    return [{k: v for k, v in edge.items() if k not in new} for edge in edges]


def agree(edges: Any, expected: list[dict[str, Any]]) -> bool:
    """Whether edges are equal, but for rounding in ends of intervals, which are computed anew."""
    if not isinstance(edges, list) or len(edges) != len(expected):
        return False
    return all(
        isinstance(edge, dict)
        and edge.keys() == other.keys()
        and all(
            edge[name] == value or (name in _ENDS and _close(edge[name], value))
            for name, value in other.items()
        )
        for edge, other in zip(edges, expected, strict=True)
    )


def _close(value: Any, expected: Any) -> bool:
    both = isinstance(value, float) and isinstance(expected, float)
    return bool(value == expected or (both and abs(value - expected) < _ROUNDING))


def read_source(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and its name in messages."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("{"):
        return source.lstrip("\ufeff"), "result text"
    if not isinstance(source, str | os.PathLike):
        raise DataTypeError(
            "source: expected the text that to_json gives, or the path of a file of it, got "
            f"{type(source).__name__}."
        )
    path = os.fsdecode(source)
    where = f"result file {repr(path) if len(path) < 300 else shown(path)}"
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
