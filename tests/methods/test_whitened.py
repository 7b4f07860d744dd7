"""The whitened bound: one number for all partial correlations, whatever the units."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import DataError, Moments, TooFewRowsWarning

RADII = ["trace", "chi2", "eig", "hoeffding", "bernstein"]


def whitened(X, radius="trace", **options):
    """The test, without the warning that an infinite threshold comes with."""
    if radius in ("hoeffding", "bernstein"):
        options.setdefault("support", np.stack([X.min(axis=0), X.max(axis=0)], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, method="whitened", radius=radius, **options)


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def coins(n):
    """Three columns of ±1, each often equal to the one before it."""
    flips = np.random.default_rng(0).random((n, 3)) < [0.5, 0.2, 0.45]
    return np.cumprod(np.where(flips, -1.0, 1.0), axis=1)


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


@pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("p", [2, 5])
def test_trace_is_a_closed_form_in_mardias_kurtosis(p, alpha):
    X = rows_of("t5", 800, p)
    n, c = len(X), X - X.mean(axis=0)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    b = np.mean(np.einsum("ri,ij,rj->r", c, theta, c) ** 2)
    expected = stats.norm.isf(alpha / 2) * math.sqrt(
        (n - 2) / (n * (n - 1)) * (b - p * ((n - 1) / n) ** 2)
    )
    result = whitened(X, alpha=alpha)
    assert result.radius == pytest.approx(expected, rel=1e-11)


def test_hoeffding():
    X = np.random.default_rng(0).uniform(0, 1, (400, 3)) @ [[1, 0.5, 0], [0, 0.5, 0], [0, 0, 1]]
    inverse = np.abs(np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))))
    entries = (np.ones((3, 3)) - np.eye(3) / 2) * math.sqrt(math.log(12 / 0.05) / 400)
    expected = np.linalg.norm(inverse @ entries @ inverse.T, 2)
    found = whitened(X, "hoeffding", support=(0, 1))
    assert found.radius == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("radius", RADII)
def test_is_one_number_for_all_partial_correlations(radius):
    result = whitened(coins(50_000), radius)
    root = np.sqrt(result.precision.diagonal())
    relative = off_diagonal(result.threshold / np.outer(root, root))
    tau = result.radius / (1 - result.radius)
    np.testing.assert_allclose(relative, tau, rtol=1e-12)
    np.testing.assert_array_equal(
        off_diagonal(result.reject), off_diagonal(np.abs(result.partial_correlation) >= tau)
    )
    assert np.isnan(np.diagonal(result.threshold)).all()


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("power", [-60, 3, 60])
def test_does_not_see_units(power, radius):
    X = rows_of("exponential", 6000, 4)
    scale = 10.0 ** np.array([power, 0, -power, power / 2])
    plain, scaled = whitened(X, radius), whitened(X * scale, radius)
    assert scaled.radius == pytest.approx(plain.radius, rel=1e-9)
    np.testing.assert_allclose(scaled.log_pvalue, plain.log_pvalue, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(scaled.reject, plain.reject)


@pytest.mark.parametrize("radius", ["trace", "chi2", "eig"])
def test_radius_is_affine_invariant(radius):
    X = rows_of("t5", 2000, 4)
    mixing = np.random.default_rng(1).standard_normal((4, 4))
    found, expected = whitened(X @ mixing - 5, radius), whitened(X, radius)
    assert found.radius == pytest.approx(expected.radius, rel=1e-9)


def test_many_columns_interpolate_between_exact_levels():
    """More than 300 pairs take the other branch of the χ² levels."""
    X = rows_of("gaussian", 8000, 26)
    X[:, 0] += X[:, 1]
    result = whitened(X, "chi2", alpha=0.5)
    found = off_diagonal(result.reject)
    np.testing.assert_array_equal(off_diagonal(result.pvalue <= 0.5), found)
    assert 0 < found.mean() < 1


def test_a_state_is_not_enough():
    state = Moments().update(rows_of("gaussian", 100, 3))
    with pytest.raises(DataError, match="method 'whitened' reads the rows twice"):
        ew.edge_test(state, method="whitened")


def test_from_a_file(tmp_path):
    X = rows_of("t5", 1000, 13)
    np.save(tmp_path / "x.npy", X)
    for radius in ("eig", "chi2"):
        found = whitened(tmp_path / "x.npy", radius, solver="matrix-free")
        expected = whitened(X, radius, solver="matrix-free")
        assert found.radius == pytest.approx(expected.radius, rel=1e-3)
