"""Each entry from the rows that have both columns: sums, and the state of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import edgewise as ew
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.states import BatchMoments, PairwiseMoments
from edgewise.sums.blocks import Centre
from edgewise.sums.pairwise import pairwise_sums
from edgewise.sums.save import read_state
from edgewise.tables.table import ColumnBlock

NAMES = ("n", "origin", "rows", "first", "second", "weight", "square")


@pytest.fixture(scope="module")
def gaps():
    """60 rows of 3 columns, a quarter of the values missing: NaN, and infinite ones."""
    rng = np.random.default_rng(1)
    X = rng.standard_t(5, (60, 3)) @ np.array([[1, 0.5, 0], [0, 1, -0.4], [0, 0, 1]]) + [3, 0, -9]
    X[rng.random(X.shape) < 0.25] = np.nan
    X[5, 1], X[6, 2] = np.inf, -np.inf
    return X


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(2).exponential(size=60) + 0.01


def slow_sums(X, w, origin):
    """Every pair by itself, the definition."""
    p = X.shape[1]
    found = {name: np.zeros((p, p)) for name in NAMES[2:]}
    for i in range(p):
        for j in range(p):
            both = np.isfinite(X[:, i]) & np.isfinite(X[:, j])
            u, v, own = X[both, i] - origin[i], X[both, j] - origin[j], w[both]
            found["rows"][i, j] = both.sum()
            found["first"][i, j] = np.sum(own * u)
            found["second"][i, j] = np.sum(own * u * v)
            found["weight"][i, j], found["square"][i, j] = own.sum(), np.sum(own**2)
    return found


def check_sums(sums, X, w, batch=0, tolerance=1e-11):
    expected = slow_sums(X, w, sums.origin[batch])
    for name in NAMES[2:]:
        mine = {"weight": sums.total, "square": sums.total_square}.get(name)
        mine = getattr(sums, name) if mine is None else mine
        np.testing.assert_allclose(mine[batch], expected[name], rtol=tolerance, atol=tolerance)


class TestChanges:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_another_origin(self, gaps, weights, weighted):
        sums = pairwise_sums(gaps, weights if weighted else None, 20)
        moved = sums.about(Centre(np.array([1.0, -2.0, 7.0]), np.full(3, 0.25)))
        w = weights if weighted else np.ones(60)
        for batch in range(3):
            some = slice(20 * batch, 20 * batch + 20)
            expected = slow_sums(gaps[some], w[some], np.array([1.25, -1.75, 7.25]))
            for name in ("first", "second"):
                np.testing.assert_allclose(
                    getattr(moved, name)[batch], expected[name], rtol=1e-11, atol=1e-11
                )
        back = moved.about(Centre(np.zeros(3), None)).about(Centre(sums.origin[0], None))
        assert back.origin.shape == sums.origin.shape

    def test_a_part_that_lacks_a_column_says_nothing_of_it(self, gaps):
        empty = gaps[:10].copy()
        empty[:, 1] = np.nan
        # Its origin would be far from the values of the other part.
        far = gaps[10:] + np.array([0, 1e9, 0])
        both = pairwise_sums(empty, None).plus(pairwise_sums(far, None))
        expected = np.nanmean(np.where(np.isfinite(far), far, np.nan)[:, 1])
        np.testing.assert_allclose(both.origin[0, 1], expected, rtol=1e-14)
        check_sums(both, np.concatenate([empty, far]), np.ones(60), tolerance=1e-6)


MIXING = np.array([[1.0, 0.6, -0.3], [0, 1, 0.5], [0, 0, 1]])
OFFSETS = [0.0, 1e5, 1e8, 1e10]


def rows_of(n, seed=0, offset=0.0, share=0.2):
    """Rows with NaN for a share of the values; adding the offset is exact."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_t(6, (n, 3)) @ MIXING * 2**18) / 2**18 + offset
    X[rng.random(X.shape) < share] = np.nan
    return X


def weights_of(n, seed=5):
    return np.random.default_rng(seed).exponential(size=n) + 0.05


