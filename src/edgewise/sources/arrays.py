"""NumPy arrays and whatever turns into one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edgewise._blocks import row_blocks
from edgewise._types import AnyArray
from edgewise._validation import check_rows, default_names
from edgewise.sources.source import BATCH_ROWS


class ArraySource:
    """A two-dimensional array; batches are views of it."""

    def __init__(self, X: Any) -> None:
        self._values = check_rows(X)
        self.feature_names = default_names(self._values.shape[1])
        self.n_rows: int | None = self._values.shape[0]

    def batches(self) -> Iterator[AnyArray]:
        return row_blocks(self._values, BATCH_ROWS)
