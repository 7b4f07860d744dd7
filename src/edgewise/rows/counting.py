"""How many rows a table has, if counting them is cheap."""

from __future__ import annotations

import operator
from functools import partial

from edgewise.rows.table import Part, Table


def rows_up_to(table: Table, most: int) -> int | None:
    """How many rows a table has if there are at most `most`; else None.

    It is None, too, if counting would cost more than reading `most` rows: for a stream that is
    read once, and for a table in many parts.
    """
    n = table.n_rows
    if n is None:
        parts = table.part_rows()
        if not table.rescannable or parts is None or len(parts) > 1:
            return None
        n = table.reduce(partial(_count, most=most), operator.add)
    return n if n <= most else None


def dropped_rows(table: Table) -> int:
    """How many rows a table leaves out because a value is not finite; one pass."""
    dropped: int = table.reduce(_count_dropped, operator.add)
    return dropped


def _count(part: Part, most: int) -> int:
    n = 0
    for block in part.blocks():
        n += block.shape[0]
        if n > most:
            break
    return n


def _count_dropped(part: Part) -> int:
    for _ in part.blocks():
        pass
    return part.n_dropped
