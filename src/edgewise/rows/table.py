"""The one protocol of a source of rows, and what can be put around one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from edgewise.rows.block import Rows

# Eight megabytes of float64: the reader's overhead vanishes, and three in flight are little.
_BATCH_ELEMENTS = 1 << 20
_MOST_BATCH_ROWS = 1 << 16
_FEWEST_BATCH_ROWS = 1 << 10


def batch_rows(n_features: int) -> int:
    """Rows handed out at once by sources that cut their own batches."""
    rows = _BATCH_ELEMENTS // max(n_features, 1)
    return max(_FEWEST_BATCH_ROWS, min(_MOST_BATCH_ROWS, rows))


@runtime_checkable
class Source(Protocol):
    """Rows of numeric columns, in batches."""

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def named(self) -> bool:
        """Whether the names came with the data, so that columns can be matched by them."""
        ...

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known before reading them."""
        ...

    @property
    def estimated_rows(self) -> int | None:
        """About how many rows there are, for a progress bar."""
        ...

    @property
    def rescannable(self) -> bool:
        """Whether the rows can be read more than once."""
        ...

    def batches(self) -> Iterator[Rows]:
        """A fresh pass over the rows, as numeric n × p arrays or what `np.asarray` makes one."""
        ...


def in_memory(source: Source) -> bool:
    """Whether another pass over the rows costs next to nothing; a source need not say so."""
    return bool(getattr(source, "in_memory", False))
