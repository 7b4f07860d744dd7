"""Rows in partitions on other machines: the pass over one of them is done where its rows are.

Here on Dask: arrays, data frames and lists of files, one task for each partition.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from edgewise._checks import check_names, default_names
from edgewise._optional import require
from edgewise._parallel import one_blas_thread
from edgewise._text import listed, one_line
from edgewise._version import __version__
from edgewise.errors import (
    DataError,
    DataTypeError,
    EdgewiseError,
    EdgewiseWarning,
    NonFiniteError,
    ParameterError,
    quiet,
    warn,
)
from edgewise.tables.arrays import check_has_columns
from edgewise.tables.files import FileTable
from edgewise.tables.open import open_columns
from edgewise.tables.options import chosen_columns
from edgewise.tables.table import Partition, Table, in_tree, select_columns

T = TypeVar("T")


class PartitionedTable(Table):
    """A table whose rows are in partitions on other machines; labels `along` are its last columns."""

    rescannable = True
    local = False

    def __init__(
        self, feature_names: Sequence[str], *, named: bool, along: Sequence[str] = ()
    ) -> None:
        self.feature_names = tuple(feature_names)
        self.named, self.along = named, tuple(along)

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        """Run the pass on every partition and merge the results, in order, in a fixed tree."""
        names = self.feature_names if self.named else None
        return self._reduced(PartTask(one_pass, len(self.feature_names), names, self.along), merge)

    @abstractmethod
    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class PartTask(Generic[T]):
    """A pass over one partition; it is sent to each machine once, for all partitions there."""

    one_pass: Callable[[Partition], T]
    n_features: int
    names: tuple[str, ...] | None
    along: tuple[str, ...] = ()
    version: str = __version__

    def run(self, number: int, where: str, make: Callable[[], Any]) -> T:
        """Run the pass on the partition that `make` makes; every error names `where`."""
        if self.version != __version__:
            raise DataError(
                f"{where}: expected edgewise {self.version} on the workers, got {__version__}; "
                "install the same version everywhere."
            )
        try:
            with one_blas_thread():
                table = self._opened(make(), where)
                # It is one partition here, so there is nothing to merge.
                return table.reduce(
                    lambda part: self.one_pass(replace(part, number=number, where=where)),
                    lambda left, right: left,
                )
        except NonFiniteError as error:
            raise NonFiniteError(_named(where, error), error.counts) from error
        except EdgewiseError as error:
            raise type(error)(_named(where, error)) from error
        except Exception as error:
            # Usually an error of another library that makes the partition: say which partition.
            reason = f"{type(error).__name__}: {one_line(error)}"
            raise DataError(f"{where} cannot be read: {reason}.") from error

    def _opened(self, rows: Any, where: str) -> Table:
        table = open_columns(rows, along=self.along)
        got = table.feature_names
        for name, what in table.left_out.items():
            if self.names is None or name in self.names:
                raise DataTypeError(
                    f"{where}: column {name!r} must hold numbers, got {what}; convert it, or leave "
                    "it out (exclude=...)."
                )
        if self.names is not None and tuple(got) != self.names:
            want, have = (listed([*map(repr, names)]) for names in (self.names, got))
            raise DataError(
                f"{where}: expected the columns {want}, got {have}; every partition must have the "
                "same columns in the same order."
            )
        if len(got) != self.n_features:
            raise DataError(
                f"{where}: expected {self.n_features} columns, got {len(got)}; every partition "
                "must have the same columns."
            )
        return table


def _named(where: str, error: EdgewiseError) -> str:
    message = str(error)
    return message if where in message else f"{where}: {message}"


_WORDS = {"string": "text", "str": "text", "object": "text", "category": "categories"}


def check_client(client: Any) -> None:
    """Refuse anything but a client of Dask that is connected and waits for its results."""
    require("distributed", "dask", "A cluster of Dask")
    from distributed import Client

    if not isinstance(client, Client):
        raise ParameterError(
            f"client: expected a distributed.Client, got {type(client).__name__}; make one with "
            "Client(address)."
        )
    if client.asynchronous:
        raise ParameterError(
            "client: expected a client that waits for its results, got an asynchronous one; make "
            "it with asynchronous=False."
        )
    if client.status != "running":
        raise ParameterError(
            f"client: expected a client with a connection, got one that is {client.status}; make a "
            "new one with Client(address)."
        )


class DaskTable(PartitionedTable):
    """A table whose `parts` are each a `Delayed`, or a function that opens it on a worker.

    `wheres` are their names in messages, `files` the files that are read, with their rows.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        wheres: Sequence[str],
        feature_names: Sequence[str],
        *,
        named: bool,
        partition_rows: Sequence[int | None] | None = None,
        client: Any = None,
        along: Sequence[str] = (),
        files: Sequence[tuple[str, int | None]] = (),
    ) -> None:
        super().__init__(feature_names, named=named, along=along)
        if not parts:
            raise DataError("data: expected at least one partition, got none.")
        self._parts, self._wheres, self._client = list(parts), list(wheres), client
        self._part_rows = [None] * len(self._parts) if partition_rows is None else partition_rows
        self._files = files
        #: The cluster keeps futures only while somebody holds the collection that they are of.
        self.data: Any = None

    def rows_read(self) -> Sequence[tuple[str, int | None]]:
        """The files and the rows of each; None where they are not known."""
        return self._files

    def partition_rows(self) -> Sequence[int | None]:
        return self._part_rows

    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T:
        from dask.base import tokenize
        from dask.delayed import delayed

        # The task is one node of the graph: what it carries, such as Θ̂, goes to a worker once, and
        # the graph still has it if that worker is lost.
        name = tokenize(os.urandom(16))
        shared = delayed(task, name=f"edgewise-pass-{name}", pure=False, traverse=False)
        on_part, merged = delayed(_on_part, pure=False), delayed(merge, pure=False, traverse=False)
        states = [
            on_part(shared, number, where, rows, dask_key_name=f"edgewise-state-{name}-{number}")
            for number, (where, rows) in enumerate(zip(self._wheres, self._parts, strict=True))
        ]
        total = in_tree(states, merged)
        try:
            # Θ̂ of a thousand columns is large for a graph, but it goes to the cluster once.
            with quiet(Warning, "Sending large graph"):
                if self._client is None:
                    made: T = total.compute()
                else:
                    made = self._client.compute(total).result()
                return made
        except EdgewiseError:
            raise
        except CancelledError as error:
            raise DataError(
                "data: the cluster cancelled the work, or lost rows that it held; keep the futures "
                "that hold the data, check that the workers are up, and try again."
            ) from error
        except Exception as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> DataError:
        """Another library's error in one sentence, which names the partition if that is known."""
        if type(error).__name__ != "KilledWorker":
            return DataError(
                "data: the cluster failed to make the rows "
                f"({type(error).__name__}: {one_line(error)})."
            )
        task = str(getattr(error, "task", ""))
        number = task.rpartition("-")[2] if task.startswith("edgewise-state-") else ""
        where = self._wheres[int(number)] if number.isdigit() else "data"
        return DataError(
            f"{where}: the workers that read it died, several times, most likely because they "
            "needed more memory than they may have; give workers more memory "
            "(memory_limit=...), or make partitions smaller, as with "
            "repartition(partition_size='100MB'), rechunk, or more files."
        )


