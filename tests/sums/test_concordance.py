"""Concordance of rows: what is kept of them, the sums over pairs, and the latent correlations."""

import functools
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from edgewise.errors import DataError, StateFileError
from edgewise.states import ConcordanceMoments
from edgewise.sums import concordance as kernel
from edgewise.sums.concordance import (
    N_BLOCKS,
    WINDOW_ROWS,
    concordance_of_rows,
    independent_pairs,
    kendall_tau,
    latent_correlation,
    latent_tau,
    unit_sums,
)
from edgewise.sums.save import write_state

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


#: One decimal, so that some values are tied.
TIED = np.round(RNG.standard_t(2, (90, 4)) @ RNG.standard_normal((4, 4)), 1)
UNTIED = RNG.standard_normal((90, 4)) @ RNG.standard_normal((4, 4))


@pytest.fixture(autouse=True, params=[1, 1 << 40], ids=["bits", "products"])
def both_ways(request, monkeypatch):
    """Counts of bits, where there are no ties, and products."""
    monkeypatch.setattr(kernel, "_MANY_SIGNS", request.param)


def slow(rows, block, touched=None):
    """Σ s sᵀ over the pairs within blocks, and how many; with `touched`, those that touch it."""
    total, count = np.zeros((rows.shape[1], rows.shape[1])), 0
    for k in range(len(rows)):
        for other in range(k):
            if block[k] == block[other] and (touched is None or touched[k] or touched[other]):
                s = np.sign(rows[k] - rows[other])
                total += np.outer(s, s)
                count += 1
    return total, count


@pytest.mark.parametrize("n", [61, 6])
@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("per_block", [1, 7, 50])
@pytest.mark.parametrize("data", [TIED, UNTIED], ids=["tied", "untied"])
def test_units_of_blocks(n, n_blocks, per_block, data):
    rows, block = data[:n], np.arange(n) % n_blocks
    found = unit_sums(rows, n_blocks, per_block)
    total, count = slow(rows, block)
    np.testing.assert_array_equal(found.met.sum(axis=0), 2 * total)
    assert found.pairs_met.sum() == 2 * count
    size = n_blocks * per_block
    assert found.n.tolist() == [min(size, n - start) for start in range(0, n, size)]
    touching = found.touching()
    for unit, start in enumerate(range(0, n, size)):
        own = np.zeros(n, dtype=bool)
        own[start : start + size] = True
        expected, pairs = slow(rows, block, own)
        np.testing.assert_array_equal(touching[unit], expected)
        assert found.pairs_met[unit] - found.pairs_within[unit] == pairs


@pytest.mark.parametrize("data", [TIED, UNTIED], ids=["tied", "untied"])
def test_in_portions(monkeypatch, data):
    whole = unit_sums(data, 2, 15)
    monkeypatch.setattr(kernel, "_SIGNS", 1)
    monkeypatch.setattr(kernel, "_WORDS", 1)
    found = unit_sums(data, 2, 15)
    np.testing.assert_array_equal(found.met, whole.met)
    np.testing.assert_array_equal(found.within, whole.within)


@pytest.mark.parametrize("length", [127, 128, 129, 300])
def test_ranks_of_every_width(length):
    """One byte holds the differences of 128 ranks, not of 129."""
    rows = RNG.standard_normal((length, 3))
    found = unit_sums(rows, 1, length)
    s = np.sign(rows[:, np.newaxis] - rows)
    np.testing.assert_array_equal(found.met[0], np.einsum("kla,klb->ab", s, s))


K = 5
MANY = WINDOW_ROWS


def rows_of(n, seed=0, offset=0.0):
    X = np.random.default_rng(seed).standard_cauchy((n, 3))
    X[:, 1] += X[:, 0]
    return np.round(np.clip(X, -1e4, 1e4), 3) + offset


def state(X, n_batches=K):
    return ConcordanceMoments(n_batches).update(X)


def assert_same(a, b):
    """Equal to the last bit: all sums are whole numbers."""
    assert (a.n_samples, a.n_features, a.feature_names) == (
        b.n_samples,
        b.n_features,
        b.feature_names,
    )
    one, other = a.concordance(), b.concordance()
    np.testing.assert_array_equal(one.total, other.total)
    assert one.n_pairs == other.n_pairs
    assert one.independent_pairs == pytest.approx(other.independent_pairs, rel=1e-12)


class TestFewRows:
    @pytest.mark.parametrize("offset", [0.0, 1e8])
    def test_all_pairs_are_compared(self, offset):
        X = rows_of(1000, offset=offset)
        found = state(X).kendall()
        for i, j in ((0, 1), (0, 2), (1, 2)):
            expected = stats.kendalltau(X[:, i], X[:, j]).statistic
            assert found[i, j] == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("n", [0, 1])
    def test_too_few(self, n, refuses):
        empty = ConcordanceMoments(K)
        if n:
            empty.update(rows_of(1))
        refuses(empty.kendall, DataError, "at least 2 rows", f"got {n}")


