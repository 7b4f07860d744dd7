"""Laws against what their formulas say: moments, radii, components, memory, refusals.

Θ and the mean zero are known here, so nothing is estimated that is not being tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.simulate import (
    DISTRIBUTIONS,
    AutoRegressive,
    ClaytonPareto,
    Contaminated,
    Gamma,
    Gaussian,
    LogNormal,
    Pareto,
    PowerExponential,
    StudentT,
    make_chain_precision,
    sample_batches,
)

P = 4
N = 1_000_000
BATCH = 1000
KEPT = 200_000
STANDARD_ERRORS = 4
PRECISION = make_chain_precision(P, -0.4)
COVARIANCE = np.linalg.inv(PRECISION)
PAIRS = np.triu_indices(P)

LAWS = DISTRIBUTIONS | {
    "power-0.5": PowerExponential(0.5),
    "power-3": PowerExponential(3.0),
    "t12": StudentT(12.0),
    "shrunken": Contaminated(share=0.3, scale=0.2),
    "gamma-2.5": Gamma(2.5),
    "lognormal-0.3": LogNormal(0.3),
    "pareto-20": ClaytonPareto(20.0),
    "components-6": Pareto(6.0),
    "components-20": Pareto(20.0),
    "ar1-skewed": AutoRegressive(Gamma(1.0), -0.5),
}


@dataclass(frozen=True)
class Drawn:
    rows: np.ndarray  # the first KEPT
    means: np.ndarray  # of every batch, as are those below
    products: np.ndarray


@pytest.fixture(scope="module")
def drawn():
    """N rows of a law, drawn once and kept as batch means, which allow for dependent rows."""

    @cache
    def draw(name: str) -> Drawn:
        rng = np.random.default_rng([2016, *name.encode()])
        rows, means, products = [], [], []
        for batch in sample_batches(LAWS[name], PRECISION, N, rng=rng, batch_rows=BATCH):
            if len(rows) * BATCH < KEPT:
                rows.append(batch)
            means.append(batch.mean(axis=0))
            products.append((batch.T @ batch)[PAIRS] / BATCH)
        return Drawn(np.concatenate(rows), *map(np.array, (means, products)))

    return draw


def mahalanobis(X: np.ndarray) -> np.ndarray:
    """c'Θc of each row."""
    return np.vecdot(X @ PRECISION, X)


def components(X: np.ndarray) -> np.ndarray:
    """Undo the mixing: uncorrelated columns of unit variance."""
    return np.linalg.solve(np.linalg.cholesky(COVARIANCE), X.T).T


def assert_means(values: np.ndarray, expected: np.ndarray | float) -> None:
    """Columns of independent values have the expected means, each within its standard errors."""
    error = values.std(axis=0, ddof=1) / math.sqrt(len(values))
    assert np.all(np.abs(values.mean(axis=0) - expected) < STANDARD_ERRORS * error)


@pytest.mark.parametrize("name", LAWS)
def test_mean_and_covariance(drawn, name):
    assert_means(drawn(name).means, 0)
    assert_means(drawn(name).products, COVARIANCE[PAIRS])


def radius_of_power_exponential(omega):
    """R^ω is Gamma(p/ω), and E c'Θc = p gives the units."""
    scale = P / stats.gengamma(P / omega, omega / 2).mean()
    return stats.gengamma(P / omega, omega / 2, scale=scale)


# The whole distribution of c'Θc, which says more than a moment, as a mixture: (share, law).
RADII = {
    "gaussian": [(1, stats.chi2(P))],
    "laplace": [(1, radius_of_power_exponential(1))],
    "power-0.5": [(1, radius_of_power_exponential(0.5))],
    "power-3": [(1, radius_of_power_exponential(3))],
    # 3χ²_p/χ²_5: Student's F in other units.
    "t5": [(1, stats.f(P, 5, scale=3 * P / 5))],
    # 1 or 5 standard deviations, in units of their mean square 0.95 + 0.05·5² = 2.2.
    "t12": [(1, stats.f(P, 12, scale=10 * P / 12))],
    # 1 or 0.2 standard deviations, in units of their mean square 0.7 + 0.3·0.2² = 0.712.
    "shrunken": [(0.7, stats.chi2(P, scale=1 / 0.712)), (0.3, stats.chi2(P, scale=0.04 / 0.712))],
    "contaminated": [(0.95, stats.chi2(P, scale=1 / 2.2)), (0.05, stats.chi2(P, scale=25 / 2.2))],
}


