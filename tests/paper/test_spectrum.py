"""λ_max of Cov(U(Σ̂)) from products: near the truth, below its certificate, whatever the data."""

from functools import cache

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

import edgewise as ew
from edgewise.estimate.inverse import estimate_precision
from edgewise.paper.covcov import covcov_matrix
from edgewise.paper.operator import CovcovOperator
from edgewise.paper.spectrum import largest_eigenvalue
from edgewise.states import Moments
from edgewise.tables.table import InMemoryRows

DISTRIBUTIONS = ["gaussian", "t5", "lognormal"]
blocks = pytest.mark.parametrize("block", [1, 4])


@cache
def rows_of(distribution, n=2000, p=10, seed=3):
    rng = np.random.default_rng(seed)
    X = ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng) + 4.0
    X.flags.writeable = False
    return X


def whitening_of(X):
    names = [str(i) for i in range(X.shape[1])]
    return estimate_precision(Moments(order=2).update(X), names).whitening


def operator_of(X, **options):
    return CovcovOperator(InMemoryRows([X]), Moments(order=2).update(X), **options)


def matrix_of(X, **options):
    return covcov_matrix(InMemoryRows([X]), Moments(order=2).update(X), **options)


def largest_of(X, **options):
    """By ARPACK, from the matrix itself."""
    matrix = matrix_of(X, **options)
    if len(matrix) < 500:
        return float(np.linalg.eigvalsh(matrix)[-1])
    start = np.random.default_rng(0).standard_normal(len(matrix))
    return float(eigsh(matrix, k=1, v0=start, return_eigenvectors=False)[0])


@cache
def case(distribution, p, whitened):
    X = rows_of(distribution, p=p)
    options = {"A": whitening_of(X), "frobenius": True} if whitened else {}
    return X, options, largest_of(X, **options)


def certifies(found, truth, *, width=1e-3, error=1e-5, rounding=1e-9):
    """estimate ≤ λ_max ≤ upper up to rounding, and neither is far away."""
    assert found.estimate <= truth * (1 + rounding)
    assert truth <= found.upper * (1 + rounding)
    assert found.estimate == pytest.approx(truth, rel=error)
    assert 0 <= found.width <= width
    assert found.upper == pytest.approx(found.estimate * (1 + found.width), rel=1e-12)


class Recording(CovcovOperator):
    """Remembers in which precision it multiplied."""

    def multiply(self, vectors, dtype=np.float64):
        self.precisions = [*getattr(self, "precisions", []), np.dtype(dtype).itemsize]
        return super().multiply(vectors, dtype)


class TestLargest:
    @blocks
    @pytest.mark.parametrize("whitened", [False, True])
    @pytest.mark.parametrize("p", [10, 30, 60])
    @pytest.mark.parametrize("distribution", DISTRIBUTIONS)
    def test_is_certified(self, distribution, p, whitened, block):
        X, options, truth = case(distribution, p, whitened)
        operator = operator_of(X, **options)
        found = largest_eigenvalue(operator, block=block)
        certifies(found, truth)
        assert (found.passes, found.products) == (operator.passes, operator.products)
        assert found.products < 110

    @blocks
    def test_frobenius_weights_and_standardized_columns(self, block):
        X = rows_of("t5") * np.logspace(-3, 3, 10)
        A = np.diag(1 / X.std(axis=0, ddof=1))
        for options in ({"frobenius": True}, {"A": A}, {"A": A, "frobenius": True}):
            found = largest_eigenvalue(operator_of(X, **options), block=block)
            certifies(found, largest_of(X, **options))


class TestPrecision:
    @blocks
    @pytest.mark.parametrize("gap", [1e-2, 1e-3, 1e-4])
    @pytest.mark.parametrize("distribution", ["gaussian", "t5"])
    def test_goes_on_in_double_where_it_is_not(self, distribution, gap, block):
        """Columns that differ by a small part: whitening makes that part as large as the rest."""
        X = np.cumsum(rows_of(distribution, p=12) * ([1.0] + [gap] * 11), axis=1)
        options = {"A": whitening_of(X), "frobenius": True}
        operator = Recording(InMemoryRows([X]), Moments(order=2).update(X), **options)
        found = largest_eigenvalue(operator, block=block)
        # Rounding of the rows themselves is made as large: the truth is no better known.
        certifies(found, largest_of(X, **options), rounding=1e-14 / gap**2)
        assert operator.precisions.count(8) > 2
        assert operator.precisions[0] == 4

    @blocks
    @pytest.mark.parametrize("p", [6, 64])
    @pytest.mark.parametrize("scale", [1e-65, 1e-45, 1e-22, 1e19, 1e22, 1e45, 1e65])
    def test_units_make_no_difference(self, scale, p, block):
        """Wherever the matrix itself is a matrix of numbers."""
        X = rows_of("t5", n=300, p=p) * scale
        truth = largest_of(X / scale) * scale**2 * scale**2
        found = largest_eigenvalue(operator_of(X), block=block)
        assert found.estimate == pytest.approx(truth, rel=1e-5)
        assert truth <= found.upper * (1 + 1e-9)
        assert found.width <= 1e-3


def hypercube(p):
    """All corners of the cube: variances never vary, products of two columns all alike."""
    return np.array(np.meshgrid(*[[-1.0, 1.0]] * p)).reshape(p, -1).T


DEGENERATE = {
    "two columns": rows_of("t5", p=2),
    "three rows": np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 7.0]]),
    "a square": np.tile(hypercube(2), (10, 1)),
    "a cube": hypercube(4),
    "a cross": np.vstack([3 * np.eye(6), -3 * np.eye(6)]),
    "coins": np.where(np.random.default_rng(0).random((200, 5)) < 0.5, 1.0, -1.0),
    "few different rows": np.repeat(np.random.default_rng(0).standard_normal((5, 3)), 9, axis=0),
    "as few rows as can be": np.random.default_rng(0).standard_normal((21, 20)),
}


class TestDegenerate:
    @blocks
    @pytest.mark.parametrize("name", DEGENERATE)
    def test_ends_and_certifies(self, name, block):
        X = DEGENERATE[name]
        certifies(largest_eigenvalue(operator_of(X), block=block), largest_of(X))

    @blocks
    def test_nothing_varies(self, block):
        """Both columns the same coin: the entries of Σ̂ are constants."""
        X = np.outer(np.tile([1.0, -1.0], 10), np.ones(2))
        found = largest_eigenvalue(operator_of(X), block=block)
        assert abs(found.estimate) <= 1e-15
        assert abs(found.upper) <= 1e-15

    @blocks
    def test_two_largest_eigenvalues_nearly_alike(self, block):
        """5e-4 apart, and the start knows the second much better: the residual shows that alone.

        Ritz value + residual fell short here; the whole width that is allowed does not.
        """
        theta = ew.simulate.make_chain_precision(7)
        X = ew.simulate.sample("exponential", theta, 3000, rng=np.random.default_rng(1748)) + 2
        *_, second, first = np.linalg.eigvalsh(matrix_of(X))
        found = largest_eigenvalue(operator_of(X), block=block)
        assert 1e-4 < 1 - second / first < 1e-3
        assert min(abs(found.estimate / truth - 1) for truth in (second, first)) <= 1e-4
        assert found.estimate <= first * (1 + 1e-9)
        assert first <= found.upper
        assert found.width <= 1e-3
