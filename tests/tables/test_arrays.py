"""Arrays of every kind and layout give what the plain float64 array gives."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.tables.arrays import ArrayTable


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
