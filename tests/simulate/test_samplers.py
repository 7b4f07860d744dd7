"""Samplers against what their formulas say: moments, radii, components, seeds.

Θ and the mean zero are known here, so nothing is estimated that is not being tested.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.simulate import SAMPLERS, make_chain_precision, sample

P = 5
N = 200_000
PRECISION = make_chain_precision(P, -0.4)
EVERY = pytest.mark.parametrize("distribution", list(SAMPLERS))


@pytest.fixture(scope="module")
def drawn():
    """N rows of a distribution, drawn once."""
    kept: dict[str, np.ndarray] = {}

    def rows(distribution: str) -> np.ndarray:
        if distribution not in kept:
            rng = np.random.default_rng([2016, *distribution.encode()])
            kept[distribution] = sample(distribution, PRECISION, N, rng=rng)
        return kept[distribution]

    return rows


def assert_means(values: np.ndarray, expected: np.ndarray | float) -> None:
    """Column means agree within Monte-Carlo error, all at once with probability 0.999."""
    values = np.atleast_2d(values.T).T
    error = values.std(axis=0, ddof=1) / math.sqrt(len(values))
    z = (values.mean(axis=0) - expected) / error
    assert np.abs(z).max() < NormalDist().inv_cdf(1 - 0.0005 / values.shape[1])


@EVERY
def test_mean_is_zero(drawn, distribution):
    assert_means(drawn(distribution), 0)


@EVERY
def test_covariance_is_the_inverse_precision(drawn, distribution):
    X = drawn(distribution)
    i, j = np.triu_indices(P)
    assert_means(X[:, i] * X[:, j], np.linalg.inv(PRECISION)[i, j])


def mahalanobis(X: np.ndarray) -> np.ndarray:
    """c'Θc of each row."""
    return np.vecdot(X @ PRECISION, X)


def test_kurtosis_of_the_laplace(drawn):
    """E(c'Θc)² = p(p+2)(1+κ), κ = 2/(p+1).

    c'Θc = R²/(4(p+1)) with R ~ Gamma(p, 2), and E R⁴ = 2⁴ p(p+1)(p+2)(p+3), so that
    E(c'Θc)² = p(p+2)·(p+3)/(p+1).
    """
    kappa = 2 / (P + 1)
    assert_means(mahalanobis(drawn("laplace")) ** 2, P * (P + 2) * (1 + kappa))


def test_kurtosis_of_the_gaussian(drawn):
    assert_means(mahalanobis(drawn("gaussian")) ** 2, P * (P + 2))


# The whole distribution of c'Θc, which says more than a moment; and (c'Θc)² of a t5 has no
# variance, so that its mean, 3p(p+2), could not be tested at all.
RADII = {
    "gaussian": stats.chi2(P),
    # 3χ²_p/χ²_5: Student's F in other units.
    "t5": stats.f(P, 5, scale=3 * P / 5),
}


@pytest.mark.parametrize("distribution", list(RADII))
def test_radius(drawn, distribution):
    distance = mahalanobis(drawn(distribution))
    assert stats.kstest(distance, RADII[distribution].cdf).pvalue > 0.001


def test_radius_of_the_laplace(drawn):
    radius = np.sqrt(4 * (P + 1) * mahalanobis(drawn("laplace")))
    assert stats.kstest(radius, stats.gamma(P, scale=2).cdf).pvalue > 0.001


@pytest.mark.parametrize("distribution", ["laplace", "t5"])
def test_direction_is_free_of_the_radius(drawn, distribution):
    """Elliptical: x = R Σ^½ u with u uniform on the sphere, so u_k² has mean 1/p at every R."""
    X = drawn(distribution)
    distance = mahalanobis(X)
    direction = components(X) / np.sqrt(distance)[:, np.newaxis]
    far = distance > np.median(distance)
    for half in (direction[far], direction[~far]):
        assert_means(half**2, 1 / P)
        # u_k²/(Σ u²) ~ Beta(½, (p−1)/2)
        assert stats.kstest(half[:, 0] ** 2, stats.beta(0.5, (P - 1) / 2).cdf).pvalue > 0.001


def test_rows_of_the_laplace_are_dependent_where_uncorrelated(drawn):
    """What exposes Gaussian tests: E z_i²z_j² = (p+3)/(p+1), not 1, for uncorrelated z_i, z_j."""
    z = components(drawn("laplace"))
    i, j = np.triu_indices(P, k=1)
    assert_means((z[:, i] * z[:, j]) ** 2, (P + 3) / (P + 1))


def components(X: np.ndarray) -> np.ndarray:
    """Undo the mixing: uncorrelated columns of unit variance."""
    root = np.linalg.cholesky(np.linalg.inv(PRECISION))
    return np.linalg.solve(root, X.T).T


LOGNORMAL_DEVIATION = math.sqrt((math.e - 1) * math.e)
COMPONENTS = {
    "gaussian": stats.norm(),
    "exponential": stats.expon(loc=-1),
    "lognormal": stats.lognorm(
        1, loc=-math.sqrt(math.e) / LOGNORMAL_DEVIATION, scale=1 / LOGNORMAL_DEVIATION
    ),
}


@pytest.mark.parametrize("distribution", list(COMPONENTS))
def test_components(drawn, distribution):
    z = components(drawn(distribution))
    expected = COMPONENTS[distribution]
    assert expected.mean() == pytest.approx(0, abs=1e-12)
    assert expected.var() == pytest.approx(1)
    smallest = min(stats.kstest(column, expected.cdf).pvalue for column in z.T)
    assert smallest > 0.001 / P


@pytest.mark.parametrize("distribution", list(COMPONENTS))
def test_components_are_independent(drawn, distribution):
    """Their ranks have no correlation, and neither have the distances of the ranks from 1/2."""
    z = components(drawn(distribution))
    uniform = COMPONENTS[distribution].cdf(z) - 0.5
    i, j = np.triu_indices(P, k=1)
    for score in (uniform, np.abs(uniform) - 0.25):
        assert_means(score[:, i] * score[:, j], 0)


@EVERY
def test_seed_decides_everything(distribution):
    first, again, other = (
        sample(distribution, PRECISION, 50, rng=np.random.default_rng(seed)) for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any()


@EVERY
def test_generator_moves_on(distribution):
    rng = np.random.default_rng(7)
    first, second = (sample(distribution, PRECISION, 50, rng=rng) for _ in range(2))
    assert not np.isclose(first, second).any()


@EVERY
def test_shape_and_kind(distribution):
    X = sample(distribution, make_chain_precision(3), 7, rng=np.random.default_rng(0))
    assert X.shape == (7, 3)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()


def test_refuses_unknown_distribution(refuses):
    refuses(
        lambda: sample("cauchy", PRECISION, 10, rng=np.random.default_rng(0)),
        ParameterError,
        "distribution",
        "'cauchy'",
        *SAMPLERS,
    )
