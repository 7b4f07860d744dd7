"""What the sums of many batches can do, whatever they are sums of."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray


class Sums(Protocol):
    """Sums of many batches, stacked: those of moments, or of all pairs of columns."""

    @property
    def n(self) -> npt.NDArray[np.int64]:
        """Rows of each batch."""
        ...

    @property
    def origin(self) -> FloatArray:
        """What the sums are about, of shape (batches, p)."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice) -> Self: ...

    def then(self, *later: Self) -> Self: ...

    def paired(self) -> Self: ...

    def permuted(self, order: npt.NDArray[np.intp]) -> Self: ...

    def arrays(self) -> dict[str, AnyArray]: ...
