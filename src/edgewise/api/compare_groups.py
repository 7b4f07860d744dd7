"""`compare_groups`: which partial correlations differ between two groups of rows?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from edgewise._checks import (
    check_alpha,
    check_choice,
    check_columns,
    check_count,
    check_flag,
    check_names,
    default_names,
)
from edgewise._linalg import AnyArray, FloatArray
from edgewise._special import log_upper_tail
from edgewise._text import listed
from edgewise.api.levels import Levels, read_levels
from edgewise.errors import (
    BrokenAssumptionWarning,
    DataError,
    EdgewiseWarning,
    ParameterError,
    warn,
)
from edgewise.inference.cautions import OF_ROW_ORDER, Caution
from edgewise.inference.corrections import CORRECTIONS, adjust
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question, checked_family
from edgewise.inference.sample import sample_of_state, sample_of_table
from edgewise.methods.auto import Auto
from edgewise.methods.batch import Batch
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of, supporting
from edgewise.methods.wald import Wald
from edgewise.results.difference import EdgeDifferenceResult, TwoGroups, decide_differences
from edgewise.sums.moments import RowState
from edgewise.sums.save import as_state
from edgewise.tables.open import as_table, files_of, on_cluster
from edgewise.tables.options import TRANSFORMS, refuse_pairwise, values_of, view
from edgewise.tables.ranks import normal_scores
from edgewise.tables.reading import data_and_reading
from edgewise.tables.table import Table, all_rows, column_places, rows_up_to

# Discrete rows are equal by chance. Groups share rows if far more are equal than within a group.
_SHARED = 0.2
_ALMOST_ALL_DIFFERENT = 0.9
# Rows that are pairs have clearly correlated columns; also where many columns are looked at.
_SURELY = math.log(1e-6)


def _row_cautions(a: FloatArray, b: FloatArray, name: str) -> Iterator[Caution]:
    """Signs that two groups are not independent: rows in common, or rows that are pairs."""
    common = _common(a, b)
    if common:
        yield Caution(
            f"{common:,} of its rows are also in {name!r}. The test needs groups without common "
            "rows: its p-values are wrong.",
            "common rows",
            True,
        )
    elif (correlation := _paired(a, b)) is not None:
        yield Caution(
            f"Row by row it goes along with {name!r} (correlation {correlation:.2f} of a column). "
            "If the same subjects are in both groups, or both are sorted alike, the test does not "
            "hold: it needs different subjects. For the same subjects before and after, test the "
            "changes.",
            "paired rows",
            True,
        )


def _common(a: FloatArray, b: FloatArray) -> int:
    """How many rows are in both, if rows of a group are almost all different."""
    of_a, of_b = (np.unique(one, axis=0) for one in (a, b))
    if len(of_a) < _ALMOST_ALL_DIFFERENT * len(a) or len(of_b) < _ALMOST_ALL_DIFFERENT * len(b):
        return 0
    together = len(np.unique(np.concatenate([of_a, of_b]), axis=0))
    common = len(of_a) + len(of_b) - together
    return common if common > _SHARED * min(len(of_a), len(of_b)) else 0


def _paired(a: FloatArray, b: FloatArray) -> float | None:
    """The largest correlation of a column with itself, row by row, if it is no chance."""
    n, p = a.shape
    if len(b) != n or n < 10:
        return None
    # Ranks, so that a few large values in the same row do not decide.
    x, y = (np.argsort(np.argsort(one, axis=0), axis=0) - (n - 1) / 2 for one in (a, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(np.einsum("ki,ki->i", x, y) / (x**2).sum(axis=0))
    largest = int(np.argmax(np.abs(r)))
    z = math.atanh(min(abs(float(r[largest])), 1 - 1e-12)) * math.sqrt(n - 3)
    log_p = math.log(2 * p) + log_upper_tail(z)
    return float(r[largest]) if log_p < _SURELY else None


_LARGEST = 1e300


def permuted_statistics(
    groups: Sequence[FloatArray],
    method: Method,
    permutations: int,
    random_state: int,
    progress: Callable[[int], None] | None = None,
    *,
    transform: bool = False,
) -> FloatArray:
    """D of every pair, one permutation in each row.

    Of two groups, the first is compared with the second; of more, each with the others. With
    `transform`, ranks are found anew in the permuted groups.
    """
    rows, k = np.concatenate(groups), len(groups)
    labels = np.repeat(np.arange(k), [len(group) for group in groups])
    rng = np.random.default_rng(random_state)
    found = []
    for _ in range(permutations):
        permuted = rng.permutation(labels)
        made = scored_within(rows, permuted, k) if transform else rows
        if k > 2:
            made = standardized_within(made, permuted, k)
        each = []
        for i in range(1 if k == 2 else k):
            z_a, variance_a = method.fisher_z_of_rows(made[permuted == i])
            z_b, variance_b = method.fisher_z_of_rows(made[permuted != i])
            each.append((z_a - z_b) / np.sqrt(variance_a + variance_b))
        found.append(np.concatenate(each))
        if progress is not None:
            progress(1)
    draws = np.array(found)
    # Without an inverse of the covariance there is no statistic: it counts as larger than any.
    return np.where(np.isnan(draws), _LARGEST, draws)


def standardized_within(rows: FloatArray, labels: AnyArray, k: int) -> FloatArray:
    """Every group centred and scaled by itself.

    Pooled as they are, groups with different means or variances would have partial correlations
    that none of them has.
    """
    made = np.empty_like(rows)
    for i in range(k):
        own = rows[labels == i]
        with np.errstate(divide="ignore", invalid="ignore"):
            made[labels == i] = (own - own.mean(axis=0)) / own.std(axis=0)
    return made


def scored_within(rows: FloatArray, labels: AnyArray, k: int) -> FloatArray:
    """The normal scores of every group by itself."""
    made = np.empty_like(rows)
    for i in range(k):
        made[labels == i] = normal_scores(rows[labels == i].T).T
    return made


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
                table = as_table(data, **rows)
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
        table = as_table(rows, feature_names=feature_names, clusters=labels, transform=transform)
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
        if not isinstance(source, RowState):
            source = view(source, names=names)
        return replace(self, source=source, feature_names=names)

    def measured(self, method: Method) -> tuple[Measurement, FloatArray | None]:
        """What the method measures, and the labels of rows that belong together.

        An error says in which group it is.
        """
        p, purpose = len(self.feature_names), f"method {method.name!r}"
        with in_group(self.name):
            self.check_rows()
            if isinstance(self.source, RowState):
                sample: Any = sample_of_state(self.source, purpose, self.feature_names)
            else:
                sample = sample_of_table(self.source, method.needs, purpose)
                _check_enough(sample.n_samples, p)
            labels = None if sample.clusters is None else sample.clusters.labels()
            method, sample = method.resolved(sample, "two groups")
            return method.measure_group(sample), labels

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
    if first.method != second.method:  # rows of one depend on those before them: batch suits both
        why = first.why if first.method == "batch" else second.why
        first, second = (
            one if one.method == "batch" else replace(group.measured(Batch())[0], why=why)
            for group, one in ((a, first), (b, second))
        )
    if order is not None:
        second = second.reordered(order)
    one, other = first.estimate, second.estimate
    if one.n_samples == other.n_samples and np.array_equal(one.covariance, other.covariance):
        raise _shared("got the same rows twice")
    if own is not None and others is not None:
        both = len(np.intersect1d(own, others))
        same = Caution(
            f"{both:,} of its labels of rows that belong together are in the other group too. If "
            "they are the same subjects, the test does not hold; if subjects are only numbered "
            "alike, it does.",
            "labels in both groups",
        )
        first = replace(first, cautions=(*first.cautions, *[same] * bool(both)))
    elif own is None and others is None:
        first = replace(first, cautions=(*first.cautions, *cautions_of_rows(a, b, order)))
    return TwoGroups((a.name, b.name), first, second), order


def cautions_of_rows(a: Group, b: Group, order: AnyArray | None) -> tuple[Caution, ...]:
    """What rows in memory say against independent groups; others are not read again for it."""
    if any(isinstance(one.source, RowState) for one in (a, b)):
        return ()
    tables = [values_of(one.table) for one in (a, b)]
    if not all(one.in_memory for one in tables):
        return ()
    sizes = [(one.n_rows or 0) * len(one.feature_names) for one in tables]
    if not 0 < sum(sizes) <= _MOST_LOOKED_AT:
        return ()
    first, second = map(all_rows, tables)
    return tuple(_row_cautions(first, second if order is None else second[:, order], b.name))


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


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """The question, checked before any row is read."""

    method: Method
    question: Question
    permutations: int | None
    random_state: int
    progress: Callable[[int], None] | None
    transform: str | None

    def check_permutations(self) -> None:
        """Refuse a method that cannot measure permuted rows, and too few permutations."""
        if self.permutations is None:
            return
        if "permutations" not in self.method.supports:
            able = [repr(name) for name in supporting("permutations")]
            raise ParameterError(
                "permutations: expected with a method for independent rows that is quick enough "
                f"({', '.join(able)}), got {self.method.name!r}; leave permutations out, or use "
                "that method."
            )
        count = check_count("permutations", self.permutations, at_least=1)
        least = math.ceil(1 / self.question.alpha - 1e-9) - 1
        if count < least:
            raise ParameterError(
                f"permutations: expected at least {least} at alpha {self.question.alpha:g}, or no p-value "
                f"could be small enough, got {count}; 999 is usual."
            )

    def check_groups(self) -> None:
        """Refuse rows that belong together where the question does not allow for them."""
        if "clusters" not in self.method.supports:
            raise ParameterError(
                f"clusters: expected with method 'wald', got {self.method.name!r}, which does not "
                "allow for rows that belong together; leave method out."
            )
        if self.permutations is not None:
            raise ParameterError(
                "permutations: expected without groups, got both; rows that belong together cannot "
                "change groups one by one. Leave permutations out."
            )

    def decided(
        self, compared: Sequence[TwoGroups], draws: FloatArray | None, n_without: int = 0
    ) -> EdgeDifferenceResult:
        """The result of these comparisons."""
        result = decide_differences(compared, self.question, draws, n_without_level=n_without)
        result = self._with_cautions(result)
        for caution in result.cautions:
            if getattr(caution, "breaks", False):
                warn(caution, BrokenAssumptionWarning)
        return result

    def _with_cautions(self, result: EdgeDifferenceResult) -> EdgeDifferenceResult:
        """With a caution if the permutations are too few to find a single pair."""
        if self.permutations is None or self.question.correction not in ("bh", "by"):
            return result
        smallest = np.full(result.n_tests, 0.0)
        smallest[0] = -math.log(1 + self.permutations)
        factor = math.exp(adjust(smallest, self.question.correction)[0] - smallest[0])
        least = math.ceil(factor / self.question.alpha - 1e-9) - 1
        if self.permutations >= least:
            return result
        few = Caution(
            f"With {self.permutations} permutations and correction {self.question.correction!r} over "
            f"{result.n_tests} tests, a pair that alone differs cannot be found; "
            f"{least} permutations or more would do.",
            "few permutations",
        )
        return replace(result, further_cautions=(few,))

    def draws(self, groups: Callable[[], Sequence[FloatArray]]) -> FloatArray | None:
        """The permuted statistics of the rows of the groups; None without permutations."""
        if self.permutations is None:
            return None
        return permuted_statistics(
            groups(),
            self.method,
            self.permutations,
            self.random_state,
            self.progress,
            transform=self.transform is not None,
        )


def _checked_correction(correction: object, *, permuted: bool) -> str | None:
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    if correction in (None, "none"):
        return None
    if not permuted:
        if correction == "maxt":
            raise ParameterError(
                "correction: 'maxt' is that of permutations; add permutations=999, or use 'holm'."
            )
        return str(correction)
    if correction == "holm":  # the default; "maxt" is its like for permutations
        return "maxt"
    if correction == "bonferroni":
        raise ParameterError(
            f"correction: with permutations expected 'maxt' (the default, which permutes the "
            f"largest statistic and needs fewer permutations), 'bh', 'by' or None, got "
            f"{correction!r}."
        )
    return str(correction)


def compare_two(
    a: Group,
    b: Group,
    asked: Asked,
    record: Callable[[TwoGroups], TwoGroups] | None = None,
    n_without: int = 0,
) -> EdgeDifferenceResult:
    """Compare two groups that are open."""
    asked.question.tested((b if b.named and not a.named else a).feature_names)
    if asked.permutations is not None:
        for group in (a, b):
            if isinstance(group.source, RowState):
                raise ParameterError(
                    f"permutations: expected rows, got a state for group {group.name!r}, which has "
                    "none; pass the rows, or leave permutations out."
                )
    compared, order = measured_groups(a, b, asked.method)

    def rows() -> list[FloatArray]:
        of_b = all_rows(values_of(b.table))
        return [all_rows(values_of(a.table)), of_b if order is None else of_b[:, order]]

    recorded = compared if record is None else record(compared)
    return asked.decided([recorded], asked.draws(rows), n_without)


def compare_levels(levels: Levels, asked: Asked, *, missing: str) -> EdgeDifferenceResult:
    """Compare two levels with each other, and each of more with the others."""
    asked.question.tested(levels.feature_names)
    whole = levels.complete(missing=missing)
    groups = [whole.rows[whole.codes == i] for i in range(len(whole.names))]
    dropped = [int((levels.codes == i).sum()) - len(rows) for i, rows in enumerate(groups)]
    opened = [
        Group.of_rows(
            rows, name, levels.feature_names, whole.labels_of(whole.codes == i), asked.transform
        )
        for i, (rows, name) in enumerate(zip(groups, levels.names, strict=True))
    ]
    if len(groups) == 2:
        record = partial(_recorded, levels=levels, dropped=(dropped[0], dropped[1]))
        return compare_two(opened[0], opened[1], asked, record, levels.n_without)
    for group, rows in zip(opened, groups, strict=True):
        with in_group(group.name):
            group.check_rows()
            # Each level is scaled by itself.
            constant = np.ptp(rows, axis=0) == 0
            if constant.any():
                name = group.feature_names[int(np.argmax(constant))]
                raise DataError(
                    f"column {name!r} is constant in it, so it has no correlations there; leave "
                    "the column out (exclude=), or join levels."
                )
    within = standardized_within if asked.transform is None else scored_within
    pooled = within(whole.rows, whole.codes, len(groups))
    compared, method = [], asked.method
    if isinstance(method, Auto) and len({one.measured(method)[0].method for one in opened}) > 1:
        method = Batch()  # one for all levels
    for i, one in enumerate(opened):
        rest = whole.codes != i
        labels = whole.labels_of(rest)
        others = Group.of_rows(pooled[rest], f"all but {one.name}", levels.feature_names, labels)
        two = measured_groups(one, others, method)[0]
        # Levels one after another look like rows that depend on each other.
        cautions = tuple(one for one in two.second.cautions if one.kind not in OF_ROW_ORDER)
        two = replace(two, second=replace(two.second, cautions=cautions))
        of_each = dropped[i], sum(dropped) - dropped[i]
        compared.append(_recorded(two, levels, of_each, asked.transform))
    return asked.decided(compared, asked.draws(lambda: groups), levels.n_without)


def _recorded(
    groups: TwoGroups, levels: Levels, dropped: tuple[int, int], transform: str | None = None
) -> TwoGroups:
    """With what only the levels know: their files, and the rows that were left out."""
    known: dict[str, Any] = {"files": levels.files}
    if levels.clusters_name is not None:
        known["clusters"] = levels.clusters_name
    if transform is not None:
        known["transform"] = transform
    first, second = (
        replace(one, provenance=replace(one.provenance, n_dropped=rows, **known))
        for one, rows in zip((groups.first, groups.second), dropped, strict=True)
    )
    return TwoGroups(groups.names, first, second)


def compare_groups(
    a: Any,
    b: Any = None,
    *,
    by: Any = None,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = "holm",
    permutations: int | None = None,
    random_state: int = 0,
    group_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    missing: str = "raise",
    given: str | Sequence[str] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    clusters: Any = None,
    paired: bool = False,
    client: Any = None,
    transform: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> EdgeDifferenceResult:
    r"""Test for every pair of variables whether its partial correlation differs between groups.

    H₀(i, j) is ρ^A_ij = ρ^B_ij, ρ the correlation of two variables given all others. The statistic
    is

    .. math:: D = (z_A - z_B) / \sqrt{V_A + V_B}, \qquad z = \operatorname{atanh} \hat\rho,

    with the variance V that the method measures in each group, so neither the laws nor the numbers
    of rows of the groups need be equal. Their rows must be independent: other subjects, other days.

    Parameters
    ----------
    a, b : array-like, data frame, Arrow stream, path, list of paths, or a state
        The rows of each group, as for `edge_test`. Columns are matched by name, in any order, and
        those of arrays by their place. Two `BatchMoments` states serve the method "batch".
    by : str or sequence, optional
        In place of `b`: the column of `a` that tells the groups apart, or a level for each row; the
        rows are read into memory. With more than two levels, each is compared with all the others
        pooled, after every level is centred and scaled by itself, and the correction is over all.
    method : str or Method
        How each group is measured: "wald", "batch" (rows may depend on the rows before them),
        "elliptical" or "fisher" (such rows only); by default one of the first two, by the rows.
    alpha : float
        Significance level, between 0 and 1.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How to account for testing many pairs; with permutations "maxt" by default.
    permutations : int, optional
        Take p-values from that many permutations of the labels (999 is usual), which are exact if
        the laws of the groups are equal. The rows are read into memory. With "wald" only.
    random_state : int
        Seed of the permutations.
    group_names : two str, optional
        The names of the groups in tables and messages; "a" and "b", or the levels, by default.
    feature_names : sequence of str, optional
        Names of the columns, in place of those that came with the data.
    columns : str or sequence of str, optional
        The columns to compare, by name; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out.
    missing : {"raise", "drop"}
        Refuse rows with NaN or infinite values, or without a level, or leave them out.
    given : str or sequence of str, optional
        Columns to adjust for in both groups without testing them.
    pairs : sequence of pairs of str, optional
        The only pairs to test.
    clusters : str, or labels, optional
        Which rows belong together, such as those of a subject: a column of labels; with `by` also a
        label for each row; with `a` and `b` also a tuple of both groups' labels. With "wald" only.
    paired : bool
        Whether each row of `a` belongs to a row of `b`; True is refused: there is no such test
        here.
    client : distributed.Client, optional
        A Dask cluster that reads the files.
    transform : {"normal-scores", None}
        Compare the normal scores of the columns, as in `edge_test`, by ranks within each group.
    progress : callable, optional
        Called with 1 after every permutation.
    **options
        Further options of the method, such as `n_batches` of "batch".

    Returns
    -------
    EdgeDifferenceResult
        Which pairs differ, by how much, and a test that any differs; with more than two levels,
        ``result[level]`` is the comparison of one with all the others.

    Warns
    -----
    BrokenAssumptionWarning
        If the data contradict what the method assumes; `result.cautions` says it too.

    Examples
    --------
    >>> import edgewise as ew
    >>> weak, strong = (
    ...     ew.simulate.sample("t5", ew.simulate.make_chain_precision(4, -rho), 1000, rng=1)
    ...     for rho in (0.1, 0.4)
    ... )
    >>> result = ew.compare_groups(weak, strong, group_names=["weak", "strong"])
    >>> sorted((pair.source, pair.target, round(pair.difference, 1)) for pair in result.edges())
    [('x0', 'x1', -0.3), ('x1', 'x2', -0.3), ('x2', 'x3', -0.3)]
    """
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    family = checked_family(given, pairs, columns=columns, exclude=exclude)
    chosen = method_of(method, options, compare_groups)
    if permutations is not None and isinstance(chosen, Auto):
        chosen = Wald()
    check_choice("transform", transform, TRANSFORMS)
    if transform is not None:
        chosen.check_supports("transform")
    if "two groups" not in chosen.supports:
        able = [repr(name) for name in supporting("two groups")]
        raise ParameterError(
            f"method: expected one that measures the standard error of each pair, by which groups "
            f"are compared ({', '.join(able)}), got {chosen.name!r}."
        )
    asked = Asked(
        chosen,
        Question(
            check_alpha(alpha),
            _checked_correction(correction, permuted=permutations is not None),
            given=family[0],
            pairs=family[1],
        ),
        permutations,
        check_count("random_state", random_state, at_least=0),
        progress,
        transform,
    )
    asked.check_permutations()
    if clusters is not None:
        asked.check_groups()
    refuse_pairwise(missing, "two groups")
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "missing": missing,
        "client": client,
        "transform": transform,
    }
    if check_flag("paired", paired):
        raise ParameterError(
            "paired: expected False, got True; the test needs different subjects in both groups. "
            "For the same subjects before and after, test the changes: edge_test(after - before)."
        )
    if (by is None) == (b is None):
        raise ParameterError(
            "b, by: expected two groups, a and b, or one table and by=COLUMN that tells the groups "
            f"apart, got {'neither' if by is None else 'both'}."
        )
    if by is not None:
        if group_names is not None:
            raise ParameterError("group_names: with by the levels are the names; leave it out.")
        levels = read_levels(a, by, {**rows, "clusters": clusters})
        return compare_levels(levels, asked, missing=missing)
    names = ("a", "b") if group_names is None else check_columns("group_names", group_names) or ()
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"group_names: expected two different names, got {group_names!r}.")
    labels_of_each = (
        (clusters, clusters) if clusters is None or isinstance(clusters, str) else clusters
    )
    if not isinstance(labels_of_each, tuple | list) or len(labels_of_each) != 2:
        raise ParameterError(
            "clusters: expected the name of a column, or a tuple of the labels of a and of b, got "
            f"{type(clusters).__name__}; pass clusters=(labels of a, labels of b)."
        )
    refuse_shared_rows(a, b)
    opened = [
        Group.opened(data, name, {**rows, "clusters": labels})
        for data, name, labels in zip((a, b), names, labels_of_each, strict=True)
    ]
    if asked.permutations is not None and (on_cluster(a, client) or on_cluster(b, client)):
        raise ParameterError(
            "permutations: expected with rows in this process, got rows on a cluster; leave "
            "permutations out."
        )
    return compare_two(opened[0], opened[1], asked)
