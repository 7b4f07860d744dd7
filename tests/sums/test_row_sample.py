"""Sample rows of a stream: at even distances, and not too many."""

import numpy as np
import pytest

from edgewise.sums.concordance import RowSample

WINDOW = 800  # 25 times 32


def sample_of(windows, start=0):
    sample = RowSample()
    for k in range(windows):
        first = start + k * WINDOW
        sample = sample.after(np.arange(first, first + WINDOW, dtype=float)[:, np.newaxis], k)
    return sample


@pytest.mark.parametrize("windows", [1, 30, 33, 100, 1000, 3001])
def test_even_distances(windows):
    sample = sample_of(windows)
    assert min(32 * windows, 512) <= len(sample.rows) <= 1024
    np.testing.assert_array_equal(np.diff(sample.rows[:, 0]), sample.step)
    assert sample.rows[0, 0] == 0
    assert sample.rows[-1, 0] >= windows * WINDOW - 2 * max(sample.step, WINDOW)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (40, 3), (3, 40), (500, 64), (0, 5), (5, 0)])
def test_of_two_streams(a, b):
    merged = sample_of(a).followed_by(sample_of(b, start=10**6))
    assert len(merged.rows) <= 1024
    for part in (merged.rows[merged.rows < 10**6], merged.rows[merged.rows >= 10**6]):
        assert (np.diff(part) == merged.step).all()
    assert RowSample().followed_by(RowSample()).rows is None
