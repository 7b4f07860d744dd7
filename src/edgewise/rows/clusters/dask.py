"""Dask: arrays, data frames and lists of files, one task a partition."""

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
from edgewise.rows.clusters.kinds import is_dask
from edgewise.rows.clusters.partition_task import PartWork, in_tree
from edgewise.rows.clusters.partitioned import PartitionedSource
from edgewise.rows.readers.files import FileSource

T = TypeVar("T")


class DaskSource(PartitionedSource):
    """Partitions that Dask knows how to make, on whichever cluster is used.

    Parameters
    ----------
    makers : sequence of tuple
        What makes each partition: something to call on a worker, and what to call it with; or a
        `Delayed` alone.
    wheres : sequence of str
        What to call each of them in a message.
    feature_names : sequence of str
        The columns.
    named : bool
        Whether the names came with the data.
    n_rows : sequence of int, optional
        Rows of each partition, where they are known.
    client : distributed.Client, optional
        The cluster; by default whatever Dask is set to.
    progress : bool
        Show Dask's own progress bar, on standard error; of a client.
    """

    def __init__(
        self,
        makers: Sequence[tuple[Any, ...]],
        wheres: Sequence[str],
        feature_names: Sequence[str],
        *,
        named: bool,
        n_rows: Sequence[int] | None = None,
        client: Any = None,
        progress: bool = False,
    ) -> None:
        super().__init__(feature_names, named=named)
        if not makers:
            raise DataError("data: expected at least one partition, got none.")
        self._makers, self._wheres = list(makers), list(wheres)
        self._n_rows, self._client, self._progress = n_rows, client, progress
        #: What the partitions are of: the cluster keeps futures only as long as somebody has them.
        self.data: Any = None

    def known_rows(self) -> Sequence[int] | None:
        return self._n_rows

    def reduced(self, work: PartWork[T], merge: Callable[[T, T], T]) -> T:
        made: T = self._computed(self.planned(work, merge))
        return made

    def planned(self, work: PartWork[T], merge: Callable[[T, T], T]) -> Any:
        """The task graph of `reduced`: a task for each partition, and a tree of merges."""
        from dask.base import tokenize
        from dask.delayed import delayed

        # One node of the graph: whatever the work carries, Θ̂ say, goes to a worker once, and if
        # that worker is lost the graph still has it.
        name = tokenize(os.urandom(16))
        shared = delayed(
            _Carried(work), name=f"edgewise-carried-{name}", pure=False, traverse=False
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
        """What another library raised, in one sentence that says where."""
        reason = f"{type(error).__name__}: {one_line(error)}"
        if type(error).__name__ == "KilledWorker":
            key = str(getattr(error, "task", ""))
            number = key.rpartition("-")[2]
            if key.startswith("edgewise-state-") and number.isdigit():
                return DataError(
                    f"{self._wheres[int(number)]}: the worker died of it, several times over; give "
                    "workers more memory, or make partitions smaller."
                )
        return DataError(f"data: the cluster failed to make the rows ({reason}).")


class _Carried:
    """A function as a value: Dask would take a bare one for a task."""

    def __init__(self, work: PartWork[Any]) -> None:
        self.work = work


class _Merge:
    """A merge under a name that a dashboard can show."""

    __name__ = "edgewise-merge"

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self._merge = merge

    def __call__(self, left: Any, right: Any) -> Any:
        return self._merge(left, right)


def _on_part(carried: _Carried, number: int, where: str, maker: Any, *given: Any) -> Any:
    make = partial(maker, *given) if callable(maker) else partial(_as_it_is, maker)
    return carried.work(number, where, make)


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

    # Dask asks its default client, and writes to standard output, which is for results.
    with client.as_current(), contextlib.redirect_stdout(sys.stderr):
        progress(future, notebook=False)
        print(file=sys.stderr)


def current_client() -> Any:
    """The client that Dask would use by itself; None where that is threads, or nothing."""
    from dask.base import get_scheduler

    owner = getattr(get_scheduler(), "__self__", None)
    return owner if type(owner).__module__.partition(".")[0] == "distributed" else None


def dask_source(
    data: Any,
    *,
    client: Any = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> DaskSource:
    """A source of a `dask.array`, a `dask.dataframe`, or a list of paths."""
    if is_dask(data):
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
        source = (_of_frame if hasattr(data, "columns") else _of_array)(data, client)
        source.data = data
        return source
    paths = [data] if isinstance(data, str | os.PathLike) else data
    return file_source(FileSource(paths, columns=columns, exclude=exclude), client=client)


def file_source(files: FileSource, *, client: Any = None, progress: bool = False) -> DaskSource:
    """Files that the workers can read, one task for each; they may be in another folder."""
    if not files.rescannable:
        raise DataError("data: a cluster cannot read standard input; write the rows to files.")
    counts = files.rows_of_files()
    return DaskSource(
        [(_open_file, os.path.abspath(path), files.feature_names) for path in files.paths],
        [f"file '{path}'" for path in files.paths],
        files.feature_names,
        named=files.named,
        n_rows=counts,
        client=client,
        progress=progress,
    )


def _open_file(path: str, names: tuple[str, ...]) -> FileSource:
    # By name: a file with its columns in another order is as good as one in this order. And not
    # ahead: a worker has as many partitions in hand as it has cores.
    return FileSource([path], columns=names, read_ahead=False)


def _of_frame(frame: Any, client: Any) -> DaskSource:
    names = check_names(frame.columns)
    unfit = [
        f"{name!r} ({kind})"
        for name, kind in zip(names, frame.dtypes, strict=True)
        if getattr(kind, "kind", "O") not in "fiub"
    ]
    if unfit:
        raise DataTypeError(
            f"data: expected columns of numbers, got {listed(unfit)}; convert them (astype) or "
            "drop them."
        )
    makers = own_subgraphs(frame.to_delayed(optimize_graph=True))
    wheres = [f"partition {number}" for number in range(len(makers))]
    return DaskSource(makers, wheres, names, named=True, client=client)


def _of_array(array: Any, client: Any) -> DaskSource:
    if array.dtype.kind not in "fiub":
        raise DataTypeError(f"data: expected numbers, got dtype {array.dtype}; convert it.")
    if array.shape[1] != array.shape[1]:  # NaN: Dask does not know
        raise DataError(
            "data: expected a known number of columns, got an array whose chunks are unknown; call "
            "its compute_chunk_sizes() first."
        )
    if len(array.chunks[1]) > 1:
        warn(
            f"the array has {len(array.chunks[1])} chunks along its columns; they are joined, and "
            "rows move between workers. Rechunk it so that a chunk has whole rows.",
            EdgewiseWarning,
        )
        array = array.rechunk({1: -1})
    parts = array.to_delayed().ravel().tolist()
    if not is_complete(parts):
        # Optimised, the graph of an array that the cluster holds lacks it: nothing would keep it.
        parts = array.to_delayed(optimize_graph=False).ravel().tolist()
    makers = own_subgraphs(parts)
    wheres = [f"chunk {number}" for number in range(len(makers))]
    rows = array.chunks[0]
    return DaskSource(
        makers,
        wheres,
        default_names(int(array.shape[1])),
        named=False,
        n_rows=[int(count) for count in rows] if all(count == count for count in rows) else None,
        client=client,
    )
