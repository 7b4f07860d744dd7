"""What is done to the rows of any table before a pass reads them, block by block.

`RowOptions` is sent to a cluster with the pass, so it holds plain values only. Weights and labels
of clusters are read along as the last column, so that each stays beside its row.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from math import isnan, nan
from numbers import Integral, Real
from typing import Any, Generic, Self, TypeVar

import numpy as np

from edgewise._checks import check_choice
from edgewise._linalg import AnyArray, BoolArray, FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.tables.ranks import ScoreMap, normal_scores
from edgewise.tables.table import (
    ColumnBlock,
    Missing,
    Partition,
    PartitionCounts,
    Rows,
    Table,
    batch_rows,
    known_total,
    raise_for_nonfinite,
    row_blocks,
)

T = TypeVar("T")

MISSING = ("auto", "raise", "drop", "pairwise")
_CHOSEN = ("drop", "pairwise")  # some rows; all others are to be complete
WEIGHT_KINDS = ("sampling", "frequency")
NORMAL_SCORES, DIFF, LOG_DIFF = "normal-scores", "diff", "log-diff"
TRANSFORMS = (NORMAL_SCORES, DIFF, LOG_DIFF, None)

# Weights whose squares, and sums of these, are ordinary numbers.
_SQUARED = 1e-100, 1e100
# Beyond this a weight is not a number of rows.
_MOST_COPIES = float(1 << 53)
# Bytes of rows that are ranked: of files and the like, and on a cluster, where several times as
# many may be on their way to one machine.
MOST_HERE, MOST_ON_CLUSTER = 1 << 30, 1 << 27


@dataclass(frozen=True, eq=False)
class RowOptions:
    """How the rows of a table are changed, in the order of these attributes.

    `column`: One more column, from an array that the user passed: weights or labels.
    `missing`: With "drop", rows that lack a value are left out; with "pairwise" those that lack
      all.
    `weights`: What the last column says, if it holds weights. Rows of weight zero are left out.
    `clusters`: Whether the last column says to which cluster a row belongs.
    `along_name`: The name of the last column; None if it came as an array.
    `before`: The row before each partition, for differences across partitions.
    `intervals` (p, 2): Rows with a value outside are left out.
    `step`: Every so many rows one is read, of the whole length.
    """

    column: FloatArray | None = None
    places: tuple[int, ...] | None = None
    names: tuple[str, ...] | None = None
    progress: Callable[[int], None] | None = None
    transform: str | None = None
    missing: str = "auto"
    weights: str | None = None
    clusters: bool = False
    along_name: str | None = None
    scores: ScoreMap | None = None
    before: Mapping[int, FloatArray] = field(default_factory=dict)
    intervals: FloatArray | None = None
    step: int = 1

    @property
    def differences(self) -> bool:
        """Whether rows are replaced by differences of consecutive ones."""
        return self.transform in (DIFF, LOG_DIFF)

    @property
    def some_rows(self) -> bool:
        """Whether rows may be left out or repeated."""
        return (
            (self.differences and self.clusters)
            or self.missing in _CHOSEN
            or self.weights is not None
            or self.intervals is not None
        )

    def along(self) -> int:
        """How many of the last columns are no variables."""
        return int(self.clusters or self.weights is not None)

    def variables(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the variables, from those of all columns of the source."""
        if self.names is not None:
            return self.names
        every = tuple(names) if self.column is None else (*names, "")
        chosen = every if self.places is None else tuple(every[place] for place in self.places)
        return chosen[: len(chosen) - self.along()]

    def applied(self, part: Partition) -> Partition:
        """A partition with these options."""
        names = self.variables(part.feature_names)
        return replace(part, feature_names=names, read=partial(self._read, part, names))

    def _read(self, part: Partition, names: tuple[str, ...]) -> Iterator[Rows]:
        start, skip, p, counts = 0, 0, len(names), part.counts
        previous = self.before.get(part.number)
        for block in part.read():
            n, rows = block.shape[0], block
            if self.column is not None:
                rows = ColumnBlock.of(rows, self.column[start : start + n])
            start += n
            if self.places is not None:
                rows = columns_of(rows, self.places)
            if self.differences:
                rows, previous = self._differences(np.asarray(rows), previous, names)
            if self.missing in _CHOSEN:
                rows = self._with_values(np.asarray(rows), p, counts)
            if self.weights == "sampling":
                rows = self._weighted(rows, names)
            for piece in self._copies(rows, counts) if self.weights == "frequency" else (rows,):
                rows = piece if self.scores is None else self.scores.scores(piece)
                if self.clusters:
                    rows = self._clustered(rows)
                if self.intervals is not None:
                    rows = _inside(np.asarray(rows), self.intervals, counts)
                if self.step > 1:
                    length = rows.shape[0]
                    rows = np.asarray(rows)[skip :: self.step]
                    skip = (skip - length) % self.step
                yield rows
            if self.progress is not None:
                self.progress(n)

    def _where(self) -> str:
        if self.along_name is not None:
            return f"column {self.along_name!r}"
        return "the labels" if self.clusters else "the weights"

    def _differences(
        self, rows: AnyArray, previous: AnyArray | None, names: tuple[str, ...]
    ) -> tuple[AnyArray, AnyArray]:
        """Each row minus the one before it in its cluster, and the last row."""
        rows = rows if previous is None else np.concatenate([previous, rows])
        values = rows[:, : len(names)].astype(np.float64)
        if self.transform == LOG_DIFF:
            low = (values <= 0).any(axis=0)
            if low.any():
                raise DataError(
                    f"transform: {LOG_DIFF!r} takes logarithms, and column "
                    f"{names[int(low.argmax())]!r} has values of 0 or below; use transform="
                    f"{DIFF!r}, or leave the column out (exclude)."
                )
            np.log(values, out=values)
        changed = np.concatenate([np.diff(values, axis=0), rows[1:, len(names) :]], axis=1)
        if self.clusters:
            changed = changed[rows[1:, -1] == rows[:-1, -1]]
        return changed, np.array(rows[-1:])  # a reader may use the memory of a block again

    def _with_values(self, rows: AnyArray, p: int, counts: PartitionCounts) -> AnyArray:
        """The rows with the values that are needed; the others are counted, with what they lack."""
        if self.missing == "pairwise":
            return _kept(rows, np.asarray(np.isfinite(rows[:, :p]).any(axis=1)), counts)
        finite = np.isfinite(rows[:, : p + self.clusters])
        complete: BoolArray = np.asarray(finite.all(axis=1))
        if not complete.all():
            lacks = ~finite[~complete]
            alone = lacks[lacks.sum(axis=1) == 1]
            found = np.stack([lacks.sum(axis=0), alone.sum(axis=0)])
            counts.missing = found if counts.missing is None else counts.missing + found
        return _kept(rows, complete, counts)

    def _apart(self, block: Rows) -> tuple[ColumnBlock, FloatArray]:
        """The variables of a block, and its last column."""
        rows = ColumnBlock.of(block)
        p = rows.shape[1] - 1
        last: FloatArray = np.asarray(rows.chosen([p]), dtype=np.float64)[:, 0]
        return rows.chosen(range(p)), last

    def _weighted(self, block: Rows, names: tuple[str, ...]) -> ColumnBlock:
        rows, weights = self._apart(block)
        check_weights(weights, self._where())
        used = weights > 0
        if not used.all():
            rows, weights = ColumnBlock.of(np.asarray(rows)[used]), weights[used]
        # The sums of weighted rows allow for missing values, so that nobody else would refuse them.
        if self.missing != "pairwise" and not np.isfinite(np.asarray(rows)).all():
            raise_for_nonfinite(rows, names)
        rows.weights = weights
        return rows

    def _copies(self, block: Rows, counts: PartitionCounts) -> Iterator[Rows]:
        """Each row as often as its weight says, in blocks of limited length."""
        rows, weights = self._apart(block)
        check_weights(weights, self._where())
        wrong = weights[(weights != np.floor(weights)) | (weights > _MOST_COPIES)]
        if wrong.size:
            raise DataError(
                f"weights: expected whole numbers of rows (weight_kind='frequency'), got "
                f"{wrong[0]:g} in {self._where()}; leave weight_kind out if rows were sampled with "
                "different probabilities."
            )
        values, ends = np.asarray(rows), np.cumsum(weights.astype(np.int64))
        most = batch_rows(rows.shape[1])
        total = int(ends[-1]) if len(ends) else 0
        position = counts.position
        for start in range(0, total, most):
            number = np.arange(start, min(start + most, total))
            # A checkpoint between copies of the same rows would have some of them only.
            counts.position = position if start + most >= total else None
            yield values[np.searchsorted(ends, number, side="right")]

    def _clustered(self, block: Rows) -> ColumnBlock:
        rows, labels = self._apart(block)
        if np.isnan(labels).any():
            raise DataError(
                f"clusters: expected a label for every row, got missing ones in {self._where()}; "
                "fill them in, or leave such rows out (missing='drop', --missing drop)."
            )
        wrong = labels[labels != np.floor(labels)]
        if wrong.size:
            raise not_a_label(float(wrong[0]))
        rows.clusters = labels
        return rows


