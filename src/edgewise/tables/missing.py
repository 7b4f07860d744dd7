"""What to do with missing values: refuse them, leave out their rows, or use what each pair has."""

from __future__ import annotations

import numpy as np

from edgewise._base.checks import check_choice
from edgewise.errors import ParameterError
from edgewise.tables.block import Rows
from edgewise.tables.table import SoFar, Table
from edgewise.tables.views import SomeRows, is_seen_through, keeping, kept

MISSING = ("raise", "drop", "pairwise")


def refuse_pairwise(missing: str, what: str) -> None:
    """Refuse pairs of columns with rows of their own, where that has no meaning yet."""
    check_choice("missing", missing, MISSING)
    if missing == "pairwise":
        raise ParameterError(
            f"missing: expected 'raise' or 'drop' with {what}, got 'pairwise'; drop such rows, or "
            "fill values in several times and pool the results (edgewise.pool)."
        )


class PartialTable(SomeRows):
    """A table whose rows may lack values: NaN or infinity stands for a missing one.

    Rows without any value say nothing, and are left out; a pass counts them. The last `but_last`
    columns are not variables: weights.
    """

    def __init__(self, table: Table, *, but_last: int = 0) -> None:
        variables = len(table.feature_names) - but_last
        super().__init__(table, keeping(_keep, variables=variables))


def _keep(block: Rows, variables: int, so_far: SoFar) -> Rows:
    rows = np.asarray(block)
    return kept(rows, np.isfinite(rows[:, :variables]).any(axis=1), so_far)


def may_lack_values(table: object) -> bool:
    """Whether it is a table that was opened so that its rows may lack values."""
    return is_seen_through(table, PartialTable)
