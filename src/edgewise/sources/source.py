"""The one protocol of a source of rows, and what can be put around one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from edgewise._types import AnyArray

#: Rows handed out at once: enough that the reader's overhead vanishes, little memory.
BATCH_ROWS = 1 << 16


@runtime_checkable
class Source(Protocol):
    """Rows of named numeric columns that can be read again and again."""

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known before reading them."""
        ...

    def batches(self) -> Iterator[AnyArray]:
        """A fresh pass over the rows, as numeric n × p arrays."""
        ...


class RenamedColumns:
    """A source with other column names."""

    def __init__(self, source: Source, feature_names: tuple[str, ...]) -> None:
        self._source = source
        self.feature_names = feature_names

    @property
    def n_rows(self) -> int | None:
        return self._source.n_rows

    def batches(self) -> Iterator[AnyArray]:
        return self._source.batches()


class FiniteRows:
    """The rows of a source that have a finite number in every column."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.n_dropped = 0

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._source.feature_names

    @property
    def n_rows(self) -> int | None:
        return None

    def batches(self) -> Iterator[AnyArray]:
        dropped = 0
        for batch in self._source.batches():
            complete = np.isfinite(batch).all(axis=1)
            missing = batch.shape[0] - int(complete.sum())
            dropped += missing
            yield batch[complete] if missing else batch
        self.n_dropped = dropped


class StridedRows:
    """Every `step`-th row of a source: a sample from its whole length, not its head."""

    def __init__(self, source: Source, step: int) -> None:
        self._source = source
        self._step = step

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._source.feature_names

    @property
    def n_rows(self) -> int | None:
        known = self._source.n_rows
        return None if known is None else -(-known // self._step)

    def batches(self) -> Iterator[AnyArray]:
        skip = 0
        for batch in self._source.batches():
            yield batch[skip :: self._step]
            skip = (skip - batch.shape[0]) % self._step
