"""Normal scores Φ⁻¹(r/(n + 1)) of columns: r is the rank, the average one of equal values.

The score of a value that the column does not have lies between those of its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise._optional import is_installed
from edgewise._parallel import n_cores, on_each
from edgewise.tables.table import Rows

_MANY = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class ScoreMap:
    """The normal scores of some columns, of which `values` are sorted, as a function of a value."""

    values: FloatArray

    def scores(self, block: Rows) -> FloatArray:
        """The scores of a block of rows; labels, and what is not finite, stay as they are."""
        made = np.array(np.asarray(block, dtype=np.float64).T)
        for column, values in zip(made, self.values, strict=False):
            finite = np.isfinite(column)
            below, until = (np.searchsorted(values, column, side) for side in ("left", "right"))
            scores = special.ndtri((below + until + 1) / 2 / (len(values) + 1))
            column[:] = np.where(finite, scores, column)
        return made.T


def normal_scores(values: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """The normal scores of columns of finite numbers, features first; `out` may be the same memory."""
    n = values.shape[1]
    # Without ties all columns have the same scores, in another order.
    untied = special.ndtri(np.arange(1, n + 1) / (n + 1))
    made = np.empty(values.shape) if out is None else out
    # Of few numbers the scores are there before joblib is imported; without it, one core does it.
    everywhere = values.size > _MANY and is_installed("joblib")
    run = partial(on_each, threads=n_cores()) if everywhere else map
    for _ in run(partial(_score, untied=untied), zip(values, made, strict=True)):
        pass
    return made


def _score(both: tuple[FloatArray, FloatArray], untied: FloatArray) -> None:
    """Write the scores of a column into the memory for them."""
    (column, scores), n = both, len(untied)
    order = np.argsort(column)
    values = column[order]
    first = np.flatnonzero(np.append(np.ones(min(n, 1), dtype=bool), values[1:] != values[:-1]))
    if len(first) == n:
        scores[order] = untied
        return
    until = np.append(first[1:], n)
    own = special.ndtri((first + until + 1) / 2 / (n + 1))
    scores[order] = np.repeat(own, until - first)
