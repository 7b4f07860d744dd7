"""The result of a comparison of two groups, and of several groups each with the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from edgewise._checks import check_choice, check_real
from edgewise._linalg import BoolArray, FloatArray
from edgewise.inference.differences import GroupDifference
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.results.base import Result
from edgewise.results.edge import FrameKind, frame_of
from edgewise.results.serialize import Serialized
from edgewise.results.summary import (
    any_sentence,
    difference_headline,
    difference_repr,
    difference_summary,
    transformed,
)
from edgewise.tables.file_read import FileRead

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.axes import Axes


class EdgeDifference(NamedTuple):
    """One pair of variables, and whether its partial correlation differs between two groups.

    Attributes
    ----------
    source : str
        Name of the first variable.
    target : str
        Name of the second variable.
    partial_correlation_a, partial_correlation_b : float
        Their estimated correlations given all other variables, in the first and the second group.
    standard_error_a, standard_error_b : float
        Of the two.
    difference : float
        The first minus the second.
    standard_error : float
        Of the difference.
    interval_low, interval_high : float
        Interval of the difference, of the level and the family that the result's `interval_label`
        says.
    statistic : float
        The difference of Fisher's z over its standard error.
    pvalue : float
        The p-value of this pair alone.
    adjusted_pvalue : float
        The p-value corrected for the number of pairs.
    reject : bool
        Whether the pair differs.
    n_samples_a, n_samples_b : int
        Rows of each group.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.compare_groups(returns[:4000], returns[4000:])
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


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeDifferenceResult(Result):
    """The outcome of testing H₀: ρ^A_ij = ρ^B_ij for every pair of variables.

    Attributes
    ----------
    method : str
        The method that measured each group.
    why : str
        Why method="auto" chose it; empty if the user did.
    alpha : float
        The significance level.
    correction : str or None
        How it accounts for testing many pairs.
    permutations : int or None
        How many permutations of the labels the p-values come from; None for Student's.
    options : dict
        Further options of the method, and what it recorded about each group.
    group_names : tuple of two str
        The names of the groups, A and B.
    n_samples, n_dropped : tuple of two int
        Rows of each group, and those left out because of missing values.
    n_features : int
        Columns.
    feature_names : tuple of str
        The names of the columns.
    n_tests : int
        How many tests the correction allows for: the tested pairs, or with more than two levels
        those of every level.
    partial_correlation_a, partial_correlation_b : ndarray of shape (p, p)
        The estimates of each group.
    standard_error_a, standard_error_b : ndarray of shape (p, p)
        Of these estimates.
    difference : ndarray of shape (p, p)
        The partial correlation in A minus that in B.
    standard_error : ndarray of shape (p, p)
        Of the difference.
    statistic : ndarray of shape (p, p)
        The difference of Fisher's z over its standard error; NaN on the diagonal.
    pvalue, adjusted_pvalue : ndarray of shape (p, p)
        NaN on the diagonal; never 0: below 2.2e-308 the value is in `log_pvalue`.
    log_pvalue : ndarray of shape (p, p)
        Natural logarithm of the p-values.
    reject : ndarray of bool of shape (p, p)
        The pairs that differ; False on the diagonal.
    global_pvalue : float
        Of H₀ that no pair differs, from the largest statistic: by permutations of that largest one,
        and otherwise Bonferroni's.
    cautions : tuple of str
        What the data of each group say against the method, in sentences.
    uncertainty : GroupDifference
        What intervals are made from.
    tested : ndarray of bool of shape (p, p), or None
        The tested pairs, with `given` or `pairs`; None if they are all.
    files : tuple of two tuples of FileRead
        The files of each group, and how many rows each has; empty for rows in memory. With `by`,
        both groups are in the same files.
    given : tuple of str
        The columns that were adjusted for and are in no tested pair.
    n_edges, n_pairs : int
        How many pairs differ, and of how many that were tested.
    interval_level, interval_family, interval_label : float, str, str
        Of the intervals shown in tables, files and pictures, as in `EdgeTestResult`.

    Examples
    --------
    >>> from edgewise.results.difference import EdgeDifferenceResult
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
    >>> bool((low <= high).all()), result.interval_label, result.shown_interval().low.shape
    (True, '95 % interval for all pairs at once', (20, 20))
    >>> result.to_frame("pyarrow").num_rows
    190
    >>> EdgeDifferenceResult.from_json(result.to_json()).n_edges
    7
    >>> result.plot()[2].get_title()
    '7 of 190 pairs differ'
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.report(f"{folder}/groups.html")
    """

    method: str
    alpha: float
    correction: str | None
    permutations: int | None
    options: dict[str, Any]
    group_names: tuple[str, str]
    n_samples: tuple[int, int]
    n_dropped: tuple[int, int]
    n_features: int
    feature_names: tuple[str, ...]
    n_tests: int
    partial_correlation_a: FloatArray
    partial_correlation_b: FloatArray
    standard_error_a: FloatArray
    standard_error_b: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    log_pvalue: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    reject: BoolArray
    global_pvalue: float
    cautions: tuple[str, ...] = ()
    why: str = ""
    uncertainty: GroupDifference = field(repr=False)
    tested: BoolArray | None = None
    files: tuple[tuple[FileRead, ...], tuple[FileRead, ...]] = ((), ())

    _format: ClassVar = "edgewise difference 1"

    def confidence_interval(
        self,
        level: float = 0.95,
        scale: Literal["partial_correlation", "fisher_z"] = "partial_correlation",
        simultaneous: bool = False,
    ) -> ConfidenceInterval:
        """Intervals of the difference A − B of every pair, as arrays `low` and `high`.

        The pointwise interval of a pair leaves 0 exactly where its own p-value is at most
        1 − level, on either scale. A simultaneous one leaves 0 exactly where Bonferroni's
        correction of that p-value is, or, by permutations, where the statistic exceeds the
        critical value of the largest. Holm and the permutations, which decide in steps, find the
        same pairs and sometimes a few more.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.
        scale : {"partial_correlation", "fisher_z"}
            Of ρ_A − ρ_B, or of atanh ρ_A − atanh ρ_B. The first is the range of ρ_A − ρ_B over
            the ellipse of all (ρ_A, ρ_B) that the estimates do not contradict.
        simultaneous : bool
            Whether all intervals hold at once with this level.

        Returns
        -------
        ConfidenceInterval
            The lower and the upper ends, each of shape (p, p).
        """
        level = check_real("level", level, above=0, below=1, hint=" 0.95 is usual.")
        check_choice("scale", scale, ("partial_correlation", "fisher_z"))
        found = self.uncertainty.interval(level, scale=scale, simultaneous=simultaneous)
        return self._of_tested(found) if simultaneous else found

    def pairs(self) -> list[EdgeDifference]:
        return all_differences(self)

    def edges(self) -> list[EdgeDifference]:
        return super().edges()

    def to_frame(self, backend: FrameKind | None = None) -> Any:
        """Every tested pair as a row of a data frame, the smallest p-value first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.

        Returns
        -------
        data frame
            Its columns are the attributes of `EdgeDifference`.
        """
        return frame_of(self.pairs(), backend, EdgeDifference._fields)

    def summary(self) -> str:
        return difference_summary(self)

    def headline(self) -> str:
        return difference_headline(self)

    def plot(
        self, kind: str = "difference", *, axes: Sequence[Axes] | None = None
    ) -> tuple[Axes, Axes, Axes]:
        """Draw the graphs of both groups and the pairs that differ, with one layout.

        Parameters
        ----------
        kind : {"difference"}
            Which picture; there is one.
        axes : sequence of three matplotlib axes, optional
            Where to draw; by default a new figure of pyplot.

        Returns
        -------
        tuple of three matplotlib axes
            The first group, the second group, their difference; ``axes[0].figure`` is the page.
        """
        from edgewise.plots.plots import plot_difference

        check_choice("kind", kind, ("difference",))
        return plot_difference(self, axes=axes)

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
        from edgewise.report.difference import write_difference_report

        write_difference_report(self, path, title=title, command=command)

    def __repr__(self) -> str:
        return difference_repr(self)


