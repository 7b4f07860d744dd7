"""Two groups of rows: opened, their columns matched, and measured by the same method."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._base.checks import check_names, default_names
from edgewise._base.text import listed
from edgewise._base.types import AnyArray, FloatArray
from edgewise._base.warn import warn
from edgewise.errors import DataError, EdgewiseWarning, ParameterError
from edgewise.evidence.opening import evidence_of_state, evidence_of_table
from edgewise.inference.cautions import OF_ROW_ORDER, Caution
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import StudentOfEach
from edgewise.inference.spread import Spread
from edgewise.methods.method import Method
from edgewise.questions.common_rows import row_cautions
from edgewise.results.decide_difference import TwoGroups
from edgewise.rows.collecting import all_rows
from edgewise.rows.counting import rows_up_to
from edgewise.rows.grouping import GroupedTable
from edgewise.rows.normal_scores import values_under
from edgewise.rows.opening import files_of, open_table
from edgewise.rows.read_table import data_and_reading
from edgewise.rows.selection import column_places
from edgewise.rows.table import Table
from edgewise.rows.views import RenamedColumns
from edgewise.states.registry import as_state
from edgewise.states.row_state import RowState

_LITTLE_WORK = 10_000
# Numbers in both groups together whose rows are compared with each other: a fraction of a second.
_MOST_LOOKED_AT = 4_000_000

# What may be said of a state too, or is always said.
_OF_ANY = ("feature_names", "missing")


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """One group: its rows or its state, and the names of its columns."""

    name: str
    source: Table | RowState
    feature_names: tuple[str, ...]
    named: bool

    @classmethod
    def opened(cls, data: Any, name: str, rows: Mapping[str, Any]) -> Group:
        """Open the rows, or take the state; `rows` says how to read them."""
        state = as_state(data)
        if state is None:
            with in_group(name):
                table = open_table(data, **rows)
            return cls(name, table, table.feature_names, table.named)
        if not isinstance(state, RowState):
            raise ParameterError(
                f"group {name!r}: expected rows, or a state of rows, got a "
                f"{type(state).__name__}; pass its .state."
            )
        asked = [key for key, value in rows.items() if value is not None and key not in _OF_ANY]
        if rows["missing"] != "raise":
            asked.append("missing")
        if asked:
            raise ParameterError(
                f"{', '.join(asked)}: expected with rows only, got a state for group {name!r}, "
                "which has no rows."
            )
        names = rows.get("feature_names")
        own = state.feature_names or default_names(state.n_features or 0)
        taken = check_names(own if names is None else names, state.n_features)
        return cls(name, state, taken, names is not None or state.feature_names is not None)

    @classmethod
    def of_rows(
        cls,
        rows: FloatArray,
        name: str,
        feature_names: tuple[str, ...],
        labels: FloatArray | None = None,
        transform: str | None = None,
    ) -> Group:
        """Rows in memory; the labels say which of them belong together."""
        table = open_table(rows, feature_names=feature_names, groups=labels, transform=transform)
        return cls(name, table, feature_names, True)

    @property
    def table(self) -> Table:
        """Its rows, where it has rows."""
        if isinstance(self.source, RowState):
            raise TypeError("source: expected rows")
        return self.source

    def renamed(self, names: tuple[str, ...]) -> Group:
        """The same group with other names of its columns."""
        source = self.source
        if isinstance(source, GroupedTable):
            source = source.renamed(names)
        elif not isinstance(source, RowState):
            source = RenamedColumns(source, names)
        return replace(self, source=source, feature_names=names)

    def measured(self, method: Method) -> tuple[Measurement, FloatArray | None]:
        """What the method measures, and the labels of rows that belong together.

        An error says in which group it is.
        """
        p, asked_by = len(self.feature_names), f"method {method.name!r}"
        with in_group(self.name):
            self.check_rows()
            if isinstance(self.source, RowState):
                evidence: Any = evidence_of_state(self.source, asked_by, self.feature_names)
            else:
                evidence = evidence_of_table(self.source, method.needs, asked_by)
                _check_enough(evidence.n_samples, p)
            labels = None if evidence.groups is None else evidence.groups.labels()
            return method.measure_group(evidence), labels

    def check_rows(self) -> None:
        """Refuse too few rows before they are read, as far as they are known."""
        p = len(self.feature_names)
        if isinstance(self.source, RowState):
            known: int | None = self.source.n_samples
        else:
            known = rows_up_to(self.source, p + 2)
        if known is not None:
            _check_enough(known, p)


def _check_enough(n: int, p: int) -> None:
    if p >= 2 and n < p + 3:
        raise DataError(
            f"expected at least {p + 3} rows for {p} columns, got {n}; collect more rows or "
            "compare fewer columns."
        )


@contextmanager
def in_group(name: str) -> Iterator[None]:
    """An error about data says in which group."""
    try:
        yield
    except DataError as error:
        error.args = (f"group {name!r}: {error}",)
        raise


def matched(a: Group, b: Group) -> tuple[Group, Group, AnyArray | None]:
    """The groups, and the place of each column of A among those of B; None if the same.

    Columns are matched by name, or by place if one of the groups has no names.
    """
    if a.named and b.named:
        _check_same(a, b)
        return a, b, column_places(a.feature_names, b.feature_names, DataError)
    if len(a.feature_names) != len(b.feature_names):
        raise DataError(
            f"columns: expected as many columns in both groups, got {len(a.feature_names)} in "
            f"{a.name!r} and {len(b.feature_names)} in {b.name!r}; columns without names are "
            "matched by their place."
        )
    if a.named != b.named:
        named, other = (a, b) if a.named else (b, a)
        warn(
            f"columns: only group {named.name!r} has names, so the columns of {other.name!r} are "
            "matched to them by place.",
            EdgewiseWarning,
        )
    if b.named:
        return a.renamed(b.feature_names), b, None
    return a, b.renamed(a.feature_names), None


def _check_same(a: Group, b: Group) -> None:
    said = []
    for one, other in ((a, b), (b, a)):
        known = set(one.feature_names)
        missing = [repr(name) for name in other.feature_names if name not in known]
        if missing:
            said.append(f"group {one.name!r} lacks {listed(missing)}")
    if said:
        raise DataError(
            f"columns: expected the same columns in both groups, but {'; '.join(said)}. Name those "
            "that both have with columns=, or leave the others out with exclude=."
        )


def measured_groups(a: Group, b: Group, method: Method) -> tuple[TwoGroups, AnyArray | None]:
    """Measure both, and say in which order the columns of the second are then: as in the first."""
    a, b, order = matched(a, b)
    (first, own), (second, others) = a.measured(method), b.measured(method)
    if order is not None:
        second = _reordered(second, order)
    one, other = first.estimate, second.estimate
    if one.n_samples == other.n_samples and np.array_equal(one.covariance, other.covariance):
        raise _shared("got the same rows twice")
    if own is not None and others is not None:
        first = _told_of_both(first, len(np.intersect1d(own, others)))
    elif own is None and others is None:
        first = replace(first, cautions=(*first.cautions, *cautions_of_rows(a, b, order)))
    return TwoGroups((a.name, b.name), first, second), order


def cautions_of_rows(a: Group, b: Group, order: AnyArray | None) -> tuple[Caution, ...]:
    """What rows in memory say against independent groups; others are not read again for it."""
    if any(isinstance(one.source, RowState) for one in (a, b)):
        return ()
    tables = [values_under(one.table) for one in (a, b)]
    if not all(one.in_memory for one in tables):
        return ()
    sizes = [(one.n_rows or 0) * len(one.feature_names) for one in tables]
    if not 0 < sum(sizes) <= _MOST_LOOKED_AT:
        return ()
    first, second = map(all_rows, tables)
    return row_cautions(first, second if order is None else second[:, order], b.name)


def without_order(measured: Measurement) -> Measurement:
    """Without cautions about the order of its rows, for rows of several levels one after another.

    Where levels differ, such rows seem to depend on each other; each level is looked at by itself.
    """
    kept = tuple(one for one in measured.cautions if one.kind not in OF_ROW_ORDER)
    return replace(measured, cautions=kept)


def _told_of_both(measured: Measurement, both: int) -> Measurement:
    """With a caution if labels of rows that belong together are in both groups."""
    if not both:
        return measured
    same = Caution(
        f"{both:,} of its labels of rows that belong together are in the other group too. If they "
        "are the same subjects, the test does not hold; if subjects are only numbered alike, it "
        "does.",
        "labels in both groups",
    )
    return replace(measured, cautions=(*measured.cautions, same))


def refuse_shared_rows(a: Any, b: Any) -> None:
    """Refuse groups that have rows, or subjects, in common, as far as this can be seen."""
    (a, _), (b, _) = data_and_reading(a), data_and_reading(b)
    if a is b or (isinstance(a, str | os.PathLike) and a == b):
        raise _shared("got the same data twice")
    ours, theirs = files_of(a), files_of(b)
    if both := [path for identity, path in theirs.items() if identity in ours]:
        raise _shared(f"got the file '{both[0]}' in both")
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        try:
            overlap = np.shares_memory(a, b, max_work=_LITTLE_WORK)  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            overlap = False
        if overlap:
            raise _shared("got arrays that share some of them")
    index: tuple[Any, Any] = getattr(a, "index", None), getattr(b, "index", None)
    # Rows that are only numbered have numbers in common, but nothing else.
    if all(hasattr(one, "equals") and type(one).__name__ != "RangeIndex" for one in index):
        shared = index[0].intersection(index[1])
        if len(shared):
            raise _shared(
                f"got frames whose indexes share {len(shared)} labels, such as '{shared[0]}'",
                " If these are different rows, pass frame.reset_index(drop=True).",
            )


def _shared(found: str, hint: str = "") -> DataError:
    return DataError(
        f"a, b: expected two groups without common rows or subjects, {found}; the test needs "
        f"groups that are independent of each other.{hint}"
    )


def _reordered(measured: Measurement, order: AnyArray) -> Measurement:
    """The same measurement with its columns in another order."""
    own, estimate = measured.uncertainty, measured.estimate
    if not isinstance(own, PerEdge):
        raise TypeError(f"uncertainty: unexpected {type(own).__name__}")
    at = np.ix_(order, order)
    reference = own.reference
    if isinstance(reference, StudentOfEach):
        reference = StudentOfEach(reference.degrees[at])
    return replace(
        measured,
        feature_names=tuple(measured.feature_names[i] for i in order),
        estimate=replace(
            estimate,
            covariance=estimate.covariance[at],
            precision=estimate.precision[at],
            partial_correlation=estimate.partial_correlation[at],
            residual_map=estimate.residual_map[at],
        ),
        statistic=measured.statistic[at],
        uncertainty=replace(
            own,
            spread=Spread(own.spread.precision[at], own.spread.fisher_z[at]),
            reference=reference,
        ),
        maxima=None,
    )
