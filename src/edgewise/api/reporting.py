"""Reports: a result, and other facts about its data, as one HTML file."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np

from edgewise._files import atomic_path, check_writable
from edgewise._linalg import FloatArray
from edgewise._text import by_reason
from edgewise.api.compare_methods import Comparison, all_variants, compare_methods
from edgewise.api.diagnose import Diagnosis, diagnose
from edgewise.errors import DataError, ParameterError
from edgewise.inference.diagnosis import FEWEST_ROWS
from edgewise.methods.method import Method
from edgewise.methods.registry import registered
from edgewise.report.page import Context, report_html
from edgewise.results.result import EdgeTestResult, chosen_pairs
from edgewise.results.summary import p_text
from edgewise.sums.save import as_state
from edgewise.tables.open import as_table
from edgewise.tables.table import Partition, Table

# Enough points to see a shape; with many columns fewer, so that the page stays small.
_MOST_ROWS, _FEWEST_ROWS, _MOST_NUMBERS = 500, 200, 4_000
_SEED = 25


# Rows with the smallest of random keys are a simple sample, however the rows are cut.
_Drawn = tuple[FloatArray, FloatArray]


def sampled_scores(table: Table, result: EdgeTestResult) -> FloatArray:
    """Up to 500 random rows as scores x Θ̂, centred and with Θ̂_ii = 1; tested columns only.

    Column i is the residual of variable i given all others, up to its scale. Of two columns i and
    j, (v_i + ρ̂ v_j, v_j + ρ̂ v_i) are proportional to the residuals given all the others.
    """
    p = len(result.tested_columns())
    most = max(min(_MOST_ROWS, _MOST_NUMBERS // p), _FEWEST_ROWS)
    rows = table.reduce(partial(_draw, most=most), partial(_fewer, most=most))[1]
    scale = np.sqrt(np.diag(result.precision))
    scores = (rows - rows.mean(axis=0)) @ (result.precision / scale)
    return np.asarray(scores[:, result.tested_columns()])


def _draw(part: Partition, most: int) -> _Drawn:
    random = np.random.default_rng([_SEED, part.number])
    drawn: _Drawn = np.empty(0), np.empty((0, len(part.feature_names)))
    for block in part.blocks():
        rows = np.asarray(block, dtype=float)
        drawn = _fewer(drawn, (random.random(len(rows)), rows), most)
    return drawn


def _fewer(a: _Drawn, b: _Drawn, most: int) -> _Drawn:
    keys = np.concatenate([a[0], b[0]])
    kept = np.argsort(keys, kind="stable")[:most]
    return keys[kept], np.concatenate([a[1], b[1]])[kept]


# The most numbers that the other methods can handle while a user waits, and the most columns for
# the methods that need the spectrum of a large matrix.
_SOON_COMPARED, _SOON_SOLVED = 20_000_000, 30
# The most products of two numbers of a row, all rows together, that others can handle so.
_SOON_MULTIPLIED = 100_000_000

# What a result records of rows that most methods do not allow for.
_SPECIAL = (
    ("n_clusters", "clusters"),
    ("missing", "missing='pairwise'"),
    ("weights", "weights"),
)


def write_report(
    result: EdgeTestResult,
    path: str | os.PathLike[str],
    *,
    data: Any = None,
    compare: bool | None = None,
    title: str | None = None,
    command: str = "",
    rows: bool = True,
) -> None:
    """Write the report of a result; see `EdgeTestResult.report`."""
    check_writable(path)
    if result.provenance.n_copies is not None and (data is not None or compare):
        raise ParameterError(
            "data, compare: expected neither for a pooled result, because no single table has its "
            "imputed rows; leave both out."
        )
    special = next((what for name, what in _SPECIAL if name in result.options), None)
    if special is not None and compare:
        raise ParameterError(
            f"compare: expected without {special}, because most methods do not allow for that; "
            "leave it out."
        )
    # What the data say about single rows, and other methods, would not be about the same rows.
    transform = result.provenance.transform
    source = None if special is not None else _rows(data, result.feature_names, transform)
    if source is None:
        report_of(result, path, title=title, command=command)
        return
    methods: list[Method] = []
    products = result.n_samples * result.n_features**2
    soon = products <= _SOON_MULTIPLIED and _is_soon_done(result, source)
    if compare or (compare is None and soon):
        methods = [method for _, method in all_variants()]
    if compare is None and result.n_features > _SOON_SOLVED:
        methods = [method for method in methods if not method.slow_with_many_columns]
    lines: Sequence[Comparison] = ()
    if methods:
        lines = compare_methods(
            source,
            result.alpha,
            _beside(result),
            methods,
            given=result.given,
            pairs=chosen_pairs(result),
        )
    report_of(
        result,
        path,
        lines=lines,
        diagnosis=diagnose(source),
        scores=sampled_scores(source, result) if rows and holds_rows(result, source) else None,
        title=title,
        command=command,
    )


def report_of(
    result: EdgeTestResult,
    path: str | os.PathLike[str],
    *,
    lines: Sequence[Comparison] = (),
    diagnosis: Diagnosis | None = None,
    scores: FloatArray | None = None,
    title: str | None = None,
    command: str = "",
) -> None:
    """Write it with facts about the data that are already known."""
    context = Context(
        title=title or title_of(result),
        facts=[] if diagnosis is None else _facts(diagnosis),
        advice="" if diagnosis is None else diagnosis.advice(),
        methods=[_method_line(line) for line in lines],
        methods_correction=_beside(result),
        methods_note=_methods_note(lines),
        command=command,
        decisions={line.label: line.result.reject for line in lines if line.result is not None},
        scores=scores,
    )
    html = report_html(result, context)
    with atomic_path(path) as temporary:
        temporary.write_text(html, encoding="utf-8")


class Page:
    """The report as an element of a notebook; it runs in a frame of its own."""

    def __init__(self, result: EdgeTestResult) -> None:
        self._html = report_html(result, Context(title=title_of(result)))

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self._html)}" width="100%" height="800" '
            'style="border:0" sandbox="allow-scripts allow-downloads"></iframe>'
        )


def title_of(result: EdgeTestResult) -> str:
    return f"{len(result.tested_columns())} variables, {result.n_samples:,} rows"


def holds_rows(result: EdgeTestResult, table: Table) -> bool:
    """Whether a page with this table holds sampled rows, unless they are left out."""
    if any(name in result.options for name, _ in _SPECIAL):
        return False
    kind = registered().get(result.method)
    # Latent correlations, and those given few neighbours, are not those of these residuals.
    linear = (
        kind is not None and "latent variables" not in kind.supports and result.selection is None
    )
    # Reading all rows once more takes little time.
    return linear and _is_soon_done(result, table)


def _is_soon_done(result: EdgeTestResult, table: Table) -> bool:
    """Whether nobody waits long for further passes over the rows."""
    # `edge_test_within` tests only a part of the rows.
    rows = max(table.estimated_rows or 0, result.n_samples)
    return rows * result.n_features <= _SOON_COMPARED


def _methods_note(lines: Sequence[Comparison]) -> str:
    """Which methods have no line, and which no result."""
    ran = {line.label for line in lines}
    missing = [label for label, _ in all_variants() if label not in ran]
    notes = [
        f"No result of {reason}"
        for reason in by_reason((line.label, line.failure) for line in lines if line.result is None)
    ]
    if ran and missing:
        long = "Left out, because they take long with this many variables"
        notes.insert(0, f"{long}: {'; '.join(missing)}.")
    return " ".join(notes)


def _beside(result: EdgeTestResult) -> str | None:
    """The correction for the per-edge methods in the table; a bound itself needs none."""
    return "holm" if result.radius is not None else result.correction


def _rows(data: Any, tested: Sequence[str], transform: str | None) -> Table | None:
    """The rows of the tested columns, if they can be read again."""
    if data is None or as_state(data) is not None:
        return None
    try:  # by name, or all if they were renamed
        source = as_table(data, columns=None if hasattr(data, "__next__") else tested)
    except DataError:
        source = as_table(data)
    if not source.rescannable:
        raise DataError(
            "data: expected rows that can be read again, got a stream; leave data out, and the "
            "report has no table of methods."
        )
    if len(source.feature_names) != len(tested):
        raise DataError(
            f"data: expected the {len(tested)} columns that were tested, got "
            f"{len(source.feature_names)}; pass the same columns."
        )
    # Columns that were renamed for the test are called the same here.
    return as_table(source, feature_names=tested, missing="drop", transform=transform)


def _facts(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    seen = "seen" if diagnosis.dependent else "not seen"
    order = f"{seen} (p {p_text(diagnosis.dependence_pvalue)})"
    if diagnosis.n_samples < FEWEST_ROWS:
        order = f"not checked with fewer than {FEWEST_ROWS} rows"
    moments = "; fourth moments may be infinite" if diagnosis.without_fourth_moments else ""
    return [
        ("tails", f"{diagnosis.kurtosis_ratio:.3g} times the kurtosis of Gaussian rows{moments}"),
        ("dependence between rows", order),
        ("scales", f"largest over smallest standard deviation {diagnosis.scale_ratio:.3g}"),
    ]


def _method_line(line: Comparison) -> tuple[str, str, str, str]:
    if line.result is None:
        return line.label, line.guarantee, "–", "–"
    threshold = line.threshold_on_partial_correlation()
    needed = line.result.rows_needed
    if math.isfinite(threshold):
        text = f"{threshold:.3g}" if threshold <= 1 else "above 1"
    else:
        text = "infinite" if needed is None else f"infinite; needs {needed:,} rows"
    return line.label, line.guarantee, text, f"{line.result.n_edges:,}"
