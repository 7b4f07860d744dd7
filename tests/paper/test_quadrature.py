"""The spectrum of Cov(U(Σ̂)) from products: its size and trace exactly, the rest nearly."""

from functools import cache

import numpy as np
import pytest

import edgewise as ew
from edgewise.estimate.inverse import estimate_precision
from edgewise.paper.covcov import covcov_matrix
from edgewise.paper.operator import CovcovOperator
from edgewise.paper.radii import ChiSquareRadius
from edgewise.paper.spectrum import estimate_spectrum
from edgewise.states import Moments
from edgewise.tables.table import InMemoryRows

DISTRIBUTIONS = ["gaussian", "t5", "lognormal"]
LEVELS = (0.001, 0.05, 0.3)


def rows_of(distribution, p, n=1500):
    rng = np.random.default_rng(7)
    return ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng) - 1.0


@cache
def case(distribution, p, whitened=True):
    """Operator and spectrum of the matrix, as the χ² radius uses them."""
    X = rows_of(distribution, p)
    moments = Moments(order=2).update(X)
    A = estimate_precision(moments, [str(i) for i in range(p)]).whitening if whitened else None
    options = {"A": A, "frobenius": True}
    spectrum = np.linalg.eigvalsh(covcov_matrix(InMemoryRows([X]), moments, **options))
    return CovcovOperator(InMemoryRows([X]), moments, **options), np.maximum(spectrum, 0.0)


@cache
def estimate(distribution, p, whitened=True):
    operator, spectrum = case(distribution, p, whitened)
    return estimate_spectrum(operator, float(spectrum.sum()))


@cache
def radii(distribution, p, whitened=True):
    """The radius of the estimate, and of the spectrum, at a few levels."""
    values, counts = estimate(distribution, p, whitened)
    radius = ChiSquareRadius.estimated(values, counts)
    estimated = np.array([radius.epsilon(alpha) for alpha in LEVELS])
    return radius.slack, estimated, exact_radii(distribution, p, whitened)


@cache
def exact_radii(distribution, p, whitened):
    radius = ChiSquareRadius(case(distribution, p, whitened)[1])
    return np.array([radius.epsilon(alpha) for alpha in LEVELS])


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("p", [2, 3, 5, 12])
def test_small_matrices_are_multiplied_out(p, distribution):
    spectrum = case(distribution, p)[1]
    values, counts = estimate(distribution, p)
    np.testing.assert_array_equal(counts, 1)
    for own in values:
        np.testing.assert_allclose(own, spectrum, rtol=1e-8, atol=1e-11 * spectrum[-1])
    radius = ChiSquareRadius.estimated(values, counts)
    assert radius.slack <= 1e-12


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("p", [13, 18])
class TestLargerMatrices:
    def test_size_and_trace_are_exact(self, p, distribution):
        spectrum = case(distribution, p)[1]
        values, counts = estimate(distribution, p)
        assert values.shape == counts.shape
        assert len(values) == 6
        assert values.min() >= 0
        assert counts.min() >= 0
        assert np.isfinite(values).all()
        np.testing.assert_allclose(counts.sum(axis=1), len(spectrum), rtol=1e-10)
        traces = np.sum(values * counts, axis=1)
        np.testing.assert_allclose(traces, spectrum.sum(), rtol=1e-10)

    def test_quantiles(self, p, distribution):
        slack, estimated, exact = radii(distribution, p)
        np.testing.assert_allclose(estimated / (1 + slack), exact, rtol=0.002 + slack)
        assert slack <= 0.02
        assert np.all(estimated >= 0.998 * exact)


@pytest.mark.parametrize("distribution", ["gaussian", "t5"])
@pytest.mark.parametrize("whitened", [False, True])
def test_widened_by_its_error_the_radius_is_not_too_small(distribution, whitened):
    slack, estimated, exact = radii(distribution, 24, whitened)
    assert np.all(exact <= estimated)
    assert np.all(estimated <= exact * (1.002 + 2 * slack))
    assert slack <= 0.01


def corners(p):
    return np.array(np.meshgrid(*[[-1.0, 1.0]] * p)).reshape(p, -1).T


DEGENERATE = {
    "a square": np.tile(corners(2), (10, 1)),
    "a cube": corners(4),
    "three rows": np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 7.0]]),
    "a large cube": corners(13),
    "a large cross": np.vstack([3 * np.eye(12), -3 * np.eye(12)]),
    "few different rows": np.repeat(np.random.default_rng(0).standard_normal((20, 14)), 9, axis=0),
    "as few rows as can be": np.random.default_rng(0).standard_normal((21, 20)),
    "coins": np.where(np.random.default_rng(0).random((300, 14)) < 0.5, 1.0, -1.0),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_few_eigenvalues_that_differ_from_zero_or_from_each_other(name):
    """Lanczos ends early there, and the rest of its steps must not count."""
    X = DEGENERATE[name]
    moments = Moments(order=2).update(X)
    matrix = covcov_matrix(InMemoryRows([X]), moments, frobenius=True)
    operator = CovcovOperator(InMemoryRows([X]), moments, frobenius=True)
    values, counts = estimate_spectrum(operator, float(np.trace(matrix)))
    traces = np.sum(values * counts, axis=1)
    np.testing.assert_allclose(traces, np.trace(matrix), rtol=1e-5)
    np.testing.assert_allclose(counts.sum(axis=1), len(matrix), rtol=1e-9)
    radius = ChiSquareRadius.estimated(values, counts)
    exact = ChiSquareRadius(np.maximum(np.linalg.eigvalsh(matrix), 0.0))
    widened = radius.epsilon(0.05) / exact.epsilon(0.05) - 1
    assert -0.002 <= widened <= 0.005 + 4 * radius.slack
