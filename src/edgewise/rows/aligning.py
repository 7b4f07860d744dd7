"""Labels of rows that pandas knows by its index: are they in the order of the rows?"""

from __future__ import annotations

from typing import Any

from edgewise.errors import ParameterError
from edgewise.rows.not_rows import is_a


def check_aligned(data: Any, labels: Any, argument: str = "groups") -> None:
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
        f"{argument}: expected labels in the order of the rows, got a Series whose index differs "
        "from that of the data; pass labels.loc[data.index] if the index says which row each label "
        "is of, else labels.to_numpy()."
    )