@pytest.mark.parametrize("name", RADII)
def test_radius(drawn, name):
    def cdf(distance):
        return sum(share * radius.cdf(distance) for share, radius in RADII[name])

    assert stats.kstest(mahalanobis(drawn(name).rows), cdf).pvalue > 0.001


DEVIATION_03 = math.sqrt(math.expm1(0.09) * math.exp(0.09))
LOGNORMAL_DEVIATION = math.sqrt((math.e - 1) * math.e)
COMPONENTS = {
    "gaussian": stats.norm(),
    "exponential": stats.expon(loc=-1),
    "gamma-2.5": stats.gamma(2.5, loc=-math.sqrt(2.5), scale=1 / math.sqrt(2.5)),
    "lognormal": stats.lognorm(
        1, loc=-math.sqrt(math.e) / LOGNORMAL_DEVIATION, scale=1 / LOGNORMAL_DEVIATION
    ),
    "lognormal-0.3": stats.lognorm(
        0.3, loc=-math.exp(0.045) / DEVIATION_03, scale=1 / DEVIATION_03
    ),
    "components-6": stats.lomax(6, loc=-1 / math.sqrt(1.5), scale=5 / math.sqrt(1.5)),
}


@pytest.mark.parametrize("name", COMPONENTS)
def test_components(drawn, name):
    z = components(drawn(name).rows)
    expected = COMPONENTS[name]
    assert expected.mean() == pytest.approx(0, abs=1e-12)
    assert expected.var() == pytest.approx(1)
    smallest = min(stats.kstest(column, expected.cdf).pvalue for column in z.T)
    assert smallest > 0.001 / P


@pytest.mark.parametrize(("name", "a"), [("pareto", 6), ("pareto-20", 20)])
def test_pareto_margins_and_copula(drawn, name, a):
    """P(all x_i > t_i) = (1 + Σt_i)^−a: each x_i is Lomax, and so is p times the smallest."""
    z = components(drawn(name).rows)
    mu = 1 / (a - 1)
    own = 1 / ((a - 1) * (a - 2))
    covariance = own * np.eye(P) + own - mu**2
    values, vectors = np.linalg.eigh(covariance)
    x = z @ (vectors * np.sqrt(values)) @ vectors.T + mu
    expected = stats.lomax(a).cdf
    smallest = min(stats.kstest(column, expected).pvalue for column in x.T)
    assert smallest > 0.001 / P
    assert stats.kstest(P * x.min(axis=1), expected).pvalue > 0.001


@pytest.mark.parametrize("name", ["ar1", "ar1-skewed"])
def test_autocorrelation_is_the_memory(drawn, name):
    z = components(drawn(name).rows)
    for lag in (1, 2, 3):
        products = (z[:-lag] * z[lag:])[: KEPT - BATCH].reshape(-1, BATCH, P)
        assert_means(products.mean(axis=1), LAWS[name].memory ** lag)


@pytest.mark.parametrize("memory", [0.7, -0.7, 0.99])
def test_first_rows_are_in_equilibrium(memory):
    """Many streams of many columns, which are independent: a start at zero would show at once."""
    law = AutoRegressive(Gaussian(), memory)
    starts = [law.rows(np.random.default_rng([13, seed]), 2, 200) for seed in range(30)]
    first, second = np.concatenate(starts, axis=1)
    assert stats.kstest(first, stats.norm().cdf).pvalue > 0.001
    assert_means(np.column_stack([first**2, second**2, first * second]), [1, 1, memory])


NOT_NUMBERS = (math.nan, math.inf, None, "1", True)


@pytest.mark.parametrize(
    ("law", "argument", "values"),
    [
        (PowerExponential, "omega", (0, -1.0)),
        (StudentT, "df", (2, 1.0, -5)),
        (Contaminated, "share", (0, 1, -0.1, 1.1)),
        (Contaminated, "scale", (0, -5.0)),
        (Gamma, "shape", (0, -1.0)),
        (LogNormal, "sigma", (0, -1.0)),
        (ClaytonPareto, "shape", (2, 1.0, -6)),
        (Pareto, "shape", (2, 1.0, -6)),
        (AutoRegressive, "memory", (1, -1, 1.5)),
    ],
)
def test_refuses_parameters_out_of_range(refuses, law, argument, values):
    for value in values + NOT_NUMBERS:
        refuses(lambda v=value: law(**{argument: v}), ParameterError, f"{argument}:", repr(value))
