"""The result of a comparison of two groups, or of several groups each with all the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from edgewise._checks import check_choice
from edgewise._linalg import BoolArray, FloatArray, pairs_of, symmetric
from edgewise._shown import view
from edgewise.errors import ParameterError
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import adjust
from edgewise.inference.differences import GroupDifference, GroupZ, PermutedTests, log_any
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.results.base import Result, equivalent_z, frozen, probabilities
from edgewise.results.summary import (
    any_sentence,
    difference_headline,
    difference_summary,
    transformed,
)
from edgewise.tables.table import FileRead

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes


class EdgeDifference(NamedTuple):
    """One pair of variables, and whether its partial correlation differs between two groups.

    Attributes
    ----------
    source, target : str
        The two variables.
    partial_correlation_a, partial_correlation_b : float
        Their estimated correlations given all other variables, in the first and the second group.
    standard_error_a, standard_error_b : float
        Of the two.
    difference, standard_error : float
        The first minus the second, and its standard error.
    interval_low, interval_high : float
        Interval of the difference, of the level and the family that the result's `interval_label`
        says.
    statistic : float
        The normal z with this p-value and the sign of the difference: a larger one is surer.
    pvalue, adjusted_pvalue : float
        Of this pair alone, and corrected for the number of pairs.
    reject : bool
        Whether the pair differs.
    n_samples_a, n_samples_b : int
        Rows of each group.
    group_a, group_b : str
        The names of the groups.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.compare_groups(returns[:4000], returns[4000:], method="wald")
    >>> first = result.pairs()[0]
    >>> first.source, first.target, first.reject
    ('GE', 'WMT', True)
    """

    source: str
    target: str
    partial_correlation_a: float
    standard_error_a: float
    partial_correlation_b: float
    standard_error_b: float
    difference: float
    standard_error: float
    interval_low: float
    interval_high: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    reject: bool
    n_samples_a: int
    n_samples_b: int
    group_a: str
    group_b: str


@dataclass(frozen=True, eq=False, slots=True)
class TwoGroups:
    """What a method measured in two groups, with the same columns in the same order."""

    names: tuple[str, str]
    first: Measurement
    second: Measurement

    def difference(self, n_tests: int) -> GroupDifference:
        """The two on Fisher's scale."""
        first, second = (
            GroupZ.of(one.partial_correlation, one.uncertainty) for one in (self.first, self.second)
        )
        return GroupDifference(first, second, n_tests)

    def cautions(self) -> tuple[Caution, ...]:
        """Those of both groups, each with the name of its group; first what breaks a guarantee."""
        both = [
            Caution(f"Group {name!r}: {caution}", caution.kind, caution.breaks)
            for name, measured in zip(self.names, (self.first, self.second), strict=True)
            for caution in measured.cautions
        ]
        return tuple(sorted(both, key=lambda caution: not caution.breaks))


@dataclass(frozen=True, eq=False, slots=True)
class GroupComparison:
    """Two groups, and log p-values: of pairs, NaN if not tested, and of "no pair differs"."""

    groups: TwoGroups
    uncertainty: GroupDifference
    log_pvalue: FloatArray
    log_adjusted: FloatArray
    log_global: float


