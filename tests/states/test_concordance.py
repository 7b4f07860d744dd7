"""The state of Kendall's τ: few rows as they are, many as sums of blocks, merged in any order."""

import functools
import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import edgewise as ew
from edgewise import ConcordanceMoments, DataError, NonFiniteError, ParameterError, StateFileError
from edgewise.kernels.concordance import within_blocks
from edgewise.states.concordance import BLOCK_ROWS
from edgewise.states.file_format import write_state

#: So few that 5 · 128 rows are many.
K = 5
MANY = K * BLOCK_ROWS


def rows_of(n, seed=0, offset=0.0):
    X = np.random.default_rng(seed).standard_cauchy((n, 3))
    X[:, 1] += X[:, 0]
    return np.round(np.clip(X, -1e4, 1e4), 3) + offset


def state(X, **options):
    return ConcordanceMoments(K, **options).update(X)


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
        X = rows_of(MANY - 1, offset=offset)
        found = state(X).kendall()
        for i, j in ((0, 1), (0, 2), (1, 2)):
            expected = stats.kendalltau(X[:, i], X[:, j]).statistic
            assert found[i, j] == pytest.approx(expected, rel=1e-12)

    def test_units_are_rows_or_batches(self):
        found = state(rows_of(300))
        assert len(found.concordance().touching) == 300
        assert 20 <= len(found.concordance(20).touching) < 40

    def test_later_changes_of_the_array_are_not_seen(self):
        X = rows_of(50)
        found = state(X)
        before = found.kendall()
        X[:] = 0
        np.testing.assert_array_equal(found.kendall(), before)

    @pytest.mark.parametrize("n", [0, 1])
    def test_too_few(self, n, refuses):
        empty = ConcordanceMoments(K)
        if n:
            empty.update(rows_of(1))
        refuses(empty.kendall, DataError, "at least 2 rows", f"got {n}")


class TestManyRows:
    def test_sums_of_consecutive_blocks(self):
        X = rows_of(MANY)
        found = state(X).concordance()
        np.testing.assert_array_equal(found.touching, within_blocks(X, BLOCK_ROWS))
        assert found.n_pairs == K * 128 * 127 / 2
        assert found.independent_pairs == pytest.approx(K * 64)

    def test_rows_that_fill_no_block_count_too(self):
        X = rows_of(MANY + 50)
        found = state(X).concordance()
        np.testing.assert_array_equal(found.touching[-1], within_blocks(X[MANY:], 50)[0])
        assert found.n_pairs == K * 128 * 127 / 2 + 50 * 49 / 2
        assert found.n_samples == MANY + 50
        single = state(rows_of(MANY + 1)).concordance()
        assert (len(single.touching), single.n_samples) == (K, MANY + 1)

    def test_number_of_batches(self):
        found = ConcordanceMoments(K)
        for _ in range(40):
            found.update(rows_of(300))
            if found.n_samples >= MANY:
                assert K <= len(found._sums) < 2 * K
                assert all(count == found.batch_rows for count in found._counts[:-1])
        assert found.n_samples == 12_000

    def test_memory_does_not_grow(self):
        found = ConcordanceMoments(K)
        sizes = []
        for _ in range(30):
            sizes.append(len(pickle.dumps(found.update(rows_of(1000)))))
        assert max(sizes) <= 8 * (2 * K * 9 + BLOCK_ROWS * 3) + 4000

    @pytest.mark.parametrize("piece", [1, 100, 128, 1000])
    def test_however_the_rows_are_cut(self, piece):
        n = 300 if piece == 1 else 3001
        X = rows_of(n)
        stream = ConcordanceMoments(K)
        for start in range(0, n, piece):
            stream.update(X[start : start + piece])
        assert_same(stream, state(X))
        np.testing.assert_array_equal(
            stream.concordance().touching, state(X).concordance().touching
        )

    def test_near_all_pairs(self):
        X = rows_of(6000)
        expected = stats.kendalltau(X[:, 0], X[:, 1]).statistic
        # Blocks of 128 add a few per cent to a standard error of 0.008.
        assert state(X).kendall()[0, 1] == pytest.approx(expected, abs=0.005)


PARTS = st.lists(st.integers(0, 3 * K).map(lambda k: k * BLOCK_ROWS), min_size=1, max_size=5)


