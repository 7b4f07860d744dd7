"""`compare_groups`: which partial correlations differ between two groups of rows?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from edgewise._checks import check_choice, check_columns, check_count
from edgewise._linalg import AnyArray, FloatArray
from edgewise._special import log_upper_tail
from edgewise._text import listed
from edgewise.errors import BrokenAssumptionWarning, DataError, ParameterError, warn
from edgewise.inference.cautions import OF_ROW_ORDER, Assumes, Caution
from edgewise.inference.corrections import CORRECTIONS
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Sample, open_sample
from edgewise.methods.auto import Auto
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.methods.wald import Wald
from edgewise.results.difference import EdgeDifferenceResult, TwoGroups, decide_differences
from edgewise.sums.save import as_state
from edgewise.tables.formats import all_unchanged
from edgewise.tables.open import (
    as_table,
    column_of_labels,
    data_and_reading,
    files_of,
    labels_of,
    on_cluster,
)
from edgewise.tables.options import (
    NORMAL_SCORES,
    TRANSFORMS,
    label_numbers,
    normal_scores,
    refuse_pairwise,
    values_of,
)
from edgewise.tables.table import (
    FileRead,
    Table,
    all_rows,
    column_places,
    raise_for_nonfinite,
)

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
    is (z_A − z_B)/√(V_A + V_B), z = atanh ρ̂, with the variance V that the method measures in each
    group, so neither the laws nor the numbers of rows of the groups need be equal. Their rows must
    be independent: other subjects, other days.

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
    chosen.check_supports("two groups")
    question = chosen.question(alpha, None, given=given, pairs=pairs)
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    check_choice("transform", transform, TRANSFORMS)
    check_count("random_state", random_state, at_least=0)
    refuse_pairwise(missing, "two groups")
    if (by is None) == (b is None):
        raise ParameterError(
            "b, by: expected two groups, a and b, or one table and by=COLUMN that tells the groups "
            f"apart, got {'neither' if by is None else 'both'}."
        )
    if transform == NORMAL_SCORES:
        chosen.check_supports("transform")
    elif transform is not None and (by is not None or permutations is not None):
        raise ParameterError(
            f"`transform={transform!r}` and by or permutations cannot be combined; pass the "
            "differences of each group."
        )
    if clusters is not None:
        chosen.check_supports("clusters")
    if permutations is not None:
        chosen = Wald() if isinstance(chosen, Auto) else chosen
        chosen.check_supports("permutations")
        if clusters is not None:
            raise ParameterError(
                "`permutations` and `clusters` cannot be combined: rows that belong together "
                "cannot change groups one by one."
            )
        least = math.ceil(1 / question.alpha - 1e-9) - 1
        if check_count("permutations", permutations, at_least=1) < least:
            raise ParameterError(
                f"permutations: expected at least {least} at alpha {question.alpha:g}, or no "
                f"p-value could be small enough, got {permutations}; 999 is usual."
            )
        correction = "maxt" if correction == "holm" else correction
    elif correction == "maxt":
        raise ParameterError(
            "correction: 'maxt' is that of permutations; add permutations=999, or use 'holm'."
        )
    question = replace(question, correction=None if correction == "none" else correction)

    reading = {"columns": columns, "exclude": exclude, "feature_names": feature_names}
    without_level = 0
    if by is None:
        reading |= {"missing": missing, "transform": transform}
        compared, rows = _two_groups(
            a, b, group_names, clusters, chosen, question.tested, reading, permutations is not None
        )
    elif group_names is not None:
        raise ParameterError("group_names: with by the levels are the names; leave it out.")
    else:
        levels = _read_levels(a, by, clusters, missing, reading)
        question.tested(levels.feature_names)
        compared, rows = _groups_of_levels(levels, chosen, transform)
        without_level = levels.n_without
    draws = None
    if permutations is not None:
        how = chosen, permutations, random_state, progress
        draws = permuted_statistics(rows or (), *how, transform=transform is not None)
    result = decide_differences(compared, question, draws, n_without_level=without_level)
    for caution in result.cautions:
        if getattr(caution, "breaks", False):
            warn(caution, BrokenAssumptionWarning)
    return result


def _two_groups(
    a: Any,
    b: Any,
    group_names: object,
    clusters: Any,
    method: Method,
    check_names_of: Callable[[Sequence[str]], object],
    reading: Mapping[str, Any],
    permuted: bool,
) -> tuple[list[TwoGroups], list[FloatArray] | None]:
    """What the method measured in both, and their rows, if they are in memory or are permuted."""
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
    samples: dict[str, Sample] = {}
    tables: list[Table] = []
    for name, data, own in zip(names, (a, b), labels, strict=True):
        like = None if not samples else samples[names[0]].feature_names
        sample, table = _opened(
            data, name, method, {**reading, "clusters": own}, like, check_names_of
        )
        samples[name] = sample
        if table is not None and table.local and table.rescannable:
            tables.append(values_of(table))
        elif permuted:
            raise ParameterError(
                "permutations: expected rows in this process that can be read again, got a state, "
                f"a stream or rows on a cluster for group {name!r}; leave permutations out."
            )
    rows = None
    in_memory = len(tables) == 2 and all(one.in_memory for one in tables)
    sizes = [(one.n_rows or 0) * len(one.feature_names) for one in tables]
    if permuted or (in_memory and 0 < sum(sizes) <= _MOST_COMPARED):
        rows = [all_rows(one) for one in tables]
    first, second = _measured(samples, method)[1]
    return [_checked(TwoGroups((names[0], names[1]), first, second), samples, rows)], rows


def _opened(
    data: Any,
    name: str,
    method: Method,
    reading: Mapping[str, Any],
    like: tuple[str, ...] | None = None,
    check_names_of: Callable[[Sequence[str]], object] | None = None,
) -> tuple[Sample, Table | None]:
    """The rows or the state of a group, with its columns in the order of those `like` them."""
    purpose = f"method {method.name!r}"
    with _in_group(name):
        if (state := as_state(data)) is not None:
            sample = open_sample(state, method.needs, purpose, **reading)
            table, found = None, sample.feature_names
        else:
            table = as_table(data, **reading)
            if like and table.feature_names != like and {*table.feature_names} == {*like}:
                source = table if reading["clusters"] is None else data
                table = as_table(source, **{**reading, "columns": like, "exclude": None})
            found = table.feature_names
        if like and found != like:
            column_places(like, found, _other_columns)
            raise DataError(
                "columns: expected the columns of both states in the same order; accumulate them "
                "with the same columns=."
            )
        if table is not None:
            sample = open_sample(table, method.needs, purpose, check_names_of=check_names_of)
        elif check_names_of is not None:
            check_names_of(found)
        n, p = sample.n_samples, len(found)
        if n < p + 3:
            raise DataError(
                f"expected at least {p + 3} rows for {p} columns, got {n}; collect more rows or "
                "compare fewer columns."
            )
    return sample, table


def _other_columns(found: str) -> DataError:
    return DataError(
        f"columns: expected the columns of the other group, but {found}. Name those that both have "
        "with columns=, leave others out with exclude=, or name them alike with feature_names=."
    )


@contextmanager
def _in_group(name: str) -> Iterator[None]:
    """An error about data says in which group."""
    try:
        yield
    except DataError as error:
        error.args = (f"group {name!r}: {error}",)
        raise


def _measured(samples: Mapping[str, Sample], method: Method) -> tuple[Method, list[Measurement]]:
    """What one method measures in every group, and which method that is."""
    resolved = {}
    for name, sample in samples.items():
        with _in_group(name):
            resolved[name] = method.resolved(sample, "two groups")
    # One that allows for dependent rows suits all groups.
    careful, by_this = min(
        resolved.values(), key=lambda one: Assumes.INDEPENDENT_ROWS in one[0].assumes
    )
    measured = []
    for name, (own, sample) in resolved.items():
        with _in_group(name):
            if own != careful:
                again = sample.in_batches() if careful.needs.in_batches else sample
                sample = replace(again, why=by_this.why, purpose=by_this.purpose)
            measured.append(careful.measure_group(sample))
    return careful, measured


def _checked(
    groups: TwoGroups, samples: Mapping[str, Sample], rows: Sequence[FloatArray] | None
) -> TwoGroups:
    """With a caution, if the groups seem to have rows or subjects in common."""
    first, second = groups.first, groups.second
    one, other = first.estimate, second.estimate
    if one.n_samples == other.n_samples and np.array_equal(one.covariance, other.covariance):
        raise _shared("got the same rows twice")
    known = [sample.clusters for sample in samples.values() if sample.clusters is not None]
    caution = None
    if len(known) == 2:
        if both := len(np.intersect1d(known[0].labels(), known[1].labels())):
            caution = Caution(
                f"{both:,} of its labels of rows that belong together are in the other group too. "
                "If they are the same subjects, the test does not hold; if subjects are only "
                "numbered alike, it does.",
                "labels in both groups",
            )
    elif rows is not None and (common := _common(*rows)):
        caution = Caution(
            f"{common:,} of its rows are also in {groups.names[1]!r}. The test needs groups "
            "without common rows: its p-values are wrong.",
            "common rows",
            True,
        )
    elif rows is not None and (correlation := _paired(*rows)) is not None:
        caution = Caution(
            f"Row by row it goes along with {groups.names[1]!r} (correlation {correlation:.2f} of "
            "a column). If the same subjects are in both groups, or both are sorted alike, the "
            "test does not hold: it needs different subjects. For the same subjects before and "
            "after, test the changes.",
            "paired rows",
            True,
        )
    if caution is None:
        return groups
    return TwoGroups(groups.names, replace(first, cautions=(*first.cautions, caution)), second)


# Discrete rows are equal by chance. Groups share rows if far more are equal than within a group.
_SHARED = 0.2
_ALMOST_ALL_DIFFERENT = 0.9
# Numbers in both groups together whose rows are compared with each other: a fraction of a second.
_MOST_COMPARED = 4_000_000
# Rows that are ranked to look for pairs: they show a correlation of 0.1.
_MOST_RANKED = 5_000
_ODD = np.uint64(0x9E3779B97F4A7C15)
# Rows that are pairs have clearly correlated columns; also where many columns are looked at.
_SURELY = math.log(1e-6)


def _common(a: FloatArray, b: FloatArray) -> int:
    """How many rows are in both, if rows of a group are almost all different."""
    of_a, of_b = (np.unique(_hashes(one)) for one in (a, b))
    if len(of_a) < _ALMOST_ALL_DIFFERENT * len(a) or len(of_b) < _ALMOST_ALL_DIFFERENT * len(b):
        return 0
    common = len(np.intersect1d(of_a, of_b, assume_unique=True))
    return common if common > _SHARED * min(len(of_a), len(of_b)) else 0


def _hashes(rows: FloatArray) -> AnyArray:
    """A number for each row that different rows share by a chance of 2⁻⁶⁴."""
    found = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        found ^= (column + 0.0).view(np.uint64)  # −0.0 is 0.0
        found *= _ODD
        found ^= found >> np.uint64(32)
    return found


def _paired(a: FloatArray, b: FloatArray) -> float | None:
    """The largest correlation of a column with itself, row by row, if it is no chance."""
    n, p = a.shape
    if len(b) != n or n < 10:
        return None
    # Ranks, so that a few large values in the same row do not decide; ties share theirs, or they
    # would go up with the number of the row in both groups.
    some = slice(None, None, -(-n // _MOST_RANKED))
    a, b = a[some], b[some]
    n = len(a)
    x, y = (np.column_stack([_shared_ranks(column) for column in one.T]) for one in (a, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
        r = np.nan_to_num(np.einsum("ki,ki->i", x, y) / sizes)
    largest = int(np.argmax(np.abs(r)))
    z = math.atanh(min(abs(float(r[largest])), 1 - 1e-12)) * math.sqrt(n - 3)
    log_p = math.log(2 * p) + log_upper_tail(z)
    return float(r[largest]) if log_p < _SURELY else None


def _shared_ranks(column: FloatArray) -> FloatArray:
    """Ranks about their mean; equal values have the mean of theirs."""
    _, place, count = np.unique(column, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count + len(column)) / 2)[place])


def _refuse_shared_data(a: Any, b: Any) -> None:
    """Refuse groups that have rows, or subjects, in common, as far as this can be seen."""
    (a, _), (b, _) = data_and_reading(a), data_and_reading(b)
    if a is b or (isinstance(a, str | os.PathLike) and a == b):
        raise _shared("got the same data twice")
    ours, theirs = files_of(a), files_of(b)
    if both := [path for identity, path in theirs.items() if identity in ours]:
        raise _shared(f"got the file '{both[0]}' in both")
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


class _Levels(NamedTuple):
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


def _read_levels(
    data: Any, by: Any, clusters: Any, missing: str, reading: Mapping[str, Any]
) -> _Levels:
    """Read the rows into memory, and the level of each."""
    if as_state(data) is not None or on_cluster(data):
        raise ParameterError(
            "by: expected rows in this process, got a state or rows on a cluster; split them "
            "there, as in compare_groups(frame[frame.g == 1], frame[frame.g == 2])."
        )
    labelling = [name for name in (by, clusters) if isinstance(name, str)]
    for name in labelling:
        if name in (reading["columns"] or ()):
            raise ParameterError(
                f"by, clusters: the column {name!r} tells groups apart and is no variable; leave "
                "it out of columns."
            )
    if not isinstance(by, Iterable) or isinstance(by, bytes | Mapping):
        raise ParameterError(
            f"by: expected the name of a column or a level for each row, got {type(by).__name__}."
        )
    # Files are opened once for the levels, and once for the rows.
    with all_unchanged(files_of(data).values()):
        labels = column_of_labels(data, by) if isinstance(by, str) else labels_of(by)
        left_out = (*(reading["exclude"] or ()), *labelling) or None
        table = as_table(data, **{**reading, "exclude": left_out})
        values = all_rows(table)
        if isinstance(clusters, str):
            numbers = label_numbers(column_of_labels(data, clusters, "clusters"))
        else:
            numbers = np.zeros(len(values)) if clusters is None else label_numbers(clusters)
    known = np.ones(len(values), dtype=bool)
    has_level = np.array([label is not None for label in labels], dtype=bool)
    for argument, what, has in (
        ("by", "level", has_level),
        ("clusters", "label", ~np.isnan(numbers)),
    ):
        if len(has) != len(known):
            raise DataError(
                f"{argument}: expected a {what} for each of the {len(known)} rows, got {len(has)}."
            )
        if missing != "drop" and not has.all():
            raise DataError(
                f"{argument}: {int((~has).sum())} of {len(known)} rows have no {what}; fill them "
                "in, or leave such rows out (missing='drop', --missing drop)."
            )
        known &= has
    where = f"column {by!r}" if isinstance(by, str) else "by"
    names, codes = _level_codes(labels[known], where)
    values, numbers = values[known], numbers[known]
    # The levels must not depend on each other.
    pairs = np.unique(np.column_stack([numbers, codes]), axis=0)[:, 0]
    different, counts = np.unique(pairs, return_counts=True)
    if clusters is not None and (both := int((counts > 1).sum())):
        raise DataError(
            f"clusters: expected each label with one level only, got {both} of {len(different)} "
            "with more than one; the levels must have different subjects. For the same subjects "
            "before and after, test the changes."
        )
    complete = np.isfinite(values).all(axis=1)
    if missing != "drop" and not complete.all():
        raise_for_nonfinite(values, table.feature_names)
    return _Levels(
        values[complete],
        codes[complete],
        names,
        table.feature_names,
        int((~known).sum()),
        tuple(np.bincount(codes[~complete], minlength=len(names)).tolist()),
        None if clusters is None else numbers[complete],
        clusters if isinstance(clusters, str) else None,
        table.files,
    )


def _level_codes(labels: AnyArray, where: str) -> tuple[tuple[str, ...], AnyArray]:
    """The levels as text, in order, by their numbers if all are numbers; and that of each row."""
    texts = [
        str(int(label) if isinstance(label, float | np.floating) and label == label // 1 else label)
        for label in labels
    ]
    names = sorted(set(texts))
    with suppress(ValueError):
        names.sort(key=float)
    if len(names) < 2:
        only = f"only {names[0]!r}" if names else "none"
        raise DataError(
            f"by: expected at least 2 levels, got {only} in {where}; there is nothing to compare."
        )
    if len(names) > _MOST_LEVELS:
        raise DataError(
            f"by: expected at most {_MOST_LEVELS} levels, got {len(names)} in {where} "
            f"({listed([*map(repr, names)])}); is it a number and not a group? Join levels first."
        )
    place = {name: code for code, name in enumerate(names)}
    return tuple(names), np.array([place[text] for text in texts])


def _groups_of_levels(
    levels: _Levels, method: Method, transform: str | None
) -> tuple[list[TwoGroups], list[FloatArray]]:
    """What the method measured in two levels, or in each level and in all others; and the rows."""
    names, codes, k = levels.names, levels.codes, len(levels.names)

    def opened(name: str, rows: FloatArray, some: AnyArray, transform: str | None) -> Sample:
        labels = None if levels.clusters is None else levels.clusters[some]
        reading = {"feature_names": levels.feature_names, "clusters": labels}
        return _opened(rows[some], name, method, {**reading, "transform": transform})[0]

    def recorded(measured: Measurement, n_dropped: int) -> Measurement:
        known: dict[str, Any] = {
            "files": levels.files,
            "clusters": levels.clusters_name,
            "transform": transform,
        }
        return replace(
            measured, provenance=replace(measured.provenance, n_dropped=n_dropped, **known)
        )

    groups = [levels.rows[codes == i] for i in range(k)]
    samples = {
        name: opened(name, levels.rows, codes == i, transform) for i, name in enumerate(names)
    }
    method, measured = _measured(samples, method)
    measured = [recorded(*one) for one in zip(measured, levels.dropped, strict=True)]
    if k == 2:
        two = TwoGroups((names[0], names[1]), measured[0], measured[1])
        return [_checked(two, samples, groups)], groups
    pooled = _within(levels.rows, codes, k, _standardized if transform is None else _scored)
    compared = []
    for i, (name, one) in enumerate(zip(names, measured, strict=True)):
        rest = f"all but {name}"
        sample = opened(rest, pooled, codes != i, None)
        others = recorded(
            _measured({rest: sample}, method)[1][0], sum(levels.dropped) - levels.dropped[i]
        )
        # Levels one after another look like rows that depend on each other.
        cautions = tuple(one for one in others.cautions if one.kind not in OF_ROW_ORDER)
        compared.append(TwoGroups((name, rest), one, replace(others, cautions=cautions)))
    return compared, groups


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