@dataclass(frozen=True, eq=False, repr=False)
class EdgeDifferenceResult(Result):
    """The outcome of testing H₀: ρ^A_ij = ρ^B_ij for every pair of variables.

    With more than two levels each is compared with all the others, and the correction is over the
    pairs of all levels together: ``result[level]`` is the comparison of one, which has the numbers
    of its two groups. Matrices are of shape (p, p); statistics and p-values are NaN on the diagonal
    and for pairs that were not tested.

    Attributes
    ----------
    question : Question
        The level, the correction and the pairs to test.
    compared : tuple of GroupComparison
        The measurements of the groups, and p-values.
    permutations : int or None
        How many permutations of the labels the p-values come from; None for Student's.
    n_without_level : int
        Rows without a level, which were left out.
    further_cautions : tuple of Caution
        What speaks against the comparison, beside what the data of each group do.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.compare_groups(returns[:4000], returns[4000:], method="batch")
    >>> result
    EdgeDifferenceResult(method='batch', alpha=0.05, correction='holm', group_names=('a', 'b'),
                         n_samples=(4000, 4312), n_features=20, differing=7)
    >>> result.global_pvalue < 0.05, len(result.edges()), len(result.pairs())
    (True, 7, 190)
    >>> print(result.headline()[:40], result.summary().splitlines()[1])
    7 of 190 pairs among 20 variables differ That any pair differs: p ...
    >>> low, high = result.confidence_interval(0.99)
    >>> bool((low <= high).all()), result.interval_label
    (True, '95 % interval for all pairs at once')
    >>> type(result).from_json(result.to_json()).n_edges
    7
    >>> thirds = [row // 2771 for row in range(8312)]
    >>> found = ew.compare_groups(returns, by=thirds, columns=["BAC", "JPM", "XOM"], method="batch")
    >>> found.levels, found["0"].n_edges, found.to_frame("pyarrow").num_rows
    (('0', '1', '2'), 2, 9)
    """

    question: Question
    compared: tuple[GroupComparison, ...]
    permutations: int | None = None
    n_without_level: int = 0
    further_cautions: tuple[Caution, ...] = ()

    _format: ClassVar = "edgewise difference 3"
    _derived: ClassVar = (
        "method why alpha correction levels n_features feature_names given global_pvalue "
        "interval_level interval_family edges"
    )
    _scales: ClassVar = ("partial_correlation", "fisher_z")

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the groups that were compared with another one, or with all others."""
        return tuple(one.groups.names[0] for one in self.compared)

    def __getitem__(self, level: str) -> EdgeDifferenceResult:
        check_choice("level", level, self.levels)
        return self.comparisons()[self.levels.index(level)]

    def comparisons(self) -> list[EdgeDifferenceResult]:
        """A result for each comparison; this one alone, if it is of two groups."""
        if len(self.compared) == 1:
            return [self]
        return [replace(self, compared=(one,)) for one in self.compared]

    @property
    def _only(self) -> GroupComparison:
        if len(self.compared) > 1:
            raise ParameterError(
                f"level: expected one of {len(self.compared)} comparisons, as in "
                f"result[{self.levels[0]!r}], got all of them."
            )
        return next(iter(self.compared))

    @property
    def _measured(self) -> Measurement:
        return self.compared[0].groups.first

    @property
    def _both(self) -> tuple[Measurement, Measurement]:
        groups = self._only.groups
        return groups.first, groups.second

    @cached_property
    def tested(self) -> BoolArray | None:
        return self.question.tested(self.feature_names)

    @property
    def n_tests(self) -> int:
        """How many tests the correction allows for: the tested pairs of all comparisons."""
        return self.compared[0].uncertainty.n_tests

    @property
    def options(self) -> dict[str, Any]:
        """What was recorded about both groups, as a list where the two differ."""
        groups = self.compared[0].groups
        a, b = ({**o.options, **o.provenance.options()} for o in (groups.first, groups.second))
        return {
            name: a[name] if a[name] == b[name] else [a[name], b[name]] for name in a if name in b
        }

    @property
    def group_names(self) -> tuple[str, str]:
        """The names of the two groups, A and B."""
        return self._only.groups.names

    @property
    def n_samples(self) -> tuple[int, int]:
        """Rows of each group."""
        first, second = self._both
        return first.estimate.n_samples, second.estimate.n_samples

    @property
    def n_dropped(self) -> tuple[int, int]:
        """Rows of each group that were left out because of missing values."""
        first, second = self._both
        return first.provenance.n_dropped, second.provenance.n_dropped

    @property
    def files(self) -> tuple[tuple[FileRead, ...], tuple[FileRead, ...]]:
        """The files of each group; with `by`, both groups are in the same files."""
        groups = self.compared[0].groups
        return groups.first.provenance.files, groups.second.provenance.files

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the data of each group say against the method, in sentences."""
        of_groups = [caution for one in self.compared for caution in one.groups.cautions()]
        return tuple(dict.fromkeys([*of_groups, *self.further_cautions]))

    @property
    def uncertainty(self) -> GroupDifference:
        """What intervals are made from."""
        return self._only.uncertainty

    @property
    def partial_correlation_a(self) -> FloatArray:
        """The estimate of the first group."""
        return frozen(self._both[0].partial_correlation)

    @property
    def partial_correlation_b(self) -> FloatArray:
        """The estimate of the second group."""
        return frozen(self._both[1].partial_correlation)

    @cached_property
    def standard_error_a(self) -> FloatArray:
        """Of the estimate of the first group."""
        first = self._both[0]
        return frozen(first.uncertainty.errors(first)[1])

    @cached_property
    def standard_error_b(self) -> FloatArray:
        """Of the estimate of the second group."""
        second = self._both[1]
        return frozen(second.uncertainty.errors(second)[1])

    @cached_property
    def difference(self) -> FloatArray:
        """The partial correlation in A minus that in B."""
        return frozen(self.partial_correlation_a - self.partial_correlation_b)

    @cached_property
    def standard_error(self) -> FloatArray:
        """Of the difference."""
        return frozen(np.hypot(self.standard_error_a, self.standard_error_b))

    @cached_property
    def statistic(self) -> FloatArray:
        """The difference of Fisher's z over its standard error."""
        found = self._only.uncertainty.statistic()
        return frozen(found if self.tested is None else np.where(self.tested, found, np.nan))

    @cached_property
    def log_pvalue(self) -> FloatArray:
        """Natural logarithm of the p-values."""
        return frozen(symmetric(self._only.log_pvalue, self.n_features, diagonal=np.nan))

    @cached_property
    def pvalue(self) -> FloatArray:
        """Never 0: below 2.2e-308 the value is in `log_pvalue`."""
        return frozen(probabilities(self.log_pvalue, self.permutations))

    @cached_property
    def adjusted_pvalue(self) -> FloatArray:
        """The p-values corrected for the number of tests."""
        log_p = symmetric(self._only.log_adjusted, self.n_features, diagonal=np.nan)
        draws = self.permutations if self.correction in ("maxt", None) else None
        return frozen(probabilities(log_p, draws))

    @cached_property
    def reject(self) -> BoolArray:
        reject = self._only.log_adjusted <= math.log(self.alpha)
        return frozen(symmetric(reject, self.n_features, diagonal=False))

    @property
    def n_edges(self) -> int:
        """How many pairs differ, in all comparisons."""
        limit = math.log(self.alpha)
        return sum(int(np.count_nonzero(one.log_adjusted <= limit)) for one in self.compared)

    @property
    def global_pvalue(self) -> float:
        """Of H₀ that no pair differs, from the largest statistic.

        By permutations of that largest one, and otherwise Bonferroni's.
        """
        if self.correction == "maxt" and len(self.compared) > 1:
            # The permutations of the largest statistic of all levels.
            return min(float(np.nanmin(one.adjusted_pvalue)) for one in self.comparisons())
        smallest = np.array(min(one.log_global for one in self.compared))
        single = float(probabilities(smallest, self.permutations))
        return min(len(self.compared) * single, 1.0)

    def _interval(self, level: float, scale: str, simultaneous: bool) -> ConfidenceInterval:
        return self.uncertainty.interval(level, scale=scale, simultaneous=simultaneous)

    def pairs(self) -> list[EdgeDifference]:
        return [pair for one in self.comparisons() for pair in one._pairs()]

    def _pairs(self) -> list[EdgeDifference]:
        """Every tested pair of two groups, the smallest p-value first."""
        i, j = self.tested_pairs()
        # Permutations give many pairs the same p-value.
        order = np.lexsort((-np.abs(self.statistic[i, j]), self.log_pvalue[i, j]))
        at = i[order], j[order]
        matrices = (
            self.partial_correlation_a,
            self.standard_error_a,
            self.partial_correlation_b,
            self.standard_error_b,
            self.difference,
            self.standard_error,
            *self.shown_interval,
            equivalent_z(self.log_pvalue, self.statistic),
            self.pvalue,
            self.adjusted_pvalue,
            self.reject,
        )
        names = np.array(self.feature_names, dtype=object)
        values = [matrix[at].tolist() for matrix in matrices]
        same = [[value] * len(order) for value in (*self.n_samples, *self.group_names)]
        return list(map(EdgeDifference, names[at[0]], names[at[1]], *values, *same))

    def headline(self) -> str:
        if len(self.compared) == 1:
            return difference_headline(self)
        scores = transformed(self.provenance.transform)
        return (
            f"{len(self.compared)} groups, each against all others pooled: {self.n_edges} of "
            f"{self.n_tests} differences among {len(self.tested_columns())} variables"
            f"{f', {scores}' * bool(scores)}."
        )

    def summary(self) -> str:
        if len(self.compared) == 1:
            return difference_summary(self)
        head = f"{self.headline()}\n{any_sentence(self.global_pvalue, self)}"
        return "\n\n".join([head, *(one.summary() for one in self.comparisons())])

    def plot(
        self, kind: str = "difference", *, axes: Sequence[Axes] | None = None
    ) -> tuple[Axes, ...]:
        """Draw the graphs of both groups and the pairs that differ, with one layout.

        Parameters
        ----------
        kind : {"difference"}
            Which picture; there is one.
        axes : sequence of three matplotlib axes, optional
            Where to draw two groups; by default a new figure.

        Returns
        -------
        tuple of three matplotlib axes for each comparison
            The first group, the second group, their difference; ``axes[0].figure`` is the page.
        """
        check_choice("kind", kind, ("difference",))
        drawn: tuple[Axes, ...] = view("plots.difference.plot_difference")(self, axes=axes)
        return drawn

    def report(
        self, path: str | os.PathLike[str], *, title: str | None = None, command: str = ""
    ) -> None:
        """Write one HTML file to look at and send: both graphs, the differences, all pairs.

        It needs no network, no Python and no JavaScript.

        Parameters
        ----------
        path : path
            Where to write it.
        title : str, optional
            The title of the page.
        command : str, optional
            The command that made it, to be shown.
        """
        write = view("report.difference.write_difference_report")
        write(self, path, title=title, command=command)

    def _brief(self) -> dict[str, Any]:
        if len(self.compared) > 1:
            return {"differing": {one.levels[0]: one.n_edges for one in self.comparisons()}}
        transform, cautions = self.provenance.transform, len(self.cautions)
        return {
            "method": self.method,
            "alpha": self.alpha,
            "correction": self.correction,
            **({"permutations": self.permutations} if self.permutations else {}),
            "group_names": self.group_names,
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            **({"transform": transform} if transform else {}),
            "differing": self.n_edges,
            **({"cautions": cautions} if cautions else {}),
        }

    def _table(self) -> tuple[Sequence[str], Sequence[EdgeDifference]]:
        return EdgeDifference._fields, self.pairs()


