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

    def batches(self) -> Iterator[AnyArray]:
        """A fresh pass over the rows, as numeric n × p arrays."""
        ...


class FiniteRows:
    """The rows of a source that have a finite number in every column."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.n_dropped = 0

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._source.feature_names

    def batches(self) -> Iterator[AnyArray]:
        dropped = 0
        for batch in self._source.batches():
            complete = np.isfinite(batch).all(axis=1)
            missing = batch.shape[0] - int(complete.sum())
            dropped += missing
            yield batch[complete] if missing else batch
        self.n_dropped = dropped