class TestMerging:
    def test_an_empty_state_is_neutral(self):
        for n in (40, MANY + 40):
            one = state(rows_of(n))
            assert_same(one + ConcordanceMoments(K), one)
            assert_same(ConcordanceMoments(K) + one, one)
            assert_same(ConcordanceMoments(99) + one, one)
        assert (ConcordanceMoments(K) + ConcordanceMoments(K)).n_samples == 0

    @given(sizes=st.lists(st.integers(0, 120), min_size=1, max_size=5))
    def test_few_rows_in_any_order(self, sizes):
        """All pairs are compared: neither order nor cuts matter."""
        X = rows_of(sum(sizes))
        parts = [ConcordanceMoments(K).update(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
        if sum(sizes) < 2:
            return
        whole = state(X)
        for merged in (
            functools.reduce(operator.add, parts),
            functools.reduce(lambda a, b: b + a, parts),
            functools.reduce(operator.add, parts[::-1]),
        ):
            assert_same(merged, whole)

    @given(sizes=PARTS)
    def test_whole_blocks_in_any_order(self, sizes):
        """Stream, tree and any order: the same blocks, so the same sums."""
        X = rows_of(sum(sizes))
        parts = [ConcordanceMoments(K).update(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
        if not sum(sizes):
            return
        whole = state(X)
        assert_same(functools.reduce(operator.add, parts), whole)
        assert_same(functools.reduce(lambda a, b: b + a, parts[::-1]), whole)
        if sum(sizes) >= MANY:
            assert_same(functools.reduce(operator.add, parts[::-1]), whole)
            assert_same(functools.reduce(lambda a, b: b + a, parts), whole)

    @pytest.mark.parametrize("sizes", [(1,) * 700, (33,) * 60, (MANY + 1, 1, MANY + 127)])
    def test_no_row_is_lost(self, sizes):
        """However small the parts are, all rows but the last few are compared with 127 others."""
        X = rows_of(sum(sizes))
        parts = [state(part) for part in np.split(X, np.cumsum(sizes)[:-1])]
        merged = functools.reduce(operator.add, parts)
        assert merged.n_samples == len(X)
        full, rest = divmod(len(X), BLOCK_ROWS)
        expected = full * 128 * 127 / 2 + rest * (rest - 1) / 2
        assert merged.concordance().n_pairs == expected
        np.testing.assert_allclose(merged.kendall(), state(X).kendall(), atol=0.06)

    def test_columns_are_matched_by_name(self):
        import pandas as pd

        for n in (100, MANY + 70):
            X = pd.DataFrame(rows_of(2 * n), columns=list("abc"))
            one = ConcordanceMoments(K).update(X[:n])
            other = ConcordanceMoments(K).update(X[n:][["c", "a", "b"]])
            straight = ConcordanceMoments(K).update(X[n:])
            assert_same(one + other, one + straight)
            assert (ConcordanceMoments(K) + other).feature_names == ("c", "a", "b")
            assert_same(ConcordanceMoments(K) + other, other)

    def test_merge_changes_the_state_only(self):
        one, other = state(rows_of(100)), state(rows_of(50, seed=1))
        before = other.kendall()
        assert one.merge(other) is one
        assert (one.n_samples, other.n_samples) == (150, 50)
        np.testing.assert_array_equal(other.kendall(), before)

    def test_a_copy_is_independent(self):
        one = state(rows_of(100))
        copied = one.copy()
        copied.update(rows_of(10))
        assert (one.n_samples, copied.n_samples) == (100, 110)

    def test_refusals(self, refuses):
        one = state(rows_of(20))
        refuses(lambda: one + one, ParameterError, "the state itself")
        refuses(
            lambda: one + ConcordanceMoments(6).update(rows_of(20)),
            ParameterError,
            "5 batches",
            "6",
        )
        refuses(lambda: one + state(rows_of(20)[:, :2]), ParameterError, "3 columns", "one of 2")
        with pytest.raises(TypeError):
            one + ew.Moments().update(rows_of(20))


class TestBadRows:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("n", [50, MANY + 300])
    def test_missing_values_leave_the_state_as_it_was(self, value, n):
        one = state(rows_of(100))
        before = one.kendall()
        bad = rows_of(n)
        bad[-1, 1] = value
        with pytest.raises(NonFiniteError):
            one.update(bad)
        assert one.n_samples == 100
        np.testing.assert_array_equal(one.kendall(), before)

    def test_other_columns(self, refuses):
        refuses(lambda: state(rows_of(9)).update(rows_of(9)[:, :2]), DataError, "3")

    @pytest.mark.parametrize("n_batches", [1, 0, 2.5, "many"])
    def test_number_of_batches(self, n_batches):
        with pytest.raises(ParameterError, match="n_batches"):
            ConcordanceMoments(n_batches)


class TestFiles:
    @pytest.mark.parametrize("n", [0, 1, 100, MANY, MANY + 77, 9 * MANY + 77])
    def test_a_state_comes_back(self, tmp_path, n):
        one = ConcordanceMoments(K, feature_names=list("abc"))
        if n:
            one.update(rows_of(n))
        one.save(tmp_path / "a.state")
        for back in (
            ConcordanceMoments.load(tmp_path / "a.state"),
            ew.load_state(tmp_path / "a.state"),
        ):
            assert (repr(back), back.feature_names) == (repr(one), one.feature_names)
            if n > 1:
                assert_same(back, one)
            # And goes on as the first would.
            assert_same(back.update(rows_of(200, seed=1)), one.copy().update(rows_of(200, seed=1)))

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"rows": np.full((3, 3), np.nan)}, "finite"),
            ({"rows": np.zeros((3, 2))}, "columns"),
            ({"rows": np.zeros(3)}, "rows"),
            ({"n": np.array([0, 5])}, "at least one row"),
            ({"n": np.array([128.0])}, "at least one row"),
            ({"sums": np.zeros((1, 3, 3))}, "sums"),
            ({"n": np.array([128] * 4 + [100])}, "rows in all"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, tmp_path, change, said):
        from dataclasses import replace

        contents = state(rows_of(MANY + 3))._contents()
        arrays = {**contents.arrays, **change}
        write_state(tmp_path / "a.state", replace(contents, arrays=arrays))
        with pytest.raises(StateFileError, match=said):
            ConcordanceMoments.load(tmp_path / "a.state")

    def test_other_blocks(self, tmp_path):
        from dataclasses import replace

        contents = state(rows_of(10))._contents()
        write_state(tmp_path / "a.state", replace(contents, meta={**contents.meta, "block": 64}))
        with pytest.raises(StateFileError, match="blocks of 128 rows, got 64"):
            ConcordanceMoments.load(tmp_path / "a.state")


def test_latent_moments():
    one = state(rows_of(400))
    np.testing.assert_array_equal(one.mean(), np.zeros(3))
    tau = one.kendall()
    np.testing.assert_allclose(one.covariance(), np.sin(np.pi * tau / 2), rtol=1e-14)
