"""Fourth-order moments of transformed rows, and Mardia's kurtosis among them."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.states import Moments
from edgewise.sums.power import square_products, transformed_quartics
from edgewise.tables.table import InMemoryRows

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed))


def quartics(X, A, parts=1):
    centre = Moments().update(X).centre()
    return transformed_quartics(InMemoryRows(np.array_split(X, parts)), centre, A)


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 700, p) + 3
    A = np.random.default_rng(1).standard_normal((p, p))
    w = (X - X.mean(axis=0)) @ A.T
    found = quartics(X, A)
    np.testing.assert_allclose(found.columns, np.mean(w**4, axis=0), rtol=1e-12)
    assert found.norm == pytest.approx(np.mean(np.sum(w * w, axis=1) ** 2), rel=1e-12)


def test_of_rows_left_out_of_their_own_covariance():
    X = rows_of("lognormal", 300, 4) + 3
    A = np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False)))
    w = (X - X.mean(axis=0)) @ A.T
    w /= np.sqrt(1 - 1 / 300 - np.sum(w**2, axis=1) / 299)[:, np.newaxis]
    centre = Moments().update(X).centre()
    rows = InMemoryRows(np.array_split(X, 3))
    found = transformed_quartics(rows, centre, A, whitened_by=300)
    np.testing.assert_allclose(found.columns, np.mean(w**4, axis=0), rtol=1e-10)
    assert found.norm == pytest.approx(np.mean(np.sum(w * w, axis=1) ** 2), rel=1e-10)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("p", [2, 5, 20])
def test_products_of_squares(p, parts):
    X = rows_of("t5", 900, p) + 1e8
    scale = np.linspace(0.5, 2.0, p)
    centre = Moments().update(X).centre()
    batches = [X[:0], *np.array_split(X, parts)]
    (found,) = square_products(iter(batches), centre, scale)
    z = ((X - 1e8) - (X - 1e8).mean(axis=0)) * scale
    expected = np.einsum("ki,kj->ij", z**2, z**2)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
