"""Spark: data frames, with a state for each partition, merged on the executors."""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from edgewise._optional import missing_dependency
from edgewise._text import one_line
from edgewise.errors import DataError, EdgewiseError, quiet
from edgewise.tables.dask import PartitionedTable, PartTask
from edgewise.tables.table import in_tree, select_columns

try:
    import pyarrow as pa

    from edgewise.tables.arrow import BatchTable, stream_table
except ImportError as _error:
    raise missing_dependency("pyarrow", "spark", "A data frame of Spark", _error) from _error

T = TypeVar("T")

# How many states one task merges; the driver merges what is left.
FAN_IN = 32
_SCHEMA = "number bigint, state binary"
_ARROW_SCHEMA = pa.schema([("number", pa.int64()), ("state", pa.binary())])
_NUMBERS = ["tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "decimal", "void"]
_WORDS = {"string": "text", "date": "dates", "timestamp": "dates", "timestamp_ntz": "dates"}


def without_pandas_warning() -> AbstractContextManager[None]:
    """Hide Spark's warning about new versions of pandas; this module uses only Arrow."""
    return quiet(FutureWarning, "PySpark does not yet fully support pandas")


class SparkTable(PartitionedTable):
    """The rows of a Spark data frame, read on its executors."""

    def __init__(self, frame: Any, *, along: Sequence[str] = (), **chosen: Any) -> None:
        held: dict[str, str] = {
            name: str(_WORDS.get(kind, kind))
            for name, kind in frame.dtypes
            if kind.partition("(")[0] not in _NUMBERS
        }
        names, self.left_out = select_columns(
            frame.columns, "the data frame", along=along, held=held, **chosen
        )
        place = {name: i for i, name in enumerate(frame.columns)}
        super().__init__(names, named=True, along=along)
        # Dots and backticks in a name are syntax for Spark, so columns go by their places.
        placed = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
        self._frame = placed.select(*(f"c{place[name]}" for name in names))

    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T:
        from pyspark.sql import functions

        try:
            with without_pandas_warning():
                states = self._frame.mapInArrow(_states(task), _SCHEMA)
                group = functions.floor(functions.col("number") / FAN_IN)
                rows = states.groupBy(group).applyInArrow(_merges(merge), _SCHEMA).collect()
        except Exception as error:  # of Spark, or of Java
            raise _explained(error) from error
        if not rows:
            raise DataError("data: expected at least one partition, got none.")
        made: T = _merged(rows, merge)
        return made


@dataclass(frozen=True, eq=False)
class _Failed:
    """An error as a value: if a task raised it, Spark would retry, then send a traceback."""

    error: EdgewiseError


def _states(task: PartTask[Any]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def state(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        number, made = context.partitionId(), None
        try:
            made = task.run(number, f"partition {number}", lambda: _opened(batches, task))
        except EdgewiseError as error:
            error.__cause__ = error.__context__ = None  # the driver may not have these types
            made = _Failed(error)
        yield _packed(number, made)

    return state


def _opened(batches: Iterator[pa.RecordBatch], task: PartTask[Any]) -> BatchTable:
    names = list(task.names or ())
    first = next(batches, None)
    if first is None:
        empty = pa.schema([(name, pa.float64()) for name in names])
        return stream_table(pa.RecordBatchReader.from_batches(empty, iter(())))
    named = (batch.rename_columns(names) for batch in itertools.chain([first], batches))
    schema = first.rename_columns(names).schema
    return stream_table(pa.RecordBatchReader.from_batches(schema, named), along=task.along)


def _merges(merge: Callable[[Any, Any], Any]) -> Callable[[pa.Table], pa.Table]:
    def merged(states: pa.Table) -> pa.Table:
        rows = states.to_pylist()
        made: Any
        try:
            made = _merged(rows, merge)
        except EdgewiseError as error:
            made = _Failed(error)
        number = rows[0]["number"] // FAN_IN
        return pa.Table.from_batches([_packed(number, made)])

    return merged


def _packed(number: int, made: Any) -> pa.RecordBatch:
    row = {"number": number, "state": pickle.dumps(made)}
    return pa.RecordBatch.from_pylist([row], schema=_ARROW_SCHEMA)


def _merged(rows: list[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """The states of rows in the order of their numbers, merged."""
    rows.sort(key=lambda row: row["number"])
    # These are pickles of our own tasks on the user's cluster, sent as Spark sends its own pickles.
    made = [pickle.loads(row["state"]) for row in rows]  # noqa: S301
    for one in made:
        if isinstance(one, _Failed):
            raise one.error
    return in_tree(made, merge)


def _explained(error: Exception) -> DataError:
    """Spark's error in one sentence that names the partition."""
    text = str(error)
    if "No module named 'edgewise'" in text:
        return DataError(
            "data: edgewise is not installed where Spark runs Python; install it on every executor "
            "(or ship it with spark.archives), in the version that you have here."
        )
    file = re.search(r"while reading file (\S+?)\.?\s", text)
    task = re.search(r"Task (\d+) in stage", text)
    where = f"file '{file[1]}'" if file else f"partition {task[1]}" if task else "data"
    # The last error is the reason; in a Java trace the last one of its line.
    python = re.findall(r"^[\w.]*(?:Error|Exception): .+", text, re.M)
    java = re.findall(r"^.*(?:Error|Exception): (.+)", text, re.M)
    reason = one_line(ValueError([text, *java[-1:], *python[-1:]][-1]))
    return DataError(f"{where}: Spark could not make the rows ({reason}).")
