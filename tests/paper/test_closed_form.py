"""Cov(U(Σ̂)) by one formula: the matrix, its trace, and what they refuse."""

import numpy as np
import pytest

import edgewise as ew
from edgewise._linalg import population_covariance
from edgewise.errors import DataError
from edgewise.paper.covcov import (
    covcov_matrix,
    covcov_of_moments,
    frobenius_trace,
    trace_from_quartics,
)
from edgewise.states import Moments
from edgewise.tables.table import InMemoryRows

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def covcov_trace(moments):
    """Tr Cov(U(Σ̂)) from one pass, as `Trace` finds it."""
    n = moments.n_samples
    s = population_covariance(moments.covariance(), n)
    return trace_from_quartics(n, s, moments.quartics())


def rows_of(distribution, n=400, p=6):
    rng = np.random.default_rng(11)
    return ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng) + 4.0


def direct(X, A=None, frobenius=False):
    """The definition, entry by entry, for the rows A(x − x̄)."""
    n, p = X.shape
    c = X - X.mean(axis=0)
    if A is not None:
        c = np.array([A @ row for row in c])
    root = np.sqrt(2) if frobenius else 1
    products = [c[:, i] * c[:, j] * (root if i < j else 1) for i in range(p) for j in range(i, p)]
    entries = [[np.mean(a * b) - a.mean() * b.mean() for b in products] for a in products]
    return (n - 2) / (n * (n - 1)) * np.array(entries)


def error(found, expected):
    """The largest, each relative to the deviations of its row and its column."""
    deviation = np.sqrt(expected.diagonal())
    return np.max(np.abs(found - expected) / np.outer(deviation, deviation))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_matrix_is_the_definition(distribution):
    X = rows_of(distribution)
    assert error(ew.covariance_of_covariance(X), direct(X)) <= 1e-12


@pytest.mark.parametrize("p", [1, 2, 9])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_trace_from_one_pass_is_the_trace_of_the_matrix(distribution, p):
    X = rows_of(distribution, p=p)
    trace = np.trace(ew.covariance_of_covariance(X))
    np.testing.assert_allclose(covcov_trace(Moments().update(X)), trace, rtol=1e-12)


def test_rows_in_several_batches_and_blocks():
    X = rows_of("laplace", n=9000, p=6)  # more rows than a block
    moments = Moments(order=2).update(X)
    whole = covcov_matrix(InMemoryRows([X]), moments)
    cut = covcov_matrix(InMemoryRows(np.split(X, [1, 5000])), moments)
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


def matrix_of(X, **options):
    return covcov_matrix(InMemoryRows([X]), Moments(order=2).update(X), **options)


@pytest.mark.exactness
@pytest.mark.parametrize("frobenius", [False, True])
@pytest.mark.parametrize("distribution", ["gaussian", "exponential"])
def test_of_transformed_rows(distribution, frobenius):
    X = rows_of(distribution, p=4)
    A = np.random.default_rng(1).standard_normal((4, 4))
    for transform in (None, A, np.diag([1e-3, 1.0, 2.0, 50.0])):
        found = matrix_of(X, A=transform, frobenius=frobenius)
        assert error(found, direct(X, transform, frobenius)) <= 1e-11
        assert error(found.T, found) <= 1e-12


@pytest.mark.parametrize("p", [1, 2, 6])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_frobenius_trace(distribution, p):
    X = rows_of(distribution, p=p)
    moments = Moments().update(X)
    s = moments.covariance() * (399 / 400)
    found = frobenius_trace(400, s, moments.quartics())
    assert found == pytest.approx(np.trace(direct(X, frobenius=True)), rel=1e-11)
    # Off-diagonal entries count twice, so it lies between the plain trace and twice that.
    assert covcov_trace(moments) <= found * (1 + 1e-12) <= 2 * covcov_trace(moments) + 1e-12


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_rows(n):
    with pytest.raises(DataError, match=f"at least 3 rows, got {n}"):
        ew.covariance_of_covariance(np.ones((n, 2)))


def test_too_many_columns_are_refused_with_the_memory_they_would_take():
    # d = 500 · 501 / 2 = 125 250, and 8 d² bytes are 117 GiB.
    message = r"500 columns make a 125250 × 125250 .* 117 GiB.*solver='matrix-free'"
    with pytest.raises(DataError, match=message):
        ew.covariance_of_covariance(np.zeros((3, 500)))


def test_overflow_is_refused():
    X = rows_of("gaussian") * 1e120
    with pytest.raises(DataError, match="fourth-order moments overflow"):
        ew.covariance_of_covariance(X)
    with pytest.raises(DataError, match="fourth-order moments overflow"):
        covcov_trace(Moments().update(X))
    with pytest.raises(DataError, match="fourth-order moments overflow"):
        frobenius_trace(400, Moments().update(X).covariance(), Moments().update(X).quartics())


@pytest.mark.parametrize("scale", [1e-75, 1e-120])
def test_underflow_is_refused(scale):
    X = rows_of("gaussian") * [scale, 1, 1, 1, 1, 1]
    moments = Moments().update(X)
    message = r"fourth-order moments underflow.*standardize=True"
    with pytest.raises(DataError, match=message):
        ew.covariance_of_covariance(X)
    with pytest.raises(DataError, match=message):
        covcov_trace(moments)
    with pytest.raises(DataError, match=message):
        frobenius_trace(400, moments.covariance(), moments.quartics())
    # In units of their deviations the same rows are ordinary.
    A = np.diag([1 / scale, 1, 1, 1, 1, 1])
    plain = ew.covariance_of_covariance(rows_of("gaussian"))
    np.testing.assert_allclose(matrix_of(X, A=A), plain, rtol=1e-9, atol=1e-14 * plain.max())


class TestOfMoments:
    """The same matrix from a state with all fourth moments, without the rows."""

    def state(self, X):
        return Moments(order="all").update(X)

    @pytest.mark.parametrize("frobenius", [False, True])
    @pytest.mark.parametrize("distribution", DISTRIBUTIONS)
    def test_is_the_matrix_of_the_rows(self, distribution, frobenius):
        X = rows_of(distribution, p=4)
        A = np.random.default_rng(1).standard_normal((4, 4))
        for transform in (None, A, np.diag([1e-3, 1.0, 2.0, 50.0])):
            found = covcov_of_moments(self.state(X), A=transform, frobenius=frobenius)
            expected = matrix_of(X, A=transform, frobenius=frobenius)
            deviation = np.sqrt(expected.diagonal())
            assert np.max(np.abs(found - expected) / np.outer(deviation, deviation)) <= 1e-11
