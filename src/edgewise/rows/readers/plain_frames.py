"""pandas data frames of NumPy's own numbers, which need no Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_names
from edgewise._base.parts import missing_part
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource


def is_plain(kind: Any) -> bool:
    """Whether the type of a column is one of NumPy's numbers, as this machine has them."""
    if not isinstance(kind, np.dtype) or kind.kind not in "fiub":
        return False
    return kind.isnative and kind.itemsize <= 8


class PlainFrameRows(RowSource):
    """A pandas data frame; its index is not a variable. Other types of columns need pyarrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = check_names(frame.columns)
        self._kinds = frame.dtypes.tolist()
        self._places: list[int] | None = None
        self.n_rows = len(frame)

    def choose(self, names: Sequence[str]) -> None:
        if tuple(names) != self.names:
            self._places = [self.names.index(name) for name in names]
        for name, kind in zip(names, self._chosen(self._kinds), strict=True):
            if not is_plain(kind):
                what = f"Column {name!r} of the data frame, which holds {kind},"
                raise missing_part("pyarrow", "tables", what)
        self._all_plain = all(map(is_plain, self._kinds))

    def rows(self, start: int, stop: int) -> Rows:
        part = self._frame.iloc[start:stop] if stop - start < self.n_rows else self._frame
        if not self._all_plain:
            return np.asarray(part.iloc[:, self._places].to_numpy(dtype=np.float64))
        # Where all columns hold float64, this is a view, and choosing columns in it takes no time.
        values = np.asarray(part.to_numpy(dtype=np.float64))
        return values if self._places is None else values[:, self._places]

    def labels(self, name: str) -> Iterable[Any]:
        place = self.names.index(name)
        column = self._frame.iloc[:, place]
        labels: Iterable[Any] = (
            column.to_numpy() if is_plain(self._kinds[place]) else column.tolist()
        )
        return labels

    def _chosen(self, of_columns: list[Any]) -> list[Any]:
        if self._places is None:
            return of_columns
        return [of_columns[place] for place in self._places]
