"""Products with Cov(U(Σ̂)) are those of the matrix, however the rows come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator

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
    @pytest.mark.parametrize("p", [2, 6, 20])
    def test_is_that_of_the_matrix(self, p, distribution, kind):
        X = rows_of(distribution, p=p)
        options = options_of(kind, X)
        operator, matrix = operator_of(X, **options), matrix_of(X, **options)
        one, block = vectors_of(operator), vectors_of(operator, 5)
        assert relative_error(operator @ one, matrix @ one) <= 1e-10
        assert relative_error(operator @ block, matrix @ block) <= 1e-10
        assert (
            relative_error(operator.unit * operator.multiply(block, np.float32), matrix @ block)
            <= 2e-5
        )

    @every_kind
    def test_where_rows_are_gathered_by_sign(self, kind):
        """From 64 columns on, the sum is made of two others."""
        X = rows_of("t5", n=600, p=64)
        options = options_of(kind, X)
        operator, matrix = operator_of(X, **options), matrix_of(X, **options)
        block = vectors_of(operator, 2)
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

    @pytest.mark.parametrize("batches", BATCHES)
    @pytest.mark.parametrize("most", [0, 300 * 6 - 1, 300 * 6])
    def test_kept_from_pass_to_pass(self, most, batches, monkeypatch):
        """In single precision, if they are few enough; the products are the same."""
        X = rows_of("t5", n=300)
        again = operator_of(X, InMemoryRows(BATCHES[batches](X)))
        block = vectors_of(again, 2)
        expected = again.multiply(block, np.float32)
        monkeypatch.setattr(module, "_MOST_KEPT", most)
        operator = operator_of(X, InMemoryRows(BATCHES[batches](X)))
        for _ in range(2):
            assert relative_error(operator.multiply(block, np.float32), expected) <= 2e-5
        assert sum(map(len, operator._kept)) == (300 if most == 300 * 6 else 0)

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

    def test_is_a_linear_operator_of_scipy(self):
        X = rows_of("t5")
        operator, matrix = operator_of(X), matrix_of(X)
        assert isinstance(operator, LinearOperator)
        assert operator.shape == matrix.shape == (21, 21)
        assert operator.dtype == np.float64
        v, block = vectors_of(operator), vectors_of(operator, 3)
        for found, expected in (
            (operator.matvec(v), matrix @ v),
            (operator.matmat(v[:, np.newaxis]), (matrix @ v)[:, np.newaxis]),
            (operator.matmat(block), matrix @ block),
            (operator.rmatvec(v), matrix @ v),
            (operator.T @ v, matrix @ v),
            (operator.H @ block, matrix @ block),
            (block.T @ operator, block.T @ matrix),
            ((2 * operator) @ v, 2 * matrix @ v),
        ):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
        with pytest.raises(ValueError, match=r"[Dd]imension mismatch"):
            operator @ np.ones(20)

    def test_counts_passes_and_products(self):
        X, started = rows_of("gaussian"), []

        class Counted(InMemoryRows):
            def sums(self, one_pass, *, whole=True):
                started.append(True)
                return super().sums(one_pass, whole=whole)

        operator = operator_of(X, Counted(np.array_split(X, 3)))
        assert (operator.passes, operator.products) == (0, 0)
        operator @ np.ones(21)
        assert (operator.passes, operator.products) == (1, 1)
        operator @ np.ones((21, 5))
        operator.multiply(np.ones((21, 2)), np.float32)
        assert (operator.passes, operator.products) == (3, 8)
        operator.loudest_diagonal()
        assert (operator.passes, operator.products) == (4, 8)
        # The last pass is over the rows that the one before has kept.
        assert len(started) == 3

    @every_kind
    def test_loudest_diagonal(self, kind):
        """Of all directions among the variances, none varies more; in units of the columns."""
        X = rows_of("t5", p=4) * [1.0, 3.0, 1.0, 0.2]
        options = options_of(kind, X)
        operator, matrix = operator_of(X, **options), matrix_of(X, **options)
        found = operator.loudest_diagonal()
        np.testing.assert_allclose(found, found.T, atol=1e-12 * np.abs(found).max())
        if kind in ("plain", "frobenius", "standardized"):
            assert np.count_nonzero(found - np.diag(found.diagonal())) == 0
            diagonal = [0, 4, 7, 9]
            expected = np.linalg.eigh(matrix[np.ix_(diagonal, diagonal)])[1][:, -1]
            assert abs(expected @ found.diagonal()) == pytest.approx(1, rel=1e-4)

    @pytest.mark.parametrize("kind", ["plain", "whitened"])
    def test_variances_along_rank_directions(self, kind):
        X = rows_of("t5")
        options = options_of(kind, X)
        operator, matrix = operator_of(X, **options), matrix_of(X, **options)
        vectors = vectors_of(operator, 6)
        ratios = operator.variances_along(vectors) / [v @ matrix @ v for v in vectors.T]
        np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)
        assert ratios[0] > 0


class TestRange:
    """The fourth powers of the units must be numbers, but then they make no difference."""

    @pytest.mark.parametrize("p", [6, 64])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("scale", [2.0**-200, 2.0**-70, 2.0**70, 2.0**200])
    def test_units_make_no_difference(self, scale, dtype, p):
        X = rows_of("gaussian", n=150, p=p)
        plain, scaled = operator_of(X), operator_of(X * scale)
        block = vectors_of(plain, 2)
        np.testing.assert_allclose(scaled.unit / scale**2 / scale**2, plain.unit, rtol=1e-12)
        found = scaled.multiply(block, dtype)
        assert relative_error(found, plain.multiply(block, dtype)) <= 1e-6

    @pytest.mark.parametrize("p", [6, 64])
    def test_overflow_is_refused(self, p):
        operator = operator_of(rows_of("gaussian", n=150, p=p) * 1e120)
        with pytest.raises(DataError, match=r"fourth-order moments overflow.*standardize=True"):
            operator @ vectors_of(operator, 2)