def _inside(rows: AnyArray, intervals: FloatArray, counts: PartitionCounts) -> AnyArray:
    inside = (rows >= intervals[:, 0]) & (rows <= intervals[:, 1])
    return _kept(rows, np.asarray(inside.all(axis=1)), counts)


def _kept(rows: AnyArray, wanted: BoolArray, counts: PartitionCounts) -> AnyArray:
    """The wanted rows; the others are counted."""
    n_dropped = len(rows) - int(wanted.sum())
    counts.n_dropped += n_dropped
    return rows[wanted] if n_dropped else rows


def columns_of(block: Rows, places: Sequence[int]) -> Rows:
    """Some columns of a block, in the order of their places."""
    if isinstance(block, ColumnBlock):
        return block.chosen(places)
    return np.asarray(block)[:, places]


@dataclass(frozen=True, slots=True)
class _Prepared(Generic[T]):
    """A pass that applies options to a partition before it reads it."""

    one_pass: Callable[[Partition], T]
    options: RowOptions

    def __call__(self, part: Partition) -> T:
        return self.one_pass(self.options.applied(part))


class View(Table):
    """A table seen through `RowOptions`."""

    source: Table
    options: RowOptions

    def __init__(self, source: Table, **options: Any) -> None:
        self.source, self.options = source, RowOptions(**options)
        self.feature_names = self.options.variables(source.feature_names)
        self.named = source.named or self.options.names is not None
        self.rescannable, self.local = source.rescannable, source.local
        self.left_out = source.left_out
        self._held: _HeldScores | None = None
        if self.options.transform == NORMAL_SCORES and not (
            source.rescannable or self.options.scores is not None
        ):
            raise DataError(
                f"transform: {NORMAL_SCORES!r} reads the rows twice, and this stream can be read "
                "only once; write the rows to a Parquet file first."
            )

    @property
    def in_memory(self) -> bool:  # type: ignore[override]
        return self._held is not None or self.source.in_memory

    @property
    def estimated_rows(self) -> int | None:
        known = self.source.estimated_rows
        if known is None or self.options.weights == "frequency":
            return None
        return -(-known // self.options.step)

    @property
    def n_rows(self) -> int | None:
        known = self.partition_rows()
        return self.source.n_rows if known is None else known_total(known)

    def partition_rows(self) -> Sequence[int | None] | None:
        rows, options = self.source.partition_rows(), self.options
        if rows is None:
            return None
        if options.some_rows or (options.differences and None in rows):
            return [None] * len(rows)
        if options.differences:  # the first row has none before it
            first = next((number for number, n in enumerate(rows) if n), None)
            rows = [(n or 0) - (number == first) for number, n in enumerate(rows)]
        return [None if n is None else -(-n // options.step) for n in rows]

    def with_options(self, **options: Any) -> Self:
        """The same table with some options replaced; scores that are known stay."""
        changed = copy.copy(self)
        changed.options = replace(self.options, **options)
        changed.feature_names = changed.options.variables(self.source.feature_names)
        return changed

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        if self.options.transform == NORMAL_SCORES:
            self._rank()
        if self._held is not None:
            options = replace(
                self.options, column=None, places=None, progress=None, missing="raise", weights=None
            )
            return self._held.reduce(_Prepared(one_pass, replace(options, scores=None)), merge)
        options = self.options
        if not self.source.local:
            options = replace(options, progress=None)  # a cluster has its own
            if options.differences and not options.before:
                last = self.source.reduce(
                    _Prepared(_last_row, RowOptions(column=options.column, places=options.places)),
                    _in_order,
                )
                self.options = replace(self.options, before=_rows_before(last))
                options = replace(options, before=self.options.before)
        return self.source.reduce(_Prepared(one_pass, options), merge)

    def _without_scores(self, **options: Any) -> View:
        return View(self.source, **{**vars(self.options), "transform": None, **options})

    def _rank(self) -> None:
        """Read all rows and rank them; those that are read in this process are kept as scores."""
        if self._held is not None or self._incomplete or self.options.scores is not None:
            return
        values = self._without_scores(clusters=False, names=None, intervals=None, step=1)
        p, n = len(self.feature_names), values.n_rows
        here = self.source.local
        most: float = MOST_HERE if here else MOST_ON_CLUSTER
        if self.source.in_memory:
            most = math.inf
        if n is not None and 8 * n * p > most:
            raise _too_many(most)
        one_pass = partial(_gathered, n_variables=p, most=most, whole=here)
        found = values.reduce(one_pass, partial(_merged, most=most))
        if found.values is None or not found.values.shape[1]:
            self._incomplete = True
            return  # the rows stay as they are, and whoever reads them says what is missing
        variables = found.values[:p]
        if not here:
            self.options = replace(self.options, scores=ScoreMap(np.sort(variables)))
        else:
            normal_scores(variables, out=variables)
            self._held = _HeldScores(self.source.named, values.feature_names, found)

    _incomplete = False


def view(table: Table, **options: Any) -> View:
    """A table with some options; those that it has stay, and scores that are known."""
    return table.with_options(**options) if isinstance(table, View) else View(table, **options)


def chosen_columns(table: Table, names: Sequence[str]) -> View:
    """Some columns of a table that has no labels or weights yet, in any order."""
    place = {name: i for i, name in enumerate(table.feature_names)}
    places = tuple(place[name] for name in names)
    if options_of(table).places is not None:
        places = tuple((options_of(table).places or ())[i] for i in places)
    renamed = None if options_of(table).names is None else tuple(names)
    return view(table, places=places, names=renamed)


def without_columns(table: Table, left_out: Mapping[str, str]) -> Table:
    """A table without some variables; weights and labels stay beside the rows."""
    options = options_of(table)
    source = table.source if isinstance(table, View) else table
    width = len(source.feature_names) + (options.column is not None)
    places = options.places or tuple(range(width))
    kept = [i for i, name in enumerate(table.feature_names) if name not in left_out]
    names = None if options.names is None else tuple(options.names[i] for i in kept)
    along = places[len(places) - options.along() :]
    changed = view(table, places=(*(places[i] for i in kept), *along), names=names)
    changed._held, changed.left_out = None, {**table.left_out, **left_out}
    return changed


def options_of(data: object) -> RowOptions:
    """The options that a table was opened with; the usual ones of anything else."""
    return data.options if isinstance(data, View) else RowOptions()


def values_of(table: Table) -> Table:
    """The same rows without normal scores."""
    if not isinstance(table, View) or table.options.transform != NORMAL_SCORES:
        return table
    return table._without_scores()


def _last_row(part: Partition) -> list[tuple[int, FloatArray]]:
    last = np.empty((0, len(part.feature_names)))
    for block in part.blocks():
        if block.shape[0]:
            last = np.array(block[block.shape[0] - 1 :], dtype=np.float64)
    return [(part.number, last)]


def _in_order(a: list[T], b: list[T]) -> list[T]:
    return a + b


def _rows_before(last: Sequence[tuple[int, FloatArray]]) -> dict[int, FloatArray]:
    """The row before each partition but the first that has any."""
    before: dict[int, FloatArray] = {}
    row: FloatArray | None = None
    for number, own in sorted(last, key=lambda one: one[0]):
        if row is not None:
            before[number] = row
        row = own if len(own) else row
    return before


@dataclass(frozen=True, eq=False, slots=True)
class _Gathered:
    """All values, features first, or None if some miss; and what was left out."""

    values: FloatArray | None
    n_dropped: int = 0
    missing: Missing | None = None


class _HeldScores(Table):
    """Scores in memory, of rows that need not be read again."""

    rescannable = in_memory = True

    def __init__(self, named: bool, feature_names: tuple[str, ...], found: _Gathered) -> None:
        self.named, self.feature_names, self._found = named, feature_names, found

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if self._found.values is not None:
            yield from row_blocks(self._found.values.T, batch_rows(len(self.feature_names)))

    def partition(self) -> Partition:
        counts = PartitionCounts()

        def read() -> Iterator[Rows]:
            counts.n_dropped, counts.missing = self._found.n_dropped, self._found.missing
            return self.blocks()

        return Partition(0, "", self.feature_names, read, counts)


def _gathered(part: Partition, n_variables: int, most: float, whole: bool) -> _Gathered:
    """All values of a partition, with its labels if `whole`."""
    width = len(part.feature_names) if whole else n_variables
    kept: list[FloatArray] = [np.empty((width, 0))]
    size = 0
    for block in part.blocks():
        # A copy, because a reader may use the memory of a block again.
        values = np.array(np.asarray(block).T[:width], dtype=np.float64)
        if not np.isfinite(values[:n_variables]).all():
            return _Gathered(None)
        size += 8 * n_variables * values.shape[1]
        if size > most:
            raise _too_many(most)
        kept.append(values)
    return _Gathered(np.concatenate(kept, axis=1), part.n_dropped, part.counts.missing)


def _merged(a: _Gathered, b: _Gathered, most: float) -> _Gathered:
    if a.values is None or b.values is None:
        return _Gathered(None)
    if a.values.nbytes + b.values.nbytes > most:
        raise _too_many(most)
    missing = [one.missing for one in (a, b) if one.missing is not None]
    return _Gathered(
        np.concatenate([a.values, b.values], axis=1),
        a.n_dropped + b.n_dropped,
        np.sum(missing, axis=0) if missing else None,
    )


def _too_many(most: float) -> DataError:
    return DataError(
        f"transform: expected at most {most / (1 << 20):,.0f} MB of numbers to rank in memory, got "
        "more; use method='kendall' (--method kendall) without transform, which reads any number "
        "of rows once and needs no ranks, or test fewer columns."
    )


def uses_ranks(*transforms: object) -> bool:
    """Whether values are replaced by their ranks, which takes more than differences."""
    return NORMAL_SCORES in transforms


def check_together(
    missing: str, clusters: object, weights: object, weight_kind: str, transform: object
) -> None:
    """Refuse options that have no meaning together, or none that is known."""
    check_choice("missing", missing, MISSING)
    check_choice("weight_kind", weight_kind, WEIGHT_KINDS)
    if clusters is not None:
        refuse_pairwise(missing, "clusters")
        if weights is not None:
            raise ParameterError("weights: expected without clusters, got both; leave one out.")
    if transform in (DIFF, LOG_DIFF) and weights is not None:
        raise ParameterError(
            f"weights: expected without transform={transform!r}, got both; the difference of two "
            "rows has no weight of its own. Leave one of the two out."
        )
    if uses_ranks(transform):
        refuse_pairwise(missing, "transform")
        if weights is not None and weight_kind == "sampling":
            raise ParameterError(
                "weights: expected without transform, got both; ranks of weighted rows are not "
                "known to keep the level. Leave one of the two out."
            )


def refuse_pairwise(missing: str, what: str) -> None:
    """Refuse pairs of columns with rows of their own, where that has no meaning yet."""
    check_choice("missing", missing, MISSING)
    if missing == "pairwise":
        raise ParameterError(
            f"missing: expected 'raise' or 'drop' with {what}, got 'pairwise'; drop such rows, or "
            "fill values in several times and pool the results (edgewise.pool)."
        )


def column_for(table: Table, values: Any, argument: str) -> FloatArray:
    """Weights or labels that a user passes as an array, one for each row of a table."""
    what = "weight" if argument == "weights" else "label"
    n = table.n_rows
    if not table.local or not table.in_memory or n is None:
        raise ParameterError(
            f"{argument}: expected the name of a column, because the rows are not in memory, "
            f"got {type(values).__name__}; write the {what}s into a column of the data."
        )
    numbers = some_weights(values) if argument == "weights" else label_numbers(values)
    if len(numbers) != n:
        raise ParameterError(
            f"{argument}: expected one {what} for each of {n} rows, got {len(numbers)} {what}s."
        )
    return numbers


def checked_weights(weights: Any) -> FloatArray:
    """Weights that a user passes as an array, one for each row."""
    try:
        values = np.asarray(weights)
        if values.dtype.kind not in "fiubOUS":
            raise TypeError(f"values of type {values.dtype}")
        if values.dtype.kind not in "fiub":
            values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"weights: expected the name of a column or one number for each row, got {error}."
        ) from error
    if values.ndim != 1:
        raise ParameterError(
            "weights: expected the name of a column or one number for each row, got "
            f"{type(weights).__name__} of {values.ndim} dimensions."
        )
    values = values.astype(np.float64)
    check_weights(values, "the weights")
    return values


def some_weights(weights: Any) -> FloatArray:
    """The same for all rows at once: some must be positive, and only their proportions matter."""
    values = checked_weights(weights)
    largest = float(values.max(initial=0.0))
    if values.size and not largest:
        raise DataError("weights: expected a positive weight for some row, got zeros only.")
    # The squares of any weights are then ordinary numbers, or those of rows that hardly count.
    unit = largest if largest and not _SQUARED[0] < largest < _SQUARED[1] else 1.0
    return values / unit


def check_weights(weights: FloatArray, where: str) -> None:
    """Refuse weights that are missing, infinite or negative."""
    wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
    if not wrong.size:
        return
    first = float(wrong[0])
    what = "missing ones (NaN)" if np.isnan(first) else f"{first:g}"
    raise DataError(
        f"weights: expected finite numbers of at least 0, got {what} in {where} "
        f"({wrong.size} row{'s' * (wrong.size > 1)}); fix or leave out such rows."
    )


def weighted_columns(
    names: Sequence[str] | None, exclude: Sequence[str] | None, weights: str
) -> tuple[list[str] | None, list[str] | None]:
    """The columns to read so that the column of weights is among them, and those to leave out."""
    if names is not None and weights in names:
        raise ParameterError(
            f"weights: expected a column that is not tested, got {weights!r}, which is among "
            "`columns` too; leave it out of one of the two."
        )
    columns = None if names is None else [*names, weights]
    return columns, None if exclude is None else [name for name in exclude if name != weights]


# Labels of clusters are read along as a column of numbers. Whole numbers stand for themselves, also
# as text, because a CSV file says "12" where a Parquet file says 12. Other labels become 53 bits of a
# digest, which a float64 holds exactly: two of a million share a number with a probability of 1e-4,
# and their clusters are then one, which costs nothing but a little power.
_EXACT = 1 << 53  # whole numbers below are exact as float64
# The whole numbers that str(int(…)) writes, and those that pandas writes where labels are missing.
_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,14})(\.0*)?")

