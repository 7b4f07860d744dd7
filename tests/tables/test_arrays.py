"""Arrays of every kind and layout give what the plain float64 array gives."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.tables.arrays import ArrayTable

LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "room between columns": lambda X: np.repeat(X, 3, axis=1)[:, ::3],
    "backwards twice": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "big endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "list of lists": lambda X: X.tolist(),
}

KINDS = {
    "int8": lambda X: np.rint(10 * X).clip(-100, 100).astype(np.int8),
    "bool": lambda X: X > 0,
    "float32": lambda X: X.astype(np.float32),
}


@pytest.mark.parametrize("method", ["score", "trace"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_layouts(rows, same_result, layout, method):
    expected = ew.edge_test(rows, method=method)
    same_result(ew.edge_test(LAYOUTS[layout](rows), method=method), expected)


@pytest.mark.parametrize("method", ["score", "trace"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_kinds_of_numbers(rows, same_result, kind, method):
    X = KINDS[kind](rows)
    assert X.dtype == kind
    same_result(ew.edge_test(X, method=method), ew.edge_test(X.astype(np.float64), method=method))


def test_batches_are_views_that_hold_every_row_once(rows):
    source = ArrayTable(rows)
    for _ in range(2):  # a source can be read again and again
        batches = list(source.blocks())
        assert all(np.shares_memory(batch, rows) for batch in batches)
        np.testing.assert_array_equal(np.concatenate(batches), rows)
    assert source.feature_names == ("x0", "x1", "x2", "x3")
    assert (source.n_rows, source.estimated_rows) == (400, 400)
    assert source.rescannable
    assert not source.named


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_have_one_size(order):
    X = np.zeros((250_000, 20), dtype=np.int8, order=order)
    batches = list(ArrayTable(X).blocks())
    assert [len(batch) for batch in batches] == [104_857, 104_857, 40_286]
    assert all(np.shares_memory(batch, X) for batch in batches)