def with_weights(X, w):
    """What a pass over rows with weights takes: rows of weight zero are left out."""
    if w is None:
        return X
    rows = ColumnBlock.of(np.asarray(X)[w > 0])
    rows.weights = w[w > 0]
    return rows


def state(X, K=5, weights=None, **options):
    return PairwiseMoments(K, **options).update(with_weights(X, weights))


def stream(X, rows, K=5, weights=None, **options):
    made = PairwiseMoments(K, **options)
    for start in range(0, len(X), rows):
        some = slice(start, start + rows)
        made.update(with_weights(X[some], None if weights is None else weights[some]))
    return made


def slow_covariance(X, weights=None):
    """Pair by pair, by NumPy; weighted ones with the divisor n − 1, as without weights."""
    p = X.shape[1]
    found = np.full((p, p), np.nan)
    for i in range(p):
        for j in range(p):
            both = np.isfinite(X[:, i]) & np.isfinite(X[:, j])
            n = int(both.sum())
            if n > 1:
                own = None if weights is None else weights[both]
                pair = np.cov(X[both, i], X[both, j], aweights=own, ddof=0)
                found[i, j] = pair[0, 1] * n / (n - 1)
    return found


def sums(made):
    return made.sums_about(made.pooled().centre())


def assert_same(a, b, tolerance=1e-12):
    np.testing.assert_array_equal(a.batch_counts(), b.batch_counts())
    assert (a.batch_rows, a.weighted) == (b.batch_rows, b.weighted)
    for name in ("rows", "first", "second", "total", "total_square"):
        mine, theirs = getattr(sums(a), name), getattr(sums(b), name)
        size = np.abs(theirs).max()
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance * size)
    np.testing.assert_allclose(a.mean(), b.mean(), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(a.covariance(), b.covariance(), rtol=tolerance, atol=tolerance)


class TestCovariance:
    @pytest.mark.parametrize("offset", OFFSETS)
    @pytest.mark.parametrize(("rows", "batch_rows"), [(1, 1), (37, 100), (400, 1)])
    def test_is_that_of_every_pair(self, require, rows, batch_rows, offset):
        X = rows_of(400, offset=offset)
        found = stream(X, rows, batch_rows=batch_rows)
        slow = slow_covariance(X - offset)
        deviation = np.sqrt(np.outer(slow.diagonal(), slow.diagonal()))
        frame = require("pandas").DataFrame(X - offset)
        for other in (slow, frame.cov().to_numpy()):
            assert np.max(np.abs(found.covariance() - other) / deviation) <= 1e-12
        np.testing.assert_allclose(found.mean(), np.nanmean(X, axis=0), rtol=1e-13, atol=1e-13)
        known = np.isfinite(X).astype(int)
        np.testing.assert_array_equal(found.pooled().pair_rows, known.T @ known)

    @pytest.mark.parametrize("offset", OFFSETS)
    @pytest.mark.parametrize("rows", [1, 37, 400])
    def test_with_weights(self, rows, offset):
        X, w = rows_of(400, offset=offset), weights_of(400)
        found = stream(X, rows, weights=w)
        slow = slow_covariance(X - offset, w)
        deviation = np.sqrt(np.outer(slow.diagonal(), slow.diagonal()))
        assert np.max(np.abs(found.covariance() - slow) / deviation) <= 1e-12
        known = np.isfinite(X)
        means = [np.average(X[known[:, j], j] - offset, weights=w[known[:, j]]) for j in range(3)]
        np.testing.assert_allclose(found.mean(), np.array(means) + offset, rtol=1e-13, atol=1e-13)

    def test_pooled(self):
        X, w = rows_of(300), weights_of(300)
        pooled = state(X, weights=w).pooled()
        known = np.isfinite(X)
        assert (pooled.n_samples, pooled.n_features) == (300, 3)
        assert pooled.weighted
        assert pooled.incomplete
        np.testing.assert_array_equal(pooled.n_missing, (~known).sum(axis=0))
        both = known[:, 0] & known[:, 2]
        kish = w[both].sum() ** 2 / np.sum(w[both] ** 2)
        np.testing.assert_allclose(pooled.effective_rows[0, 2], kish, rtol=1e-12)
        centre = pooled.centre()
        np.testing.assert_allclose(centre.origin + centre.offset, pooled.mean(), rtol=1e-12)

    def test_a_column_without_values(self):
        X = rows_of(50)
        X[:, 1] = np.nan
        found = state(X)
        assert found.pooled().pair_rows[1].tolist() == [0, 0, 0]
        assert found.pooled().n_missing[1] == 50
        covariance = found.covariance()
        assert np.isnan(covariance[1]).all()
        np.testing.assert_allclose(covariance, slow_covariance(X), rtol=1e-12)

    def test_a_column_that_comes_late(self):
        """The batches in which it lacks all values have no origin for it."""
        X = rows_of(80, offset=1e8)
        X[:60, 1] = np.nan
        for rows in (1, 7, 80):
            found = stream(X, rows).covariance()
            np.testing.assert_allclose(found, slow_covariance(X - 1e8), rtol=1e-9)


class TestBatches:
    @pytest.mark.parametrize("n", [9, 100, 1003])
    @pytest.mark.parametrize("batch_rows", [1, 30])
    def test_complete_rows_have_the_batches_of_batch_moments(self, n, batch_rows):
        X = rows_of(n, share=0)
        mine, theirs = state(X, batch_rows=batch_rows), BatchMoments(5, batch_rows=batch_rows)
        theirs.update(X)
        np.testing.assert_array_equal(mine.batch_counts(), theirs.batch_counts())
        scatters = theirs.sums_about(theirs.pooled().centre()).second
        np.testing.assert_allclose(sums(mine).second, scatters, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(mine.covariance(), theirs.covariance(), rtol=1e-12)


class TestWeights:
    def test_rows_of_weight_zero_are_left_out(self):
        X, w = rows_of(200), weights_of(200)
        w[::3] = 0.0
        found = state(X, weights=w)
        kept = w > 0
        assert found.n_samples == kept.sum()
        assert_same(found, state(X[kept], weights=w[kept]), 0)

    def test_for_all_rows_or_for_none(self, refuses):
        X, w = rows_of(40), weights_of(40)
        plain, weighted = state(X), state(X, weights=w)
        refuses(
            lambda: plain.update(with_weights(X, w)),
            ParameterError,
            "weights: expected for all rows or for none, got rows with them after rows without",
        )
        refuses(
            lambda: weighted.update(X), ParameterError, "got rows without them after rows with them"
        )
        for a, b in ((plain, weighted), (weighted, plain)):
            refuses(lambda a=a, b=b: a + b, ParameterError, "for all rows or for none")
            refuses(lambda a=a, b=b: a.merge(b), ParameterError, "for all rows or for none")
        assert_same(plain, state(X), 0)
        assert_same(weighted, state(X, weights=w), 0)

    @pytest.mark.parametrize("size", [1e200, 1e-200])
    def test_bad_ones(self, refuses, size):
        made = state(rows_of(40), weights=weights_of(40))
        bad = with_weights(rows_of(40), np.full(40, size))
        fragment = "weights: their squares are too large or too small"
        refuses(lambda: made.update(bad), DataError, fragment)
        assert_same(made, state(rows_of(40), weights=weights_of(40)), 0)


class TestDamagedFiles:
    """Their checksum is right, and still nothing of them is believed."""

    @pytest.fixture(params=[False, True], ids=["plain", "weighted"])
    def saved(self, request, tmp_path):
        weights = weights_of(10) if request.param else None
        state(rows_of(10), K=3, weights=weights).save(tmp_path / "x.ews")
        return tmp_path / "x.ews"

    def test_arrays_that_do_not_fit(self, tamper, saved, refuses):
        whole, found = saved.read_bytes(), read_state(saved).arrays
        for name, array in found.items():
            changes = [array.reshape(*array.shape[::-1], 1), array.reshape(-1, *[1] * array.ndim)]
            if name not in ("weight", "open_weight"):  # without them, squares are of no use
                changes.append(None)
            for change in changes:
                saved.write_bytes(whole)
                tamper(saved, arrays={name: change})
                refuses(lambda: PairwiseMoments.load(saved), StateFileError)

    def test_impossible_numbers_of_rows(self, tamper, saved, refuses):
        whole, found = saved.read_bytes(), read_state(saved).arrays
        for name, place, values, word in (
            ("rows", (0, 0, 0), (-1, 3, 1 << 60), "no more rows of a pair than"),
            ("n", 0, (0, -1, 1 << 62), "state: "),
            ("rows", (0, 0, 1), (1 - found["rows"][0, 0, 1],), "in either order"),
        ):
            for value in values:
                saved.write_bytes(whole)
                change = found[name].copy()
                change[place] = value
                tamper(saved, arrays={name: change})
                refuses(lambda: PairwiseMoments.load(saved), StateFileError, word)

    def test_weights_and_sums_that_are_no_numbers(self, tamper, tmp_path, refuses):
        path = tmp_path / "x.ews"
        for value in (np.nan, np.inf, -1.0):
            for name in ("weight", "square", "open_weight", "open_square"):
                state(rows_of(11), K=3, weights=weights_of(11)).save(path)
                change = read_state(path).arrays[name].copy()
                change.flat[0] = value
                tamper(path, arrays={name: change})
                refuses(lambda: PairwiseMoments.load(path), StateFileError, "positive weights")
        for name in ("origin", "first", "second"):
            state(rows_of(400), K=50).save(path)
            change = read_state(path).arrays[name].copy()
            change.flat[0] = np.inf
            tamper(path, arrays={name: change})
            # They may overflow, for large values; the test then says so.
            refuses(lambda: ew.edge_test(path, method="batch"), DataError, "overflows")


@st.composite
def uneven_tables(draw):
    """Small numbers, some missing, and weights or none."""
    shape = draw(st.integers(2, 40)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, shape, elements=st.floats(-1e3, 1e3, width=32)))
    known = draw(arrays(np.bool_, shape, elements=st.booleans()))
    weights = st.floats(0.0625, 16, width=32)
    own = draw(st.none() | arrays(np.float64, shape[0], elements=weights))
    return np.where(known, X, np.nan), own


@settings(max_examples=60)
@given(uneven_tables(), st.integers(2, 6), st.integers(1, 5), st.data())
def test_any_table_cut_and_merged_anyhow(table, K, batch_rows, data):
    X, w = table
    p = X.shape[1]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    order = np.array(data.draw(st.permutations(range(p))))
    merged = PairwiseMoments(K, batch_rows=batch_rows, feature_names=[f"c{j}" for j in range(p)])
    streamed = PairwiseMoments(K, batch_rows=batch_rows)
    bounds = [0, *cuts, len(X)]
    for number, (a, b) in enumerate(itertools.pairwise(bounds)):
        own = None if w is None else w[a:b]
        # Every other part has its columns in another order.
        how = order if number % 2 else np.arange(p)
        names = [f"c{j}" for j in how]
        part = PairwiseMoments(K, batch_rows=batch_rows, feature_names=names)
        merged = merged + part.update(with_weights(X[a:b][:, how], own))
        streamed.update(with_weights(X[a:b], own))
    whole = state(X, K, weights=w, batch_rows=batch_rows)
    np.testing.assert_array_equal(streamed.batch_counts(), whole.batch_counts())
    known = np.isfinite(X)
    size = (1 + np.abs(X[known]).max(initial=0.0) ** 2) * 16
    expected = slow_covariance(X, w)
    for found in (merged, streamed, whole):
        assert found.n_samples == len(X)
        assert len(found.batch_counts()) <= 2 * K
        # The names, and their order, are those of the first part that has rows.
        names = found.feature_names or [f"c{j}" for j in range(p)]
        at = np.ix_(*[[names.index(f"c{j}") for j in range(p)]] * 2)
        rows = found.pooled().pair_rows[at]
        np.testing.assert_array_equal(rows, known.T.astype(int) @ known.astype(int))
        np.testing.assert_allclose(found.covariance()[at], expected, rtol=0, atol=1e-11 * size)
