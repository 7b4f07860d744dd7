"""Passes after the first see the same rows wherever their mean lies."""

import numpy as np
import pytest

import edgewise as ew
from edgewise import BatchMoments, Moments
from edgewise.covcov.closed_form import covcov_matrix
from edgewise.estimators.inverse import estimate_precision
from edgewise.kernels.centre import Centre
from edgewise.kernels.leverage import Leverage
from edgewise.kernels.pairs import pair_sums
from edgewise.kernels.quartics import transformed_quartics
from edgewise.rows.passes import RowsAtHand

OFFSETS = [1e8, 1e10]
every_offset = pytest.mark.parametrize("offset", OFFSETS)
SECOND_PASS = ["score", "wald", "elliptical", "whitened", "eig", "spectral", "batch"]


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


class TestSecondPasses:
    @every_offset
    @pytest.mark.parametrize("frobenius", [False, True])
    def test_covariance_of_the_covariance(self, frobenius, offset):
        X = rows_of()
        plain, shifted = (
            covcov_matrix(RowsAtHand([Y]), Moments(order=2).update(Y), frobenius=frobenius)
            for Y in (X, X + offset)
        )
        close(shifted, plain)

    @every_offset
    def test_sums_of_pairs_and_quartics(self, offset):
        X = rows_of()
        B = np.random.default_rng(1).standard_normal((4, 4))
        found = []
        for Y in (X, X + offset):
            scan, centre = RowsAtHand(np.array_split(Y, 3)), Moments().update(Y).centre()
            sums = pair_sums(scan, centre, Leverage(B, np.full(4, 0.1), len(Y)))
            quartics = transformed_quartics(scan, centre, B)
            found.append(
                [
                    *(sums.square_square, sums.cube_linear, sums.eighth),
                    *(quartics.columns, [quartics.norm]),
                ],
            )
        for plain, shifted in zip(*found, strict=True):
            close(shifted, plain)

    @every_offset
    def test_estimates(self, offset):
        X = rows_of()
        plain, shifted = (estimate_precision(Moments().update(Y), "abcd") for Y in (X, X + offset))
        for field in ("covariance", "precision", "partial_correlation", "residual_map"):
            close(getattr(shifted, field), getattr(plain, field), 1e-12)

    @every_offset
    @pytest.mark.parametrize("method", SECOND_PASS)
    def test_every_method(self, method, offset):
        X = rows_of(20_000, 3)
        plain, shifted = (ew.edge_test(Y, method=method) for Y in (X, X + offset))
        off = ~np.eye(3, dtype=bool)
        close(shifted.statistic[off], plain.statistic[off])
        close(shifted.log_pvalue[off], plain.log_pvalue[off])
        thresholds = [np.broadcast_to(r.threshold, (3, 3))[off] for r in (plain, shifted)]
        close(thresholds[1], thresholds[0])
        np.testing.assert_array_equal(shifted.reject, plain.reject)

    @every_offset
    @pytest.mark.parametrize("far", [[1, 0, 0], [0, -1, 1e-5]])
    def test_columns_at_different_distances(self, far, offset):
        X = rows_of(500, 3)
        shift = np.round(offset * np.array(far))
        close(ew.edge_test(X + shift).log_pvalue, ew.edge_test(X).log_pvalue)
