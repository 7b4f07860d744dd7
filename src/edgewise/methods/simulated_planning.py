"""How many rows a test of chosen columns needs, by simulation from the residuals of a pilot.

No formula knows which columns a lasso will choose from more rows. The test given these columns can
be run, though: on residuals of the pilot, drawn again and again, with the planned correlation.
"""

from __future__ import annotations

import math

import numpy as np

from edgewise._base import special
from edgewise._base.checks import FEWEST_WIDE_ROWS
from edgewise._base.matrices import upper_pairs
from edgewise._base.types import FloatArray
from edgewise.estimators.nodewise import NodewiseFit
from edgewise.evidence.evidence import Evidence
from edgewise.inference.reference import Normal
from edgewise.inference.sign_flip import SignFlip
from edgewise.kernels.pair_sets import Portion, regressed
from edgewise.methods.planning import Plan
from edgewise.methods.score import seen_share

_MOST_PAIRS, _MOST_ROWS, _DRAWS = 40, 2000, 400
# Numbers of rows that are tried: from half of what Gaussian rows need, each a fifth more than the
# one before.
_FIRST, _STEP, _MOST_STEPS = 0.5, 1.2, 40


def simulated_rows(plan: Plan, evidence: Evidence, fit: NodewiseFit) -> FloatArray:
    """Rows for each pair: simulated for up to 40 pairs, and for the others the median of these."""
    rng = np.random.default_rng(0)
    i, j = upper_pairs(len(fit.correlation))
    wanted = np.flatnonzero(plan.pairs[i, j])
    some = np.sort(rng.permutation(wanted)[:_MOST_PAIRS])
    centred = evidence.leading_rows(_MOST_ROWS)
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
    """The residuals of a pair, as large as errors are, mapped to the planned correlation.

    Along their sum and their difference, whose variances are 1 ± ρ.
    """
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
    """The number of rows at which each pair is found often enough; infinite if none is.

    Draws of a number of rows tell the mean and the spread of the statistic, as the z of a normal
    tail; the first grows with √n. Between the numbers that are tried it is interpolated.
    """
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
    """The score test from sums over n rows of x, y, x², y², xy and powers 2, 4 and 6 of xy.

    Nothing is fitted but means, so every leverage is 1/n, and no weight is needed.
    """
    mean_x, mean_y = sums[0] / n, sums[1] / n
    scale = np.sqrt((sums[2] / n - mean_x**2) * (sums[3] / n - mean_y**2))
    rho = (sums[4] / n - mean_x * mean_y) / scale
    second, fourth, sixth = sums[5] / scale**2, sums[6] / scale**4, sums[7] / scale**6
    floor = n * n / (n - 1)
    statistic = n * rho / np.sqrt(np.maximum(second, floor))
    seen = seen_share(second, floor)
    law = SignFlip(fourth / second**2 * seen**2, sixth / second**3 * seen**3)
    return law.log_two_sided(statistic)
