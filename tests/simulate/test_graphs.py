"""The chain: its zeros, its unit variances, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.errors import ParameterError
from edgewise.simulate import make_chain_precision

CHAINS = pytest.mark.parametrize(
    ("p", "weight"), [(1, 0.3), (2, -0.49), (4, 0.3), (10, -0.3), (10, 0.49), (50, 0.1)]
)


@CHAINS
def test_edges_are_the_neighbours_and_nothing_else(p, weight):
    precision = make_chain_precision(p, weight)
    i, j = np.indices((p, p))
    # Exactly zero, not nearly: tests of error control read the null pairs off these zeros.
    assert np.array_equal(precision != 0, np.abs(i - j) <= 1)
    assert np.all(np.sign(precision[np.abs(i - j) == 1]) == np.sign(weight))


@CHAINS
def test_variances_are_one(p, weight):
    covariance = np.linalg.inv(make_chain_precision(p, weight))
    np.testing.assert_allclose(covariance.diagonal(), 1, rtol=1e-12)


@CHAINS
def test_symmetric_and_positive_definite(p, weight):
    precision = make_chain_precision(p, weight)
    assert np.array_equal(precision, precision.T)
    assert np.linalg.eigvalsh(precision)[0] > 0


def test_scaling_keeps_partial_correlations():
    """ρ_ij = −Θ_ij/√(Θ_iiΘ_jj) does not depend on units, so it is that of I + w·neighbours."""
    precision = make_chain_precision(6, 0.3)
    root = np.sqrt(precision.diagonal())
    partial = -precision / np.outer(root, root)
    np.testing.assert_allclose(partial.diagonal(1), -0.3, rtol=1e-14)


def test_two_variables_by_hand():
    """The inverse of [[1, r], [r, 1]] is [[1, −r], [−r, 1]]/(1 − r²), with r = −w."""
    w = 0.3
    expected = np.array([[1, w], [w, 1]]) / (1 - w**2)
    np.testing.assert_allclose(make_chain_precision(2, w), expected, rtol=1e-14)


def test_smallest_edge_of_six():
    """0.351, the edge that the project's table of thresholds is compared with."""
    assert round(float(make_chain_precision(6).diagonal(1).min()), 3) == 0.351


def test_no_weight_is_no_edge():
    np.testing.assert_array_equal(make_chain_precision(5, 0.0), np.eye(5))


@pytest.mark.parametrize("weight", [0.5, -0.5, 2.0, float("nan"), float("inf"), "0.3"])
def test_refuses_weights_that_are_no_precision_matrix(weight):
    # Eigenvalues 1 + 2w cos(kπ/(p+1)) stay positive for every p only below one half.
    with pytest.raises(ParameterError, match="weight"):
        make_chain_precision(5, weight)
