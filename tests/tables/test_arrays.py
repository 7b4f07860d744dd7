"""Arrays of every kind and layout give what the plain float64 array gives."""

from __future__ import annotations

import numpy as np

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
