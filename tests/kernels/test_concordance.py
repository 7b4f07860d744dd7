"""Concordance against loops over pairs of rows, and against SciPy's Kendall τ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from edgewise.kernels import concordance as kernel
from edgewise.kernels.concordance import (
    concordance_of_rows,
    independent_pairs,
    kendall_tau,
    latent_correlation,
    touching,
    within_blocks,
)

RNG = np.random.default_rng(5)
#: Two decimals, so that some values are tied.
X = np.round(RNG.standard_t(2, (90, 4)) @ RNG.standard_normal((4, 4)), 1)


def slow(rows):
    """Σ s sᵀ over all pairs, one by one."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for k in range(len(rows)):
        for other in range(k):
            s = np.sign(rows[k] - rows[other])
            total += np.outer(s, s)
    return total


@pytest.mark.parametrize("length", [1, 2, 3, 9, 10, 45, 90])
def test_within_blocks(length):
    blocks = X.reshape(-1, length, 4)
    np.testing.assert_array_equal(within_blocks(X, length), [slow(block) for block in blocks])


@pytest.mark.parametrize("length", [127, 128, 129, 300])
def test_ranks_of_every_width(length):
    """One byte holds the differences of 128 ranks, not of 129."""
    rows = RNG.standard_normal((length, 3))
    tau = kendall_tau(within_blocks(rows, length)[0])
    expected = stats.kendalltau(rows[:, 0], rows[:, 2]).statistic
    assert tau[0, 2] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("length", [1, 2, 7, 30, 90])
def test_touching_is_what_goes_with_the_unit(length):
    total, sums = touching(X, length)
    np.testing.assert_array_equal(total, slow(X))
    starts = range(0, 90, length)
    assert len(sums) == len(starts)
    for own, start in zip(sums, starts, strict=True):
        rest = np.delete(X, slice(start, start + length), axis=0)
        np.testing.assert_array_equal(total - own, slow(rest))


def test_touching_in_portions(monkeypatch):
    whole = touching(X, 30)
    monkeypatch.setattr(kernel, "_SIGNS", 1)
    for found, expected in zip(touching(X, 30), whole, strict=True):
        np.testing.assert_array_equal(found, expected)


@given(arrays(np.float64, (12, 2), elements=st.integers(-3, 3).map(float)))
def test_tau_b_is_that_of_scipy(rows):
    expected = stats.kendalltau(rows[:, 0], rows[:, 1]).statistic
    found = kendall_tau(within_blocks(rows, 12)[0])[0, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_increasing_changes_change_nothing():
    rows = RNG.standard_normal((200, 3))
    changed = np.column_stack([np.exp(rows[:, 0]), rows[:, 1] ** 3, np.arctan(rows[:, 2]) + 1e8])
    for found, expected in zip(touching(changed, 5), touching(rows, 5), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_signed_zeros_are_tied():
    rows = np.array([[0.0, 1.0], [-0.0, 2.0], [3.0, 3.0]])
    np.testing.assert_array_equal(within_blocks(rows, 3)[0], slow(rows))


def test_latent_correlation():
    correlation = latent_correlation(slow(X))
    tau = stats.kendalltau(X[:, 1], X[:, 3]).statistic
    assert correlation[1, 3] == pytest.approx(np.sin(np.pi * tau / 2), rel=1e-12)
    np.testing.assert_array_equal(correlation.diagonal(), 1.0)
    stacked = latent_correlation(np.stack([slow(X), slow(X[:40])]))
    np.testing.assert_allclose(stacked[0], correlation, rtol=1e-15)


class TestRowsInMemory:
    def test_few_are_all_compared(self):
        found = concordance_of_rows(X)
        np.testing.assert_array_equal(found.total, slow(X))
        assert (found.n_samples, found.n_pairs, len(found.touching)) == (90, 90 * 89 / 2, 90)
        assert found.independent_pairs == pytest.approx(45)
        differ = [(np.unique(x, return_counts=True)[1] ** 2).sum() for x in X.T]
        np.testing.assert_allclose(
            found.untied(), [(90**2 - same) / (90 * 89) for same in differ], rtol=1e-12
        )

    @pytest.mark.parametrize("n", [1025, 2500, 5001])
    def test_many_are_compared_within_blocks_of_units(self, n):
        rows = RNG.standard_normal((n, 2))
        found = concordance_of_rows(rows)
        units = len(found.touching)
        assert 512 <= units <= 1024
        # Each pair touches one unit or two.
        assert found.total[0, 0] == found.n_pairs
        assert found.n_pairs <= found.touching[:, 0, 0].sum() <= 2 * found.n_pairs
        blocks = -(-n // 1024)
        assert found.n_pairs == pytest.approx(n * (n / blocks - 1) / 2, rel=0.01)
        assert found.independent_pairs == pytest.approx(n / 2, rel=0.01)
        np.testing.assert_allclose(kendall_tau(found.total)[0, 1], 0, atol=0.05)

    @pytest.mark.parametrize(("n", "batches"), [(100, 10), (100, 99), (1000, 7), (3000, 30)])
    def test_batches_as_many_as_wanted(self, n, batches):
        found = concordance_of_rows(RNG.standard_normal((n, 2)), batches)
        assert batches <= len(found.touching) < 2 * batches

    def test_many_columns_are_compared_in_shorter_blocks(self, monkeypatch):
        monkeypatch.setattr(kernel, "_PRODUCTS", 1e5)
        rows = RNG.standard_normal((500, 3))
        found = concordance_of_rows(rows)
        assert found.n_pairs == pytest.approx(500 * 124 / 2)
        assert found.independent_pairs == pytest.approx(250, rel=0.01)

    def test_no_row_is_left_alone(self, monkeypatch):
        monkeypatch.setattr(kernel, "_LONGEST", 128)
        monkeypatch.setattr(kernel, "_MOST_UNITS", 2)
        monkeypatch.setattr(kernel, "_FEWEST_UNITS", 2)
        found = concordance_of_rows(RNG.standard_normal((257, 2)))
        assert np.isfinite(found.independent_pairs)
        assert found.total[0, 0] == found.n_pairs


def test_independent_pairs_of_blocks():
    assert independent_pairs([128], [10]) == pytest.approx(640)
    assert independent_pairs([7], [1]) == pytest.approx(3)
    # A short block helps by no more than its own 25 pairs.
    assert 640 < independent_pairs([128, 50], [10, 1]) < 665


def test_blocks_cost_little_precision():
    """At independence the variance of τ̂ grows by the factor (b + 2.5)/(b − 1)."""
    rng = np.random.default_rng(3)
    draws = [rng.standard_normal((600, 12)) for _ in range(150)]
    upper = np.triu_indices(12, 1)

    def variance(b):
        return np.mean(
            [kendall_tau(within_blocks(rows, b).sum(axis=0))[upper] ** 2 for rows in draws]
        )

    for b in (10, 30):
        expected = 4 / (9 * 600) * (b + 2.5) / (b - 1)
        assert variance(b) == pytest.approx(expected, rel=0.06)