def _on_part(task: PartTask[T], number: int, where: str, rows: Any) -> T:
    return task.run(number, where, rows if callable(rows) else lambda: rows)


def dask_file_table(files: FileTable, *, client: Any = None) -> DaskTable:
    """Files that the workers can read, one task per file; workers may run in another folder."""
    if not files.rescannable:
        raise DataError("data: a cluster cannot read standard input; write the rows to files.")
    # Columns are chosen by name, because files may have them in another order. A worker does not
    # read ahead: it already has one partition per core.
    chosen: dict[str, Any] = {"columns": files.feature_names, "along": files.along}
    opened = partial(FileTable, **chosen, reading=files.reading, read_ahead=False)
    table = DaskTable(
        [partial(opened, [os.path.abspath(path)]) for path in files.paths],
        [f"file '{path}'" for path in files.paths],
        files.feature_names,
        named=files.named,
        partition_rows=files.rows_of_files(),
        client=client,
        along=files.along,
        files=files.rows_read(),
    )
    table.left_out = files.left_out
    return table


def dask_table(
    data: Any,
    *,
    client: Any = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    along: Sequence[str] = (),
) -> Table:
    """A table of some columns of a `dask.array` or a `dask.dataframe`."""
    if not hasattr(type(data), "ndim"):
        raise DataTypeError(
            "data: expected a dask.array or a dask.dataframe, got a Dask "
            f"{type(data).__name__}; convert it first."
        )
    if data.ndim != 2:
        raise DataError(
            f"data: expected rows and columns (2D), got a Dask {type(data).__name__} of "
            f"{data.ndim}D; reshape it, or pass several columns."
        )
    if hasattr(data, "columns"):
        return _of_frame(data, client, columns, exclude, along)
    table = _of_array(data, client)
    if columns is None and exclude is None and not along:
        return table
    names, _ = select_columns(table.feature_names, "the array", columns, exclude, along)
    return chosen_columns(table, names)


def _of_frame(
    frame: Any,
    client: Any,
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
    along: Sequence[str],
) -> DaskTable:
    names = check_names(frame.columns)
    held = {
        name: "dates" if getattr(kind, "kind", "O") == "M" else _WORDS.get(str(kind), str(kind))
        for name, kind in zip(names, frame.dtypes, strict=True)
        if getattr(kind, "kind", "O") not in "fiub"
    }
    chosen, left_out = select_columns(names, "the data frame", columns, exclude, along, held)
    if chosen != names:
        # Select by the frame's own names, which need not be text.
        own = dict(zip(names, frame.columns, strict=True))
        frame = frame[[own[name] for name in chosen]]
    parts = frame.to_delayed()
    wheres = [f"partition {number}" for number in range(len(parts))]
    table = DaskTable(parts, wheres, chosen, named=True, client=client, along=along)
    table.data, table.left_out = frame, left_out
    return table


def _of_array(array: Any, client: Any) -> DaskTable:
    if array.dtype.kind not in "fiub":
        raise DataTypeError(f"data: expected numbers, got dtype {array.dtype}; convert it.")
    if array.shape[1] != array.shape[1]:  # NaN: Dask does not know
        raise DataError(
            "data: expected a known number of columns, got an array whose chunks are unknown; call "
            "its compute_chunk_sizes() first."
        )
    check_has_columns(array.shape)
    if len(array.chunks[1]) > 1:
        warn(
            f"the array has {len(array.chunks[1])} chunks along its columns. They are joined, so "
            "rows move between workers. Rechunk it so that a chunk has whole rows.",
            EdgewiseWarning,
        )
        array = array.rechunk({1: -1})
    # Optimised, the graph of an array that the cluster holds would lack what keeps it there.
    parts = array.to_delayed(optimize_graph=False).ravel().tolist()
    table = DaskTable(
        parts,
        [f"chunk {number}" for number in range(len(parts))],
        default_names(int(array.shape[1])),
        named=False,
        # NaN: Dask does not know.
        partition_rows=[int(count) if count == count else None for count in array.chunks[0]],
        client=client,
    )
    table.data = array
    return table
