"""Sampled rows: as many as asked for, the same again, and residuals whose correlation is ρ̂."""

from __future__ import annotations

import numpy as np

import edgewise as ew
from edgewise.api.reporting import sampled_scores
from edgewise.tables.open import as_table


def residuals(rows, pair):
    """Both columns of a pair given all the others, by least squares."""
    centred = rows - rows.mean(axis=0)
    others = np.delete(centred, pair, axis=1)
    own = centred[:, pair]
    return own - others @ np.linalg.lstsq(others, own, rcond=None)[0]


def test_of_all_rows_they_are_the_residuals(rows):
    result = ew.edge_test(rows)
    scores = sampled_scores(as_table(rows), result)
    assert scores.shape == rows.shape
    for i, j in ((0, 1), (0, 3), (2, 1)):
        rho = result.partial_correlation[i, j]
        ours = np.column_stack(
            [scores[:, i] + rho * scores[:, j], scores[:, j] + rho * scores[:, i]]
        )
        assert np.isclose(np.corrcoef(ours.T)[0, 1], rho)
        # The same points, in another order and scale.
        slow = residuals(rows, [i, j])
        for a, b in zip(ours.T, slow.T, strict=True):
            np.testing.assert_allclose(np.sort(a) / a.std(), np.sort(b) / b.std(), atol=1e-8)


def test_a_sample_is_random_and_the_same_again():
    rows = np.column_stack([np.arange(3000.0), np.random.default_rng(0).standard_normal((3000, 2))])
    result = ew.edge_test(rows)
    first, again = (sampled_scores(as_table(rows), result) for _ in range(2))
    assert first.shape == (500, 3)
    np.testing.assert_array_equal(first, again)
