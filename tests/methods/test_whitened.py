"""The whitened bound: one number for all partial correlations, whatever the units."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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


# The spectral bound: never above the paper's threshold, and without its constant.


def spectral(X, radius="trace", **options):
    return quiet_test(X, "spectral", radius=radius, **options)


@pytest.mark.parametrize("standardize", [False, True])
def test_hoeffding(standardize):
    X = np.random.default_rng(0).uniform([-1, 0, 5], [1, 4, 6], (301, 3))
    lengths = np.array([2.0, 4.0, 1.0])
    if standardize:
        lengths = lengths / X.std(axis=0, ddof=1)
    ranges = np.outer(lengths, lengths) - np.diag(lengths**2 / 2)
    expected = np.linalg.norm(ranges, 2) * math.sqrt(math.log(2 * 6 / 0.05) / (2 * 150))
    support = [(-1, 1), (0, 4), (5, 6)]
    found = spectral(X, "hoeffding", support=support, standardize=standardize)
    assert found.radius == pytest.approx(expected, rel=1e-12)


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.sampled_from(["gaussian", "laplace", "t5", "exponential", "lognormal"]),
    st.sampled_from([1e-6, 0.05, 0.2]),
    st.booleans(),
)
def test_is_never_above_the_papers(seed, p, distribution, alpha, standardize):
    X = rows_of(distribution, 100 + seed % 20_000, p, seed)
    X = X * 2.0 ** np.random.default_rng(seed).integers(-2, 3, p)
    for radius in ("trace", "eig"):
        paper = quiet_test(X, radius, alpha=alpha, standardize=standardize)
        found = spectral(X, radius, alpha=alpha, standardize=standardize)
        assert found.radius <= paper.radius * (1 + 1e-12)
        assert found.threshold <= paper.threshold * (1 + 1e-12)
        assert np.all(found.reject >= paper.reject)


def test_is_the_formula():
    result = spectral(rows_of("gaussian", 20_000, 4))
    smallest = np.linalg.eigvalsh(result.covariance)[0]
    expected = result.radius / (smallest * (smallest - result.radius))
    assert result.threshold == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("radius", RADII)
def test_standardize_is_the_test_of_standardized_columns(radius):
    X = rows_of("exponential", 6000, 3) * [1e-3, 1.0, 1e4]
    found = spectral(X, radius, standardize=True)
    expected = spectral(X / X.std(axis=0, ddof=1), radius)
    assert found.radius == pytest.approx(expected.radius, rel=1e-10)
    assert found.threshold == pytest.approx(expected.threshold, rel=1e-9)
    for field in ("covariance", "precision", "log_pvalue"):
        np.testing.assert_allclose(
            getattr(found, field), getattr(expected, field), rtol=1e-8, atol=1e-12
        )
    assert (found.options["radius"], found.options["standardize"]) == (radius, True)
