"""A comparison of two groups as JSON and back; `difference.schema.json` describes the text."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import EdgewiseError
from edgewise.inference.difference import GroupDifference, GroupZ
from edgewise.inference.permuted import PermutedMaxima
from edgewise.results.json import agree, jsonable, plain, read_source, tested_in
from edgewise.results.json_document import DIFFERENCE_FORMAT, Document
from edgewise.rows.file_read import FileRead

if TYPE_CHECKING:
    from edgewise.results.difference import EdgeDifferenceResult

VERSION = 2
_MATRICES = (
    *("partial_correlation_a", "partial_correlation_b", "standard_error_a", "standard_error_b"),
    *("difference", "standard_error", "statistic", "log_pvalue", "pvalue", "adjusted_pvalue"),
)
_SIDES = ("first", "second")


def json_schema() -> dict[str, Any]:
    """The schema of what `to_document` makes."""
    text = files("edgewise.results").joinpath("difference.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def to_document(result: EdgeDifferenceResult) -> dict[str, Any]:
    """The result as values that JSON can hold."""
    document: dict[str, Any] = {"format": DIFFERENCE_FORMAT, "schema_version": VERSION}
    for known in fields(result):
        value = getattr(result, known.name)
        if known.name == "options":
            document["options"] = plain(value)
        elif known.name == "uncertainty":
            document["uncertainty"] = _uncertainty_document(value)
        elif known.name == "files":
            document["files"] = [[file._asdict() for file in group] for group in value]
        else:
            document[known.name] = jsonable(value)
    document["interval_level"] = result.interval_level
    document["interval_family"] = result.interval_family
    document["edges"] = _edge_records(result)
    return document


def _uncertainty_document(own: GroupDifference) -> dict[str, Any]:
    sides = {
        side: {
            name: jsonable(np.array(getattr(getattr(own, side), name)))
            for name in ("fisher_z", "standard_error", "degrees")
        }
        for side in _SIDES
    }
    permuted = None
    if own.permuted is not None:
        permuted = {name: jsonable(getattr(own.permuted, name)) for name in ("largest", "each")}
    return {**sides, "permuted": permuted}


def _edge_records(result: EdgeDifferenceResult) -> list[dict[str, Any]]:
    return [
        {name: jsonable(value) for name, value in pair._asdict().items()} for pair in result.edges()
    ]


def from_json(
    kind: type[EdgeDifferenceResult], source: str | os.PathLike[str]
) -> EdgeDifferenceResult:
    """The result that a text or a file holds; see `EdgeDifferenceResult.from_json`."""
    return from_document(
        kind, Document.parsed(*read_source(source), kind=DIFFERENCE_FORMAT, newest=VERSION)
    )


def from_document(kind: type[EdgeDifferenceResult], document: Document) -> EdgeDifferenceResult:
    """The result of a document whose format is right; every field is checked."""
    p = document.whole("n_features", at_least=2)
    names, matrices = document.names(p), _matrices(document, p)
    n_tests = document.whole("n_tests", at_least=1)
    groups = document.texts("group_names")
    if len(groups) != 2:
        document.refuse("group_names", "two names")
    result = kind(
        method=document.text("method"),
        alpha=document.number("alpha", above=0, below=1),
        correction=document.unless_null("correction", document.text),
        permutations=document.unless_null("permutations", document.whole, 1),
        options=document.options(),
        group_names=(groups[0], groups[1]),
        n_samples=_two(document, "n_samples", 1),
        n_dropped=_two(document, "n_dropped", 0),
        n_features=p,
        feature_names=names,
        n_tests=n_tests,
        reject=document.decisions("reject", p),
        global_pvalue=document.number("global_pvalue", above=0, below=1 + 1e-9),
        cautions=document.texts("cautions"),
        tested=tested_in(document, p),
        files=_files(document) if "files" in document.fields else ((), ()),
        uncertainty=_uncertainty(document.part("uncertainty"), p, n_tests),
        **matrices,
    )
    _check_repeated(document, result)
    return result


def _matrices(document: Document, p: int) -> dict[str, Any]:
    return {name: document.matrix(name, p) for name in _MATRICES}


def _two(document: Document, name: str, at_least: int) -> tuple[int, int]:
    value = document.field(name)
    right = isinstance(value, list) and len(value) == 2
    if not right or any(type(one) is not int or one < at_least for one in value):
        document.refuse(name, f"two whole numbers from {at_least} on")
    return value[0], value[1]


def _files(document: Document) -> tuple[tuple[FileRead, ...], tuple[FileRead, ...]]:
    value = document.field("files")
    if not isinstance(value, list) or len(value) != 2:
        document.refuse("files", "the files of two groups")
    first, second = (Document({"files": group}, document.where).files() for group in value)
    return first, second


def _uncertainty(part: Document, p: int, n_tests: int) -> GroupDifference:
    sides = []
    for side in _SIDES:
        inner = part.part(side)
        error, degrees = inner.matrix("standard_error", p), inner.matrix("degrees", p)
        off = ~np.eye(p, dtype=bool)
        if not (error[off] > 0).all() or not (degrees[off] > 0).all():
            inner.refuse("standard_error", "numbers above 0, as in degrees")
        sides.append(GroupZ(inner.matrix("fisher_z", p), error, degrees))
    permuted = None
    if part.field("permuted") is not None:
        inner = part.part("permuted")
        permuted = PermutedMaxima(inner.vector("largest"), _table(inner, p * (p - 1) // 2))
    return GroupDifference(sides[0], sides[1], n_tests, permuted)


def _table(part: Document, pairs: int) -> FloatArray:
    """The largest sizes of each pair: rows of one number for each pair."""
    rows, rule = part.field("each"), f"rows of {pairs} numbers from 0 on"
    if not isinstance(rows, list) or not rows:
        part.refuse("each", rule)
    table = [Document({"each": row}, part.where).vector("each") for row in rows]
    if any(len(row) != pairs for row in table):
        part.refuse("each", rule)
    return np.array(table)


def _check_repeated(document: Document, result: EdgeDifferenceResult) -> None:
    """What is in the file twice must agree: a difference shows that somebody changed the file."""
    own = result.tested_pairs()
    measured, said = result.uncertainty.statistic()[own], result.statistic[own]
    if not np.allclose(measured, said, rtol=1e-6, atol=1e-9, equal_nan=True):
        document.refuse("statistic", "the difference of fisher_z over its standard error", "others")
    try:
        expected = _edge_records(result)
    except (EdgewiseError, ArithmeticError):
        document.refuse("uncertainty", "one that gives intervals at the level 1 − alpha")
    if not agree(document.field("edges"), expected):
        document.refuse("edges", "the pairs that 'reject' marks, with the numbers of the matrices")
