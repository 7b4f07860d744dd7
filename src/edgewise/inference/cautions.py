"""What the data say against a method: sentences that travel with its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Flag, auto
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise._text import listed
from edgewise.sums.pairwise import PooledPairs

if TYPE_CHECKING:
    from edgewise.inference.diagnosis import Diagnosis

_FALSE_EDGES = "some of its edges may be false"
_SHOWN_ROWS = 3
_FEW_GROUPS = 20
# Means of few values of skewed columns are not quite normal, so this is a low level.
_MISSING_LEVEL = 1e-4
# A mean of fewer values is not nearly normal where columns are skewed.
_FEWEST_VALUES = 30
#: Kinds of cautions about the order of rows.
OF_ROW_ORDER = ("dependence", "levels", "short batches", "standardised blocks")


class Assumes(Flag):
    """What a method's guarantee assumes about the rows; the data may contradict it.

    `FOURTH_MOMENTS_IF_SKEWED` is for methods that need fourth moments only where the rows far out
    lie on one side and are far out in several columns at once. `MANY_ROWS_PER_COLUMN` is for
    methods whose p-values are too small with few rows; other methods lose only power.
    `CONTINUOUS_COLUMNS` is for methods whose latent variables need columns without many ties.
    """

    NOTHING = 0
    INDEPENDENT_ROWS = auto()
    GAUSSIAN_ROWS = auto()
    FOURTH_MOMENTS = auto()
    FOURTH_MOMENTS_IF_SKEWED = auto()
    MANY_ROWS_PER_COLUMN = auto()
    CONTINUOUS_COLUMNS = auto()


class Caution(str):
    """A sentence about the data that a reader of the result should know.

    `kind`: What it is about, such as "dependence".
    `breaks`: Whether the method's guarantee does not hold on such data.
    """

    __slots__ = ("breaks", "kind")
    kind: str
    breaks: bool

    def __new__(cls, text: str, kind: str, breaks: bool = False) -> Caution:
        made = super().__new__(cls, text)
        made.kind, made.breaks = kind, breaks
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Caution, (str(self), self.kind, self.breaks)


def cautions_of(diagnosis: Diagnosis, assumes: Assumes) -> tuple[Caution, ...]:
    """What matters to a method that assumes this; first what breaks its guarantee."""
    return tuple(sorted(_cautions(diagnosis, assumes), key=lambda caution: not caution.breaks))


def cautions_about_clusters(
    facts: Diagnosis, assumes: Assumes, counts: npt.NDArray[np.int64]
) -> tuple[Caution, ...]:
    """The same for clusters of these sizes, whose rows may depend on each other as they like."""
    without = replace(facts, level_columns=(), counting_columns=())
    others = cautions_of(without, assumes & ~Assumes.INDEPENDENT_ROWS)
    # As many clusters of equal length would have the same sum of squares.
    effective = float(counts.sum()) ** 2 / float(counts.astype(float) @ counts)
    if len(counts) < _FEW_GROUPS:
        few = Caution(
            f"There are only {len(counts)} clusters of rows, and this method needs {_FEW_GROUPS} or "
            f"more: {_FALSE_EDGES}.",
            "few clusters",
            True,
        )
        return (few, *others)
    if counts.max() == 1:
        return (
            *others,
            Caution(
                f"Each of the {len(counts):,} rows has a group of its own, so the clusters change "
                "nothing. Is it the column that says which rows belong together?",
                "single rows",
            ),
        )
    if effective < _FEW_GROUPS / 2:
        most = 100 * int(counts.max()) / int(counts.sum())
        return (
            *others,
            Caution(
                f"The {len(counts)} clusters are worth only {effective:.2g} of equal length: the largest "
                f"has {most:.0f} % of the rows. Only strong edges can be found.",
                "unequal clusters",
            ),
        )
    return others


def caution_about_missing(
    found: Missingness | None, names: Sequence[str], dependent: bool
) -> tuple[Caution, ...]:
    """A sentence if values are missing where other columns are high, or low."""
    if found is None or found.pvalue >= _MISSING_LEVEL:
        return ()
    where = "high" if found.higher else "low"
    runs = (
        " (or rows depend on the rows before them, and values go missing in runs)"
        if dependent
        else ""
    )
    return (
        Caution(
            f"Values of column {names[found.column]!r} are missing more often in some rows than in "
            f"others: most clearly where column {names[found.partner]!r} is {where} ("
            f"{p_text(found.pvalue)}){runs}. missing='pairwise' assumes that values are missing "
            f"completely at random: {_FALSE_EDGES}. Fill values in several times and pool the "
            "results (edgewise.pool).",
            "missing values",
            True,
        ),
    )


def _cautions(facts: Diagnosis, assumes: Assumes) -> Iterator[Caution]:
    gaussian = Assumes.GAUSSIAN_ROWS in assumes
    yield from facts.mistakes
    if facts.counting_columns:
        yield _counting(facts)
    if facts.level_columns:
        yield _levels(facts)
    # A trend depends on the rows before by itself; without it, the rest may not.
    trend = facts.level_columns or facts.counting_columns
    if not trend and facts.dependent and Assumes.INDEPENDENT_ROWS in assumes:
        yield Caution(
            "Rows depend on the rows before them ("
            f"{p_text(facts.dependence_pvalue)}), and this method assumes independent rows: "
            f"{_FALSE_EDGES}. Method 'batch' allows for dependence.",
            "dependence",
            True,
        )
    if facts.heavy_tailed and gaussian:
        yield Caution(
            f"The tails are heavy ({facts.kurtosis_ratio:.3g} times the Gaussian kurtosis), and "
            f"this method assumes Gaussian rows: {_FALSE_EDGES}. Method 'score' does not need "
            "Gaussian rows.",
            "heavy tails",
            True,
        )
    if facts.without_fourth_moments:
        yield from _tails(facts, assumes)
    if facts.few_rows:
        yield _few_rows(facts, Assumes.MANY_ROWS_PER_COLUMN in assumes)
    if facts.dominant_rows:
        yield _dominant(facts, gaussian)
    if facts.n_rare_pairs:
        yield _rare(facts, gaussian)
    # A method that needs continuous columns counts the ties itself.
    if facts.discrete_columns and Assumes.CONTINUOUS_COLUMNS not in assumes:
        yield _discrete(facts)


def _counting(facts: Diagnosis) -> Caution:
    names = facts.counting_columns
    one = len(names) == 1
    return Caution(
        f"{_columns(names)} {'goes' if one else 'go'} up from row to row like their numbers. If "
        f"{'it only numbers' if one else 'they only number'} the rows, leave "
        f"{'it' if one else 'them'} out (exclude=..., --exclude). A trend among the variables "
        "makes false edges.",
        "levels",
        True,
    )


def _levels(facts: Diagnosis) -> Caution:
    names = facts.level_columns
    them = "it" if len(names) == 1 else "them"
    name = "it only names" if len(names) == 1 else "they only name"
    verb = "looks like a level" if len(names) == 1 else "look like levels"
    return Caution(
        f"{_columns(names)} {verb}, such as prices, which wander or follow a trend. Every test "
        f"here then finds false edges: difference {them} first (each row minus the row before it). "
        f"If the rows are only sorted by {them}, shuffle the rows instead; if {name} the rows or "
        f"their times, leave {them} out.",
        "levels",
        True,
    )


def _tails(facts: Diagnosis, assumes: Assumes) -> Iterator[Caution]:
    needed = Assumes.FOURTH_MOMENTS in assumes or (
        Assumes.FOURTH_MOMENTS_IF_SKEWED in assumes and facts.skewed_tails
    )
    if not needed and Assumes.FOURTH_MOMENTS_IF_SKEWED not in assumes:
        return
    which = ", all on one side" if facts.skewed_tails else ""
    consequence = (
        f"which this method needs, may be infinite: {_FALSE_EDGES}. Method 'kendall' needs none."
        if needed
        else "may be infinite: such rows cost power. Method 'kendall' needs none."
    )
    yield Caution(
        f"A few rows are very far out (tail index {facts.tail_index:.2g}{which}). They may be "
        f"outliers, or the fourth moments{',' if needed else ''} {consequence}",
        "far tails",
        needed,
    )


def _few_rows(facts: Diagnosis, breaks: bool) -> Caution:
    few = f"{facts.n_samples:,} rows are few for {facts.n_features} columns"
    if breaks:
        text = f"{few}: the p-values of this method are then too small, and {_FALSE_EDGES}."
    else:
        text = f"{few}: only strong edges can be found."
    return Caution(text, "few rows", breaks)


def _dominant(facts: Diagnosis, breaks: bool) -> Caution:
    rows = facts.dominant_rows
    told = [
        f"row {found.row:,}, column {found.column!r} (value {found.value:.4g}), carries "
        f"{100 * found.share:.0f} % of the column's variance"
        for found in rows[:_SHOWN_ROWS]
    ]
    more = len(rows) - _SHOWN_ROWS
    if more > 0:
        told.append(f"{more} more column{'s' * (more > 1)} likewise")
    text = "; ".join(told)
    why = f", and this method assumes Gaussian rows: {_FALSE_EDGES}" if breaks else ""
    return Caution(
        f"{text[0].upper()}{text[1:]}{why}. Check such values: one row decides what is found about "
        "its column. Row 1 is the first row that was tested.",
        "dominant rows",
        breaks,
    )


def _rare(facts: Diagnosis, breaks: bool) -> Caution:
    named = "; ".join(f"{a!r} and {b!r}" for a, b in facts.rare_pairs)
    count = facts.n_rare_pairs
    if count > len(facts.rare_pairs):
        named += "; …"
    pairs = "1 pair of columns has" if count == 1 else f"{count:,} pairs of columns have"
    against = f"This method assumes Gaussian rows: {_FALSE_EDGES}." if breaks else ""
    return Caution(
        f"{pairs} few joint events ({named}): if the two were independent, both would differ from "
        f"their usual value in fewer than {facts.fewest_joint} rows. There is little power to find "
        f"an edge between them. {against}".rstrip(),
        "rare events",
        breaks,
    )


def _discrete(facts: Diagnosis) -> Caution:
    names = facts.discrete_columns
    return Caution(
        f"{_columns(names)} {'has' if len(names) == 1 else 'have'} at most {facts.most_values} "
        "different values: an edge then means linear association of these values given the other "
        "columns. If they are classes of continuous variables, the graph of those may have fewer "
        "edges.",
        "discrete columns",
    )


def _columns(names: tuple[str, ...]) -> str:
    return f"Column{'s' * (len(names) > 1)} {listed([repr(name) for name in names])}"


def p_text(p: float) -> str:
    """A p-value in a sentence."""
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

    If values are missing completely at random, the rows that have column a are a random part of
    those that have b, whatever else is missing together. So the mean of b among them, minus its
    mean among all, has the variance s_b²(1/n_ab − 1/n_b). The p-value is that of the largest
    difference of all pairs of columns, times their number.

    Means of few values of a skewed column are skewed too. The first `rows`, where they are known,
    tell how much, and differences are made as rare as those of a gamma distribution are.
    """
    scale = np.sqrt(pooled.covariance().diagonal())
    mean = pooled.sums.first[0] / pooled.sums.total[0]
    # Means of b (along the first axis) in rows that have a, and what chance makes of them.
    difference = (mean - mean.diagonal()[:, np.newaxis]) / scale[:, np.newaxis]
    chance = _chance_of(pooled.sums.total[0], pooled.sums.total_square[0])
    both = pooled.pair_rows
    fewer = np.minimum(both.diagonal()[:, np.newaxis] - both, both)
    enough = (fewer >= _FEWEST_VALUES) & (chance > 0)
    np.fill_diagonal(enough, False)
    if not enough.any():
        return None
    z = np.where(enough, difference / np.sqrt(np.where(enough, chance, 1.0)), 0.0)
    if rows is not None:
        z = _as_normal(z, _skewness(rows)[:, np.newaxis] / np.sqrt(np.maximum(fewer, 1)))
    partner, column = np.unravel_index(np.argmax(np.abs(z)), z.shape)
    largest = float(z[partner, column])
    pvalue = min(1.0, 2 * float(special.ndtr(-abs(largest))) * int(enough.sum()))
    # Where a is there, b is below its mean: where a is missing, it is above.
    return Missingness(pvalue, int(column), int(partner), largest < 0)


def _skewness(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0))
    cubes = np.mean(centred**3, axis=0)
    return np.asarray(np.abs(cubes) / np.maximum(scale, np.finfo(float).tiny) ** 3)


def _as_normal(z: FloatArray, skewness: FloatArray) -> FloatArray:
    """The z of a standard normal that is as rare as z is with this skewness (Wilson & Hilferty)."""
    k = 4 / np.maximum(skewness, 1e-3) ** 2  # the shape of a gamma distribution
    size = 3 * np.sqrt(k) * (np.cbrt(1 + np.abs(z) / np.sqrt(k)) - 1 + 1 / (9 * k))
    return np.asarray(np.copysign(np.minimum(size, np.abs(z)), z))


def _chance_of(total: FloatArray, square: FloatArray) -> FloatArray:
    """Σ w²(m/N_ab − 1/N_b)², m = 1 in rows that have a: 1/n_ab − 1/n_b where weights are equal."""
    whole, squares = total.diagonal()[:, np.newaxis], square.diagonal()[:, np.newaxis]
    return np.asarray(square / total * (1 / total - 2 / whole) + squares / whole**2)
