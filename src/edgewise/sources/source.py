"""The one protocol of a source of rows, and what can be put around one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from edgewise._blocks import Rows

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


class _Around:
    """A source that passes on what another one says of itself."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._source.feature_names

    @property
    def named(self) -> bool:
        return self._source.named

    @property
    def n_rows(self) -> int | None:
        return self._source.n_rows

    @property
    def estimated_rows(self) -> int | None:
        return self._source.estimated_rows

    @property
    def rescannable(self) -> bool:
        return self._source.rescannable

    @property
    def in_memory(self) -> bool:
        return in_memory(self._source)

    def batches(self) -> Iterator[Rows]:
        return self._source.batches()


class RenamedColumns(_Around):
    """A source with other column names."""

    def __init__(self, source: Source, feature_names: tuple[str, ...]) -> None:
        super().__init__(source)
        self._names = feature_names

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._names

    @property
    def named(self) -> bool:
        return True


class FiniteRows(_Around):
    """The rows of a source that have a finite number in every column."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.n_dropped = 0

    @property
    def n_rows(self) -> int | None:
        return None

    def keep(self, batch: Rows) -> Rows:
        """The complete rows of a batch; the others are counted."""
        rows = np.asarray(batch)
        complete = np.isfinite(rows).all(axis=1)
        missing = batch.shape[0] - int(complete.sum())
        self.n_dropped += missing
        return rows[complete] if missing else rows

    def batches(self) -> Iterator[Rows]:
        self.n_dropped = 0
        return map(self.keep, self._source.batches())


class StridedRows(_Around):
    """Every `step`-th row of a source: a sample from its whole length, not its head."""

    def __init__(self, source: Source, step: int) -> None:
        super().__init__(source)
        self._step = step

    @property
    def n_rows(self) -> int | None:
        known = self._source.n_rows
        return None if known is None else -(-known // self._step)

    @property
    def estimated_rows(self) -> int | None:
        known = self._source.estimated_rows
        return None if known is None else -(-known // self._step)

    def batches(self) -> Iterator[Rows]:
        skip = 0
        for batch in self._source.batches():
            yield np.asarray(batch)[skip :: self._step]
            skip = (skip - batch.shape[0]) % self._step


class WatchedRows(_Around):
    """A source that tells a progress bar how many rows went by."""

    def __init__(self, source: Source, tell: Callable[[int], None]) -> None:
        super().__init__(source)
        self._tell = tell

    def batches(self) -> Iterator[Rows]:
        for batch in self._source.batches():
            yield batch
            self._tell(batch.shape[0])
