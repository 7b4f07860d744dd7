"""The whitened bound: one number for all partial correlations, whatever the units."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import coins, off_diagonal, quiet_test, rows_of

RADII = ["trace", "chi2", "eig", "hoeffding", "bernstein"]


def whitened(X, radius="trace", **options):
    return quiet_test(X, "whitened", radius=radius, **options)


@pytest.mark.parametrize("p", [2, 5])
def test_trace_is_a_closed_form_in_mardias_kurtosis(p):
    X = rows_of("t5", 800, p)
    n, c = len(X), X - X.mean(axis=0)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    b = np.mean(np.einsum("ri,ij,rj->r", c, theta, c) ** 2)
    for alpha in (1e-9, 0.05, 0.2):
        expected = stats.norm.isf(alpha / 2) * math.sqrt(
            (n - 2) / (n * (n - 1)) * (b - p * ((n - 1) / n) ** 2)
        )
        assert whitened(X, alpha=alpha).radius == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("radius", RADII)
def test_is_one_number_for_all_partial_correlations_in_any_units(radius):
    X = coins(50_000)
    result = whitened(X, radius)
    root = np.sqrt(result.precision.diagonal())
    relative = off_diagonal(result.threshold / np.outer(root, root))
    # Those for every n bound the error in units of Σ̂, the others in units of Σ.
    tau = result.radius / (1 - result.radius) if radius in RADII[3:] else result.radius
    np.testing.assert_allclose(relative, tau, rtol=1e-12)
    reached = off_diagonal(np.abs(result.partial_correlation) >= tau)
    np.testing.assert_array_equal(off_diagonal(result.reject), reached)
    assert np.isnan(np.diagonal(result.threshold)).all()
    for power in (-60, 60):
        scaled = whitened(X * 10.0 ** np.array([power, 0, -power]), radius)
        assert scaled.radius == pytest.approx(result.radius, rel=1e-9)
        np.testing.assert_allclose(scaled.log_pvalue, result.log_pvalue, rtol=1e-7, atol=1e-9)
        np.testing.assert_array_equal(scaled.reject, result.reject)


@pytest.mark.parametrize("radius", ["trace", "chi2", "eig"])
def test_radius_is_affine_invariant(radius):
    X = rows_of("t5", 2000, 4)
    mixing = np.random.default_rng(1).standard_normal((4, 4))
    found, expected = whitened(X @ mixing - 5, radius), whitened(X, radius)
    assert found.radius == pytest.approx(expected.radius, rel=1e-9)
