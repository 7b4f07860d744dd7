"""A few rows of a table, for the scatter plots of a report."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.results.result import EdgeTestResult
from edgewise.rows.table import Part, Table

# Enough points to see a shape; with many columns fewer, so that the page stays small.
_MOST_ROWS, _FEWEST_ROWS, _MOST_NUMBERS = 500, 200, 4_000
_SEED = 25


class _Drawn(NamedTuple):
    """Rows with the smallest of random keys: a simple sample, however the rows are cut."""

    keys: FloatArray
    rows: FloatArray


def sampled_scores(table: Table, result: EdgeTestResult) -> FloatArray:
    """Up to 500 random rows as scores x Θ̂, centred and with Θ̂_ii = 1; tested columns only.

    Column i is the residual of variable i given all others, up to its scale. Of two columns i and
    j, (v_i + ρ̂ v_j, v_j + ρ̂ v_i) are proportional to the residuals of i and j given all the
    others, whose correlation is ρ̂_ij.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> from edgewise.rows.opening import open_table
    >>> rows = np.random.default_rng(0).standard_normal((800, 3))
    >>> sampled_scores(open_table(rows), ew.edge_test(rows)).shape
    (500, 3)
    """
    p = len(result.tested_columns())
    most = max(min(_MOST_ROWS, _MOST_NUMBERS // p), _FEWEST_ROWS)
    rows = table.reduce(partial(_draw, most=most), partial(_fewer, most=most)).rows
    scale = np.sqrt(np.diag(result.precision))
    scores = (rows - rows.mean(axis=0)) @ (result.precision / scale)
    return np.asarray(scores[:, result.tested_columns()])


def _draw(part: Part, most: int) -> _Drawn:
    random = np.random.default_rng([_SEED, part.number])
    drawn = _Drawn(np.empty(0), np.empty((0, len(part.feature_names))))
    for block in part.blocks():
        rows = np.asarray(block, dtype=float)
        drawn = _fewer(drawn, _Drawn(random.random(len(rows)), rows), most)
    return drawn


def _fewer(a: _Drawn, b: _Drawn, most: int) -> _Drawn:
    keys = np.concatenate([a.keys, b.keys])
    kept = np.argsort(keys, kind="stable")[:most]
    return _Drawn(keys[kept], np.concatenate([a.rows, b.rows])[kept])
