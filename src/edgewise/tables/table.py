"""Tables: rows of named numeric columns that a pass can run over.

What is read in this process is one partition. A table on a cluster has many: the pass is sent to
each, and only what it returns comes back and is merged.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_known, check_names, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise._text import listed
from edgewise.errors import DataError, DataTypeError, EdgewiseError, NonFiniteError

T = TypeVar("T")
# Half a megabyte of float64: a block, its square and a product stay in a core's L2 cache.
_BLOCK_ELEMENTS = 1 << 16
# With fewer rows, adding p × p sums costs as much as computing them.
_MIN_BLOCK_ROWS = 1024
# Eight megabytes of float64: the reader's overhead is negligible, and three in memory are few.
_BATCH_ELEMENTS = 1 << 20
_MOST_BATCH_ROWS, _FEWEST_BATCH_ROWS = 1 << 16, 1 << 10


class ColumnBlock:
    """An n × p block of rows as columns, with weights and clusters, if these are known."""

    def __init__(
        self,
        columns: Sequence[AnyArray],
        weights: FloatArray | None = None,
        clusters: FloatArray | None = None,
    ) -> None:
        self._columns, self.weights, self.clusters = columns, weights, clusters
        self.shape = (len(columns[0]), len(columns))

    @classmethod
    def of(cls, rows: Rows, *more: FloatArray) -> ColumnBlock:
        """Rows of any form, and more columns after them."""
        columns = rows._columns if isinstance(rows, ColumnBlock) else np.asarray(rows).T
        return cls([*columns, *more])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | npt.NDArray[np.int64]) -> ColumnBlock:
        """The rows of a slice, which are not copied, or at some places."""
        weights = None if self.weights is None else self.weights[rows]
        clusters = None if self.clusters is None else self.clusters[rows]
        return ColumnBlock([column[rows] for column in self._columns], weights, clusters)

    def chosen(self, places: Sequence[int]) -> ColumnBlock:
        """Some of the columns, in the order of their places; never a copy."""
        return ColumnBlock([self._columns[place] for place in places])

    def minus(self, origin: FloatArray, out: FloatArray) -> None:
        """Each column minus its part of `origin`, written to the rows of `out`."""
        for column, constant, row in zip(self._columns, origin, out, strict=True):
            np.subtract(column, constant, out=row)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        rows = np.empty(self.shape[::-1])
        for column, row in zip(self._columns, rows, strict=True):
            row[:] = column
        return np.asarray(rows.T, dtype)


#: Numeric n × p rows: an array, or the columns of a table.
Rows: TypeAlias = AnyArray | ColumnBlock


def weights_of(block: Rows) -> FloatArray | None:
    return block.weights if isinstance(block, ColumnBlock) else None


def block_rows(n_features: int) -> int:
    return max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // max(n_features, 1))


def batch_rows(n_features: int) -> int:
    """Rows per block, for tables that cut their own blocks."""
    rows = _BATCH_ELEMENTS // max(n_features, 1)
    return max(_FEWEST_BATCH_ROWS, min(_MOST_BATCH_ROWS, rows))


def row_blocks(X: Rows, rows: int | None = None) -> Iterator[Rows]:
    """Views of consecutive rows of `X`, of even length up to a maximum; never a copy."""
    n = X.shape[0]
    count = -(-n // (rows or block_rows(X.shape[1])))
    # The length is even, because a last block of a few rows costs as much as a full one.
    step = -(-n // max(count, 1))
    for start in range(0, n, max(step, 1)):
        yield X[start : start + step]


#: How many values each column lacks in rows that were left out, and in how many of these rows it is
#: the only one to lack any.
Missing: TypeAlias = npt.NDArray[np.int64]


def add_missing(a: Missing | None, b: Missing | None) -> Missing | None:
    return a + b if a is not None and b is not None else b if a is None else a


@dataclass(slots=True)
class PartitionCounts:
    n_dropped: int = 0  # rows with a value that is not finite, or that are not wanted
    missing: Missing | None = None  # what the rows lack that were left out
    position: tuple[int, int] | None = None  # the last file, and the end of the last block in it


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of the rows of a table, for one pass.

    `where`: Its name in messages, empty if it is all.
    `blocks`: Begins the pass over the rows: n × p arrays, or what `np.asarray` makes one.
    `counts`: Complete when the pass has ended.
    """

    number: int
    where: str
    feature_names: tuple[str, ...]
    blocks: Callable[[], Iterator[Rows]]
    counts: PartitionCounts = field(default_factory=PartitionCounts)