class TestManyRows:
    @pytest.mark.parametrize("windows", [1, 2])
    def test_joined_units(self, windows):
        """What the pairs within a unit add up to is not kept, but nearly known."""
        X = rows_of(windows * MANY)
        found = state(X, 8).concordance()
        units = len(found.touching)
        assert 8 <= units < 16
        length = len(X) // units
        whole = found.total
        for unit in range(units):
            own = slice(unit * length, (unit + 1) * length)
            exact, pairs = 0.0, 0.0
            for window in range(windows):
                inside = np.zeros(MANY, dtype=bool)
                start = own.start - window * MANY
                inside[max(start, 0) : max(start + length, 0)] = True
                rows = X[window * MANY : (window + 1) * MANY]
                for k in range(N_BLOCKS):
                    block, left = rows[k::N_BLOCKS], ~inside[k::N_BLOCKS]
                    exact += unit_sums(block[left], 1, 128).met[0] / 2 if left.sum() > 1 else 0.0
                    pairs += left.sum() * (left.sum() - 1) / 2
            assert found.n_pairs - found.pairs_touching[unit] == pairs
            gap = (whole - found.touching[unit] - exact) / pairs
            # A small part of the standard error of τ.
            assert np.abs(gap).max() < 0.1 * 0.67 / np.sqrt(len(X))

    @pytest.mark.parametrize("n_batches", [2, 150, 300])
    def test_as_many_units_as_are_wanted(self, n_batches):
        for n in (13_000, 27_000, 40_000):
            found = ConcordanceMoments(n_batches).update(rows_of(n)).concordance(n_batches)
            assert n_batches <= len(found.touching) < 2 * n_batches + 130

    @pytest.mark.parametrize("piece", [1, 1000, MANY, 20_000])
    def test_however_the_rows_are_cut(self, piece):
        n = 300 if piece == 1 else 30_001
        X = rows_of(n)
        stream = ConcordanceMoments(K)
        for start in range(0, n, piece):
            stream.update(X[start : start + piece])
        assert_same(stream, state(X))
        np.testing.assert_array_equal(
            stream.concordance().touching, state(X).concordance().touching
        )

    def test_whether_the_order_matters(self):
        X = rows_of(5 * MANY)
        assert not state(X).concordance().order_matters
        assert state(X[np.argsort(X[:, 0])]).concordance().order_matters


PARTS = st.lists(st.integers(0, 2).map(lambda k: k * MANY), min_size=1, max_size=4)


class TestMerging:
    @settings(max_examples=5)
    @given(sizes=PARTS)
    def test_whole_windows_in_any_order(self, sizes):
        """Stream, tree and any order: the same windows, so the same sums."""
        X = rows_of(sum(sizes))
        parts = [ConcordanceMoments(K).update(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
        if not sum(sizes):
            return
        whole = state(X)
        assert_same(functools.reduce(operator.add, parts), whole)
        assert_same(functools.reduce(lambda a, b: b + a, parts[::-1]), whole)
        assert_same(functools.reduce(operator.add, parts[::-1]), whole)
        assert_same(functools.reduce(lambda a, b: b + a, parts), whole)

    @pytest.mark.parametrize("sizes", [(1,) * 300, (2500,) * 6, (MANY + 1, 1, MANY + 127)])
    def test_no_row_is_lost(self, sizes):
        """However small the parts are, rows are compared with 124 others or more."""
        X = rows_of(sum(sizes))
        parts = [state(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
        merged = functools.reduce(operator.add, parts)
        assert merged.n_samples == len(X)
        assert merged.concordance().n_pairs == pytest.approx(
            state(X).concordance().n_pairs, rel=0.03
        )
        np.testing.assert_allclose(merged.kendall(), state(X).kendall(), atol=0.06)


class TestFiles:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"rows": np.full((3, 3), np.nan)}, "finite"),
            ({"rows": np.zeros((3, 2))}, "columns"),
            ({"rows": np.zeros(3)}, "rows"),
            ({"sample": np.full((3, 3), np.inf)}, "finite"),
            ({"sample": np.zeros((3, 2))}, "columns"),
            ({"n": np.array([0, 5])}, "at least one row"),
            ({"n": np.array([128.0])}, "at least one row"),
            ({"met": np.zeros((1, 3, 3))}, "met"),
            ({"window": np.full(8, -2)}, "windows"),
            ({"pairs_within": np.full(8, 1e9)}, "pairs"),
            ({"n": np.array([1600] * 7 + [100])}, "rows in all"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, tmp_path, change, said):
        from dataclasses import replace

        contents = state(rows_of(MANY + 3))._contents()
        assert len(contents.arrays["n"]) == 8
        arrays = {**contents.arrays, **change}
        write_state(tmp_path / "a.state", replace(contents, arrays=arrays))
        with pytest.raises(StateFileError, match=said):
            ConcordanceMoments.load(tmp_path / "a.state")
