"""What is done to the rows of any table before a pass reads them, block by block.

`RowOptions` is sent to a cluster with the pass, so it holds plain values only. Weights and labels
of clusters are read along as the last column, so that each stays beside its row.
"""

from __future__ import annotations

import copy
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from math import isnan, nan
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from edgewise import _special as special
from edgewise._checks import check_choice
from edgewise._linalg import AnyArray, BoolArray, FloatArray
from edgewise._parallel import on_each
from edgewise.errors import DataError, ParameterError
from edgewise.tables.table import (
    ColumnBlock,
    FileRead,
    Partition,
    PartitionCounts,
    Rows,
    Table,
    add_missing,
    batch_rows,
    known_total,
    raise_for_nonfinite,
    row_blocks,
)

T = TypeVar("T")

MISSING = ("auto", "raise", "drop", "pairwise")
_CHOSEN = ("drop", "pairwise")  # some rows; all others are to be complete
NORMAL_SCORES, DIFF, LOG_DIFF = "normal-scores", "diff", "log-diff"
TRANSFORMS = (NORMAL_SCORES, DIFF, LOG_DIFF, None)

#: Bytes of rows that are ranked, if they are not in memory already.
MOST_RANKED = 1 << 30
_EXACT = 1 << 53  # whole numbers below are exact as float64
_MOST_DATES = 1_000_000  # rows whose dates are looked at


