"""Cov(U(Σ̂)) by one formula: the matrix, its trace, and what they refuse."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import DataError, Moments
from edgewise.covcov.closed_form import covcov_matrix, covcov_trace, u_statistic_factor

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def rows_of(distribution, n=400, p=6):
    rng = np.random.default_rng(11)
    return ew.simulate.sample(distribution, ew.simulate.chain_precision(p), n, rng=rng) + 4.0


def direct(X):
    """The definition, entry by entry."""
    n, p = X.shape
    c = X - X.mean(axis=0)
    products = [c[:, i] * c[:, j] for i in range(p) for j in range(i, p)]
    entries = [[np.mean(a * b) - a.mean() * b.mean() for b in products] for a in products]
    return (n - 2) / (n * (n - 1)) * np.array(entries)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_matrix_is_the_definition(distribution):
    X = rows_of(distribution)
    expected = direct(X)
    deviation = np.sqrt(expected.diagonal())
    error = np.abs(ew.covariance_of_covariance(X) - expected) / np.outer(deviation, deviation)
    assert error.max() <= 1e-12


@pytest.mark.parametrize("p", [1, 2, 9])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_trace_from_one_pass_is_the_trace_of_the_matrix(distribution, p):
    X = rows_of(distribution, p=p)
    trace = np.trace(ew.covariance_of_covariance(X))
    np.testing.assert_allclose(covcov_trace(Moments().update(X)), trace, rtol=1e-12)


@pytest.mark.parametrize("offset", [0, 1e5, 1e8])
def test_trace_survives_a_large_mean(offset):
    X = np.round(rows_of("exponential") * 2**10) / 2**10  # so that adding the offset is exact
    np.testing.assert_allclose(
        covcov_trace(Moments().update(X + offset)), covcov_trace(Moments().update(X)), rtol=1e-12
    )


def test_matrix_is_positive_semidefinite_and_symmetric():
    matrix = ew.covariance_of_covariance(rows_of("t5"))
    np.testing.assert_array_equal(matrix, matrix.T)
    eigenvalues = np.linalg.eigvalsh(matrix)
    assert eigenvalues[0] >= -1e-14 * eigenvalues[-1]


def test_rows_in_several_batches_and_blocks():
    X = rows_of("laplace", n=9000, p=6)  # more rows than a block
    moments = Moments(order=2).update(X)
    whole = covcov_matrix(lambda: iter([X]), moments)
    cut = covcov_matrix(lambda: iter(np.split(X, [1, 5000])), moments)
    np.testing.assert_allclose(cut, whole, rtol=1e-10, atol=1e-13 * whole.max())
    np.testing.assert_allclose(whole, direct(X), rtol=1e-10, atol=1e-12 * whole.max())


def test_estimates_the_spread_of_the_covariance():
    """Averaged over samples, it is the covariance of Σ̂ over samples."""
    rng = np.random.default_rng(5)
    samples = [rng.standard_exponential((200, 2)) @ [[1, 0.5], [0, 1]] for _ in range(1500)]
    found = np.mean([ew.covariance_of_covariance(X) for X in samples], axis=0)
    estimates = [np.cov(X, rowvar=False)[np.triu_indices(2)] for X in samples]
    truth = np.cov(np.array(estimates), rowvar=False)
    deviation = np.sqrt(truth.diagonal())
    # Both sides carry a Monte-Carlo error of about 4 % and a bias of order 1/n.
    assert np.max(np.abs(found - truth) / np.outer(deviation, deviation)) < 0.2


def test_u_statistic_factor():
    assert u_statistic_factor(3) == pytest.approx(1 / 6)
    assert u_statistic_factor(10) == pytest.approx(2 * 8 / (4 * (10 * 9 / 2)))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_rows(n):
    with pytest.raises(DataError, match=f"at least 3 rows, got {n}"):
        ew.covariance_of_covariance(np.ones((n, 2)))


def test_too_many_columns_are_refused_with_the_memory_they_would_take():
    # d = 500 · 501 / 2 = 125 250, and 8 d² bytes are 117 GiB.
    with pytest.raises(DataError, match=r"500 columns make a 125250 × 125250 .* 117 GiB"):
        ew.covariance_of_covariance(np.zeros((3, 500)))


def test_overflow_is_refused():
    X = rows_of("gaussian") * 1e120
    with pytest.raises(DataError, match="fourth-order moments overflow"):
        ew.covariance_of_covariance(X)
    with pytest.raises(DataError, match="fourth-order moments overflow"):
        covcov_trace(Moments().update(X))
