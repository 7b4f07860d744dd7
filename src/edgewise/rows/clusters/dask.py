"""Dask: arrays, data frames and lists of files, one task for each partition."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from edgewise._base.checks import check_names, default_names
from edgewise._base.text import listed, one_line
from edgewise._base.warn import quiet, warn
from edgewise.errors import DataError, DataTypeError, EdgewiseError, EdgewiseWarning
from edgewise.rows.clusters.dask_subgraphs import is_complete, own_subgraphs
from edgewise.rows.clusters.partition_task import PartTask
from edgewise.rows.clusters.partitioned import PartitionedTable
from edgewise.rows.clusters.sources import (
    StoredFile,
    check_of,
    files_of_frame,
    marks_of,
    paths_within,
)
from edgewise.rows.merging import in_tree
from edgewise.rows.readers.files import FileTable
from edgewise.rows.reading import Reading
from edgewise.rows.selection import selected_names
from edgewise.rows.table import Table
from edgewise.rows.views import ChosenColumns

T = TypeVar("T")

# What helps if workers die; Dask kills them at 95 % of their memory.
_MORE_ROOM = (
    "give workers more memory (memory_limit=...), or make partitions smaller, as with "
    "repartition(partition_size='100MB'), rechunk, or more files"
)


class DaskTable(PartitionedTable):
    """A table whose partitions Dask makes, on any cluster.

    Parameters
    ----------
    makers : sequence of tuple
        How to make each partition: a function to call on a worker and its arguments, or only a
        `Delayed`.
    wheres : sequence of str
        The name of each partition in messages.
    feature_names : sequence of str
        The columns.
    named : bool
        Whether the names came with the data.
    part_rows : sequence of int or None, optional
        Rows of each partition, if they are known.
    client : distributed.Client, optional
        The cluster; by default the one that Dask is configured to use.
    progress : bool
        Show Dask's own progress bar on standard error; only with a client.
    along : sequence of str
        The last columns, if they hold labels that are read along.
    """

    def __init__(
        self,
        makers: Sequence[tuple[Any, ...]],
        wheres: Sequence[str],
        feature_names: Sequence[str],
        *,
        named: bool,
        part_rows: Sequence[int | None] | None = None,
        client: Any = None,
        progress: bool = False,
        along: Sequence[str] = (),
    ) -> None:
        super().__init__(feature_names, named=named, along=along)
        if not makers:
            raise DataError("data: expected at least one partition, got none.")
        self._makers, self._wheres = list(makers), list(wheres)
        self._part_rows = [None] * len(self._makers) if part_rows is None else part_rows
        self._client, self._progress = client, progress
        #: The data of the partitions: the cluster keeps futures only while somebody holds them.
        self.data: Any = None
        #: The files that the partitions are made of, where they are known.
        self.source_paths: Sequence[str] = ()

    def part_rows(self) -> Sequence[int | None]:
        return self._part_rows

    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T:
        made: T = self._computed(self.planned(task, merge))
        return made

    def planned(self, task: PartTask[T], merge: Callable[[T, T], T]) -> Any:
        """The graph of a pass: a task for each partition, and a tree of merges."""
        from dask.base import tokenize
        from dask.delayed import delayed

        # The task is one node of the graph: what it carries, such as Θ̂, goes to a worker once, and
        # the graph still has it if that worker is lost.
        name = tokenize(os.urandom(16))
        shared = delayed(
            _Carried(task), name=f"edgewise-carried-{name}", pure=False, traverse=False
        )
        on_part, merged = delayed(_on_part, pure=False), delayed(_Merge(merge), pure=False)
        states = [
            on_part(shared, number, where, *maker, dask_key_name=f"edgewise-state-{name}-{number}")
            for number, (where, maker) in enumerate(zip(self._wheres, self._makers, strict=True))
        ]
        return in_tree(states, merged)

    def _computed(self, total: Any) -> Any:
        from concurrent.futures import CancelledError

        try:
            # Θ̂ of a thousand columns is large for a graph, but it goes to the cluster once.
            with quiet(Warning, "Sending large graph"):
                if self._client is None:
                    return total.compute()
                future = self._client.compute(total)
            if self._progress or _bar_is_on():
                _show_progress(self._client, future)
            return future.result()
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
        """Another library's error, in one sentence that says where it happened."""
        reason = f"{type(error).__name__}: {one_line(error)}"
        if type(error).__name__ != "KilledWorker":
            return DataError(f"data: the cluster failed to make the rows ({reason}).")
        number = self._number_of(getattr(error, "task", None))
        if number is None:
            return DataError(f"data: the cluster failed to make the rows ({reason}); {_MORE_ROOM}.")
        return DataError(
            f"{self._named(number)}: its workers died, several times, most likely because they "
            f"had too little memory for it; {_MORE_ROOM}."
        )

    def _number_of(self, key: Any) -> int | None:
        """The partition that a task of the graph works on or makes; None if it is nobody's."""
        number = str(key).rpartition("-")[2]
        if str(key).startswith("edgewise-state-") and number.isdigit():
            return int(number)
        makers = (str(getattr(maker[0], "key", "")) for maker in self._makers)
        return next((number for number, made in enumerate(makers) if made == str(key)), None)

    def _named(self, number: int) -> str:
        """A partition, and the files that it is made of if they are known."""
        where, maker = self._wheres[number], self._makers[number][0]
        tasks = getattr(maker, "tasks", ())
        files = [f"file '{path}'" for path in sorted({*paths_within(tasks, self.source_paths)})]
        return f"{where} ({listed(files)})" if files else where


