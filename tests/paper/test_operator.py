"""Products with Cov(U(Σ̂)) are those of the matrix, however the rows come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.paper import operator as module
from edgewise.paper.covcov import covcov_matrix
from edgewise.paper.operator import CovcovOperator
from edgewise.states import Moments
from edgewise.tables.table import ColumnBlock, InMemoryRows

DISTRIBUTIONS = ["gaussian", "t5", "lognormal"]
KINDS = ["plain", "frobenius", "whitened", "left out", "standardized", "mixed"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def rows_of(distribution, n=400, p=6, seed=11):
    rng = np.random.default_rng(seed)
    return ew.simulate.sample(distribution, ew.simulate.make_chain_precision(p), n, rng=rng) + 4.0


def options_of(kind, X):
    """What is asked of the rows, by name."""
    p = X.shape[1]
    if kind in ("plain", "frobenius"):
        return {"frobenius": kind == "frobenius"}
    if kind == "mixed":
        return {"A": np.random.default_rng(1).standard_normal((p, p)) + np.eye(p)}
    estimate = estimate_precision(Moments(order=2).update(X), [str(i) for i in range(p)])
    if kind == "standardized":
        return {"A": estimate.standardization}
    return {"A": estimate.whitening, "frobenius": True, "left_out": kind == "left out"}


def operator_of(X, scan=None, **options):
    return CovcovOperator(scan or InMemoryRows([X]), Moments(order=2).update(X), **options)


def matrix_of(X, **options):
    return covcov_matrix(InMemoryRows([X]), Moments(order=2).update(X), **options)


def vectors_of(operator, count=None):
    d = operator.shape[0]
    shape = d if count is None else (d, count)
    return np.random.default_rng(5).standard_normal(shape)


def relative_error(found, expected):
    """Of each column by itself."""
    error = np.linalg.norm(found - expected, axis=0) / np.linalg.norm(expected, axis=0)
    return float(np.max(error))


class TestProduct:
    @every_kind
    @pytest.mark.parametrize("distribution", DISTRIBUTIONS)
    @pytest.mark.parametrize("p", [2, 6, 20, 64])
    def test_is_that_of_the_matrix(self, p, distribution, kind):
        """From 64 columns on, the sum is made of two others."""
        X = rows_of(distribution, n=600 if p == 64 else 400, p=p)
        options = options_of(kind, X)
        operator, matrix = operator_of(X, **options), matrix_of(X, **options)
        one, block = vectors_of(operator), vectors_of(operator, 5)
        assert relative_error(operator @ one, matrix @ one) <= 1e-10
        assert relative_error(operator @ block, matrix @ block) <= 1e-10
        assert (
            relative_error(operator.unit * operator.multiply(block, np.float32), matrix @ block)
            <= 1e-4
        )


def in_columns(X):
    """The columns of a table, each a slice of something longer."""
    longer = np.concatenate([X[:3], X, X[:2]])
    return [ColumnBlock(list(longer.T.copy()))[3 : 3 + len(X)]]


def in_small_batches(X):
    """From nothing to nine rows each, arrays and columns by turns."""
    sizes = np.random.default_rng(0).integers(0, 10, len(X))
    parts = np.split(X, np.minimum(np.cumsum(sizes), len(X)))
    parts[1::2] = [ColumnBlock(list(Y.T)) for Y in parts[1::2]]
    return parts


# The same rows, in every way that a source may hand them out.
BATCHES = {
    "C order": lambda X: [np.ascontiguousarray(X)],
    "F order": lambda X: [np.asfortranarray(X)],
    "every other row": lambda X: [np.repeat(X, 2, axis=0)[::2]],
    "read-only": lambda X: [np.frombuffer(X.tobytes()).reshape(X.shape)],
    "halves": lambda X: np.array_split(X, 2),
    "one row at a time": lambda X: list(X[:, np.newaxis, :]),
    "columns": in_columns,
    "small": in_small_batches,
}


class TestRows:
    @pytest.mark.parametrize("batches", BATCHES)
    @pytest.mark.parametrize("kind", ["plain", "whitened"])
    def test_any_batches(self, batches, kind):
        X = rows_of("t5", n=300)
        options = options_of(kind, X)
        parts = BATCHES[batches](X)
        operator = operator_of(X, InMemoryRows(parts), **options)
        block = vectors_of(operator, 3)
        expected = matrix_of(X, **options) @ block
        assert relative_error(operator @ block, expected) <= 1e-10
        assert (
            relative_error(operator.unit * operator.multiply(block, np.float32), expected) <= 2e-5
        )

    @every_kind
    @pytest.mark.parametrize("p", [6, 70])
    def test_threads_make_no_difference(self, p, kind, monkeypatch):
        """Kept rows in one group or in several, on one BLAS thread or more: the same products."""
        X = rows_of("t5", n=300, p=p)
        options = options_of(kind, X)
        expected = matrix_of(X, **options)
        for threads, elements in ((1, 1 << 19), (1, 10 * p), (2, 1 << 19), (2, 10 * p)):
            monkeypatch.setattr(module, "blas_threads", lambda threads=threads: threads)
            monkeypatch.setattr(module, "_BLOCK_ELEMENTS", elements)
            monkeypatch.setattr(module, "_MIN_BLOCK_ROWS", 10)
            operator = operator_of(X, **options)
            block = vectors_of(operator, 2)
            for dtype, error in ((np.float32, 1e-4), (np.float64, 1e-10)):
                found = operator.unit * operator.multiply(block, dtype)
                assert relative_error(found, expected @ block) <= error
            assert len(module._groups(operator._kept)) == (1 if elements == 1 << 19 else 16)

    @pytest.mark.parametrize("offset", [1e5, 1e8])
    @pytest.mark.parametrize("batches", ["C order", "F order", "small"])
    @pytest.mark.parametrize("kind", ["plain", "whitened"])
    def test_a_large_mean(self, kind, batches, offset):
        # Columns of unit deviation, rounded so that adding the offset is exact.
        X = np.round(rows_of("t5") * 2**10) / 2**10
        options = options_of(kind, X)
        parts = BATCHES[batches](X + offset)
        operator = operator_of(X + offset, InMemoryRows(parts), **options)
        block = vectors_of(operator, 2)
        expected = matrix_of(X, **options) @ block
        assert relative_error(operator @ block, expected) <= 1e-10
        assert (
            relative_error(operator.unit * operator.multiply(block, np.float32), expected) <= 2e-5
        )


class TestOperator:
    @settings(max_examples=40)
    @given(
        st.integers(0, 10**6),
        st.integers(1, 7),
        st.integers(4, 60),
        st.booleans(),
        st.booleans(),
        st.sampled_from([2, 1000]),
    )
    def test_symmetric_linear_and_positive(self, seed, p, n, frobenius, mixed, gather):
        rng = np.random.default_rng(seed)
        X = rng.standard_t(5, (n, p)) * 10.0 ** rng.integers(-2, 3, p)
        A = rng.standard_normal((p, p)) + 2 * np.eye(p) if mixed else None
        operator = operator_of(X, A=A, frobenius=frobenius)
        u, v = rng.standard_normal((2, operator.shape[0]))
        # In units in which all entries of U are alike: errors are relative to those.
        unit = 1 / np.sqrt(operator.entries(np.outer(*2 * [operator.covariance.diagonal()])))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_GATHER", gather)
            Cu, Cv = (unit * (operator @ (unit * w)) for w in (u, v))
            both = unit * (operator @ (unit * (2 * u - 3 * v)))
        size = np.linalg.norm(u) * np.linalg.norm(v)
        largest = max(np.linalg.norm(Cu), np.linalg.norm(Cv), 1e-3 / n)
        assert u @ Cv == pytest.approx(v @ Cu, rel=1e-10, abs=1e-10 * largest * size)
        np.testing.assert_allclose(both, 2 * Cu - 3 * Cv, rtol=1e-9, atol=1e-10 * largest)
        assert u @ Cu >= -1e-10 * largest * size


class TestRange:
    """The fourth powers of the units must be numbers, but then they make no difference."""

    @pytest.mark.parametrize("p", [6, 64])
    def test_overflow_is_refused(self, p):
        operator = operator_of(rows_of("gaussian", n=150, p=p) * 1e120)
        with pytest.raises(DataError, match=r"fourth-order moments overflow.*standardize=True"):
            operator @ vectors_of(operator, 2)
