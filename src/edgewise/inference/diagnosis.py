"""Facts about the rows that decide which tests of edges hold on them, from the first pass.

No row is read again: what is known are the sums, the first rows and the values farthest out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from edgewise._checks import FEWEST_WIDE_ROWS, MOST_WIDE_COLUMNS
from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise._shown import Shown
from edgewise._text import listed
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Assumes, Caution, cautions_of, columns_named, p_text
from edgewise.sums.score import ScratchArrays
from edgewise.tables.first_look import FirstLook

_MOMENTS = 4
_HEAVY = 1.15  # Mardia's kurtosis over the Gaussian's: clearly unsafe
_KURTOSIS_ROWS = 8192  # as many rows as it is estimated from
_SPREAD = 100.0
# With fewer, score finds less than a quarter of what nodewise finds, and next to nothing. Between
# this and 5 rows per column nodewise still finds twice as much, but needs a sparse graph.
_TOO_FEW_ROWS_PER_COLUMN = 3
_TAIL_SHARE = 0.02  # the share of the rows that counts as the tail, or √n rows if that is more
# Rows far out lie on one side if the mean of their directions is longer than this, and are far out
# in several columns if the sum of the fourth powers of a direction is usually below that.
_ONE_SIDED, _SHARED = 0.25, 0.7
_DOMINANT = 0.3
_FEWEST_FOR_DOMINANCE = 50  # of fewer rows, each carries a large share
_NAMED_PAIRS = 3
_FIRST_ROWS, _FEWEST_TO_COUNT = 255, 64  # rows that show which values a column has
# The check for dependence needs events that follow each other by chance in more rows than this.
_FEWEST_COINCIDENCES = 20
_LAGS = (1, 2, 3, 5, 7, 10)  # days, weeks, two weeks of working days
_OWN_LAGS = (1, 2)
# The share of the level that goes to the residuals themselves. Products of skewed residuals give
# false alarms more often than they should, and see only what is strong.
_OWN_SHARE = 0.9
_DEPENDENT = 0.01
_LONGEST = 1000  # rows over which a dependence is followed
_NOT_CHANCE = 4.5  # standard errors: of 1000 lags of 100 columns, less than one lies farther out
#: With fewer rows, none of these checks says anything.
FEWEST_ROWS = 30
_ROWS_OF_LIMIT = 100
_CLIP = 2.5  # standard deviations
_ROBUST_CLIP = 7.0  # median absolute values; 4.7 standard deviations of a Gaussian
# The pairs of this many columns show dependence between rows; all of thousands would take long.
_MOST_COLUMNS = 24
# And so many rows: they show an autocorrelation of 0.1 in a single pair of columns.
_MOST_ROWS, _ROWS_OF_MEDIAN = 4096, 1023
# Of a random walk of m rows, m(1 − r) is below 17 with probability 0.99; r is the autocorrelation.
_WALK, _PERSISTENT = 17.0, 0.05
_TREND = 0.8  # correlation with time


class DominantRow(NamedTuple):
    """A row that carries most of a column's variance; row 1 is the first."""

    row: int
    column: str
    share: float
    value: float


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Shown):
    """Facts about a table that decide which tests of edges hold on it.

    Attributes
    ----------
    n_samples, n_features : int
        Rows and columns.
    kurtosis_ratio : float
        Mardia's multivariate kurtosis over the Gaussian's p(p+2): 1 for Gaussian data.
    dependence_pvalue : float
        The p-value of a test that neither the residuals nor the rows' influences on the edges are
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
        Columns that wander like a random walk or follow a trend, such as prices or row numbers.
    dominant_rows : tuple of DominantRow
        Rows that carry more than 30 % of a column's variance: (row, column, share, value).
    rare_pairs : tuple of pairs of str
        Up to three pairs of columns that hardly ever differ from their usual values together.
    n_rare_pairs : int
        How many such pairs there are.
    discrete_columns : tuple of str
        Columns of few different values.
    mistakes : tuple of Caution
        What looks like a mistake in the data, such as codes for missing values.

    Examples
    --------
    >>> from edgewise.inference.diagnosis import Diagnosis
    >>> import edgewise as ew
    >>> facts = Diagnosis(5000, 10, kurtosis_ratio=2.1, dependence_pvalue=0.4, scale_ratio=3.0)
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
    dominant_rows: tuple[DominantRow, ...] = ()
    rare_pairs: tuple[tuple[str, str], ...] = ()
    n_rare_pairs: int = 0
    discrete_columns: tuple[str, ...] = ()
    mistakes: tuple[Caution, ...] = ()

    #: A pair of columns is rare if fewer joint events than this are expected.
    fewest_joint: ClassVar[int] = 5
    #: A discrete column has at most this many different values.
    most_values: ClassVar[int] = 7

    @property
    def without_fourth_moments(self) -> bool:
        """Whether the tail is so heavy that fourth moments may be infinite."""
        least = self.tail_index + 2 * self.tail_index_error
        return max(least, self.farther_tail_index) < _MOMENTS

    @property
    def dependent(self) -> bool:
        """Whether rows depend on the rows before them, at the level 0.01."""
        return self.dependence_pvalue < _DEPENDENT

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
        if self.level_columns:
            return None
        return choice(self.n_samples, self.n_features, self.dependence_pvalue)[0]

    def summary(self) -> str:
        """What the rows are like, and the advice."""
        return f"{self.n_samples:,} rows, {self.n_features:,} columns.\n{self.advice()}"

    def _brief(self) -> dict[str, Any]:
        names = ("n_samples", "n_features", "dependent", "heavy_tailed", "recommended")
        return {name: getattr(self, name) for name in names}

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        numbers = ("kurtosis_ratio", "dependence_pvalue", "scale_ratio", "tail_index")
        facts = self._brief() | {name: getattr(self, name) for name in numbers}
        return [*facts], [[*facts.values()]]

    def advice(self) -> str:
        """Say which method to use and why, and which problems the data have."""
        # What a result of the advised method would say, except what the advice itself says.
        cautions = cautions_of(self, Assumes.FOURTH_MOMENTS_IF_SKEWED)
        kurtosis = f"{self.kurtosis_ratio:.3g} times the Gaussian kurtosis"
        if levels := [one for one in cautions if one.kind == "levels"]:
            first = f"Use no method yet. {levels[0]} Then ask again."
        elif self.recommended == "batch":
            first = (
                "Use method 'batch': rows depend on the rows before them ("
                f"{p_text(self.dependence_pvalue)}), and the other tests assume independent rows."
            )
        elif self.recommended == "nodewise":
            first = (
                "Use method 'nodewise', which assumes a sparse graph: with "
                f"{self.n_samples:,} rows and {self.n_features:,} columns, adjusting each pair for "
                "few columns finds more edges than adjusting for all."
            )
        elif self.heavy_tailed:
            first = (
                "Use method 'score', or 'whitened' for one bound on all edges: tails are heavy "
                f"({kurtosis}), so 'fisher' finds false edges."
            )
        else:
            first = (
                f"Use method 'score': the tails look Gaussian ({kurtosis}) and the rows look "
                "independent, so 'score' agrees with 'fisher', and it does not need Gaussian rows."
            )
        scales = "The columns' scales differ a lot, so the paper's bounds need standardize=True."
        last = [scales] if self.scale_ratio > _SPREAD else []
        return " ".join([first, *(one for one in cautions if one not in levels), *last])


def choice(
    n_samples: int,
    n_features: int,
    dependence_pvalue: float,
    able: Sequence[str] = ("score", "batch", "nodewise"),
) -> tuple[str, str]:
    """The method for rows like these out of those that are able, the usual one first; and why."""
    usual, shape = able[0], f"{n_samples:,} rows are few for {n_features:,} columns"
    if dependence_pvalue < _DEPENDENT and "batch" in able:
        because = f"Rows depend on the rows before them ({p_text(dependence_pvalue)})"
        return "batch", f"{because}, so batch was used instead of {usual}."
    few = FEWEST_WIDE_ROWS <= n_samples < _TOO_FEW_ROWS_PER_COLUMN * n_features
    if "nodewise" in able and few and n_features <= MOST_WIDE_COLUMNS:
        return "nodewise", f"{shape}, so nodewise was used, which assumes a sparse graph."
    if n_samples < FEWEST_ROWS or math.isnan(dependence_pvalue):
        return usual, f"{n_samples:,} rows are too few to show dependence, so {usual} was used."
    p = p_text(dependence_pvalue)
    return usual, f"Rows do not seem to depend on the rows before them ({p}), so {usual} was used."


def diagnosis_of(
    estimate: PrecisionEstimate,
    first_look: FirstLook | None,
    names: Sequence[str],
    past: Sequence[str] = (),
) -> Diagnosis:
    """What the first pass says about the rows; without a first look at them, only their number.

    Where rows have columns of the rows before, and covariates, these are `past` and do not matter.
    """
    # The same for standardised estimates: √Θ̂_ii, and the standard deviations of the columns.
    root = estimate.residual_map.diagonal()
    scale = np.sqrt(estimate.covariance.diagonal() * estimate.precision.diagonal()) / root
    n, p, spread = estimate.n_samples, len(names), float(scale.max() / scale.min())
    if first_look is None or not len(first_look.leading):
        return Diagnosis(n, p, math.nan, math.nan, spread)
    leading = first_look.leading
    columns = np.ascontiguousarray(leading.T)
    own = np.array([name not in past for name in names])
    centred = estimate.centre.subtract_from(leading, np.empty_like(columns))
    residuals = estimate.residual_map.T @ centred
    standard = np.divide(centred, scale[:, np.newaxis], out=centred)
    # cᵀΘ̂c, from v = Θ̂c/√Θ̂_ii
    squared = np.maximum((root * scale) @ (standard * residuals), 0.0)
    in_order = np.sort(columns[:, :_FIRST_ROWS], axis=1)
    different = (in_order[:, 1:] != in_order[:, :-1]).sum(axis=1)
    # A value that more than half of the rows have is their median, also of the first of them.
    m = in_order.shape[1]
    usual = (in_order[:, (m - 1) // 2] + in_order[:, m // 2]) / 2
    events = (columns != usual[:, np.newaxis]).sum(axis=1) / len(leading)
    often = len(leading) * events[own] ** 2 >= _FEWEST_COINCIDENCES
    # Pairs of columns that are expected to differ from their usual values in few rows together: for
    # each column, how many of the more frequent ones make a rare pair with it.
    order = np.flatnonzero((events < 0.5) & own)
    order = order[np.argsort(events[order], kind="stable")]
    expected = n * events[order]  # the rarest column first
    enough = Diagnosis.fewest_joint * n / np.maximum(expected, 1e-9)
    partners = np.searchsorted(expected, enough) - np.arange(len(order)) - 1
    few = range(min(len(order), _NAMED_PAIRS))
    rare = [sorted((order[i], order[j])) for j in few for i in range(j) if j <= i + partners[i]]
    discrete = np.zeros(p, dtype=bool)
    if len(leading) >= _FEWEST_TO_COUNT:
        most = Diagnosis.most_values
        for column in np.flatnonzero((different < most) & own):
            discrete[column] = len(np.unique(columns[column])) <= most
    # Rows that carry most of a column's variance; one that was never searched has none far out.
    dominant = []
    if n >= _FEWEST_FOR_DOMINANCE:
        far, centre = first_look.far, estimate.centre
        values = np.where(np.isfinite(far), far, centre.origin)
        off = centre.subtract_from(values, np.empty((p, 2)))
        share = own[:, np.newaxis] * (off / scale[:, np.newaxis]) ** 2 / (n - 1)
        dominant = [
            DominantRow(
                int(first_look.far_row[side, k]) + 1,
                names[k],
                *map(float, (share[k, side], far[side, k])),
            )
            for k, side in np.argwhere(share > _DOMINANT).tolist()
        ]
    # A column of groups, one after the other, is no level; lags take away what makes one.
    levels = np.zeros(p, dtype=bool) if past else level_columns(standard) & ~discrete
    return Diagnosis(
        n,
        p,
        kurtosis_ratio=float(squared @ squared) / len(leading) / (p * (p + 2)),
        dependence_pvalue=dependence_pvalue(
            residuals if often.all() and not past else residuals[own][often]
        ),
        scale_ratio=spread,
        level_columns=tuple(names[k] for k in np.flatnonzero(levels).tolist()),
        dominant_rows=tuple(sorted(dominant, key=lambda row: -row.share)),
        rare_pairs=tuple((names[int(i)], names[int(j)]) for i, j in rare),
        n_rare_pairs=int(np.maximum(partners, 0).sum()),
        discrete_columns=tuple(names[k] for k in np.flatnonzero(discrete).tolist()),
        mistakes=() if past else mistakes(columns, different / max(m - 1, 1), estimate, names),
        **_tail_facts(np.sqrt(squared), standard),
    )


def _tail_facts(radii: FloatArray, standard: FloatArray) -> dict[str, Any]:
    """Hill's tail index from the rows farthest out and a quarter of them, and where these lie."""
    n = len(radii)
    if n < _ROWS_OF_LIMIT:
        return {}  # too few to tell
    count = max(math.isqrt(n), int(_TAIL_SHARE * n))
    # The last row that does not count as the tail comes first.
    order = np.argpartition(radii, n - count - 1)[n - count - 1 :]
    farthest = np.sort(radii[order])
    if not farthest[0] > 0:
        return {}
    logs, quarter = np.log(farthest), max(count // 4, 1)
    excess = [float(np.add.reduce(logs[-k:] - logs[-k - 1])) for k in (count, quarter)]
    if not excess[0] > 0:
        return {}
    far = standard[:, order[1:]]
    directions = far / np.sqrt(np.add.reduce(far * far, axis=0))
    mean = np.add.reduce(directions, axis=1) / count
    one_sided = math.sqrt(mean @ mean) > _ONE_SIDED + 1 / math.sqrt(count)
    shared = np.mean(np.sum(directions**4, axis=0)) < _SHARED
    return {
        "tail_index": count / excess[0],
        "tail_index_error": count / excess[0] / math.sqrt(count),
        "farther_tail_index": quarter / excess[1] if excess[1] > 0 else math.inf,
        "skewed_tails": bool(one_sided and shared),
    }


def dependence_pvalue(residuals: FloatArray) -> float:
    """The p-value of a test that rows do not depend on the rows before them.

    Two portmanteau tests share the level, on unit-variance residuals v of shape (p, n). Of v
    itself: with u = v_t v_{t+l}, r = Σu/√Σu² is standard normal whatever the tails of v, and Q = Σ
    r² over columns and lags is compared with the multiple of a χ² that has its mean and variance.
    Of products u = v_iv_j − mean, Bonferroni over the pairs: Σ_k T_k² is χ², T_k = Σ_t u_t u_{t+k}
    / √(Σ_t u_t² u_{t+k}²). Products over pairs factor, so a lag costs two matrix products.
    """
    residuals = residuals[:, :_MOST_ROWS]
    p, n = residuals.shape
    if (n < _ROWS_OF_LIMIT and n - p < FEWEST_ROWS) or p < 2:
        return 1.0  # too few to tell
    # The normal limit is rough with few rows: of 50 independent ones, 2 to 8 % have p < 0.01.
    penalty = 1.0 if n >= _ROWS_OF_LIMIT else (_ROWS_OF_LIMIT / (n - p)) ** 4
    if p > _MOST_COLUMNS:
        residuals = residuals[np.linspace(0, p - 1, _MOST_COLUMNS).astype(int)]
    residuals = _clipped(residuals)
    tiny = np.finfo(float).tiny

    u = _lagged(residuals - np.add.reduce(residuals, axis=1, keepdims=True) / n, _OWN_LAGS)
    products = u @ u.transpose(0, 2, 1)
    scale = np.sqrt(np.maximum(np.einsum("kii->ki", products), tiny))
    # About the mean, the expectation of r is −1/√n.
    r = u @ np.ones(n) / scale + 1 / math.sqrt(n)
    correlation = products / (scale[:, :, np.newaxis] * scale[:, np.newaxis])
    degrees = r.size**2 / float(np.vdot(correlation, correlation))
    # Wilson & Hilferty; SciPy is slow to import.
    z = np.cbrt(float(np.vdot(r, r)) / r.size) - 1 + 2 / (9 * degrees)
    own = math.erfc(z * math.sqrt(9 * degrees / 2) / math.sqrt(2)) / 2

    u = _lagged(residuals, _LAGS)
    covariance = u @ u.transpose(0, 2, 1)
    mean = residuals @ residuals.T / n
    covariance -= np.multiply.outer(n - np.array(_LAGS), mean**2)
    u *= u
    of_pairs = pairs_of((covariance**2 / np.maximum(u @ u.transpose(0, 2, 1), tiny)).sum(axis=0))
    # The tail of χ² with an even number of degrees of freedom.
    half = float(of_pairs.max()) / 2
    tail = sum(half**k / math.factorial(k) for k in range(len(_LAGS) // 2)) * math.exp(-half)
    of_products = min(1.0, tail * len(of_pairs))
    return float(min(1.0, penalty * min(own / _OWN_SHARE, of_products / (1 - _OWN_SHARE))))


def _clipped(residuals: FloatArray) -> FloatArray:
    """Without far values, so that a few extreme rows do not spoil the normal limit."""
    sizes, limit = np.abs(residuals[:, :_ROWS_OF_MEDIAN]), np.asarray(_CLIP)
    # Only if half of the values are small is the median small; to count is faster than to sort.
    if ((sizes > _CLIP / _ROBUST_CLIP).sum(axis=1) <= sizes.shape[1] // 2 + 1).any():
        usual = _ROBUST_CLIP * np.median(sizes, axis=1, keepdims=True)
        limit = np.where(usual > 0, np.minimum(usual, _CLIP), _CLIP)
    return np.clip(residuals, -limit, limit)


_SCRATCH = ScratchArrays()


def _lagged(rows: FloatArray, lags: Sequence[int]) -> FloatArray:
    """Products with the values so many rows later; zeros stand where no row follows."""
    products = _SCRATCH.array("lagged", (len(lags), *rows.shape))
    products[:, :, -max(lags) :] = 0.0
    for product, lag in zip(products, lags, strict=True):
        np.multiply(rows[:, :-lag], rows[:, lag:], out=product[:, :-lag])
    return products


def correlation_times(
    estimate: PrecisionEstimate, first_look: FirstLook
) -> tuple[FloatArray, FloatArray]:
    """τ_ij = 1 + 2 Σ r_i r_j of each pair of residuals, and the mean lag 2 Σ l r_i r_j / τ_ij.

    n/τ_ij independent rows say as much about the pair. Where columns are many for the rows that
    remain, residuals forget too soon, and the columns themselves tell.
    """
    rows = first_look.leading[:_MOST_ROWS]
    centred = estimate.centre.subtract_from(rows, np.empty(rows.shape[::-1]))
    own = _times_of(centred / np.sqrt(estimate.covariance.diagonal())[:, np.newaxis])
    residual = _times_of(estimate.residual_map.T @ centred)
    if estimate.n_samples / own[0].max() >= 2 * (len(centred) + 1):
        return residual
    return np.maximum(own[0], residual[0]), np.maximum(own[1], residual[1])


def _times_of(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    rows = _clipped(rows)
    rows -= rows.mean(axis=1, keepdims=True)
    n = rows.shape[1]
    longest = max(min(n // 4, _LONGEST), 2)
    power = np.abs(np.fft.rfft(rows, 1 << (n + longest - 1).bit_length(), axis=1)) ** 2
    r = np.fft.irfft(power, axis=1)[:, :longest]
    r = r[:, 1:] / np.maximum(r[:, :1], np.finfo(float).tiny)
    # Up to the first two lags in a row that may be chance; the mean takes a little from each.
    chance = np.abs(r) < 2 / math.sqrt(n)
    ends = chance[:, :-1] & chance[:, 1:]
    last = np.where(ends.any(axis=1), ends.argmax(axis=1), longest - 1)
    lags = np.arange(1, longest)
    seen = lags <= last[:, np.newaxis]
    # And later lags, such as those of a season, which are clearly not chance; the errors of r are
    # larger where rows depend on each other (Bartlett).
    error = np.sqrt((1 + 2 * (seen * r**2).sum(axis=1, keepdims=True)) / n)
    seen |= np.abs(r) > _NOT_CHANCE * error
    r += (1 + 2 * np.maximum((r * seen).sum(axis=1, keepdims=True), 0)) / n
    r *= seen
    times = np.maximum(1 + 2 * r @ r.T, 1.0)
    return times, 2 * (r * lags) @ r.T / times


def level_columns(rows: FloatArray) -> BoolArray:
    """Which columns wander like a random walk, by von Neumann's ratio, or follow a trend."""
    m = rows.shape[1]
    if m < FEWEST_ROWS:
        return np.zeros(len(rows), dtype=bool)
    centred = rows - np.add.reduce(rows, axis=1, keepdims=True) / m
    squares = np.vecdot(centred, centred)
    varies = squares > 0
    squares = np.where(varies, squares, 1.0)
    later, earlier = centred[:, 1:], centred[:, :-1]  # their difference would be one more copy
    steps = np.vecdot(later, later) + np.vecdot(earlier, earlier) - 2 * np.vecdot(later, earlier)
    unlike = steps / (2 * squares)
    time = np.arange(m) - (m - 1) / 2
    trend = (centred @ time) ** 2 / (squares * (time @ time))
    wanders = unlike < min(_PERSISTENT, _WALK / m)
    return np.asarray(varies & (wanders | (trend > _TREND**2)))


# Mistakes that data often have and that no error shows, seen in the first rows. Each is seen in at
# most 1 % of clean tables (tests/statistical/test_auto.py).

_FEWEST_FOR_MISTAKES = 20  # rows that tell anything
_CODE = re.compile(r"-?([789])\1*")
_FEWEST_CODES, _FREQUENT = 3, 10
# The share of rows that a join repeats, at least.
_REPEATED = 0.05
# How unlike the scales of rows must be (a standard deviation of logarithms), those of columns not.
_UNLIKE_ROWS, _ALIKE = 1.0, 0.25
# A column that follows from others: its variance over what the others leave of it, and how near
# its coefficients are to one.
_FOLLOWS, _NEAR, _LEFT = 100.0, 0.05, 1e-3
_EXACT = 2.0**53
_ID = re.compile(
    r"(?:.*[\W_])?(?:id|ids|uid|uuid|guid|key|isbn|ssn|phone|zip|zipcode|zip_code|postcode|plz)"
    r"|.*[a-z](?:Id|ID|Key)"
)


def mistakes(
    columns: FloatArray, different: FloatArray, estimate: PrecisionEstimate, names: Sequence[str]
) -> tuple[Caution, ...]:
    """What looks like a mistake, each in a sentence that names the columns.

    `columns` are the first rows, features first; `different` is the share of different values
    among the first of each.
    """
    p, n = columns.shape
    if n < _FEWEST_FOR_MISTAKES:
        return ()
    found = []
    low, high = columns.min(axis=1), columns.max(axis=1)

    # Codes for missing values, such as −999 or 99: far out, frequent and made of one digit.
    codes = []
    for ends in (low, high):
        likely = (np.abs(ends) >= 7) & (np.abs(ends) < 1e7) & (ends == np.floor(ends))
        for k in np.flatnonzero(likely).tolist():
            text = f"{ends[k]:.0f}"
            if _CODE.fullmatch(text) and _is_code(columns[k], ends[k]):
                codes.append(f"{text} in {names[k]!r}")
    if codes:
        text = (
            f"What looks like a code for missing values: {listed(codes)}, far from all others, and "
            "frequent. Turn such values into missing ones (na_values=, --na-values), or they decide "
            "the result."
        )
        found.append(Caution(text, "codes"))

    # Rows that are there more than once, as after a join. One column with many values tells most.
    key = columns[int(np.argmax(different))]
    if different.max() > 0.2 and (np.diff(np.sort(key)) == 0).sum() >= _REPEATED * n:
        order = np.argsort(key, kind="stable")
        count = int((columns[:, order[1:]] == columns[:, order[:-1]]).all(axis=0).sum())
        # How many pairs of rows are equal by chance, if columns are not related.
        ties = [np.unique(column, return_counts=True)[1] / n for column in columns]
        chance = float(np.prod([share @ share for share in ties])) * n
        if count >= _REPEATED * n and chance < _REPEATED / 10:
            text = (
                f"{count:,} of the first {n:,} rows are copies of others, in every column. If a join "
                "repeated them, p-values are too small: remove the copies, or pass how often a row "
                "counts as weights of the kind 'frequency'."
            )
            found.append(Caution(text, "repeated rows"))

    # Identifiers. Beyond 2⁵³ all numbers are whole.
    labels = (low >= 0) & (high >= n / 2)
    long = labels & (low >= _EXACT) & (high < 2.0**64)
    if long.any():
        text = (
            f"{columns_named([names[k] for k in np.flatnonzero(long).tolist()])} hold whole numbers beyond "
            "2⁵³, of which double precision keeps the first 16 digits only. If they are identifiers, "
            "leave them out (exclude=, --exclude)."
        )
        found.append(Caution(text, "identifiers"))
    named = [
        names[k]
        for k in np.flatnonzero(labels & ~long).tolist()
        if _ID.fullmatch(names[k]) and (columns[k] == np.floor(columns[k])).all()
    ]
    if named:
        text = (
            f"{columns_named(named)} look like identifiers by name and values. If they are, leave "
            "them out (exclude=, --exclude): every pair is adjusted for them."
        )
        found.append(Caution(text, "identifiers"))

    # Sums that return to zero in the same rows: each block of rows has the mean zero.
    continuous = np.flatnonzero(different > 0.95)
    one = continuous[:1]  # no deviation is larger than the range
    small = 1e-5 * (high - low)[one, np.newaxis]
    if one.size and (np.abs(np.cumsum(columns[one], axis=1)) < small).sum() >= 3:
        scale = columns[continuous].std(axis=1, keepdims=True) + np.finfo(float).tiny
        zeros = np.abs(np.cumsum(columns[continuous], axis=1)) < 1e-5 * scale
        blocks = zeros[:, zeros[:3].all(axis=0)]
        if blocks.shape[1] >= 3:
            standardised = [names[int(k)] for k in continuous[blocks.mean(axis=1) > 0.9]]
            text = (
                f"{columns_named(standardised)} have the mean zero in each of {blocks.shape[1]:,} or "
                "more blocks of rows: standardised within clusters, as it seems. Rows of a cluster "
                "then depend on each other; say which belong together (clusters=, --clusters)."
            )
            found.append(Caution(text, "standardised blocks"))

    if estimate.n_samples < len(names):
        # Rows that differ as variables do, and columns that do not.
        of_rows, of_columns = (
            float(np.log(columns.std(axis=k) + np.finfo(float).tiny).std()) for k in (0, 1)
        )
        if of_rows > _UNLIKE_ROWS and of_columns < _ALIKE * of_rows:
            text = (
                f"There are {p:,} columns and {n:,} rows, and rows differ as variables do. If the "
                "variables are the rows, transpose the table."
            )
            found.append(Caution(text, "transposed"))
        return tuple(found)

    # Columns of which one is a constant plus or minus the others, but for rounding.
    precision, covariance = estimate.precision, estimate.covariance
    variance = covariance.diagonal()
    follows = precision.diagonal() * variance
    first = int(np.argmax(follows))
    if not follows[first] > _FOLLOWS:
        return tuple(found)
    share = precision[first] / precision[first, first]
    among = np.abs(share) > 0.5
    rest = np.abs(share[~among]) * np.sqrt(variance[~among])
    signs = np.where(among, np.sign(share), 0.0)
    if (
        among.sum() >= 3
        and (np.abs(np.abs(share[among]) - 1) < _NEAR).all()
        and (rest <= _NEAR * np.sqrt(variance[first])).all()
        and signs @ covariance @ signs <= _LEFT * variance[among].sum()
    ):
        plus, minus = ([names[k] for k in np.flatnonzero(signs == one).tolist()] for one in (1, -1))
        what = f"{columns_named(plus)} add up to nearly the same number in every row"
        if minus:
            what = (
                f"{columns_named(plus)} less {listed([*map(repr, minus)])} is nearly the same in "
                "every row"
            )
        text = (
            f"{what}, so each follows from the others, and their partial correlations say only "
            "that. Leave one out, or test ratios."
        )
        found.append(Caution(text, "constant sum"))
    return tuple(found)


def _is_code(column: FloatArray, value: float) -> bool:
    others, counts = np.unique(column[column != value], return_counts=True)
    count = len(column) - int(counts.sum())
    if count < _FEWEST_CODES or len(others) < 2:
        return False
    gap, reach = float(np.abs(others - value).min()), float(others[-1] - others[0])
    if abs(value) < 10:  # among answers from 1 to 5, or 0 and 1
        return gap >= 0.9 * reach
    often = count >= max(_FREQUENT, 1.5 * float(counts.max()), 3 * float(counts.mean()))
    return gap >= reach / 2 or (often and gap >= 3 * float(np.median(np.diff(others))))