class _Carried:
    """A function as a value: Dask would treat a bare function as a task."""

    def __init__(self, task: PartTask[Any]) -> None:
        self.task = task


class _Merge:
    """A merge under a name that a dashboard can show."""

    __name__ = "edgewise-merge"

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self._merge = merge

    def __call__(self, left: Any, right: Any) -> Any:
        return self._merge(left, right)


def _on_part(carried: _Carried, number: int, where: str, maker: Any, *given: Any) -> Any:
    make = partial(maker, *given) if callable(maker) else partial(_as_it_is, maker)
    return carried.task(number, where, make)


def _as_it_is(rows: Any) -> Any:
    return rows


def _bar_is_on() -> bool:
    """Whether the caller is inside `with dask.diagnostics.ProgressBar()`."""
    from dask.callbacks import Callback
    from dask.diagnostics import ProgressBar

    return any(
        isinstance(getattr(method, "__self__", None), ProgressBar)
        for callbacks in Callback.active
        for method in callbacks
    )


def _show_progress(client: Any, future: Any) -> None:
    from distributed import progress

    # Dask's own bar asks its default client, and writes to standard output, which is for results.
    with client.as_current(), contextlib.redirect_stdout(sys.stderr):
        progress(future, notebook=False)
        print(file=sys.stderr)


def current_client() -> Any:
    """The client that Dask would use by default; None if it would use threads, or nothing."""
    from dask.base import get_scheduler

    owner = getattr(get_scheduler(), "__self__", None)
    return owner if type(owner).__module__.partition(".")[0] == "distributed" else None


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
    names = selected_names(table.feature_names, columns, exclude, "the array", along)
    return ChosenColumns(table, names)


def dask_file_table(files: FileTable, *, client: Any = None, progress: bool = False) -> DaskTable:
    """Files that the workers can read, one task per file; workers may run in another folder."""
    if not files.rescannable:
        raise DataError("data: a cluster cannot read standard input; write the rows to files.")
    table = DaskTable(
        [
            (_open_file, os.path.abspath(path), files.feature_names, files.along, files.reading)
            for path in files.paths
        ],
        [f"file '{path}'" for path in files.paths],
        files.feature_names,
        named=files.named,
        part_rows=files.rows_of_files(),
        client=client,
        progress=progress,
        along=files.along,
    )
    table.files, table.check_files = files.rows_read(), files.unchanged_check()
    return table


def _open_file(
    path: str, names: tuple[str, ...], along: tuple[str, ...], reading: Reading
) -> FileTable:
    # Columns are chosen by name, because files may have them in another order. A worker does
    # not read ahead: it already has one partition per core.
    return FileTable([path], columns=names, along=along, read_ahead=False, reading=reading)


def _of_frame(
    frame: Any,
    client: Any,
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
    along: Sequence[str],
) -> DaskTable:
    names = check_names(frame.columns)
    chosen = selected_names(names, columns, exclude, "the data frame", along)
    if chosen != names:
        # Select by the frame's own names, which need not be text.
        own = dict(zip(names, frame.columns, strict=True))
        frame = frame[[own[name] for name in chosen]]
    unfit = [
        f"{name!r} ({kind})"
        for name, kind in zip(chosen, frame.dtypes, strict=True)
        if getattr(kind, "kind", "O") not in "fiub" and name not in along
    ]
    if unfit:
        raise DataTypeError(
            f"data: expected columns of numbers, got {listed(unfit)}; convert them (astype) or "
            "leave them out (exclude=...)."
        )
    makers = own_subgraphs(frame.to_delayed(optimize_graph=True))
    wheres = [f"partition {number}" for number in range(len(makers))]
    table = DaskTable(makers, wheres, chosen, named=True, client=client, along=along)
    table.data = frame
    files: list[StoredFile] = []
    with contextlib.suppress(Exception):  # its expression is Dask's own affair
        files = files_of_frame(frame)
    table.check_files = check_of(partial(marks_of, files))
    table.source_paths = [file.path for file in files]
    return table


def _of_array(array: Any, client: Any) -> DaskTable:
    if array.dtype.kind not in "fiub":
        raise DataTypeError(f"data: expected numbers, got dtype {array.dtype}; convert it.")
    if array.shape[1] != array.shape[1]:  # NaN: Dask does not know
        raise DataError(
            "data: expected a known number of columns, got an array whose chunks are unknown; call "
            "its compute_chunk_sizes() first."
        )
    if len(array.chunks[1]) > 1:
        warn(
            f"the array has {len(array.chunks[1])} chunks along its columns. They are joined, so "
            "rows move between workers. Rechunk it so that a chunk has whole rows.",
            EdgewiseWarning,
        )
        array = array.rechunk({1: -1})
    parts = array.to_delayed().ravel().tolist()
    if not is_complete(parts):
        # Optimised, the graph would lack an array that the cluster holds: nothing would keep it.
        parts = array.to_delayed(optimize_graph=False).ravel().tolist()
    makers = own_subgraphs(parts)
    wheres = [f"chunk {number}" for number in range(len(makers))]
    table = DaskTable(
        makers,
        wheres,
        default_names(int(array.shape[1])),
        named=False,
        # NaN: Dask does not know.
        part_rows=[int(count) if count == count else None for count in array.chunks[0]],
        client=client,
    )
    table.data = array
    return table