def decide_differences(
    compared: Sequence[TwoGroups],
    question: Question,
    draws: FloatArray | None = None,
    **more: Any,
) -> EdgeDifferenceResult:
    """The result of all comparisons; `draws` has a permutation of all statistics in each row."""
    names = compared[0].first.feature_names
    pairs, tested = len(names) * (len(names) - 1) // 2, question.tested(names)
    own = np.ones(pairs, dtype=bool) if tested is None else pairs_of(tested)
    every, permuted = np.tile(own, len(compared)), None
    differences = [groups.difference(int(every.sum())) for groups in compared]
    if draws is None:
        log_p = np.concatenate([one.log_pvalues() for one in differences])
    else:
        sizes = np.concatenate([np.abs(pairs_of(one.statistic())) for one in differences])
        permuted = PermutedTests.of(sizes, np.abs(draws), every)
        log_p = permuted.log_pvalue
    log_adjusted = np.full(len(log_p), np.nan)
    if permuted is not None and question.correction == "maxt":
        log_adjusted = permuted.log_adjusted
    else:
        log_adjusted[every] = adjust(log_p[every], question.correction)
    decided = []
    for k, (groups, difference) in enumerate(zip(compared, differences, strict=True)):
        part = slice(k * pairs, (k + 1) * pairs)
        log_global = log_any(log_p[part][own], int(own.sum()))
        if permuted is not None:
            difference = replace(difference, permuted=permuted.maxima(part, question.alpha))
            log_global = permuted.log_any(part)
        log_own = np.where(own, log_p[part], np.nan)
        first, second = (replace(one, maxima=None) for one in (groups.first, groups.second))
        groups = TwoGroups(groups.names, first, second)
        decided.append(GroupComparison(groups, difference, log_own, log_adjusted[part], log_global))
    count = None if draws is None else len(draws)
    return EdgeDifferenceResult(question, tuple(decided), permutations=count, **more)
