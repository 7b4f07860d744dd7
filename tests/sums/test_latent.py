"""Kendall's τ and latent correlations: SciPy's numbers, ties, and which pairs are compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from edgewise.sums.concordance import (
    concordance_of_rows,
    independent_pairs,
    kendall_tau,
    latent_correlation,
    latent_tau,
    left_by_ties,
    unit_sums,
)

RNG = np.random.default_rng(5)
X = np.round(RNG.standard_t(2, (90, 4)) @ RNG.standard_normal((4, 4)), 1)


def totals(rows):
    n = len(rows)
    return unit_sums(rows, 1, n).met[0] / 2, n * (n - 1) / 2


@given(arrays(np.float64, (12, 2), elements=st.integers(-3, 3).map(float)))
def test_tau_b_is_that_of_scipy(rows):
    expected = stats.kendalltau(rows[:, 0], rows[:, 1]).statistic
    np.testing.assert_allclose(kendall_tau(totals(rows)[0])[0, 1], expected, rtol=1e-12, atol=1e-14)


def test_without_ties_the_latent_tau_is_that_of_scipy():
    rows = RNG.standard_normal((70, 3))
    expected = stats.kendalltau(rows[:, 0], rows[:, 2]).statistic
    assert latent_tau(*totals(rows))[0, 2] == pytest.approx(expected, rel=1e-12)
    correlation = latent_correlation(*totals(rows))
    assert correlation[0, 2] == pytest.approx(np.sin(np.pi * expected / 2), rel=1e-12)
    np.testing.assert_array_equal(correlation.diagonal(), 1.0)


class TestTies:
    def test_what_they_leave(self):
        tied = np.array([0.0, 0.1, 0.5, 0.9])
        np.testing.assert_allclose(left_by_ties(tied), [1, 0.98, 0.5, 0.1])

    @pytest.mark.parametrize("rho", [0.3, 0.8])
    def test_rounding_hardly_matters(self, rho):
        """Population values, from many rows: rounded to 0.14 standard deviations, τ_b is not it."""
        rng = np.random.default_rng(1)
        Z = rng.standard_normal((40_000, 2))
        Z[:, 1] = rho * Z[:, 0] + np.sqrt(1 - rho**2) * Z[:, 1]
        found = {}
        for name, rows in (("exact", Z), ("rounded", np.round(Z / 0.14))):
            sums = unit_sums(rows, 40)
            found[name] = latent_correlation(sums.met.sum(axis=0), sums.pairs_met.sum())[0, 1]
            tau_b = kendall_tau(sums.met.sum(axis=0))[0, 1]
        assert found["rounded"] == pytest.approx(found["exact"], abs=0.003)
        assert np.sin(np.pi * tau_b / 2) - found["exact"] > 0.008

    def test_a_column_cut_at_its_median(self):
        """φ of two Gaussian columns cut at their medians is (2/π) asin ρ, which is τ."""
        rng = np.random.default_rng(2)
        Z = rng.standard_normal((40_000, 2))
        Z[:, 1] = 0.6 * Z[:, 0] + 0.8 * Z[:, 1]
        sums = unit_sums((Z > 0).astype(float), 40)
        found = latent_correlation(sums.met.sum(axis=0), sums.pairs_met.sum())[0, 1]
        assert found == pytest.approx(0.6, abs=0.02)


class TestRowsInMemory:
    def test_few_are_all_compared(self):
        found = concordance_of_rows(X)
        total, n_pairs = totals(X)
        np.testing.assert_array_equal(found.total, total)
        assert (found.n_samples, found.n_pairs, len(found.touching)) == (90, n_pairs, 90)
        assert found.independent_pairs == pytest.approx(45)
        same = [(np.unique(x, return_counts=True)[1] ** 2).sum() - 90 for x in X.T]
        np.testing.assert_allclose(found.tied(), np.array(same) / (90 * 89), rtol=1e-12)

    @pytest.mark.parametrize("n", [1025, 2500, 5001])
    def test_many_are_dealt_out_to_blocks(self, n):
        rows = RNG.standard_normal((n, 2))
        found = concordance_of_rows(rows)
        blocks = -(-n // 1024)
        assert len(found.touching) == -(-n // blocks)
        expected = sum(totals(rows[k::blocks])[0] for k in range(blocks))
        np.testing.assert_array_equal(found.total, expected)
        assert found.independent_pairs == pytest.approx(n / 2, rel=0.01)
        # Without the first rows, one of each block:
        rest = sum(totals(rows[blocks + k :: blocks])[0] for k in range(blocks))
        np.testing.assert_array_equal(found.total - found.touching[0], rest)

    @pytest.mark.parametrize(
        ("n", "batches"), [(100, 10), (100, 99), (100, 100), (1000, 7), (3000, 30), (5000, 4000)]
    )
    def test_batches_as_many_as_wanted(self, n, batches):
        found = concordance_of_rows(RNG.standard_normal((n, 2)), batches)
        assert batches <= len(found.touching) < 2 * batches


def test_independent_pairs_of_blocks():
    assert independent_pairs([128], [10]) == pytest.approx(640)
    assert independent_pairs([7], [1]) == pytest.approx(3)
    # A short block helps by no more than its own 25 pairs, a single row not at all.
    assert 640 < independent_pairs([128, 50], [10, 1]) < 665
    assert independent_pairs([128, 1], [10, 3]) == pytest.approx(640)


def test_blocks_cost_little_precision():
    """At independence the variance of τ̂ grows by the factor (b + 2.5)/(b − 1)."""
    rng = np.random.default_rng(3)
    draws = [rng.standard_normal((600, 12)) for _ in range(120)]
    upper = np.triu_indices(12, 1)
    for b in (10, 30):
        taus = [kendall_tau(unit_sums(rows, 600 // b).met.sum(axis=0))[upper] for rows in draws]
        expected = 4 / (9 * 600) * (b + 2.5) / (b - 1)
        assert np.mean(np.square(taus)) == pytest.approx(expected, rel=0.06)