# NumPy makes such texts of missing labels beside texts.
_MISSING = ("", "nan", "NaN", "NaT")


def label_number(label: object) -> float:
    """The number of one label; NaN where it is missing (None, NaN, NaT, an empty text)."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return nan
    if isinstance(label, Integral | np.bool_):
        return float(label) if abs(int(label)) < _EXACT else _digest(str(int(label)))
    if isinstance(label, Real):
        value = float(label)
        if not isnan(value) and not value.is_integer():
            raise not_a_label(value)
        return value if isnan(value) else label_number(int(value))
    if isinstance(label, bytes):
        return _digest(label)
    text = str(label).strip()  # as the cells of a CSV file are, which people align
    if text in _MISSING:
        return nan
    whole = _WHOLE.fullmatch(text)
    return _digest(text) if whole is None else float(int(whole[1]))


def label_numbers(labels: Any) -> FloatArray:
    """The numbers of labels that a user passes as an array, one for each row."""
    values = _one_dimensional(labels)
    if values.dtype.kind in "iub":
        if not values.size or -_EXACT < values.min() <= values.max() < _EXACT:
            return values.astype(np.float64)
        values = values.astype(object)
    if values.dtype.kind == "f":
        wrong = values[(values != np.floor(values)) & ~np.isnan(values)]
        if wrong.size:
            raise not_a_label(float(wrong[0]))
    if values.dtype.kind != "O":
        different, place = np.unique(values, return_inverse=True)
        return _numbers(different.tolist())[place]
    number: dict[Hashable, float] = {}
    try:
        for label in values:
            if label not in number:
                number[label] = label_number(label)
    except TypeError as error:
        raise ParameterError(
            "clusters: expected labels such as text, whole numbers or dates, got one that cannot be "
            f"compared ({error}); pass one plain label for each row."
        ) from error
    return np.array([number[label] for label in values], dtype=np.float64)


def not_a_label(value: float) -> DataError:
    """The error for a number that is not whole: it measures, and does not name."""
    return DataError(
        f"clusters: expected labels, such as text or whole numbers, got {value:g}; is it a column of "
        "measurements? Name the column that says which rows belong together."
    )


def _numbers(labels: Sequence[object]) -> FloatArray:
    return np.array([label_number(label) for label in labels], dtype=np.float64)


def _digest(label: str | bytes) -> float:
    text = label if isinstance(label, bytes) else label.encode("utf-8", "surrogatepass")
    return float(int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 11)


def _one_dimensional(labels: Any) -> AnyArray:
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist()  # None in place of what is masked
    if isinstance(labels, list | tuple):
        # Without this, a list of tuples would be an array of two dimensions.
        values = np.empty(len(labels), dtype=object)
        for place, label in enumerate(labels):
            values[place] = label
        return values
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ParameterError(
            "clusters: expected the name of a column or one label for each row, got "
            f"{type(labels).__name__} of {values.ndim} dimensions."
        )
    return values
