"""NumPy arrays, and tensors of other libraries (PyTorch, CuPy, JAX, …)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from edgewise._checks import default_names
from edgewise._linalg import AnyArray
from edgewise._text import one_line
from edgewise.errors import DataTypeError
from edgewise.tables.table import LocalTable, Rows, block_rows, selected_names
from edgewise.tables.values import check_rows

# Numbers of a view (16 MB of float64).
_VIEW_NUMBERS = 1 << 21


class ArrayTable(LocalTable):
    """A two-dimensional array, in memory or mapped from a file; blocks are views of it."""

    named = False
    rescannable = True
    in_memory = True

    def __init__(
        self,
        X: Any,
        *,
        name: str = "X",
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        self._values = check_rows(X, name=name)
        self.feature_names = default_names(self._values.shape[1])
        if columns is not None or exclude is not None or along:
            names = self.feature_names
            self.feature_names = selected_names(names, columns, exclude, name, along)
            place = {name: i for i, name in enumerate(names)}
            places = [place[name] for name in self.feature_names]
            self._values = np.asarray(self._values)[:, places]

    @property
    def n_rows(self) -> int:
        return int(self._values.shape[0])

    def entries(self) -> Sequence[int]:
        return range(max(self._values.shape[0], 1))

    def blocks(self) -> Iterator[Rows]:
        return self.blocks_from(0)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        return self.blocks_between(row, self.n_rows)

    def blocks_between(self, first: int, last: int) -> Iterator[Rows]:
        """The rows from one number on, up to another."""
        # Views cost nothing, so each holds several blocks: accumulators are set up once for all of
        # them. Their size is fixed, so that reading on from the end of one gives the same views.
        p = max(self._values.shape[1], 1)
        rows = max(2 * block_rows(p), _VIEW_NUMBERS // p)
        for start in range(first, last, rows):
            yield self._values[start : min(start + rows, last)]


class TensorTable(ArrayTable):
    """A tensor whose values this process can read, through NumPy's protocols or DLPack."""

    def __init__(self, data: Any, **chosen: Any) -> None:
        super().__init__(_from_tensor(data), **chosen)


def _from_tensor(data: Any) -> AnyArray:
    """The numbers of a tensor as an array, without a copy if possible."""
    try:
        as_array = np.asarray if hasattr(type(data), "__array__") else np.from_dlpack
        values = as_array(data)
        if values.dtype.kind == "V" and values.dtype.names is None:
            # Short floats such as JAX's bfloat16, which are new to NumPy; a float32 holds them.
            values = values.astype(np.float32)
    except Exception as error:
        raise DataTypeError(
            "X: expected numbers in memory that NumPy reads, got a "
            f"{type(data).__module__.partition('.')[0]} {type(data).__name__} ({one_line(error)}); "
            "pass it as a NumPy array, as data.detach().cpu().numpy() gives one."
        ) from error
    return values
