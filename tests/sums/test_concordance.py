"""The state of Kendall's τ: few rows as they are, many as sums of blocks, merged in any order."""

import functools
import operator
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgewise.errors import DataError, StateFileError
from edgewise.states import ConcordanceMoments
from edgewise.sums.concordance import BLOCK_ROWS, N_BLOCKS, WINDOW_ROWS, unit_sums
from edgewise.sums.save import write_state

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
    def test_units_of_a_window(self):
        X = rows_of(MANY)
        found = state(X, 100).concordance()
        sums = unit_sums(X, N_BLOCKS)
        np.testing.assert_array_equal(found.total, sums.met.sum(axis=0) / 2)
        np.testing.assert_array_equal(found.touching, sums.met)
        assert len(found.touching) == BLOCK_ROWS
        assert found.n_pairs == N_BLOCKS * 128 * 127 / 2
        assert found.independent_pairs == pytest.approx(N_BLOCKS * 64)

    @pytest.mark.parametrize("windows", [1, 2, 5])
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

    def test_memory_does_not_grow(self):
        found = ConcordanceMoments(K)
        sizes = []
        for _ in range(12):
            sizes.append(len(pickle.dumps(found.update(rows_of(12_000)))))
        assert max(sizes) <= 8 * (2 * K * 9 + (WINDOW_ROWS + 1025) * 3) + 6000

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

    @pytest.mark.parametrize("n", [2, 9, 40])
    def test_sample_rows_of_the_whole_stream(self, n):
        X = np.column_stack([np.arange(n * MANY), rows_of(n * MANY)])
        found = ConcordanceMoments(K).update(X)
        kept = found._sample.rows[:, 0]
        assert 128 <= len(kept) <= 1024
        np.testing.assert_array_equal(np.diff(kept), found._sample.step)
        assert kept[-1] >= n * MANY - 2 * max(found._sample.step, MANY)

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

    @pytest.mark.parametrize("sizes", [(1,) * 700, (2500,) * 12, (MANY + 1, 1, MANY + 127)])
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
