"""Labels of rows that pandas knows by its index: are they in the order of the rows?"""

from __future__ import annotations

from typing import Any

from edgewise.errors import ParameterError
from edgewise.rows.not_rows import is_a


def check_aligned(data: Any, labels: Any, argument: str = "groups", what: str = "labels") -> None:
    """Refuse a pandas `Series` of labels with the index of a pandas frame in another order.

    Labels go by position. Somebody who thinks in indexes would expect them to follow the index; a
    `Series` whose index only counts from 0, beside a frame with another index, is meant as a list.
    """
    if not (is_a(data, "pandas", "DataFrame") and is_a(labels, "pandas", "Series")):
        return
    rows, own = data.index, labels.index
    same = len(rows) == len(own) and bool(rows.isin(own).all())
    if own.equals(rows) or (not same and is_a(own, "pandas", "RangeIndex")):
        return
    raise ParameterError(
        f"{argument}: expected {what} in the order of the rows, got a Series whose index differs "
        f"from that of the data; pass {what}.loc[data.index] if the index says which row each "
        f"{what[:-1]} is of, else {what}.to_numpy()."
    )
