"""Passes after the first see the same rows wherever their mean lies."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.states import BatchMoments, Moments
from edgewise.sums.blocks import Centre

OFFSETS = [1e8, 1e10]
every_offset = pytest.mark.parametrize("offset", OFFSETS)


def rows_of(n=600, p=4, seed=0):
    """Rows on a grid of 2⁻¹⁸, so that adding 1e10 is exact."""
    theta = ew.simulate.make_chain_precision(p)
    X = ew.simulate.sample("exponential", theta, n, rng=np.random.default_rng(seed))
    return np.round(X * 2**18) / 2**18


def close(actual, expected, tolerance=1e-10):
    np.testing.assert_allclose(
        actual, expected, rtol=tolerance, atol=tolerance * np.nanmax(np.abs(expected))
    )


class TestSubtraction:
    def test_is_rows_minus_mean_features_first(self):
        block = np.arange(6.0).reshape(3, 2)
        centre = Centre(np.array([1.0, 2.0]), np.array([0.5, -0.25]))
        out = np.full((2, 5), np.nan)
        found = centre.subtract_from(block, out)
        np.testing.assert_array_equal(found, (block - [1.5, 1.75]).T)
        assert found.base is out
        assert np.isnan(out[:, 3:]).all()

    def test_without_an_offset(self):
        found = Centre(np.array([1.0, 2.0]), None).subtract_from(np.eye(2), np.empty((2, 2)))
        np.testing.assert_array_equal(found, [[0, -1], [-2, -1]])

    @every_offset
    @pytest.mark.parametrize("rows", [1, 600])
    def test_is_exact_far_from_the_origin(self, rows, offset):
        X = rows_of()
        state = Moments()
        for start in range(0, len(X), rows):
            state.update(X[start : start + rows] + offset)
        c = state.centre().subtract_from(X + offset, np.empty((4, 600)))
        close(c.T, X - X.mean(axis=0), 1e-13)
        # The mean as one number is off by more than that, or this test would show nothing.
        assert np.max(np.abs((X + offset - state.mean()) - (X - X.mean(axis=0)))) > 1e-11

    def test_an_offset_that_does_not_count_is_left_out(self):
        X = np.array([[1.0, -1.0], [-1.0, 1.0], [3.0, 1.0], [-3.0, -1.0]])
        assert Moments().update(X).centre().offset is None

    def test_of_batches_is_that_of_all_rows(self):
        X = rows_of() + 1e10
        found = BatchMoments(7).update(X).pooled().centre()
        expected = Moments().update(X).centre()
        c = [centre.subtract_from(X, np.empty((4, 600))) for centre in (found, expected)]
        close(c[0], c[1], 1e-13)