class FileRead(NamedTuple):
    """A file that was read.

    Attributes
    ----------
    path : str
        Its path, as it was given or found.
    rows : int or None
        How many rows it has; None if a cluster read it and did not count them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import edgewise as ew
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.random.default_rng(0).standard_normal((100, 3)))
    ...     (file,) = ew.edge_test(folder).files
    >>> file.path.endswith("rows.npy"), file.rows
    (True, 100)
    """

    path: str
    rows: int | None


class Table:
    """Rows of named numeric columns, read here as one partition, or as many on a cluster.

    A table of your own needs only the names of its columns and a method that yields blocks of rows.

    `column_names`: The same and those that are left out or hold labels, where these are known.
    `named`: Whether the names came with the data, so that columns can be matched by them.
    `in_memory`: Whether another pass over the rows costs next to nothing.
    `left_out`: Columns of the data that are no variables, and why.
    `files`: The files that were read, with their rows as far as these are known.
    """

    feature_names: tuple[str, ...]
    column_names: tuple[str, ...] = ()
    n_rows: int | None = None  # if that is known before reading them
    named: bool
    rescannable: bool
    in_memory: bool = False
    local: bool = True
    left_out: Mapping[str, str] = MappingProxyType({})
    files: tuple[FileRead, ...] = ()

    @property
    def estimated_rows(self) -> int | None:
        """About how many rows there are, for a progress bar."""
        return self.n_rows

    def on_cores(self) -> Table:
        """The table in partitions that threads read at the same time, if that pays."""
        return self

    def partition_rows(self) -> Sequence[int | None] | None:
        """Rows of each partition, None for unknown ones; None if the partitions are unknown."""
        return [self.n_rows]

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        """The rows from a number among the `entries` on, as numeric n × p arrays, or nearly so."""
        raise NotImplementedError

    def entries(self) -> Sequence[int]:
        """The numbers of rows at which reading can begin without reading those before."""
        return (0,)

    def labels(self, name: str) -> Iterable[Any]:
        """All values of a column, which may hold text; None or NaN where there is none."""
        raise DataTypeError(
            f"{name!r}: expected a column of a table in memory or of files, got a "
            f"{type(self).__name__}; pass the labels as an array."
        )

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        """Run a pass over every partition and merge the results, in order, in a fixed tree."""
        return one_pass(Partition(0, "", self.feature_names, self.blocks))


def known_total(counts: Sequence[int | None]) -> int | None:
    """The sum of counts; None if any of them is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


#: What a column holds that only counts the rows.
ROW_NUMBERS = "row numbers"


class BadCells(str):
    """What a column of numbers holds besides: nobody wants it to be left out for a few cells."""


def select_columns(
    names: Sequence[str],
    where: str,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    along: Sequence[str] = (),
    held: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns to read, and those that are left out, with why.

    `held` says what columns hold that are no numbers, as in ``{"city": "text"}``; naming one is an
    error, except of `ROW_NUMBERS`, and so are `BadCells`. Labels of clusters, `along`, come last.
    """
    names = check_names(names)
    wanted = names if columns is None else check_names(columns)
    for argument, some in (("columns", wanted), ("exclude", exclude or ()), ("clusters", along)):
        check_known(argument, some, names, where)
    spared = {*(exclude or ()), *along}
    chosen = [name for name in wanted if name not in spared]
    left_out = {}
    for name in chosen:
        what = held.get(name)
        if what is None or (columns is not None and what == ROW_NUMBERS):
            continue
        if columns is not None or isinstance(what, BadCells):
            raise not_numbers(name, what, where)
        left_out[name] = what
    left = tuple(name for name in chosen if name not in left_out)
    if names and not left:
        found = listed([f"{name!r} ({what})" for name, what in left_out.items()])
        raise DataError(
            f"columns: expected at least 2 columns of numbers in {where}, got none"
            f"{f', only {found}' if left_out else ''}."
        )
    return left + tuple(along), left_out


#: What to do with a column that does not hold numbers.
HINT = "convert it, or leave it out (exclude=... of edge_test, --exclude)"


def not_numbers(name: str, what: object, where: str = "X") -> DataTypeError:
    return DataTypeError(f"{where}: column {name!r} must hold numbers, got {what}; {HINT}.")


def column_places(
    ours: Sequence[str], theirs: Sequence[str], differ: Callable[[str], EdgewiseError]
) -> npt.NDArray[np.intp] | None:
    """The place of each of our columns among theirs; None if nothing has to move.

    `differ` makes the error if the columns differ, from words as "it lacks 'b'; it also has 'c'".
    """
    if tuple(ours) == tuple(theirs):
        return None
    mine, place = set(ours), {name: i for i, name in enumerate(theirs)}
    missing = [name for name in ours if name not in place]
    extra = [name for name in theirs if name not in mine]
    if missing or extra:
        words = (("it lacks", missing), ("it also has", extra))
        said = [f"{what} {listed([*map(repr, names)])}" for what, names in words if names]
        raise differ("; ".join(said))
    return np.array([place[name] for name in ours], dtype=np.intp)


