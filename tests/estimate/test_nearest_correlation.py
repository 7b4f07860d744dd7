"""The nearest correlation matrix, against published numbers and against its own conditions."""

import numpy as np
import pytest

from edgewise.estimate.latent import nearest_correlation


def test_higham():
    """The example of Higham (2002), section 5: [1 1 0; 1 1 1; 0 1 1]."""
    found = nearest_correlation(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]))
    np.testing.assert_allclose(found[0], [1, 0.7607, 0.1573], atol=5e-5)
    np.testing.assert_allclose(found[1], [0.7607, 1, 0.7607], atol=5e-5)


@pytest.mark.parametrize("smallest", [0.0, 0.01, 0.2])
@pytest.mark.parametrize("p", [3, 8, 20])
def test_is_one_and_is_nearer_than_others(p, smallest):
    rng = np.random.default_rng(p)
    noise = rng.standard_normal((p, p)) * 0.5
    R = np.clip((noise + noise.T) / 2, -1, 1)
    np.fill_diagonal(R, 1.0)
    found = nearest_correlation(R, smallest)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found.diagonal(), 1.0)
    assert np.linalg.eigvalsh(found)[0] >= smallest - 1e-12
    distance = np.linalg.norm(found - R)
    for _ in range(200):
        other = found + 0.03 * (lambda e: e + e.T)(rng.standard_normal((p, p)))
        values, vectors = np.linalg.eigh(other)
        other = (vectors * np.maximum(values, smallest + 1e-9)) @ vectors.T
        root = np.sqrt(other.diagonal())
        other = other / root / root[:, np.newaxis]
        if np.linalg.eigvalsh(other)[0] >= smallest:
            assert np.linalg.norm(other - R) >= distance - 1e-6


def test_a_correlation_matrix_stays():
    R = np.array([[1.0, 0.5], [0.5, 1.0]])
    np.testing.assert_allclose(nearest_correlation(R), R, atol=1e-12)
