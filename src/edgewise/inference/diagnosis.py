"""Facts about a table that decide which tests of edges hold on it, and the advice they give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from edgewise._base.checks import FEWEST_WIDE_ROWS
from edgewise.inference.assumptions import Assumes
from edgewise.inference.cautions import cautions_of, p_text

_MOMENTS = 4
_HEAVY = 1.15  # Mardia's kurtosis over the Gaussian's: clearly unsafe
_KURTOSIS_ROWS = 8192  # as many rows as it is estimated from
_SPREAD = 100.0
_FEW_ROWS_PER_COLUMN = 5


class DominantRow(NamedTuple):
    """A row that carries most of a column's variance; row 1 is the first."""

    row: int
    column: str
    share: float
    value: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Facts about a table that decide which tests of edges hold on it.

    Attributes
    ----------
    n_samples, n_features : int
        Rows and columns.
    kurtosis_ratio : float
        Mardia's multivariate kurtosis over the Gaussian's p(p+2): 1 for Gaussian data.
    dependence_pvalue : float
        The p-value of a portmanteau test that the rows' influences on the edges are not
        autocorrelated.
    scale_ratio : float
        Largest over smallest standard deviation of the columns.
    tail_index, tail_index_error : float
        Hill's estimate from the rows farthest out, and its standard error. With such a tail,
        moments of this order and above are infinite.
    farther_tail_index : float
        The same from a quarter of those rows: outliers look like a heavy tail from afar only.
    skewed_tails : bool
        Whether the rows farthest out lie on one side, and far out in several columns at once.
    level_columns : tuple of str
        Columns that wander like a random walk or follow a trend, such as prices.
    counting_columns : tuple of str
        Columns that go up by one from row to row, as numbers of rows do.
    dominant_rows : tuple of DominantRow
        Rows that carry more than 30 % of a column's variance: (row, column, share, value).
    rare_pairs : tuple of pairs of str
        Up to three pairs of columns that hardly ever differ from their usual values together.
    n_rare_pairs : int
        How many such pairs there are.
    discrete_columns : tuple of str
        Columns of few different values.
    few_rows : bool
        Whether there are fewer than five rows per column.
    without_fourth_moments : bool
        Whether both tail indices are below four, the first by two standard errors or more.
    dependent : bool
        Whether rows depend on the rows before them, at the level 0.001.
    heavy_tailed : bool
        Whether the kurtosis is so far above the Gaussian's that Fisher's test would err.
    recommended : str or None
        The name of the method that `advice` puts first, or None if no method fits these columns as
        they are: some follow a trend, so they must be differenced or left out first.

    Examples
    --------
    >>> import edgewise as ew
    >>> facts = ew.Diagnosis(5000, 10, kurtosis_ratio=2.1, dependence_pvalue=0.4, scale_ratio=3.0)
    >>> facts.dependent, facts.heavy_tailed, facts.recommended
    (False, True, 'score')
    >>> print(facts.advice()[:19])
    Use method 'score',
    """

    n_samples: int
    n_features: int
    kurtosis_ratio: float
    dependence_pvalue: float
    scale_ratio: float
    tail_index: float = math.inf
    tail_index_error: float = 0.0
    farther_tail_index: float = math.inf
    skewed_tails: bool = False
    level_columns: tuple[str, ...] = ()
    counting_columns: tuple[str, ...] = ()
    dominant_rows: tuple[DominantRow, ...] = ()
    rare_pairs: tuple[tuple[str, str], ...] = ()
    n_rare_pairs: int = 0
    discrete_columns: tuple[str, ...] = ()

    #: A pair of columns is rare if fewer joint events than this are expected.
    fewest_joint: ClassVar[int] = 5
    #: A discrete column has at most this many different values.
    most_values: ClassVar[int] = 7

    @property
    def few_rows(self) -> bool:
        """Whether there are fewer than five rows per column."""
        return self.n_samples < _FEW_ROWS_PER_COLUMN * self.n_features

    @property
    def without_fourth_moments(self) -> bool:
        """Whether the tail is so heavy that fourth moments may be infinite."""
        least = self.tail_index + 2 * self.tail_index_error
        return max(least, self.farther_tail_index) < _MOMENTS

    @property
    def dependent(self) -> bool:
        """Whether rows depend on the rows before them, at the level 0.001."""
        return self.dependence_pvalue < 0.001

    @property
    def heavy_tailed(self) -> bool:
        """Whether the kurtosis is so far above the Gaussian's that Fisher's test would err."""
        # The standard error for Gaussian rows (Mardia 1970).
        rows, p = min(self.n_samples, _KURTOSIS_ROWS), self.n_features
        noise = math.sqrt(8 / (rows * p * (p + 2)))
        return self.kurtosis_ratio > 1 + max(_HEAVY - 1, 3 * noise)

    @property
    def recommended(self) -> str | None:
        """The method that fits the data, or None if none does before the columns are changed."""
        if self.level_columns or self.counting_columns:
            return None
        if self.dependent:
            return "batch"
        return "nodewise" if self._suits_few_rows else "score"

    @property
    def _suits_few_rows(self) -> bool:
        return self.few_rows and self.n_samples >= FEWEST_WIDE_ROWS

    def advice(self) -> str:
        """Say which method to use and why, and which problems the data have.

        Returns
        -------
        str
            The sentences, on one line.
        """
        # What a result of the advised method would say, except what the advice itself says.
        told = cautions_of(self, Assumes.FOURTH_MOMENTS_IF_SKEWED)
        levels = [one for one in told if one.kind == "levels"]
        first = f"Use no method yet. {levels[0]} Then ask again." if levels else self._method()
        sentences = [first, *(one for one in told if one not in levels)]
        if self.scale_ratio > _SPREAD:
            sentences.append(
                "The columns' scales differ a lot, so the paper's bounds need standardize=True."
            )
        return " ".join(sentences)

    def _method(self) -> str:
        if self.dependent:
            return (
                "Use method 'batch': rows depend on the rows before them (portmanteau p "
                f"{p_text(self.dependence_pvalue)}), and the other tests assume independent "
                "rows."
            )
        kurtosis = f"{self.kurtosis_ratio:.3g} times the Gaussian kurtosis"
        if self._suits_few_rows:
            gaussian = f"; tails are heavy ({kurtosis}), so 'fisher' finds false edges"
            return self._for_few_rows() + (gaussian if self.heavy_tailed else "") + "."
        if self.heavy_tailed:
            return (
                "Use method 'score', or 'whitened' for one bound on all edges: tails are heavy "
                f"({kurtosis}), so 'fisher' finds false edges."
            )
        return (
            f"Use method 'score': the tails look Gaussian ({kurtosis}) and the rows look "
            "independent, so 'score' agrees with 'fisher', and it does not need Gaussian rows."
        )

    def _for_few_rows(self) -> str:
        shape = f"{self.n_samples:,} rows and {self.n_features:,} columns"
        if self.n_samples <= self.n_features:
            return (
                f"Use method 'nodewise', which assumes a sparse graph: with {shape}, each pair "
                "can be adjusted for few columns only"
            )
        return (
            f"Use method 'nodewise' if the graph is sparse, or else 'score': with {shape}, "
            "adjusting each pair for few columns finds more edges than adjusting for all"
        )
