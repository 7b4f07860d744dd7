"""A table in memory that all cores work on gives what one core gives."""

import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import NonFiniteError
from edgewise.tables import arrays as tables
from edgewise.tables.arrays import ArrayTable


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(tables, "_PARTITION_NUMBERS", 1 << 17)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_t(6, (6000, 52))
    X[:, 1] += 0.3 * X[:, 0]
    return X


@pytest.fixture
def in_parts(monkeypatch):
    """Whether tables are cut."""

    def cut(yes):
        monkeypatch.setattr(tables, "_MOST_PARTITIONS", 8 if yes else 1)

    return cut


def test_parts_are_all_rows(rows):
    table = ArrayTable(rows).on_cores()
    assert table.partition_rows() == [3000, 3000]
    blocks = table.reduce(lambda part: [*map(np.asarray, part.blocks())], lambda a, b: a + b)
    np.testing.assert_array_equal(np.concatenate(blocks), rows)
    assert (table.n_rows, table.estimated_rows, table.named) == (6000, 6000, False)


@pytest.mark.parametrize("method", ["score", "batch", "eig"])
def test_the_same_result(rows, in_parts, method):
    found = []
    for yes in (True, False):
        in_parts(yes)
        found.append(ew.edge_test(rows, method=method))
    one, other = found
    np.testing.assert_allclose(one.precision, other.precision, rtol=1e-9, atol=1e-11)
    off = ~np.eye(len(one.precision), dtype=bool)
    np.testing.assert_allclose(one.statistic[off], other.statistic[off], rtol=1e-6, atol=1e-9)
    assert one.options.keys() == other.options.keys()
    assert one.cautions == other.cautions


def test_the_same_on_any_number_of_threads(rows, monkeypatch):
    found = []
    for threads in (1, 2):
        monkeypatch.setattr("edgewise._parallel.blas_threads", lambda k=threads: k)
        found.append(ew.edge_test(rows).statistic)
    np.testing.assert_allclose(*found, rtol=1e-11)


def test_single_rows_are_found(rows, refuses):
    for row in (3, 5999):
        X = rows.copy()
        X[row, 4] = np.nan
        refuses(lambda X=X: ew.edge_test(X, missing="raise"), NonFiniteError, "x4", "1")
    X = rows.copy()
    X[4000, 7] = 1e4
    told = " ".join(map(str, ew.edge_test(X).cautions))
    assert "4,001" in told or "4001" in told


@pytest.mark.parametrize("method", ["score", "batch"])
@pytest.mark.parametrize("p", [5, 52])
def test_a_row_far_out_after_a_restless_start(method, p):
    """Nothing that comes first may hide a row that carries a column."""
    X = np.random.default_rng(0).standard_normal((20_000, p))
    X[:1000, 0] *= 10
    X[15_000, 0] = 1000.0
    X[10, 1], X[15_001, 1] = 100.0, 300.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = " ".join(map(str, ew.edge_test(X, method=method).cautions))
    assert "15,001" in told
    assert "15,002" in told
