"""All rows of a table in memory, for what must see them again in another order."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.rows.table import Part, Table


def all_rows(table: Table) -> FloatArray:
    """Every row, as one n × p array of its own."""
    return table.reduce(_collected, _joined)


def _collected(part: Part) -> FloatArray:
    # A copy, because a reader may use the memory of a block again.
    blocks = [np.array(block, dtype=np.float64) for block in part.blocks()]
    return np.concatenate([np.empty((0, len(part.feature_names))), *blocks])


def _joined(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.concatenate([a, b])
