"""What the data say against a method: sentences that travel with its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Flag, auto
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise._text import listed
from edgewise.sums.pairwise import PooledPairs

if TYPE_CHECKING:
    from edgewise.inference.diagnosis import Diagnosis

_FALSE_EDGES = "some of its edges may be false"
_FEW_ROWS_PER_COLUMN = 5
_SHOWN_ROWS = 3
_FEW_CLUSTERS = 20
# Means of few values of skewed columns are not quite normal, so this is a low level.
_MISSING_LEVEL = 1e-4
# A mean of fewer values is not nearly normal where columns are skewed.
_FEWEST_VALUES = 30
#: Kinds of cautions about the order of rows.
OF_ROW_ORDER = ("dependence", "levels", "short batches", "standardised blocks")


class Assumes(Flag):
    """What a method's guarantee assumes about the rows; the data may contradict it."""

    NOTHING = 0
    INDEPENDENT_ROWS = auto()
    GAUSSIAN_ROWS = auto()
    FOURTH_MOMENTS = auto()
    FOURTH_MOMENTS_IF_SKEWED = auto()
    MANY_ROWS_PER_COLUMN = auto()
    CONTINUOUS_COLUMNS = auto()


class Caution(str):
    """A sentence of some `kind`, and whether it `breaks` the method's guarantee."""

    __slots__ = ("breaks", "kind")
    kind: str
    breaks: bool

    def __new__(cls, text: str, kind: str, breaks: bool = False) -> Caution:
        made = super().__new__(cls, text)
        made.kind, made.breaks = kind, breaks
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Caution, (str(self), self.kind, self.breaks)


def cautions_of(facts: Diagnosis, assumes: Assumes) -> tuple[Caution, ...]:
    """What matters to a method that assumes this; first what breaks its guarantee."""
    gaussian, found = Assumes.GAUSSIAN_ROWS in assumes, list(facts.mistakes)
    if levels := facts.level_columns:
        verb = "look like levels" if len(levels) > 1 else "looks like a level"
        text = (
            f"{columns_named(levels)} {verb}, such as prices, which wander or follow a trend. Every "
            "test here then finds false edges: difference them first (each row minus the row before "
            "it). If the rows are only sorted by them, shuffle the rows instead; if they only name "
            "the rows or their times, leave them out (exclude=..., --exclude)."
        )
        found.append(Caution(text, "levels", True))
    # A trend depends on the rows before by itself; without it, the rest may not.
    elif facts.dependent and Assumes.INDEPENDENT_ROWS in assumes:
        text = (
            f"Rows depend on the rows before them ({p_text(facts.dependence_pvalue)}), and this "
            f"method assumes independent rows: {_FALSE_EDGES}. Method 'batch' allows for dependence."
        )
        found.append(Caution(text, "dependence", True))
    if gaussian and facts.heavy_tailed:
        text = (
            f"The tails are heavy ({facts.kurtosis_ratio:.3g} times the Gaussian kurtosis), and this "
            f"method assumes Gaussian rows: {_FALSE_EDGES}. Method 'score' does not need Gaussian "
            "rows."
        )
        found.append(Caution(text, "heavy tails", True))
    if_skewed = Assumes.FOURTH_MOMENTS_IF_SKEWED in assumes
    needed = Assumes.FOURTH_MOMENTS in assumes or (if_skewed and facts.skewed_tails)
    if facts.without_fourth_moments and (needed or if_skewed):
        which = ", all on one side" if facts.skewed_tails else ""
        consequence = (
            f", which this method needs, may be infinite: {_FALSE_EDGES}."
            if needed
            else " may be infinite: such rows cost power."
        )
        text = (
            f"A few rows are extreme (tail index {facts.tail_index:.2g}{which}). They may be "
            f"outliers, or the fourth moments{consequence} Method 'kendall' needs none."
        )
        found.append(Caution(text, "far tails", needed))
    if facts.n_samples < _FEW_ROWS_PER_COLUMN * facts.n_features:
        breaks = Assumes.MANY_ROWS_PER_COLUMN in assumes
        consequence = "only strong edges can be found."
        if breaks:
            consequence = f"the p-values of this method are then too small, and {_FALSE_EDGES}."
        text = f"{facts.n_samples:,} rows are few for {facts.n_features} columns: {consequence}"
        found.append(Caution(text, "few rows", breaks))
    if rows := facts.dominant_rows:
        text = "; ".join(
            f"row {one.row:,}, column {one.column!r} (value {one.value:.4g}), carries "
            f"{100 * one.share:.0f} % of the column's variance"
            for one in rows[:_SHOWN_ROWS]
        )
        if len(rows) > _SHOWN_ROWS:
            text += f"; {len(rows) - _SHOWN_ROWS} more likewise"
        if gaussian:
            text += f", and this method assumes Gaussian rows: {_FALSE_EDGES}"
        text = (
            f"R{text[1:]}. Check such values: one row decides what is found about its column. Row 1 "
            "is the first row that was tested."
        )
        found.append(Caution(text, "dominant rows", gaussian))
    if count := facts.n_rare_pairs:
        named = "; ".join(f"{a!r} and {b!r}" for a, b in facts.rare_pairs)
        more = "; …" if count > len(facts.rare_pairs) else ""
        pairs = "1 pair of columns has" if count == 1 else f"{count:,} pairs of columns have"
        against = f" This method assumes Gaussian rows: {_FALSE_EDGES}." if gaussian else ""
        text = (
            f"{pairs} few joint events ({named}{more}): if the two were independent, both would "
            f"differ from their usual value in fewer than {facts.fewest_joint} rows. There is little "
            f"power to find an edge between them.{against}"
        )
        found.append(Caution(text, "rare events", gaussian))
    # A method that needs continuous columns counts the ties itself.
    if (names := facts.discrete_columns) and Assumes.CONTINUOUS_COLUMNS not in assumes:
        text = (
            f"{columns_named(names)} {'have' if len(names) > 1 else 'has'} at most "
            f"{facts.most_values} different values: an edge then means linear association of these "
            "values given the other columns. If they are classes of continuous variables, the graph "
            "of those may have fewer edges."
        )
        found.append(Caution(text, "discrete columns"))
    return tuple(sorted(found, key=lambda caution: not caution.breaks))


