"""`compare_groups`: which partial correlations differ between two groups of rows?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._checks import check_choice, check_columns, check_count, check_names, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise._special import log_upper_tail
from edgewise._text import listed
from edgewise.errors import (
    BrokenAssumptionWarning,
    DataError,
    EdgewiseWarning,
    ParameterError,
    warn,
)
from edgewise.inference.cautions import OF_ROW_ORDER, Assumes, Caution
from edgewise.inference.corrections import CORRECTIONS, adjust
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.inference.sample import sample_of_state, sample_of_table
from edgewise.methods.auto import Auto
from edgewise.methods.batch import Batch
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of, registered, supporting
from edgewise.methods.wald import Wald
from edgewise.results.difference import EdgeDifferenceResult, TwoGroups, decide_differences
from edgewise.sums.moments import RowState
from edgewise.sums.save import as_state
from edgewise.tables.files import FileRead, files_read
from edgewise.tables.formats import all_unchanged
from edgewise.tables.open import as_table, column_of_labels, files_of, labels_of, on_cluster
from edgewise.tables.options import (
    TRANSFORMS,
    label_numbers,
    refuse_pairwise,
    uses_ranks,
    values_of,
    view,
)
from edgewise.tables.ranks import normal_scores
from edgewise.tables.reading import data_and_reading
from edgewise.tables.table import Table, all_rows, column_places, raise_for_nonfinite, rows_up_to

_MOST_LEVELS = 12


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
    missing: str = "auto",
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    clusters: Any = None,
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
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        How to account for testing many pairs; with permutations "maxt" by default.
    permutations : int, optional
        Take p-values from that many permutations of the labels (999 is usual), which are exact if
        the laws of the groups are equal. The rows are read into memory. With "wald" only.
    random_state : int
        Seed of the permutations.
    group_names : two str, optional
        The names of the groups in tables and messages; "a" and "b", or the levels, by default.
    feature_names, columns, exclude, given, pairs : optional
        As in `edge_test`, for both groups.
    missing : {"auto", "drop", "raise"}
        Refuse rows with NaN or infinite values, or without a level, or leave them out.
    clusters : str, or labels, optional
        Which rows belong together, such as those of a subject: a column of labels; with `by` also a
        label for each row; with `a` and `b` also a tuple of both groups' labels. With "wald" only.
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
    chosen = method_of(method, options, compare_groups)
    if permutations is not None and isinstance(chosen, Auto):
        chosen = Wald()
    check_choice("transform", transform, TRANSFORMS)
    if transform is not None:
        if uses_ranks(transform):
            chosen.check_supports("transform")
        elif by is not None or permutations is not None:
            raise ParameterError(
                f"`transform={transform!r}` and by or permutations cannot be combined; pass the "
                "differences of each group."
            )
    if "two groups" not in chosen.supports:
        able = [repr(name) for name in supporting("two groups")]
        raise ParameterError(
            f"method: expected one that measures the standard error of each pair, by which groups "
            f"are compared ({', '.join(able)}), got {chosen.name!r}."
        )
    family = {"given": given, "pairs": pairs, "columns": columns, "exclude": exclude}
    correction = _checked_correction(correction, permuted=permutations is not None)
    question = replace(chosen.question(alpha, None, **family), correction=correction)
    test = _Test(
        chosen,
        question,
        permutations,
        check_count("random_state", random_state, at_least=0),
        progress,
        transform,
    )
    test.check_permutations()
    if clusters is not None:
        chosen.check_supports("clusters")
        if permutations is not None:
            raise ParameterError(
                "`permutations` and `clusters` cannot be combined: rows that belong together "
                "cannot change groups one by one."
            )
    refuse_pairwise(missing, "two groups")
    rows: dict[str, Any] = {
        "feature_names": feature_names,
        "columns": columns,
        "exclude": exclude,
        "missing": missing,
        "transform": transform,
    }
    if (by is None) == (b is None):
        raise ParameterError(
            "b, by: expected two groups, a and b, or one table and by=COLUMN that tells the groups "
            f"apart, got {'neither' if by is None else 'both'}."
        )
    if by is not None:
        if group_names is not None:
            raise ParameterError("group_names: with by the levels are the names; leave it out.")
        return _compare_levels(_read_levels(a, by, {**rows, "clusters": clusters}), test)
    names = ("a", "b") if group_names is None else check_columns("group_names", group_names) or ()
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"group_names: expected two different names, got {group_names!r}.")
    labels = (clusters, clusters) if clusters is None or isinstance(clusters, str) else clusters
    if not isinstance(labels, tuple | list) or len(labels) != 2:
        raise ParameterError(
            "clusters: expected the name of a column, or a tuple of the labels of a and of b, got "
            f"{type(clusters).__name__}; pass clusters=(labels of a, labels of b)."
        )
    _refuse_shared_data(a, b)
    first, second = (
        Group.opened(data, name, {**rows, "clusters": own})
        for data, name, own in zip((a, b), names, labels, strict=True)
    )
    if permutations is not None and (on_cluster(a) or on_cluster(b)):
        raise ParameterError(
            "permutations: expected with rows in this process, got rows on a cluster; leave "
            "permutations out."
        )
    return _compare_two(first, second, test)


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
            "correction: with permutations expected 'maxt' (the default, which permutes the "
            "largest statistic and needs fewer permutations), 'bh', 'by' or None, got 'bonferroni'."
        )
    return str(correction)


@dataclass(frozen=True, eq=False, slots=True)
class _Test:
    """The question, the method, and how labels are permuted."""

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

    def decided(
        self, compared: Sequence[TwoGroups], draws: FloatArray | None, n_without: int = 0
    ) -> EdgeDifferenceResult:
        """The result of these comparisons."""
        result = decide_differences(compared, self.question, draws, n_without_level=n_without)
        correction = self.question.correction
        if self.permutations is not None and correction in ("bh", "by"):
            smallest = np.full(result.n_tests, 0.0)
            smallest[0] = -math.log(1 + self.permutations)
            factor = math.exp(adjust(smallest, correction)[0] - smallest[0])
            least = math.ceil(factor / self.question.alpha - 1e-9) - 1
            if self.permutations < least:
                few = Caution(
                    f"With {self.permutations} permutations and correction {correction!r} over "
                    f"{result.n_tests} tests, a pair that alone differs cannot be found; "
                    f"{least} permutations or more would do.",
                    "few permutations",
                )
                result = replace(result, further_cautions=(few,))
        for caution in result.cautions:
            if getattr(caution, "breaks", False):
                warn(caution, BrokenAssumptionWarning)
        return result

    def draws(self, groups: Callable[[], Sequence[FloatArray]]) -> FloatArray | None:
        """The permuted statistics of the rows of the groups; None without permutations."""
        if self.permutations is None:
            return None
        how = self.method, self.permutations, self.random_state, self.progress
        return permuted_statistics(groups(), *how, transform=self.transform is not None)


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
            with _in_group(name):
                table = as_table(data, **rows)
            return cls(name, table, table.feature_names, table.named)
        if not isinstance(state, RowState):
            raise ParameterError(
                f"group {name!r}: expected rows, or a state of rows, got a "
                f"{type(state).__name__}; pass its .state."
            )
        for_rows = {key: value for key, value in rows.items() if key != "feature_names"}
        if for_rows.get("missing") in ("auto", "raise"):
            del for_rows["missing"]
        given = [key for key, value in for_rows.items() if value is not None]
        if given:
            raise ParameterError(
                f"{', '.join(given)}: expected with rows only, got a state for group {name!r}, "
                "which has no rows."
            )
        names = rows.get("feature_names")
        own = state.feature_names or default_names(state.n_features or 0)
        taken = check_names(own if names is None else names, state.n_features)
        return cls(name, state, taken, names is not None or state.feature_names is not None)

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
        """What the method measures, and the labels of rows that belong together."""
        p, purpose = len(self.feature_names), f"method {method.name!r}"
        with _in_group(self.name):
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
def _in_group(name: str) -> Iterator[None]:
    """An error about data says in which group."""
    try:
        yield
    except DataError as error:
        error.args = (f"group {name!r}: {error}",)
        raise


def _matched(a: Group, b: Group) -> tuple[Group, Group, AnyArray | None]:
    """The groups, and the place of each column of A among those of B; None if the same."""
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


def _measured(a: Group, b: Group, method: Method) -> tuple[TwoGroups, AnyArray | None]:
    """Measure both, and say in which order the columns of the second are then: as in the first."""
    a, b, order = _matched(a, b)
    (first, own), (second, others) = a.measured(method), b.measured(method)
    if first.method != second.method:  # the one that allows for dependent rows suits both
        known, independent = registered(), Assumes.INDEPENDENT_ROWS
        careful = min((first, second), key=lambda one: independent in known[one.method].assumes)
        suits = method_of(careful.method)
        first, second = (
            one if one is careful else replace(group.measured(suits)[0], why=careful.why)
            for group, one in ((a, first), (b, second))
        )
    if order is not None:
        second = second.reordered(order)
    one, other = first.estimate, second.estimate
    if one.n_samples == other.n_samples and np.array_equal(one.covariance, other.covariance):
        raise _shared("got the same rows twice")
    if own is not None and others is not None:
        if both := len(np.intersect1d(own, others)):
            same = Caution(
                f"{both:,} of its labels of rows that belong together are in the other group too. "
                "If they are the same subjects, the test does not hold; if subjects are only "
                "numbered alike, it does.",
                "labels in both groups",
            )
            first = replace(first, cautions=(*first.cautions, same))
    elif own is None and others is None:
        first = replace(first, cautions=(*first.cautions, *_cautions_of_rows(a, b, order)))
    return TwoGroups((a.name, b.name), first, second), order


def _cautions_of_rows(a: Group, b: Group, order: AnyArray | None) -> tuple[Caution, ...]:
    """What rows in memory say against independent groups; others are not read again for it."""
    if any(isinstance(one.source, RowState) for one in (a, b)):
        return ()
    tables = [values_of(one.table) for one in (a, b)]
    if not all(one.in_memory for one in tables):
        return ()
    sizes = [(one.n_rows or 0) * len(one.feature_names) for one in tables]
    if not 0 < sum(sizes) <= _MOST_COMPARED:
        return ()
    first, second = map(all_rows, tables)
    second = second if order is None else second[:, order]
    if common := _common(first, second):
        text = (
            f"{common:,} of its rows are also in {b.name!r}. The test needs groups without common "
            "rows: its p-values are wrong."
        )
        return (Caution(text, "common rows", True),)
    if (correlation := _paired(first, second)) is not None:
        text = (
            f"Row by row it goes along with {b.name!r} (correlation {correlation:.2f} of a column). "
            "If the same subjects are in both groups, or both are sorted alike, the test does not "
            "hold: it needs different subjects. For the same subjects before and after, test the "
            "changes."
        )
        return (Caution(text, "paired rows", True),)
    return ()


# Discrete rows are equal by chance. Groups share rows if far more are equal than within a group.
_SHARED = 0.2
_ALMOST_ALL_DIFFERENT = 0.9
# Numbers in both groups together whose rows are compared with each other: a fraction of a second.
_MOST_COMPARED = 4_000_000
# Rows that are pairs have clearly correlated columns; also where many columns are looked at.
_SURELY = math.log(1e-6)


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


def _refuse_shared_data(a: Any, b: Any) -> None:
    """Refuse groups that have rows, or subjects, in common, as far as this can be seen."""
    (a, _), (b, _) = data_and_reading(a), data_and_reading(b)
    if a is b or (isinstance(a, str | os.PathLike) and a == b):
        raise _shared("got the same data twice")
    ours, theirs = files_of(a), files_of(b)
    if both := [path for identity, path in theirs.items() if identity in ours]:
        raise _shared(f"got the file '{both[0]}' in both")
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        try:
            overlap = np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]
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


def _compare_two(
    a: Group,
    b: Group,
    test: _Test,
    levels: _Levels | None = None,
) -> EdgeDifferenceResult:
    """Compare two groups that are open."""
    test.question.tested((b if b.named and not a.named else a).feature_names)
    if test.permutations is not None:
        for group in (a, b):
            if isinstance(group.source, RowState):
                raise ParameterError(
                    f"permutations: expected rows, got a state for group {group.name!r}, which has "
                    "none; pass the rows, or leave permutations out."
                )
    compared, order = _measured(a, b, test.method)

    def rows() -> list[FloatArray]:
        of_b = all_rows(values_of(b.table))
        return [all_rows(values_of(a.table)), of_b if order is None else of_b[:, order]]

    if levels is None:
        return test.decided([compared], test.draws(rows))
    recorded = levels.recorded(compared, levels.dropped[0], levels.dropped[1])
    return test.decided([recorded], test.draws(rows), levels.n_without)


@dataclass(frozen=True, eq=False, slots=True)
class _Levels:
    """Complete rows in memory, with the number of the level of each among the sorted names."""

    rows: FloatArray
    codes: AnyArray
    names: tuple[str, ...]
    feature_names: tuple[str, ...]
    n_without: int  # rows without a level or a cluster label
    dropped: tuple[int, ...]  # rows of each level that lack a value
    clusters: FloatArray | None
    clusters_name: str | None
    files: tuple[FileRead, ...]

    def group(self, name: str, rows: FloatArray, some: AnyArray, transform: str | None) -> Group:
        """Some of the rows, or what was made of them."""
        labels = None if self.clusters is None else self.clusters[some]
        how = {"clusters": labels, "transform": transform, "feature_names": self.feature_names}
        return Group.opened(rows[some], name, how)

    def recorded(
        self, groups: TwoGroups, first: int, second: int, transform: str | None = None
    ) -> TwoGroups:
        """With what only the levels know: their files, and the rows that were left out."""
        known: dict[str, Any] = {"files": self.files}
        if self.clusters_name is not None:
            known["clusters"] = self.clusters_name
        if transform is not None:
            known["transform"] = transform
        a, b = (
            replace(one, provenance=replace(one.provenance, n_dropped=n, **known))
            for one, n in ((groups.first, first), (groups.second, second))
        )
        return TwoGroups(groups.names, a, b)


def _compare_levels(levels: _Levels, test: _Test) -> EdgeDifferenceResult:
    """Compare two levels with each other, and each of more with the others."""
    test.question.tested(levels.feature_names)
    k, dropped = len(levels.names), levels.dropped
    groups = [levels.rows[levels.codes == i] for i in range(k)]
    opened = [
        levels.group(name, levels.rows, levels.codes == i, test.transform)
        for i, name in enumerate(levels.names)
    ]
    if k == 2:
        return _compare_two(opened[0], opened[1], test, levels)
    for group, rows in zip(opened, groups, strict=True):
        with _in_group(group.name):
            group.check_rows()
            # Each level is scaled by itself.
            constant = np.ptp(rows, axis=0) == 0
            if constant.any():
                name = group.feature_names[int(np.argmax(constant))]
                raise DataError(
                    f"column {name!r} is constant in it, so it has no correlations there; leave "
                    "the column out (exclude=), or join levels."
                )
    change = _standardized if test.transform is None else _scored
    pooled = _within(levels.rows, levels.codes, k, change)
    compared, method = [], test.method
    if isinstance(method, Auto) and len({one.measured(method)[0].method for one in opened}) > 1:
        method = Batch()  # one for all levels
    for i, one in enumerate(opened):
        others = levels.group(f"all but {one.name}", pooled, levels.codes != i, None)
        two = _measured(one, others, method)[0]
        # Levels one after another look like rows that depend on each other.
        cautions = tuple(one for one in two.second.cautions if one.kind not in OF_ROW_ORDER)
        two = replace(two, second=replace(two.second, cautions=cautions))
        rest = sum(dropped) - dropped[i]
        compared.append(levels.recorded(two, dropped[i], rest, test.transform))
    return test.decided(compared, test.draws(lambda: groups), levels.n_without)


def _read_levels(data: Any, by: Any, rows: Mapping[str, Any]) -> _Levels:
    """Read the rows into memory, and the level of each; `rows` says how to read them."""
    if as_state(data) is not None:
        raise ParameterError("by: expected with rows, got a state, which has no rows.")
    if on_cluster(data):
        raise ParameterError(
            "by: expected with rows in this process, got rows on a cluster; split them there, as "
            "in compare_groups(frame[frame.g == 1], frame[frame.g == 2])."
        )
    clusters, left_out = rows["clusters"], check_columns("exclude", rows["exclude"]) or ()
    for argument, name in (("by", by), ("clusters", clusters)):
        if isinstance(name, str):
            if name in (rows["columns"] or ()):
                raise ParameterError(
                    f"{argument}: the column {name!r} tells groups apart and is no variable; leave "
                    "it out of columns."
                )
            left_out = (*left_out, name)
    # Files are opened once for the levels, and once for the rows.
    with all_unchanged(files_of(data).values()):
        labels = column_of_labels(data, by) if isinstance(by, str) else _levels_given(by)
        how = {"exclude": left_out or None, "missing": "raise", "clusters": None, "transform": None}
        table = as_table(data, **{**rows, **how})
        values = all_rows(table)
        if isinstance(clusters, str):
            clusters = column_of_labels(data, clusters, "clusters")
    n = len(values)
    if len(labels) != n:
        raise DataError(f"by: expected a level for each of the {n} rows, got {len(labels)}.")
    known = np.array([label is not None for label in labels], dtype=bool)
    numbers = None if clusters is None else label_numbers(clusters)
    if numbers is not None and len(numbers) != n:
        raise ParameterError(
            f"clusters: expected one label for each of {n} rows, got {len(numbers)} labels."
        )
    lacking = [("by", "level", ~known)]
    if numbers is not None:
        lacking.append(("clusters", "label", np.isnan(numbers)))
        known &= ~np.isnan(numbers)
    for argument, what, without in lacking:
        if without.any() and rows["missing"] != "drop":
            raise DataError(
                f"{argument}: {int(without.sum())} of {n} rows have no {what}; fill them in, or "
                "leave such rows out (missing='drop', --missing drop)."
            )
    names, codes = _level_codes(labels[known], f"column {by!r}" if isinstance(by, str) else "by")
    values = values[known]
    numbers = None if numbers is None else numbers[known]
    if numbers is not None:
        _check_apart(numbers, codes)
    complete = np.isfinite(values).all(axis=1)
    if rows["missing"] != "drop" and not complete.all():
        raise_for_nonfinite(values, table.feature_names)
    return _Levels(
        values[complete],
        codes[complete],
        names,
        table.feature_names,
        int((~known).sum()),
        tuple(np.bincount(codes[~complete], minlength=len(names)).tolist()),
        None if numbers is None else numbers[complete],
        rows["clusters"] if isinstance(rows["clusters"], str) else None,
        files_read(table),
    )


def _check_apart(clusters: FloatArray, codes: AnyArray) -> None:
    """Refuse rows that belong together and have different levels: the levels then depend."""
    different = np.unique(np.column_stack([clusters, codes]), axis=0)[:, 0]
    labels, counts = np.unique(different, return_counts=True)
    both = int((counts > 1).sum())
    if both:
        raise DataError(
            f"clusters: expected each label with one level only, got {both} of {len(labels)} with "
            "more than one; the levels must have different subjects. For the same subjects before "
            "and after, test the changes."
        )


def _levels_given(by: Any) -> AnyArray:
    """Levels that are not a column of the data."""
    if not isinstance(by, Iterable) or isinstance(by, bytes | Mapping):
        raise ParameterError(
            f"by: expected the name of a column or a level for each row, got {type(by).__name__}."
        )
    return labels_of(by)


def _level_codes(labels: AnyArray, where: str) -> tuple[tuple[str, ...], AnyArray]:
    """The levels as text, in order, by their numbers if all are numbers; and that of each row."""
    whole = [
        isinstance(label, float | np.floating) and float(label).is_integer() for label in labels
    ]
    texts = [str(int(label) if one else label) for one, label in zip(whole, labels, strict=True)]
    names, codes = np.unique(texts, return_inverse=True)
    try:
        order = np.argsort([float(name) for name in names], kind="stable")
    except ValueError:
        order = np.arange(len(names))
    if len(names) < 2:
        only = f"only {str(names[0])!r}" if len(names) else "none"
        raise DataError(
            f"by: expected at least 2 levels, got {only} in {where}; there is nothing to compare."
        )
    ordered = tuple(str(names[i]) for i in order)
    if len(names) > _MOST_LEVELS:
        raise DataError(
            f"by: expected at most {_MOST_LEVELS} levels, got {len(names)} in {where} "
            f"({listed([*map(repr, ordered)])}); is it a number and not a group? Join levels first."
        )
    return ordered, np.argsort(order)[codes]


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
    """D of every pair, one permutation in each row; of more than two groups, of each and others."""
    rows, k = np.concatenate(groups), len(groups)
    labels = np.repeat(np.arange(k), [len(group) for group in groups])
    rng = np.random.default_rng(random_state)
    found = []
    for _ in range(permutations):
        permuted = rng.permutation(labels)
        made = _within(rows, permuted, k, _scored) if transform else rows
        if k > 2:
            made = _within(made, permuted, k, _standardized)
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


def _within(
    rows: FloatArray, labels: AnyArray, k: int, change: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Every group changed by itself."""
    made = np.empty_like(rows)
    for i in range(k):
        made[labels == i] = change(rows[labels == i])
    return made


def _standardized(rows: FloatArray) -> FloatArray:
    """Pooled as they are, groups would have partial correlations that none of them has."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))


def _scored(rows: FloatArray) -> FloatArray:
    return normal_scores(rows.T).T
