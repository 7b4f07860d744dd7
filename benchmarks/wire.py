"""What a pass sends to the rows and gets back from a partition: bytes, measured and by formula."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from benchmarks.report import Line
from edgewise import edge_test
from edgewise.tables.dask import PartitionedTable, PartTask
from edgewise.tables.table import in_tree

T = TypeVar("T")

COLUMN_COUNTS = (14, 100, 500)
# `batch` has 199 batches then, as many as there can be.
ROWS = 199 * 16
_BATCHES = 199
_FLOAT = 8
# The d × d matrix of 100 columns takes minutes, that of 500 would have 126 GB.
_MOST_FULL = 14


def pairs(p: int) -> int:
    """Entries of a covariance matrix: d."""
    return p * (p + 1) // 2


#: Bytes of what a partition returns, without the few hundred that any Python object takes.
STATE_BYTES: dict[str, Callable[[int], int]] = {
    "Moments, order 2": lambda p: _FLOAT * (p**2 + 2 * p),
    "Moments, order 4": lambda p: _FLOAT * (p**2 + 5 * p + 1),
    "a batch": lambda p: _FLOAT * (p**2 + 2 * p + 1),
    "score: second pass": lambda p: _FLOAT * 9 * p**2,
    "wald: second pass": lambda p: _FLOAT * 3 * p**2,
    "whitened, elliptical: second pass": lambda p: _FLOAT * (p + 2),
    "eig, full: second pass": lambda p: _FLOAT * pairs(p) ** 2,
    "eig, matrix-free: a pass with 4 vectors": lambda p: _FLOAT * 4 * p**2,
}


@dataclass(frozen=True)
class Sending:
    """A test, which of its passes is looked at (from the end), and the kind of its states."""

    kind: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    which: int = -1
    times: int = 1
    most_columns: int = max(COLUMN_COUNTS)


SENDINGS = (
    Sending("Moments, order 2", "fisher"),
    Sending("Moments, order 4", "trace"),
    Sending("a batch", "batch", times=_BATCHES),
    Sending("score: second pass", "score"),
    Sending("wald: second pass", "wald"),
    Sending("whitened, elliptical: second pass", "whitened"),
    Sending("eig, full: second pass", "eig", {"solver": "full"}, most_columns=_MOST_FULL),
    # The last pass has one vector only; the one before it is of the iteration.
    Sending("eig, matrix-free: a pass with 4 vectors", "eig", {"solver": "matrix-free"}, which=-2),
)


@dataclass(frozen=True)
class Weight:
    """Bytes of what a pass took to the rows, and of the largest state on the way back."""

    carried: int
    state: int


class WeighedRows(PartitionedTable):
    """Partitions in memory that put everything on a scale that a cluster would send."""

    def __init__(self, parts: Sequence[Any]) -> None:
        super().__init__([f"x{j}" for j in range(parts[0].shape[1])], named=False)
        self._parts = parts
        self.passes: list[Weight] = []

    def partition_rows(self) -> Sequence[int]:
        return [len(part) for part in self._parts]

    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T:
        states = [
            task.run(number, f"part {number}", lambda part=part: part)
            for number, part in enumerate(self._parts)
        ]
        total = in_tree(states, merge)
        self.passes.append(Weight(_size(task), _size(total)))
        return total


def _size(sent: Any) -> int:
    return len(pickle.dumps(sent, protocol=5))


def state_lines(
    sendings: Sequence[Sending] = SENDINGS,
    columns: Sequence[int] = COLUMN_COUNTS,
    rows: int = ROWS,
) -> list[Line]:
    """Pickled bytes beside the formula, for every kind of state."""
    lines = []
    X = np.random.default_rng(0).standard_normal((rows, max(columns)))
    for sending in sendings:
        for p in columns:
            if p > sending.most_columns:
                continue
            weight = weigh(X[:, :p], sending)
            formula = sending.times * STATE_BYTES[sending.kind](p)
            many = f"{sending.times} × " if sending.times > 1 else ""
            name = f"{many}{sending.kind}, p = {p}"
            beside: dict[str, float | str] = {"formula": formula, "carried there": weight.carried}
            lines.append(Line("A state on the wire, bytes", name, weight.state, beside=beside))
    return lines


def weigh(X: Any, sending: Sending) -> Weight:
    """What one pass of a test over X sends."""
    source = WeighedRows(np.array_split(X, 2))
    edge_test(source, method=sending.method, **sending.options)
    return source.passes[sending.which]
