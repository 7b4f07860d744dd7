"""`accumulate`: one pass over any data into either kind of state."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import NonFiniteError
from edgewise.sums.accumulate import read_into
from edgewise.tables.open import as_table


def test_the_kind_of_state(rows):
    assert isinstance(ew.accumulate(rows), ew.states.Moments)
    assert ew.accumulate(rows).order == 4
    assert ew.accumulate(rows, order=2).order == 2
    batches = ew.accumulate(rows, n_batches=20)
    assert isinstance(batches, ew.states.BatchMoments)
    assert batches.n_batches == 20
    assert len(batches.batch_counts()) == 25


@pytest.mark.parametrize("options", [{}, {"n_batches": 20}], ids=str)
def test_missing_values_in_a_stream_are_counted_as_far_as_it_was_read(rows, refuses, options):
    X = rows.copy()
    X[[3, 7, 390], 1] = np.nan
    error = refuses(
        lambda: ew.accumulate(iter(np.split(X, 2)), **options), NonFiniteError, "'x1' (2)"
    )
    assert error.counts.tolist() == [0, 2, 0, 0]


def test_rows_that_follow_what_was_seen(rows):
    for empty in (ew.states.Moments(), ew.states.BatchMoments(10)):
        first, _ = read_into(empty, as_table(rows[:150]))
        state, n_dropped = read_into(first, as_table(rows[150:]))
        assert (empty.n_samples, first.n_samples, state.n_samples) == (0, 150, 400)
        assert n_dropped == 0
        np.testing.assert_allclose(state.covariance(), np.cov(rows, rowvar=False), rtol=1e-12)
    # Batches go on where they ended, as if the rows had come at once.
    counts = ew.accumulate(rows, n_batches=10).batch_counts()
    assert state.batch_counts().tolist() == counts.tolist()