def cautions_about_clusters(
    facts: Diagnosis, assumes: Assumes, n_clusters: int
) -> tuple[Caution, ...]:
    """The same for so many clusters, whose rows may depend on each other as they like."""
    others = cautions_of(replace(facts, level_columns=()), assumes & ~Assumes.INDEPENDENT_ROWS)
    text = (
        f"There are only {n_clusters} clusters of rows, and this method needs {_FEW_CLUSTERS} or "
        f"more: {_FALSE_EDGES}."
    )
    few = (Caution(text, "few clusters", True),) if n_clusters < _FEW_CLUSTERS else ()
    return (*few, *others)


def caution_about_missing(
    found: Missingness | None, names: Sequence[str], dependent: bool
) -> tuple[Caution, ...]:
    """A sentence if values are missing where other columns are high, or low."""
    if found is None or found.pvalue >= _MISSING_LEVEL:
        return ()
    where, runs = "high" if found.higher else "low", ""
    if dependent:
        runs = " (or rows depend on the rows before them, and values go missing in runs)"
    text = (
        f"Values of column {names[found.column]!r} are missing more often in some rows than in "
        f"others: most clearly where column {names[found.partner]!r} is {where} ("
        f"{p_text(found.pvalue)}){runs}. missing='pairwise' assumes that values are missing "
        f"completely at random: {_FALSE_EDGES}. Fill values in several times and pool the results "
        "(edgewise.pool)."
    )
    return (Caution(text, "missing values", True),)


def columns_named(names: Sequence[str]) -> str:
    return f"Column{'s' * (len(names) > 1)} {listed([repr(name) for name in names])}"


def p_text(p: float) -> str:
    return "p below 1e-300" if p < 1e-300 else f"p = {p:.1g}"


# Are values missing completely at random? ------------------------------------------------------


class Missingness(NamedTuple):
    """The column whose missing values depend most on another, `partner`: `higher` or lower then."""

    pvalue: float
    column: int
    partner: int
    higher: bool


def missingness(pooled: PooledPairs, rows: FloatArray | None = None) -> Missingness | None:
    """A test that rows with and without a value have the same means; None if too few lack one.

    The mean of b among the rows with a, minus its mean, has the variance s_b²(1/n_ab − 1/n_b) where
    values are missing completely at random. Bonferroni over the pairs; the skewness of the first
    `rows` makes differences as rare as those of a gamma distribution.
    """
    scale = np.sqrt(pooled.covariance().diagonal())
    total, square = pooled.sums.total[0], pooled.sums.total_square[0]
    mean = pooled.sums.first[0] / total
    # Means of b (along the first axis) in rows that have a, and what chance makes of them:
    # Σ w²(m/N_ab − 1/N_b)², m = 1 in rows that have a: 1/n_ab − 1/n_b where weights are equal.
    difference = (mean - mean.diagonal()[:, np.newaxis]) / scale[:, np.newaxis]
    whole, squares = total.diagonal()[:, np.newaxis], square.diagonal()[:, np.newaxis]
    chance = square / total * (1 / total - 2 / whole) + squares / whole**2
    both = pooled.pair_rows
    fewer = np.minimum(both.diagonal()[:, np.newaxis] - both, both)
    enough = (fewer >= _FEWEST_VALUES) & (chance > 0)
    np.fill_diagonal(enough, False)
    if not enough.any():
        return None
    z = np.where(enough, difference / np.sqrt(np.where(enough, chance, 1.0)), 0.0)
    if rows is not None:
        centred = rows - rows.mean(axis=0)
        deviation = np.maximum(np.sqrt(np.mean(centred**2, axis=0)), np.finfo(float).tiny)
        skewness = np.abs(np.mean(centred**3, axis=0)) / deviation**3
        skewness = skewness[:, np.newaxis] / np.sqrt(np.maximum(fewer, 1))
        # The z of a standard normal that is as rare (Wilson & Hilferty); k is the shape of a gamma
        # distribution.
        k = 4 / np.maximum(skewness, 1e-3) ** 2
        size = 3 * np.sqrt(k) * (np.cbrt(1 + np.abs(z) / np.sqrt(k)) - 1 + 1 / (9 * k))
        z = np.copysign(np.minimum(size, np.abs(z)), z)
    partner, column = np.unravel_index(np.argmax(np.abs(z)), z.shape)
    largest = float(z[partner, column])
    pvalue = min(1.0, 2 * float(special.ndtr(-abs(largest))) * int(enough.sum()))
    # Where a is there, b is below its mean: where a is missing, it is above.
    return Missingness(pvalue, int(column), int(partner), largest < 0)