@dataclass(frozen=True, eq=False)
class RowOptions:
    """How the rows of a table are changed, in the order of these attributes.

    `levels`: The codes of categories at some places, which become columns of 0 and 1.
    `column`: One more column, from an array that the user passed: weights or labels.
    `missing`: With "drop", rows that lack a value are left out; with "pairwise" those that lack
      all.
    `weights`: Whether the last column holds weights. Rows of weight zero are left out.
    `clusters`: Whether the last column says to which cluster a row belongs.
    `along_name`: The name of the last column; None if it came as an array.
    `lags`: Each row is joined by so many rows before it: of these the columns at the places `past`
      are taken, of the row itself those at the places `now`; by default all.
    `before`: The last rows before each partition, for differences and lags across partitions.
    """

    levels: Mapping[int, FloatArray] = field(default_factory=dict)
    column: FloatArray | None = None
    places: tuple[int, ...] | None = None
    names: tuple[str, ...] | None = None
    progress: Callable[[int], None] | None = None
    transform: str | None = None
    missing: str = "auto"
    weights: bool = False
    clusters: bool = False
    along_name: str | None = None
    lags: int = 0
    now: tuple[int, ...] | None = None
    past: tuple[int, ...] | None = None
    before: Mapping[int, FloatArray] = field(default_factory=dict)

    @property
    def rows_before(self) -> int:
        """How many rows before each row are needed."""
        return self.lags + (self.transform in (DIFF, LOG_DIFF))

    def variables(self, names: Sequence[str]) -> tuple[str, ...]:
        own = self._own_variables(names)
        now = own if self.now is None else tuple(own[place] for place in self.now)
        before = own if self.past is None else tuple(own[place] for place in self.past)
        past = (f"{name}[t-{lag}]" for lag in range(1, self.lags + 1) for name in before)
        return (*now, *past)

    def _own_variables(self, names: Sequence[str]) -> tuple[str, ...]:
        if self.names is not None:
            return self.names
        every = self.every_name(names)
        chosen = every if self.places is None else tuple(every[place] for place in self.places)
        return chosen[: len(chosen) - (self.clusters or self.weights)]

    def every_name(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of all columns that `places` count."""
        found: list[str] = []
        for place, name in enumerate(names):
            # The first category has no column: it would be determined by the others.
            n = len(self.levels[place]) if place in self.levels else 0
            found += [f"{name}[{k}]" for k in range(2, n + 1)] if place in self.levels else [name]
        return tuple(found) if self.column is None else (*found, "")

    def _indicated(self, block: Rows) -> ColumnBlock:
        """A block with columns of 0 and 1 in place of categories."""
        columns: list[AnyArray] = []
        for place in range(block.shape[1]):
            values = np.asarray(columns_of(block, [place]))[:, 0]
            levels = self.levels.get(place)
            if levels is None:
                columns.append(values)
            else:
                gaps = np.isnan(values)
                columns += [np.where(gaps, np.nan, values == level) for level in levels[1:]]
        return ColumnBlock(columns)

    def applied(self, part: Partition) -> Partition:
        names, own = self.variables(part.feature_names), self._own_variables(part.feature_names)
        return replace(part, feature_names=names, blocks=partial(self._read, part, names, own))

    def _read(
        self, part: Partition, names: tuple[str, ...], own: tuple[str, ...]
    ) -> Iterator[Rows]:
        start, p, counts = 0, len(names), part.counts
        previous: AnyArray | None = self.before.get(part.number)
        for block in part.blocks():
            n, rows = block.shape[0], self._indicated(block) if self.levels else block
            if self.column is not None:
                rows = ColumnBlock.of(rows, self.column[start : start + n])
            start += n
            if self.places is not None:
                rows = columns_of(rows, self.places)
            if self.rows_before:
                rows, previous = self._with_past(np.asarray(rows), previous, own)
            if self.missing in _CHOSEN:
                rows = self._with_values(np.asarray(rows), p, counts)
            if self.weights:
                rows = self._weighted(rows, names)
            elif self.clusters:
                rows = self._clustered(rows)
            yield rows
            if self.progress is not None:
                self.progress(n)

    def _with_past(
        self, rows: AnyArray, previous: AnyArray | None, names: tuple[str, ...]
    ) -> tuple[AnyArray, AnyArray]:
        """Differences, and each row beside those before it in its cluster; and the last rows."""
        rows = rows if previous is None else np.concatenate([previous, rows])
        p, depth, lags = len(names), self.rows_before, self.lags
        values = rows[:, :p].astype(np.float64)
        if self.transform == LOG_DIFF:
            low = (values <= 0).any(axis=0)
            if low.any():
                raise DataError(
                    f"transform: {LOG_DIFF!r} takes logarithms, and column "
                    f"{names[int(low.argmax())]!r} has values of 0 or below; use transform="
                    f"{DIFF!r}, or leave the column out (exclude)."
                )
            np.log(values, out=values)
        if depth > lags:
            values = np.diff(values, axis=0)
        n = max(len(rows) - depth, 0)
        parts = [values[lags - lag :][:n] for lag in range(lags + 1)]
        if self.now is not None:
            parts[0] = parts[0][:, self.now]
        if self.past is not None:
            parts[1:] = [part[:, self.past] for part in parts[1:]]
        changed = np.concatenate([*parts, rows[depth:, p:]], axis=1)
        if self.clusters:
            labels = rows[:, -1]
            changed = changed[
                np.all(
                    [labels[depth - k :][:n] == labels[depth:] for k in range(1, depth + 1)], axis=0
                )
            ]
        return changed, np.array(rows[-depth:])  # a reader may use the memory of a block again

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
            counts.missing = add_missing(counts.missing, found)
        return _kept(rows, complete, counts)

    def _weighted(self, block: Rows, names: tuple[str, ...]) -> ColumnBlock:
        rows, weights = _apart(block)
        _check_weights(weights, f"column {self.along_name!r}" if self.along_name else "the weights")
        used = weights > 0
        if not used.all():
            rows, weights = ColumnBlock.of(np.asarray(rows)[used]), weights[used]
        # The sums of weighted rows allow for missing values, so that nobody else would refuse them.
        if self.missing != "pairwise" and not np.isfinite(np.asarray(rows)).all():
            raise_for_nonfinite(rows, names)
        rows.weights = weights
        return rows

    def _clustered(self, block: Rows) -> ColumnBlock:
        rows, labels = _apart(block)
        if np.isnan(labels).any():
            where = f" in column {self.along_name!r}" if self.along_name else ""
            raise DataError(
                f"clusters: expected a label for every row, got missing ones{where}; fill them in, "
                "or leave such rows out (missing='drop', --missing drop)."
            )
        _check_labels(labels)
        rows.clusters = labels
        return rows


def _apart(block: Rows) -> tuple[ColumnBlock, FloatArray]:
    rows = ColumnBlock.of(block)
    p = rows.shape[1] - 1
    return rows.chosen(range(p)), np.asarray(rows.chosen([p]))[:, 0]


def _kept(rows: AnyArray, wanted: BoolArray, counts: PartitionCounts) -> AnyArray:
    n_dropped = len(rows) - int(wanted.sum())
    counts.n_dropped += n_dropped
    return rows[wanted] if n_dropped else rows


def columns_of(block: Rows, places: Sequence[int]) -> Rows:
    return block.chosen(places) if isinstance(block, ColumnBlock) else np.asarray(block)[:, places]


def _prepared(part: Partition, one_pass: Callable[[Partition], T], options: RowOptions) -> T:
    return one_pass(options.applied(part))


class View(Table):
    """A table seen through `RowOptions`."""

    def __init__(self, source: Table, **options: Any) -> None:
        self.source, self.options = source, RowOptions(**options)
        self.feature_names = self.options.variables(source.feature_names)
        self.named = source.named or self.options.names is not None
        self.rescannable, self.local = source.rescannable, source.local
        self.left_out = source.left_out
        # Normal scores and what was read along, and what was counted when they were read.
        self._scored: tuple[FloatArray, PartitionCounts] | None = None
        if self.options.transform == NORMAL_SCORES and not source.rescannable:
            raise DataError(
                f"transform: {NORMAL_SCORES!r} reads the rows twice, and this stream can be read "
                "only once; write the rows to a Parquet file first."
            )

    @property
    def in_memory(self) -> bool:  # type: ignore[override]
        return self._scored is not None or self.source.in_memory

    @property
    def files(self) -> tuple[FileRead, ...]:  # type: ignore[override]
        return self.source.files

    @property
    def estimated_rows(self) -> int | None:
        return self.source.estimated_rows

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        return known_total(self.partition_rows() or [None])

    def labels(self, name: str) -> Iterable[Any]:
        return self.source.labels(name)

    def partition_rows(self) -> Sequence[int | None] | None:
        rows, options = self.source.partition_rows(), self.options
        if rows is None:
            return None
        some_rows = (
            options.missing in _CHOSEN
            or options.weights
            or (options.rows_before and (options.clusters or None in rows))
        )
        if some_rows:
            return [None] * len(rows)
        left, known = options.rows_before, []
        for n in rows:  # the first ones have too few before them
            known.append(n if n is None else max(n - left, 0))
            left = max(left - (n or 0), 0)
        return known

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        options = self.options
        if options.transform == NORMAL_SCORES:
            scores, counts = self._scored = self._scored or self._rank()
            names = (*map(str, range(len(scores))),)
            blocks = partial(row_blocks, scores.T, batch_rows(len(scores)))
            left = RowOptions(
                names=self.feature_names,
                clusters=options.clusters,
                along_name=options.along_name,
            )
            return one_pass(left.applied(Partition(0, "", names, blocks, copy.copy(counts))))
        if not self.source.local:
            if options.rows_before and not options.before:
                plain = RowOptions(options.levels, options.column, options.places)
                one_end = partial(_last_rows, most=options.rows_before)
                ends = partial(_prepared, one_pass=one_end, options=plain)
                last = self.source.reduce(ends, operator.add)
                before = _rows_before(last, options.rows_before)
                self.options = options = replace(options, before=before)
            options = replace(options, progress=None)  # a cluster has its own
        return self.source.reduce(partial(_prepared, one_pass=one_pass, options=options), merge)

    def _rank(self) -> tuple[FloatArray, PartitionCounts]:
        """Read all rows, features first, and put normal scores in place of their values."""
        later: dict[str, Any] = {"clusters": False, "names": None}
        values = View(self.source, **{**vars(self.options), "transform": None, **later})
        p = len(self.feature_names)
        most: float = math.inf if self.source.in_memory else MOST_RANKED
        one_pass, merge = partial(_gathered, most=most), partial(_joined, most=most)
        blocks, counts = values.reduce(one_pass, merge)
        rows = np.concatenate([np.empty((len(values.feature_names), 0)), *blocks], axis=1)
        variables = rows[:p]
        if not np.isfinite(variables).all():
            raise_for_nonfinite(variables.T, self.feature_names)
        normal_scores(variables, out=variables)
        return rows, counts


def view(table: Table, **options: Any) -> View:
    """A table with some options; those that it has stay."""
    if not isinstance(table, View):
        return View(table, **options)
    changed = copy.copy(table)
    changed.options = replace(table.options, **options)
    changed.feature_names = changed.options.variables(table.source.feature_names)
    return changed


def chosen_columns(table: Table, names: Sequence[str]) -> View:
    """Some columns of a table that has no labels or weights yet, in any order."""
    place = {name: i for i, name in enumerate(table.feature_names)}
    places = tuple(place[name] for name in names)
    options = options_of(table)
    if options.places is not None:
        places = tuple(options.places[i] for i in places)
    return view(table, places=places, names=None if options.names is None else tuple(names))


def without_columns(table: Table, left_out: Mapping[str, str]) -> Table:
    """A table without some variables; weights and labels stay beside the rows."""
    options = options_of(table)
    source = table.source if isinstance(table, View) else table
    places = options.places or tuple(range(len(options.every_name(source.feature_names))))
    kept = [i for i, name in enumerate(table.feature_names) if name not in left_out]
    names = None if options.names is None else tuple(options.names[i] for i in kept)
    along = places[len(table.feature_names) :]
    changed = view(table, places=(*(places[i] for i in kept), *along), names=names)
    changed._scored, changed.left_out = None, {**table.left_out, **left_out}
    return changed


def left_out_notes(table: Table) -> tuple[str, ...]:
    """What is left out and why; and that dates among it go back, where the order of rows counts."""
    if not table.left_out:
        return ()
    held = ", ".join(f"{name!r} ({what})" for name, what in table.left_out.items())
    it = "they" if len(table.left_out) > 1 else "it"
    note = f"Left out, because {it} cannot be tested: {held}."
    most = _MOST_DATES if table.in_memory else _MOST_DATES // 10  # files are read once more
    n = table.estimated_rows
    able = table.local and table.rescannable and not options_of(table).clusters
    if not able or n is None or n > most:
        return (note,)
    found = []
    for name in [name for name, what in table.left_out.items() if what == "dates"]:
        dates = [date for date in table.labels(name) if date is not None and date == date]
        earlier = sum(map(operator.lt, dates[1:], dates))
        if not earlier or not any(map(operator.gt, dates[1:], dates)):
            return (note,)  # the rows are in the order of these dates
        found.append(
            f"The dates of {name!r} go back in {earlier} of {len(dates)} rows; if rows were taken "
            "on these dates, sort the rows by them, because a check for dependence and "
            "method='batch' go by the order of the rows."
        )
    return (note, *found[:1])


def options_of(data: object) -> RowOptions:
    return data.options if isinstance(data, View) else RowOptions()


def values_of(table: Table) -> Table:
    """The same rows without normal scores."""
    if options_of(table).transform != NORMAL_SCORES or not isinstance(table, View):
        return table
    return View(table.source, **{**vars(table.options), "transform": None})


def _last_rows(part: Partition, most: int) -> list[tuple[int, FloatArray]]:
    last = np.empty((0, len(part.feature_names)))
    for block in part.blocks():
        rows = np.asarray(block)[max(block.shape[0] - most, 0) :]
        last = np.concatenate([last, np.array(rows, dtype=np.float64)])[-most:]
    return [(part.number, last)]


def _rows_before(last: Sequence[tuple[int, FloatArray]], most: int) -> dict[int, FloatArray]:
    """The last rows before each partition but the first that has any."""
    before: dict[int, FloatArray] = {}
    rows: FloatArray | None = None
    for number, own in sorted(last, key=lambda one: one[0]):
        if rows is not None and len(rows):
            before[number] = rows
        rows = own if rows is None else np.concatenate([rows, own])[-most:]
    return before


# Normal scores Φ⁻¹(r/(n + 1)) of columns: r is the rank, the average one of equal values.

_MANY = 1_000_000


def normal_scores(values: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """The normal scores of columns of finite numbers, features first; `out` may be the same memory."""
    n = values.shape[1]
    # Without ties all columns have the same scores, in another order.
    untied = special.ndtri(np.arange(1, n + 1) / (n + 1))
    made = np.empty(values.shape) if out is None else out
    both = zip(values, made, strict=True)
    for _ in on_each(partial(_score, untied=untied), both, 1 if values.size < _MANY else None):
        pass
    return made


def _score(both: tuple[FloatArray, FloatArray], untied: FloatArray) -> None:
    (column, scores), n = both, len(untied)
    order = np.argsort(column)
    values = column[order]
    first = np.flatnonzero(np.append(np.ones(min(n, 1), dtype=bool), values[1:] != values[:-1]))
    if len(first) < n:  # ties
        until = np.append(first[1:], n)
        untied = np.repeat(special.ndtri((first + until + 1) / 2 / (n + 1)), until - first)
    scores[order] = untied


_Gathered = tuple[list[FloatArray], PartitionCounts]


def _gathered(part: Partition, most: float) -> _Gathered:
    """All values of a partition, features first; a copy, since a reader may use its memory again."""
    found: _Gathered = ([], part.counts)
    for block in part.blocks():
        copied = np.array(np.asarray(block).T, dtype=np.float64)
        found = _joined(found, ([copied], PartitionCounts()), most)
    return found[0], part.counts


def _joined(a: _Gathered, b: _Gathered, most: float) -> _Gathered:
    blocks = a[0] + b[0]
    if sum(block.nbytes for block in blocks) > most:
        raise DataError(
            f"transform: expected at most {most / (1 << 20):,.0f} MB of numbers to rank in memory, "
            "got more; use method='kendall' (--method kendall) without transform, which needs no "
            "ranks, or test fewer columns."
        )
    missing = add_missing(a[1].missing, b[1].missing)
    return blocks, PartitionCounts(a[1].n_dropped + b[1].n_dropped, missing)


# What the options may be ---------------------------------------------------------------------


def check_lags(options: RowOptions) -> None:
    if options.weights:
        raise ParameterError("`lags` and `weights` cannot be combined.")
    if options.transform == NORMAL_SCORES:
        raise ParameterError(f"`lags` and transform={NORMAL_SCORES!r} cannot be combined.")


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
    numbers = checked_weights(values) if argument == "weights" else label_numbers(values)
    if len(numbers) != n:
        raise ParameterError(
            f"{argument}: expected one {what} for each of {n} rows, got {len(numbers)} {what}s."
        )
    if argument == "weights" and n and not 1e-100 < (largest := float(numbers.max())) < 1e100:
        numbers = numbers / (largest or 1.0)  # only proportions matter
    return numbers


def checked_weights(weights: Any) -> FloatArray:
    try:
        values = np.asarray(weights)
        if values.dtype.kind in "cmM":
            raise TypeError(f"values of type {values.dtype}")
        values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"weights: expected the name of a column or one number for each row, got {error}."
        ) from error
    if values.ndim != 1:
        raise _not_one_dimensional("weights", "number", weights)
    _check_weights(values, "the weights")
    return values


def _not_one_dimensional(argument: str, what: str, values: Any) -> ParameterError:
    return ParameterError(
        f"{argument}: expected the name of a column or one {what} for each row, got "
        f"{type(values).__name__} of {np.ndim(values)} dimensions."
    )


def _check_weights(weights: FloatArray, where: str) -> None:
    wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
    if wrong.size:
        first = float(wrong[0])
        what = "missing ones (NaN)" if isnan(first) else f"{first:g}"
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
# digest: two of a million share a number with a probability of 1e-4, which costs a little power.
_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,14})(\.0*)?")
_NO_LABEL = ("", "nan", "NaN", "NaT")


def label_number(label: Any) -> float:
    """The number of one label; NaN where it is missing (None, NaN, NaT, an empty text)."""
    if label is None or type(label).__name__ == "NAType":  # of pandas
        return nan
    if isinstance(label, Real | np.bool_):
        value = float(label)
        if not isnan(value) and not value.is_integer():
            raise _not_a_label(value)
        if not abs(value) >= _EXACT:  # also if it is NaN
            return value
        label = int(label)  # type: ignore[arg-type]
    # As the cells of a CSV file are, which people align.
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label).strip()
    if text in _NO_LABEL:
        return nan
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return float(int(whole[1]))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> 11)


def label_numbers(labels: Any) -> FloatArray:
    """The numbers of labels that a user passes as an array, one for each row."""
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels.tolist()  # None in place of what is masked
    if not isinstance(labels, list | tuple):
        values = np.asarray(labels)
        if values.ndim != 1:
            raise _not_one_dimensional("clusters", "label", labels)
        if values.dtype.kind in "fiub":
            numbers = values.astype(np.float64)
            _check_labels(numbers)
            if not (np.abs(numbers) >= _EXACT).any():
                return numbers
        labels = (values.astype(str) if values.dtype.kind in "mM" else values).tolist()
    try:
        number = {label: label_number(label) for label in set(labels)}
    except TypeError as error:
        raise ParameterError(
            f"clusters: expected labels such as text, whole numbers or dates, got others ({error})."
        ) from error
    return np.array([number[label] for label in labels], dtype=np.float64)


def _check_labels(labels: FloatArray) -> None:
    """Refuse a number that is not whole: it measures, and does not name."""
    wrong = labels[~np.isnan(labels) & ((labels != np.floor(labels)) | np.isinf(labels))]
    if wrong.size:
        raise _not_a_label(float(wrong[0]))


def _not_a_label(value: float) -> DataError:
    return DataError(
        f"clusters: expected labels, such as text or whole numbers, got {value:g}; is it a column of "
        "measurements? Name the column that says which cluster a row belongs to."
    )
