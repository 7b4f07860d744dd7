"""The score test given few chosen columns: more columns than rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from edgewise import _special as special
from edgewise._checks import FEWEST_WIDE_ROWS
from edgewise._linalg import FloatArray, upper_pairs
from edgewise._text import listed
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.estimate.nodewise import NodewiseFit, nodewise_fit
from edgewise.inference.cautions import Caution
from edgewise.inference.measurement import Measurement, Selection
from edgewise.inference.references import Normal
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.sign_flip import SignFlip
from edgewise.methods.method import Assumes, Feature, Method, option
from edgewise.methods.planning import Plan, RowPlanner
from edgewise.methods.score import score_test, seen_share
from edgewise.sums.pairs import Portion, regressed, selected_score_sums
from edgewise.sums.score import sums_of_pairs

_MOST_PAIRS, _MOST_ROWS, _DRAWS = 40, 2000, 400
# Numbers of rows that are tried: from half of what Gaussian rows need, each a fifth more than the
# one before.
_FIRST, _STEP, _MOST_STEPS = 0.5, 1.2, 40


def simulated_rows(plan: Plan, sample: Sample, fit: NodewiseFit) -> FloatArray:
    """Rows for each pair: simulated for up to 40 pairs, and for the others the median of these."""
    rng = np.random.default_rng(0)
    i, j = upper_pairs(len(fit.correlation))
    wanted = np.flatnonzero(plan.pairs[i, j])
    some = np.sort(rng.permutation(wanted)[:_MOST_PAIRS])
    centred = sample.leading_rows(_MOST_ROWS)
    z = centred / fit.scale[:, np.newaxis]
    sizes = fit.sets.sizes()
    portions = [Portion(some[k : k + 1], int(sizes[place])) for k, place in enumerate(some)]
    made = [_with_correlation(z, fit, portion, plan.effect) for portion in portions]
    rows = _rows_for_power(plan, np.stack(made), rng) + sizes[some] + 1
    needed = np.full((len(fit.correlation),) * 2, np.median(rows))
    needed[i[some], j[some]] = needed[j[some], i[some]] = rows
    return needed


def _with_correlation(
    z: FloatArray, fit: NodewiseFit, portion: Portion, effect: float
) -> FloatArray:
    """The residuals of a pair, as large as errors are, mapped to the planned correlation."""
    pairs = fit.sets.pairs(portion)
    own = regressed(fit.correlation, pairs)
    given = z[pairs.given[0]]
    leverage = np.einsum("kn,kn->n", own.inverse[0] @ given, given) / z.shape[1] + 1 / z.shape[1]
    e = np.stack([z[pairs.i[0]], z[pairs.j[0]]]) - own.coefficients[0] @ given
    e /= np.sqrt(np.maximum(1 - leverage, 0.1))
    e -= e.mean(axis=1, keepdims=True)
    e /= np.sqrt((e * e).mean(axis=1, keepdims=True))
    rho = float(np.clip((e[0] * e[1]).mean(), -0.999, 0.999))
    wanted = math.copysign(effect, rho)
    plus = (e[0] + e[1]) / 2 * math.sqrt((1 + wanted) / (1 + rho))
    minus = (e[0] - e[1]) / 2 * math.sqrt((1 - wanted) / (1 - rho))
    return np.stack([plus + minus, plus - minus])


def _rows_for_power(plan: Plan, residuals: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The rows at which each pair is found often enough; infinite if none is. By interpolation."""
    x, y = residuals[:, 0], residuals[:, 1]
    product = x * y
    # All that the test needs are sums over rows of these.
    terms = np.stack([x, y, x * x, y * y, product, product**2, product**4, product**6])
    flat = terms.reshape(-1, x.shape[1]).T
    critical, above = Normal().critical(plan.log_level), float(special.ndtri(plan.power))
    rows, before = np.full(len(x), np.inf), np.full(len(x), -np.inf)
    n = last = max(_FIRST * (max(critical + above, 1.0) / plan.effect) ** 2, FEWEST_WIDE_ROWS)
    for _ in range(_MOST_STEPS):
        whole = math.ceil(n)
        counts = rng.multinomial(whole, np.full(x.shape[1], 1 / x.shape[1]), size=_DRAWS)
        sums = (counts @ flat).reshape(_DRAWS, len(terms), len(x)).transpose(1, 0, 2)
        z = -special.ndtri_exp(_log_pvalues(sums, whole) - math.log(2))
        excess = z.mean(axis=0) - critical - above * z.std(axis=0)
        found = np.isinf(rows) & (excess >= 0)
        with np.errstate(invalid="ignore"):
            share = np.where(np.isfinite(before), -before / (excess - before), 1.0)
        rows[found] = ((1 - share) * math.sqrt(last) + share * math.sqrt(whole))[found] ** 2
        if np.isfinite(rows).all():
            break
        before, last, n = excess, whole, n * _STEP
    return rows


def _log_pvalues(sums: FloatArray, n: int) -> FloatArray:
    """The score test from sums over n rows of x, y, x², y², xy and powers 2, 4 and 6 of xy."""
    mean_x, mean_y = sums[0] / n, sums[1] / n
    scale = np.sqrt((sums[2] / n - mean_x**2) * (sums[3] / n - mean_y**2))
    rho = (sums[4] / n - mean_x * mean_y) / scale
    second, fourth, sixth = sums[5] / scale**2, sums[6] / scale**4, sums[7] / scale**6
    floor = n * n / (n - 1)
    statistic = n * rho / np.sqrt(np.maximum(second, floor))
    seen = seen_share(second, floor)
    law = SignFlip(fourth / second**2 * seen**2, sixth / second**3 * seen**3)
    return law.log_two_sided(statistic)


