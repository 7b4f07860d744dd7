"""Several groups, each compared with the others: a result for each, and one family of tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.difference_json import VERSION, from_document, to_document
from edgewise.results.difference_pairs import EdgeDifference
from edgewise.results.difference_summary import any_sentence
from edgewise.results.edge import FrameKind, frame_of
from edgewise.results.json import read_source
from edgewise.results.json_document import DIFFERENCES_FORMAT, Document
from edgewise.results.json_output import WritesJson
from edgewise.results.transformed import transformed

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class EdgeDifferences(Mapping[str, EdgeDifferenceResult], WritesJson):
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
    >>> ew.EdgeDifferences.from_json(found.to_json()).n_edges
    2
    >>> len(found.plot())
    3
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.report(f"{folder}/groups.html")
    """

    results: dict[str, EdgeDifferenceResult]

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
        from edgewise.view.plots import plot_differences

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

    def _document(self) -> dict[str, Any]:
        results = {level: to_document(one) for level, one in self.results.items()}
        return {"format": DIFFERENCES_FORMAT, "schema_version": VERSION, "results": results}

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> EdgeDifferences:
        """The results that `to_json` wrote, equal in every number.

        Parameters
        ----------
        source : str or path
            The text, if it starts with a brace, or else the path of a file of it.

        Returns
        -------
        EdgeDifferences
            The results.
        """
        whole = Document.parsed(*read_source(source), kind=DIFFERENCES_FORMAT, newest=VERSION)
        parts = whole.part("results")
        return cls(
            {
                level: from_document(EdgeDifferenceResult, parts.part(level))
                for level in parts.fields
            }
        )

    def __repr__(self) -> str:
        levels = ", ".join(f"{level!r}: {one.n_edges}" for level, one in self.results.items())
        return f"EdgeDifferences(differing={{{levels}}})"
