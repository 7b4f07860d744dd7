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
from edgewise._text import one_line
from edgewise._version import __version__
from edgewise.errors import (
    DataError,
    DataTypeError,
    EdgewiseError,
    NonFiniteError,
    ParameterError,
    quiet,
)
from edgewise.tables.files import FileTable, expand_paths
from edgewise.tables.open import open_columns
from edgewise.tables.options import chosen_columns
from edgewise.tables.table import (
    FileRead,
    Partition,
    Table,
    in_tree,
    known_total,
    not_numbers,
    select_columns,
)

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

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        return known_total(self.partition_rows() or [None])

    def partition_rows(self) -> Sequence[int | None] | None:
        return None

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
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
                f"{where}: expected edgewise {self.version} on the workers, got {__version__}."
            )
        try:
            with one_blas_thread():
                table = open_columns(make(), along=self.along)
                for name, what in table.left_out.items():
                    if self.names is None or name in self.names:
                        raise not_numbers(name, what, where)
                got = tuple(table.feature_names)
                if len(got) != self.n_features or self.names not in (None, got):
                    want = f"columns {self.names}, got {got}"
                    if self.names is None:
                        want = f"{self.n_features} columns, got {len(got)}"
                    raise DataError(
                        f"{where}: expected {want}; every partition must have the same columns in "
                        "the same order."
                    )
                # It is one partition here, so there is nothing to merge.
                return table.reduce(
                    lambda part: self.one_pass(replace(part, number=number, where=where)),
                    lambda left, right: left,
                )
        except EdgewiseError as error:
            said = str(error) if where in str(error) else f"{where}: {error}"
            if isinstance(error, NonFiniteError):
                raise NonFiniteError(said, error.counts) from error
            raise type(error)(said) from error
        except Exception as error:
            # Usually an error of another library that makes the partition: say which partition.
            reason = f"{type(error).__name__}: {one_line(error)}"
            raise DataError(f"{where} cannot be read: {reason}.") from error


def check_client(client: Any) -> None:
    """Refuse anything but a client of Dask that is connected and waits for its results."""
    require("distributed", "dask", "A cluster of Dask")
    from distributed import Client

    if not isinstance(client, Client) or client.asynchronous or client.status != "running":
        raise ParameterError(
            "client: expected a distributed.Client that is connected and not asynchronous, got "
            f"{type(client).__name__}; make a new one with Client(address)."
        )