DEFAULT_PENALTY = 1.25
# The share of columns with too many neighbours that speaks against a sparse graph.
_MANY_CUT = 0.1


@dataclass(frozen=True)
class Nodewise(Method):
    """The score test of each pair, given the few columns that a lasso chooses.

    For every column the scaled lasso on all others chooses its neighbours A_i. The pair (i, j) is
    adjusted for S_ij = (A_i ∪ A_j) ∖ {i, j}, by least squares, and tested as by `Score`, with the
    leverage of S_ij and never below the Gaussian variance. A neighbour that the lasso misses for
    one of the two columns is usually chosen for the other, and one that it misses for both is a
    weak one of both (double selection, Belloni, Chernozhukov & Hansen 2014). So the test holds with
    more columns than rows, if the graph is sparse: few neighbours for each column, s log p small
    beside √n. That is an assumption. The data can contradict it (a caution says so), but they
    cannot prove it.

    Parameters
    ----------
    penalty : float
        The penalty of the lasso, in units of √(2 log(p/√n)/n). A smaller one chooses more columns:
        neighbours that are weak, and others by chance, which makes p-values too small.
    max_neighbours : int, optional
        The most neighbours that a column keeps, those with the largest coefficients; by default one
        for eight rows.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> X = sample("t5", make_chain_precision(60), 50, rng=0)
    >>> result = ew.edge_test(X, method=ew.methods.Nodewise(max_neighbours=5))
    >>> result.n_features, max(map(len, result.selection.neighbours)) <= 5
    (60, True)
    """

    penalty: float = option(
        DEFAULT_PENALTY, "The penalty of the lasso, in units of √(2 log(p/√n)/n).", kind=float
    )
    max_neighbours: int | None = option(
        None,
        "The most neighbours that a column keeps: one for eight rows, unless given.",
        kind=int,
        at_least=1,
    )

    name: ClassVar[str] = "nodewise"
    guarantee: ClassVar[str] = "per edge, sparse graph"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, and a sparse graph"
    )
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS_IF_SKEWED
    plans_by_simulation: ClassVar[bool] = True
    supports: ClassVar[frozenset[Feature]] = frozenset({"transform"})

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True, wide=True)

    def fit(self, sample: Sample) -> NodewiseFit:
        """The chosen neighbours, from the covariance alone."""
        return nodewise_fit(
            sample.moments(),
            sample.feature_names,
            sample.first_look,
            penalty=self.penalty,
            most=self.max_neighbours,
            given=[sample.feature_names.index(name) for name in sample.given],
        )

    def estimate(self, sample: Sample) -> PrecisionEstimate:
        return self.fit(sample).estimate(sample.feature_names)

    def measure(self, sample: Sample) -> Measurement:
        fit = self.fit(sample)
        n = fit.moments.n_samples
        one_pass = partial(
            selected_score_sums,
            centre=fit.moments.centre(),
            scale=fit.scale,
            correlation=fit.correlation,
            sets=fit.sets,
            n_samples=n,
        )
        of_pairs, diagonal = sample.scan(one_pass)
        estimate = fit.estimate(sample.feature_names, of_pairs[6])
        chosen = fit.neighbours
        selection = Selection(chosen.penalty, tuple(tuple(own.tolist()) for own in chosen.of))
        # Those of the model of a pair, and of the regression of a single column.
        n_columns = selection.sizes().astype(np.float64) + 2
        np.fill_diagonal(n_columns, [len(own) + 1.0 for own in chosen.of])
        uncertainty = score_test(
            estimate,
            sums_of_pairs(of_pairs[:6], len(estimate.precision), diagonal),
            n + 1 - n_columns,
        )
        measured = self.measurement(
            sample,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            options=self._options(),
        )
        cautions = measured.cautions
        if self == Nodewise():  # who chooses more on purpose knows it
            cautions = (*_about_neighbours(fit, sample.feature_names), *cautions)
        return replace(measured, selection=selection, cautions=cautions)

    def _options(self) -> dict[str, float | int]:
        if self.max_neighbours is None:
            return {"penalty": self.penalty}
        return {"penalty": self.penalty, "max_neighbours": self.max_neighbours}

    def row_planner(self, sample: Sample, measurement: Measurement) -> RowPlanner:
        return partial(simulated_rows, sample=sample, fit=self.fit(sample))


def _about_neighbours(fit: NodewiseFit, names: Sequence[str]) -> tuple[Caution, ...]:
    """What the number of chosen neighbours says against a sparse graph; a few hubs are harmless."""
    cut = fit.neighbours.cut
    if cut.size < _MANY_CUT * len(names):
        return ()
    most = fit.neighbours.most
    which = listed([repr(names[int(column)]) for column in cut])
    return (
        Caution(
            f"The lasso chose more than {most} neighbours for {cut.size:,} of {len(names):,} "
            f"columns ({which}), and only the {most} with the largest coefficients were kept. "
            "Heavy tails do this too. If the graph is not sparse, which this method assumes, some "
            "of its edges may be false.",
            "many neighbours",
        ),
    )
