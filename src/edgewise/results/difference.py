"""The result of a comparison of two groups: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from edgewise._base.checks import check_choice, check_real
from edgewise._base.types import BoolArray, FloatArray
from edgewise.inference.difference import GroupDifference
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.results.difference_json import from_json, json_schema, to_document
from edgewise.results.difference_pairs import EdgeDifference, all_differences
from edgewise.results.difference_summary import headline, shortest, summary
from edgewise.results.edge import FrameKind, frame_of
from edgewise.results.intervals import ShownIntervals
from edgewise.results.json_output import WritesJson
from edgewise.rows.file_read import FileRead

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.axes import Axes

SCALES = ("partial_correlation", "fisher_z")


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeDifferenceResult(ShownIntervals, WritesJson):
    """The outcome of testing H₀: ρ^A_ij = ρ^B_ij for every pair of variables.

    Attributes
    ----------
    method : str
        The method that measured each group.
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
    >>> ew.EdgeDifferenceResult.from_json(result.to_json()).n_edges
    7
    >>> ew.EdgeDifferenceResult.json_schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
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
    uncertainty: GroupDifference = field(repr=False)
    tested: BoolArray | None = None
    files: tuple[tuple[FileRead, ...], tuple[FileRead, ...]] = ((), ())

    def __post_init__(self) -> None:
        for known in fields(self):
            value = getattr(self, known.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def n_edges(self) -> int:
        """How many pairs differ."""
        return int(np.count_nonzero(self.reject)) // 2

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
        check_choice("scale", scale, SCALES)
        found = self.uncertainty.interval(level, scale=scale, simultaneous=simultaneous)
        return self._known_ends(found) if simultaneous else found

    def shown_interval(self) -> ConfidenceInterval:
        """The intervals of ρ_A − ρ_B that every table, file and picture shows.

        Returns
        -------
        ConfidenceInterval
            The lower and the upper ends; computed once.
        """
        return self._shown_interval

    @cached_property
    def _shown_interval(self) -> ConfidenceInterval:
        shown = self.confidence_interval(
            self.interval_level, simultaneous=self.interval_family == "all pairs"
        )
        for end in shown:
            end.flags.writeable = False
        return shown

    def pairs(self) -> list[EdgeDifference]:
        """Every tested pair of variables, the smallest p-value first.

        Returns
        -------
        list of EdgeDifference
            One for each pair, whether it differs or not.
        """
        return all_differences(self)

    def edges(self) -> list[EdgeDifference]:
        """The pairs that differ, the smallest p-value first.

        Returns
        -------
        list of EdgeDifference
            The pairs whose `reject` is true.
        """
        return [pair for pair in self.pairs() if pair.reject]

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

    def _document(self) -> dict[str, Any]:
        return to_document(self)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> EdgeDifferenceResult:
        """The result that `to_json` wrote, equal in every number.

        Parameters
        ----------
        source : str or path
            The text, if it starts with a brace, or else the path of a file of it.

        Returns
        -------
        EdgeDifferenceResult
            The result.
        """
        return from_json(cls, source)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what `to_json` writes, for programs that read it.

        Returns
        -------
        dict
            The schema.
        """
        return json_schema()

    def summary(self) -> str:
        """A few lines to read: what was compared, how, and what differs.

        Returns
        -------
        str
            The lines; if many pairs differ, only the ten with the smallest p-values.
        """
        return summary(self)

    def headline(self) -> str:
        """The first sentence of the summary: what was compared, how, and how many pairs differ.

        Returns
        -------
        str
            One line.
        """
        return headline(self)

    def plot(
        self, kind: str = "difference", *, axes: Sequence[Axes] | None = None
    ) -> tuple[Axes, Axes, Axes]:
        """Draw the graphs of both groups and the pairs that differ, with one layout.

        Parameters
        ----------
        kind : {"difference"}
            Which picture; there is one.
        axes : sequence of three matplotlib axes, optional
            Where to draw; by default a new figure that pyplot does not keep alive.

        Returns
        -------
        tuple of three matplotlib axes
            The first group, the second group, their difference; ``axes[0].figure`` is the page.
        """
        from edgewise.view.plots import plot_difference

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
        return shortest(self)