@dataclass(frozen=True, eq=False)
class EdgeDifferences(Mapping[str, EdgeDifferenceResult], Serialized):
    """A result for each level of a column: its rows against the rows of all other levels.

    It is a mapping from levels to results. The correction is over the pairs of all levels together,
    so the decisions and adjusted p-values of all results hold at once.

    Attributes
    ----------
    results : dict of EdgeDifferenceResult
        The result of each level, in the order of the levels.
    global_pvalue : float
        Of H₀ that no pair of any level differs from the others.
    n_edges : int
        How many pairs differ, over all levels.
    cautions : tuple of str
        What the data of any level say against the method.

    Examples
    --------
    >>> from edgewise.results.difference import EdgeDifferences
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns().slice(2000, 6000)
    >>> thirds = [row // 2000 for row in range(6000)]
    >>> found = ew.compare_groups(returns, by=thirds, columns=["BAC", "JPM", "XOM"], method="batch")
    >>> found
    EdgeDifferences(differing={'0': 1, '1': 0, '2': 1})
    >>> print(found.headline())
    3 groups, each against all others pooled: 2 of 9 differences among 3 variables.
    >>> found["0"].n_samples, found.global_pvalue < 0.05
    ((2000, 4000), True)
    >>> print(found.summary().splitlines()[-1])
      BAC – JPM: +0.851 against +0.705, difference +0.147, adjusted p 2.5e-09
    >>> found.to_frame("pyarrow").num_rows
    9
    >>> EdgeDifferences.from_json(found.to_json()).n_edges
    2
    >>> len(found.plot())
    3
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.report(f"{folder}/groups.html")
    """

    results: dict[str, EdgeDifferenceResult]
    _format: ClassVar = "edgewise differences 1"

    def __getitem__(self, level: str) -> EdgeDifferenceResult:
        return self.results[level]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def global_pvalue(self) -> float:
        """Of H₀ that no pair of any level differs from the others."""
        results = self.results.values()
        if any(one.correction == "maxt" for one in results):
            # The permutations of the largest statistic of all levels.
            return min(float(np.nanmin(one.adjusted_pvalue)) for one in results)
        return min(len(self) * min(one.global_pvalue for one in results), 1.0)

    @property
    def n_edges(self) -> int:
        """How many pairs differ, over all levels."""
        return sum(result.n_edges for result in self.results.values())

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the data of any level say against the method."""
        told = [caution for result in self.results.values() for caution in result.cautions]
        return tuple(dict.fromkeys(told))

    def headline(self) -> str:
        """What was compared, how, and how many pairs differ.

        Returns
        -------
        str
            One line.
        """
        first = next(iter(self.results.values()))
        scores = "".join(f", {text}" for text in [transformed(first.options)] if text)
        return (
            f"{len(self)} groups, each against all others pooled: {self.n_edges} of "
            f"{first.n_tests} differences among {len(first.tested_columns())} variables{scores}."
        )

    def summary(self) -> str:
        """The headline, and the summary of each level.

        Returns
        -------
        str
            The lines.
        """
        first = next(iter(self.results.values()))
        head = f"{self.headline()}\n{any_sentence(self.global_pvalue, first)}"
        return "\n\n".join([head, *(one.summary() for one in self.results.values())])

    def to_frame(self, backend: FrameKind | None = None) -> Any:
        """Every pair of every level as a row of a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.

        Returns
        -------
        data frame
            Its columns are `group` (the level) and the attributes of `EdgeDifference`.
        """
        rows: list[Any] = [
            (level, *pair) for level, one in self.results.items() for pair in one.pairs()
        ]
        return frame_of(rows, backend, ("group", *EdgeDifference._fields))

    def plot(self) -> list[tuple[Axes, Axes, Axes]]:
        """Draw three graphs for each level: its own, that of all the others, and what differs.

        Returns
        -------
        list of tuples of three matplotlib axes
            One tuple for each level, all in one figure.
        """
        from edgewise.plots.plots import plot_differences

        return plot_differences(self)

    def report(
        self, path: str | os.PathLike[str], *, title: str | None = None, command: str = ""
    ) -> None:
        """Write one HTML file to look at and send, with a part for each level.

        Parameters
        ----------
        path : path
            Where to write it.
        title : str, optional
            The title of the page.
        command : str, optional
            The command that made it, to be shown.
        """
        from edgewise.report.difference import write_difference_report

        write_difference_report(self, path, title=title, command=command)

    def __repr__(self) -> str:
        levels = ", ".join(f"{level!r}: {one.n_edges}" for level, one in self.results.items())
        return f"EdgeDifferences(differing={{{levels}}})"


def all_differences(result: EdgeDifferenceResult) -> list[EdgeDifference]:
    """Every tested pair of variables, the smallest p-value first."""
    rows, columns = result.tested_pairs()
    size, log_p = np.abs(result.statistic[rows, columns]), result.log_pvalue[rows, columns]
    order = np.lexsort((-size, log_p))  # permutations give many pairs the same p-value
    at = rows[order], columns[order]
    matrices = (
        result.partial_correlation_a,
        result.standard_error_a,
        result.partial_correlation_b,
        result.standard_error_b,
        result.difference,
        result.standard_error,
        *result.shown_interval(),
        result.statistic,
        result.pvalue,
        result.adjusted_pvalue,
        result.reject,
    )
    names = np.array(result.feature_names, dtype=object)
    values = [matrix[at].tolist() for matrix in matrices]
    rows_of_each = [[count] * len(order) for count in result.n_samples]
    return list(map(EdgeDifference, names[at[0]], names[at[1]], *values, *rows_of_each))
