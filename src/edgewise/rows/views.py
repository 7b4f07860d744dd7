"""What can be put around a table: other names, complete rows only, a sample, a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from edgewise.rows.block import Rows
from edgewise.rows.table import Source, in_memory


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
