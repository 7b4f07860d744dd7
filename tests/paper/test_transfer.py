"""The paper's threshold and its inverse."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.paper.transfers import (
    FrobeniusTransfer,
    RelativeTransfer,
    SpectralTransfer,
)


def frobenius_threshold(eigenvalues, radius, mu):
    return FrobeniusTransfer(eigenvalues, mu).tau(radius)


def invert_frobenius_threshold(eigenvalues, threshold, mu):
    return FrobeniusTransfer(eigenvalues, mu).radius_for(threshold)


def spectrum(seed, p, condition, scale=1.0):
    rng = np.random.default_rng(seed)
    inside = condition ** rng.random(max(p - 2, 0))
    return scale * np.sort(np.concatenate([[1.0], inside, [condition]])[:p])


def direct(eigenvalues, radius, mu):
    return mu * math.sqrt(sum((radius / (a * (a - radius))) ** 2 for a in eigenvalues))


@pytest.mark.parametrize("mu", [1.0, 2.5])
@pytest.mark.parametrize("fraction", [0.0, 1e-12, 0.3, 0.999999])
def test_threshold_is_the_formula(fraction, mu):
    eigenvalues = spectrum(0, 6, 50.0, scale=0.2)
    radius = fraction * 0.2
    assert frobenius_threshold(eigenvalues, radius, mu) == pytest.approx(
        direct(eigenvalues, radius, mu), rel=1e-13
    )


@pytest.mark.parametrize("radius", [1.0, 1.5, math.inf, math.nan])
def test_threshold_is_infinite_from_the_smallest_eigenvalue_on(radius):
    assert frobenius_threshold(np.array([1.0, 2.0]), radius, 1.0) == math.inf


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    p=st.integers(2, 30),
    condition=st.floats(0, 8).map(lambda e: 10.0**e),
    scale=st.floats(-6, 6).map(lambda e: 10.0**e),
    mu=st.floats(-2, 2).map(lambda e: 10.0**e),
)
def test_inverse(seed, p, condition, scale, mu):
    eigenvalues = spectrum(seed, p, condition, scale)
    # Radii from far below to close to the smallest eigenvalue, in the variable w = ε/(α̂_p − ε).
    w = np.logspace(-6, 6, 100)
    radius = scale * w / (1 + w)
    threshold = np.array([frobenius_threshold(eigenvalues, r, mu) for r in radius])
    found = invert_frobenius_threshold(eigenvalues, threshold, mu)
    np.testing.assert_allclose(found, radius, rtol=1e-10)
    again = np.array([frobenius_threshold(eigenvalues, r, mu) for r in found])
    # Close to the smallest eigenvalue the threshold itself amplifies the last bit by w.
    np.testing.assert_allclose(again[w < 1e3], threshold[w < 1e3], rtol=1e-10)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_extremes(condition):
    eigenvalues = spectrum(3, 8, condition)
    wanted = np.array([0.0, 1e-300, 1e-30, 1e30, 1e300])
    found = invert_frobenius_threshold(eigenvalues, wanted, 1.0)
    assert found[0] == 0.0
    small = 1 / np.linalg.norm(eigenvalues**-2.0)  # t ≈ ε ‖α⁻²‖
    np.testing.assert_allclose(found[1:3], wanted[1:3] * small, rtol=1e-10)
    np.testing.assert_allclose(found[3:], 1.0, rtol=1e-10)  # never beyond α̂_p
    assert found.max() <= 1.0


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 12), fraction=st.floats(1e-6, 0.999))
def test_spectral_is_never_above_the_paper(seed, p, fraction):
    eigenvalues = spectrum(seed, p, 100.0)
    radius = fraction * eigenvalues.min()
    spectral = SpectralTransfer(np.ones(p), float(eigenvalues.min()))
    assert spectral.tau(radius) <= FrobeniusTransfer(eigenvalues).tau(radius) * (1 + 1e-12)
    assert spectral.radius_for(np.array([spectral.tau(radius)])) == pytest.approx(radius, rel=1e-10)


def test_whitened_is_the_formula():
    transfer = SpectralTransfer(np.array([4.0, 9.0]))
    assert transfer.tau(0.2) == pytest.approx(0.25)
    assert transfer.tau(1.0) == math.inf
    np.testing.assert_allclose(transfer.units, [[4, 6], [6, 9]])
    np.testing.assert_allclose(transfer.radius_for(np.array([0.25, 1e9])), [0.2, 1.0], rtol=1e-8)


def test_relative_is_the_formula():
    transfer = RelativeTransfer(np.array([4.0, 9.0]))
    assert transfer.tau(0.2) == 0.2
    assert transfer.tau(7.0) == 7.0
    assert transfer.limit == math.inf
    np.testing.assert_allclose(transfer.units, [[4, 6], [6, 9]])
    np.testing.assert_array_equal(transfer.radius_for(np.array([0.25, 3.0])), [0.25, 3.0])


def test_relative_bounds_the_error_of_the_inverse():
    """Whatever the estimate, ε is how far it is from the truth in units of the truth."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        p = int(rng.integers(2, 7))
        truth, estimate = (root @ root.T for root in rng.standard_normal((2, p, p + 2)))
        factor = np.linalg.inv(np.linalg.cholesky(truth))
        epsilon = np.linalg.norm(factor @ estimate @ factor.T - np.eye(p), 2)
        precision = np.linalg.inv(estimate)
        bound = epsilon * RelativeTransfer(precision.diagonal()).units
        assert (np.abs(precision - np.linalg.inv(truth)) <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("kind", ["frobenius", "spectral", "whitened"])
def test_transfers_bound_the_error_of_the_inverse(kind):
    """|Θ̂ − Θ| ≤ τu whenever the covariance is within ε, for random and for worst-case errors."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        p = int(rng.integers(2, 7))
        root = rng.standard_normal((p, p + 2))
        estimate = root @ root.T / p
        precision = np.linalg.inv(estimate)
        factor = np.linalg.cholesky(estimate) if kind == "whitened" else np.eye(p)
        smallest = 1.0 if kind == "whitened" else float(np.linalg.eigvalsh(estimate)[0])
        radius = smallest * rng.uniform(0.01, 0.99)
        error = rng.standard_normal((p, p))
        error = error + error.T
        error *= radius / np.linalg.norm(error, 2)
        truth = np.linalg.inv(estimate + factor @ error @ factor.T)
        transfer = {
            "frobenius": FrobeniusTransfer(np.linalg.eigvalsh(estimate)),
            "spectral": SpectralTransfer(np.ones(p), smallest),
            "whitened": SpectralTransfer(precision.diagonal()),
        }[kind]
        bound = transfer.tau(radius) * transfer.units
        assert (np.abs(precision - truth) <= bound * (1 + 1e-9)).all()