class DaskTable(PartitionedTable):
    """A table whose `parts` are each a `Delayed`, or a function that opens it on a worker.

    `wheres` are their names in messages, `files` the files that are read, with their rows; `held` is
    the collection that they are of, whose futures the cluster keeps only while somebody holds it.
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
        files: tuple[FileRead, ...] = (),
        held: Any = None,
    ) -> None:
        super().__init__(feature_names, named=named, along=along)
        if not parts:
            raise DataError("data: expected at least one partition, got none.")
        self._parts, self._wheres, self._client = list(parts), list(wheres), client
        self._part_rows = partition_rows or [None] * len(self._parts)
        self.files, self._held = files, held

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
                client = self._client
                made: T = total.compute() if client is None else client.compute(total).result()
                return made
        except EdgewiseError:
            raise
        except (Exception, CancelledError) as error:
            said = f"data: the cluster failed to make the rows ({type(error).__name__}: "
            said += f"{one_line(error)})."
            if isinstance(error, CancelledError):
                said = (
                    "data: the cluster cancelled the work, or lost rows that it held; keep the "
                    "futures that hold the data, check that the workers are up, and try again."
                )
            elif type(error).__name__ == "KilledWorker":
                number = str(getattr(error, "task", "")).removeprefix(f"edgewise-state-{name}-")
                said = (
                    f"{self._wheres[int(number)] if number.isdigit() else 'data'}: the workers "
                    "that read it died, most likely because they needed more memory; give workers "
                    "more (memory_limit=...), or make smaller partitions, chunks or files."
                )
            raise DataError(said) from error


def _on_part(task: PartTask[T], number: int, where: str, rows: Any) -> T:
    return task.run(number, where, rows if callable(rows) else lambda: rows)


def dask_file_table(files: FileTable, *, client: Any = None) -> DaskTable:
    """Files that the workers can read, one task per file; workers may run in another folder."""
    if not files.rescannable:
        raise DataError("data: a cluster cannot read standard input; write the rows to files.")
    # Columns are chosen by name, because files may have them in another order. A worker does not
    # read ahead: it already has one partition per core.
    variables = files.feature_names[: len(files.feature_names) - len(files.along)]
    opened = partial(
        FileTable, columns=variables, along=files.along, reading=files.reading, read_ahead=False
    )
    table = DaskTable(
        [partial(opened, [os.path.abspath(path)]) for path in files.paths],
        [f"file '{path}'" for path in files.paths],
        files.feature_names,
        named=files.named,
        partition_rows=[file.rows for file in files.files],
        client=client,
        along=files.along,
        files=files.files,
    )
    table.left_out = files.left_out
    return table


def dask_table(data: Any, *, client: Any = None, along: Sequence[str] = (), **chosen: Any) -> Table:
    """A table of some columns of a `dask.array` or a `dask.dataframe`."""
    ndim = data.ndim if hasattr(type(data), "ndim") else None
    if ndim != 2:
        raise (DataTypeError if ndim is None else DataError)(
            "data: expected a dask.array of rows and columns (2D) or a dask.dataframe, got a Dask "
            f"{type(data).__name__}{f' of {ndim}D' if ndim else ''}; convert it first."
        )
    if hasattr(data, "columns"):
        return _of_frame(data, client, along, **chosen)
    table = _of_array(data, client)
    names, _ = select_columns(table.feature_names, "the array", along=along, **chosen)
    return table if names == table.feature_names else chosen_columns(table, names)


_WORDS = {"string": "text", "str": "text", "object": "text", "category": "categories"}


def _of_frame(frame: Any, client: Any, along: Sequence[str], **chosen: Any) -> DaskTable:
    names = check_names(frame.columns)
    held = {
        name: "dates" if getattr(kind, "kind", "O") == "M" else _WORDS.get(str(kind), str(kind))
        for name, kind in zip(names, frame.dtypes, strict=True)
        if getattr(kind, "kind", "O") not in "fiub"
    }
    wanted, left_out = select_columns(names, "the data frame", along=along, held=held, **chosen)
    if files := _parquet_files(frame):
        columns = wanted[: len(wanted) - len(along)]
        table = dask_file_table(FileTable(files, columns=columns, along=along), client=client)
    else:
        # Select by the frame's own names, which need not be text.
        own = dict(zip(names, frame.columns, strict=True))
        frame = frame if wanted == names else frame[[own[name] for name in wanted]]
        parts = frame.to_delayed()
        wheres = [f"partition {number}" for number in range(len(parts))]
        table = DaskTable(parts, wheres, wanted, named=True, client=client, along=along, held=frame)
    table.left_out = left_out
    return table


def _parquet_files(frame: Any) -> list[str]:
    """The files on disk of a `read_parquet` without options that change its rows; else none.

    Workers that read them make no data frames, which takes a fraction of the time.
    """
    from dask.utils import natural_sort_key

    read: Any = getattr(frame, "expr", None)
    if type(read).__name__ != "ReadParquetFSSpec":
        return []
    changes = ("filters", "categories", "index", "storage_options", "aggregate_files")
    options = [read.operand(name) for name in (*changes, "_partitions")]
    if any(one is not None for one in (*options, *(read.operand("kwargs") or {}).values())):
        return []
    path = read.operand("path")
    paths = list(path) if isinstance(path, list | tuple) else [path]
    if any("://" in os.fspath(one) for one in paths):
        return []
    files = sorted(expand_paths(paths), key=natural_sort_key)
    able = all(file.endswith((".parquet", ".parq", ".pq")) for file in files) and not any(
        os.path.exists(os.path.join(os.path.dirname(file), "_metadata")) for file in files
    )
    # Fewer files than partitions would be fewer tasks.
    return files if able and len(files) >= frame.npartitions else []


def _of_array(array: Any, client: Any) -> DaskTable:
    if array.dtype.kind not in "fiub":
        raise DataTypeError(f"data: expected numbers, got dtype {array.dtype}; convert it.")
    if array.shape[1] != array.shape[1]:  # NaN: Dask does not know
        raise DataError(
            "data: expected a known number of columns, got an array whose chunks are unknown; call "
            "its compute_chunk_sizes() first."
        )
    array = array.rechunk({1: -1})
    # Optimised, the graph of an array that the cluster holds would lack what keeps it there.
    parts = array.to_delayed(optimize_graph=False).ravel().tolist()
    return DaskTable(
        parts,
        [f"chunk {number}" for number in range(len(parts))],
        default_names(int(array.shape[1])),
        named=False,
        # NaN: Dask does not know.
        partition_rows=[int(count) if count == count else None for count in array.chunks[0]],
        client=client,
        held=array,
    )