#: The sums of a pass over some rows: arrays that are added, one by one, to those of more rows.
Sums: TypeAlias = tuple[AnyArray, ...]
#: A pass over rows; it can be sent to a cluster.
Pass: TypeAlias = Callable[[Iterator[Rows]], Sums]


@dataclass(frozen=True, eq=False, slots=True)
class Rescan:
    """The rows of a table, for passes after the first one, which read `n_samples` rows."""

    table: Table
    n_samples: int

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        n, sums = self.table.reduce(partial(_counted, one_pass=one_pass), _added)
        if whole:
            self.check(n)
        return sums

    def check(self, n: int) -> None:
        """Refuse a pass that read another number of rows than the first one."""
        if n != self.n_samples:
            raise DataError(
                f"data: the first pass read {self.n_samples} rows, a later one {n}; the data "
                "changed in between or can be read only once. Pass rows that stay the same (files, "
                "or what was persisted or cached), or use method='batch', which reads them once."
            )


def _counted(part: Partition, one_pass: Pass) -> tuple[int, Sums]:
    n = 0

    def counted() -> Iterator[Rows]:
        nonlocal n
        for block in part.blocks():
            n += block.shape[0]
            yield block

    sums = one_pass(counted())
    return n, sums


def _added(a: tuple[int, Sums], b: tuple[int, Sums]) -> tuple[int, Sums]:
    return a[0] + b[0], tuple(left + right for left, right in zip(a[1], b[1], strict=True))


@dataclass(frozen=True, eq=False, slots=True)
class InMemoryRows:
    blocks: Sequence[Rows]

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        return one_pass(iter(self.blocks))


#: Rows that a pass can run over, wherever they are.
Summable: TypeAlias = Rescan | InMemoryRows


def in_tree(items: Sequence[T], merge: Callable[[T, T], T]) -> T:
    """Merge neighbours in pairs until one is left: only their number decides the tree."""
    left = list(items)
    while len(left) > 1:
        pairs = [merge(*left[i : i + 2]) for i in range(0, len(left) - 1, 2)]
        left = pairs + left[2 * len(pairs) :]
    return left[0]


def all_rows(table: Table, step: int = 1) -> FloatArray:
    """Every row of a table, or of each partition every so many, as one n × p array of its own."""
    blocks = table.reduce(partial(_copied_blocks, step=step), operator.add)
    return np.concatenate([np.empty((0, len(table.feature_names))), *blocks])


def _copied_blocks(part: Partition, step: int) -> list[FloatArray]:
    copies, skip = [], 0
    for block in part.blocks():
        # A reader may use the memory of a block again.
        copies.append(np.array(np.asarray(block)[skip::step], dtype=np.float64))
        skip = (skip - block.shape[0]) % step
    return copies


def rows_up_to(table: Table, most: int) -> int | None:
    """How many rows a table has if that is at most `most`, and cheap to count; else None."""
    n = table.n_rows
    if n is None and table.rescannable and table.local:
        n = table.reduce(partial(_count, most=most), operator.add)
    return None if n is None or n > most else n


def _count(part: Partition, most: int) -> int:
    n = 0
    for block in part.blocks():
        n += block.shape[0]
        if n > most:
            break
    return n


def raise_for_nonfinite(rows: Rows, names: Sequence[str] | None = None) -> NoReturn:
    """Say which columns hold NaN or infinity, or that the sums overflow."""
    counts = nonfinite_counts(rows)
    if not counts.any():
        raise DataError("X: the sum of a column overflows; divide the columns by a constant first.")
    names = default_names(rows.shape[1]) if names is None else names
    raise NonFiniteError(nonfinite_message(counts, names), counts)


def nonfinite_counts(rows: Rows) -> npt.NDArray[np.int64]:
    counts: npt.NDArray[np.int64] = np.count_nonzero(~np.isfinite(np.asarray(rows)), axis=0)
    return counts


def nonfinite_message(counts: npt.NDArray[np.int64], names: Sequence[str]) -> str:
    found = [f"{name!r} ({counts[i]})" for i, name in enumerate(names) if counts[i]]
    return (
        f"X: expected finite numbers, got NaN or infinity (inf) in column {listed(found)}; "
        "drop those rows (missing='drop' of edge_test, --missing drop), use the values that are "
        "there (missing='pairwise'), or fill them in."
    )
