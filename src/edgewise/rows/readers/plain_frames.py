"""pandas data frames where pyarrow is not installed: columns of NumPy's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_names
from edgewise._base.parts import missing_part
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource


class PlainFrameRows(RowSource):
    """A pandas data frame; its index is not a variable. Other types of columns need pyarrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = check_names(frame.columns)

    @property
    def n_rows(self) -> int:
        return len(self._frame)

    def choose(self, names: Sequence[str]) -> None:
        self._places = [self.names.index(name) for name in names]
        for name, place in zip(names, self._places, strict=True):
            kind = self._frame.dtypes.iloc[place]
            if not isinstance(kind, np.dtype) or kind.kind not in "fiub":
                what = f"Column {name!r} of the data frame, which holds {kind},"
                raise missing_part("pyarrow", "tables", what)

    def rows(self, start: int, stop: int) -> Rows:
        part = self._frame.iloc[start:stop, self._places]
        return np.asarray(part.to_numpy(dtype=np.float64))

    def labels(self, name: str) -> Iterable[Any]:
        labels: Iterable[Any] = self._frame.iloc[:, self.names.index(name)].tolist()
        return labels
