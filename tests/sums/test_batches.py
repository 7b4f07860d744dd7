"""Batches add up to the moments of all rows, in a memory that does not grow with the stream."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgewise.states import BatchMoments, Moments
from edgewise.sums.batches import default_batches

MIXING = np.array([[1.0, 0.6, -0.3], [0, 1, 0.5], [0, 0, 1]])
OFFSETS = [0.0, 1e5, 1e8, 1e10]


def rows_of(n, seed=0, offset=0.0):
    X = np.random.default_rng(seed).standard_t(6, (n, 3)) @ MIXING
    return np.round(X * 2**18) / 2**18 + offset  # so that adding the offset is exact


def state(X, K=5, **options):
    return BatchMoments(K, **options).update(X)


def stream(X, rows, K=5, **options):
    batches = BatchMoments(K, **options)
    for start in range(0, len(X), rows):
        batches.update(X[start : start + rows])
    return batches


def scatters(batches):
    return batches.sums_about(batches.pooled().centre()).second


def direct_scatters(X, counts):
    """Scatter of each batch about the mean of all rows, one batch after the other."""
    c = X - X.mean(axis=0)
    parts = np.split(c, np.cumsum(counts)[:-1])
    return np.array([part.T @ part for part in parts])


class TestCovariance:
    @pytest.mark.parametrize("offset", OFFSETS)
    @pytest.mark.parametrize(("rows", "batch_rows"), [(1, 1), (1, 100), (37, 1), (1000, 200)])
    def test_is_that_of_all_rows(self, rows, batch_rows, offset):
        X = rows_of(1000, offset=offset)
        batches = stream(X, rows, batch_rows=batch_rows)
        exact = np.cov(X - offset, rowvar=False)
        deviation = np.sqrt(np.outer(exact.diagonal(), exact.diagonal()))
        for other in (exact, Moments().update(X).covariance()):
            assert np.max(np.abs(batches.covariance() - other) / deviation) <= 1e-13
        np.testing.assert_allclose(batches.mean(), X.mean(axis=0), rtol=1e-14, atol=1e-14)


class TestBatches:
    def test_doubling(self):
        batches = state(rows_of(9))
        assert batches.batch_counts().tolist() == [1] * 9
        batches.update(rows_of(1))
        assert batches.batch_counts().tolist() == [2] * 5
        batches.update(rows_of(9))
        assert batches.batch_counts().tolist() == [2] * 9 + [1]
        batches.update(rows_of(1))
        assert (batches.batch_counts().tolist(), batches.batch_rows) == ([4] * 5, 4)

    def test_pieces_of_a_long_batch(self):
        """Batches longer than what is summed at once."""
        X = np.random.default_rng(0).standard_normal((200_000, 3))
        batches = state(X, K=2, batch_rows=100_000)
        assert batches.batch_counts().tolist() == [100_000] * 2
        np.testing.assert_allclose(batches.covariance(), np.cov(X, rowvar=False), atol=1e-13)
        np.testing.assert_allclose(
            scatters(batches), direct_scatters(X, [100_000] * 2), rtol=1e-10, atol=1e-8
        )


tables = arrays(
    np.float64,
    st.tuples(st.integers(2, 60), st.integers(1, 3)),
    elements=st.floats(-1e3, 1e3, width=32),
)


@settings(max_examples=80)
@given(tables, st.integers(2, 6), st.integers(1, 5), st.data())
def test_any_table_cut_and_merged_anyhow(X, K, batch_rows, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    merged = BatchMoments(K, batch_rows=batch_rows)
    streamed = BatchMoments(K, batch_rows=batch_rows)
    for part in np.split(X, cuts):
        merged = merged + stream(part, 3, K, batch_rows=batch_rows)
        streamed.update(part)
    whole = state(X, K, batch_rows=batch_rows)
    np.testing.assert_array_equal(streamed.batch_counts(), whole.batch_counts())
    size = 1 + np.abs(X).max() ** 2
    for found in (merged, streamed, whole):
        counts = found.batch_counts()
        assert counts.sum() == found.n_samples == len(X)
        assert len(counts) <= 2 * K
        if found is not merged:
            assert len(counts) >= min(K, -(-len(X) // batch_rows))
            assert (counts[:-1] == found.batch_rows).all()
        np.testing.assert_allclose(
            found.covariance(), np.atleast_2d(np.cov(X, rowvar=False)), rtol=0, atol=1e-12 * size
        )
        expected = direct_scatters(X, counts)
        np.testing.assert_allclose(scatters(found), expected, rtol=0, atol=1e-11 * size * len(X))


class TestLength:
    """Rows that come together are summed in batches of the length that they will have."""

    @given(
        st.lists(st.integers(0, 60), min_size=1, max_size=6),
        st.integers(2, 9),
        st.integers(1, 3),
        st.sampled_from([2, 60]),
    )
    @settings(max_examples=60)
    def test_as_row_by_row(self, sizes, K, batch_rows, p):
        X = np.random.default_rng(sum(sizes)).standard_normal((sum(sizes), p)) + 3
        blocks, single = (BatchMoments(K, batch_rows=batch_rows) for _ in range(2))
        for block in np.split(X, np.cumsum(sizes)[:-1]):
            blocks.update(block)
        for row in X:
            single.update(row[np.newaxis])
        assert blocks.batch_rows == single.batch_rows
        if len(X):
            np.testing.assert_array_equal(blocks.batch_counts(), single.batch_counts())
            np.testing.assert_allclose(scatters(blocks), scatters(single), rtol=1e-9, atol=1e-9)

    def test_the_default_falls_with_the_columns(self):
        assert [default_batches(p) for p in (1, 160, 161, 200, 500, 1000, 5000)] == [
            *(100, 100, 99, 80, 32, 16, 16)
        ]
        wide = BatchMoments()
        assert wide.n_batches == 100  # nobody knows the columns yet
        wide.update(np.random.default_rng(0).standard_normal((700, 500)))
        assert wide.n_batches == 32
        assert len(wide.batch_counts()) == 44

    def test_the_usual_number_gives_way_to_one_that_was_asked_for(self):
        X = np.random.default_rng(0).standard_normal((900, 200))
        usual, asked = BatchMoments().update(X), BatchMoments(100).update(X + 1)
        assert (usual + asked).n_batches == (asked + usual).n_batches == 100
        assert (usual + BatchMoments().update(X + 1)).n_batches == 80

    def test_files_say_who_chose_the_number(self, tmp_path):
        X = np.random.default_rng(0).standard_normal((300, 170))
        for asked in (None, 94, 30):
            BatchMoments(asked).update(X).save(tmp_path / "rows.state")
            assert BatchMoments.load(tmp_path / "rows.state").requested == asked

    def test_a_short_batch_of_a_merged_state_stays_short(self):
        X = rows_of(1200)
        merged = BatchMoments(10).update(X[:333]) + BatchMoments(10).update(X[333:400])
        whole, streamed = merged.copy().update(X[400:]), merged.copy()
        for start in range(400, 1200, 13):
            streamed.update(X[start : start + 13])
        np.testing.assert_array_equal(whole.batch_counts(), streamed.batch_counts())


def test_states_of_different_lengths_come_to_the_longer():
    X = rows_of(86)
    merged, reverse = state(X[:80]) + state(X[80:]), state(X[80:]) + state(X[:80])
    assert merged.batch_rows == reverse.batch_rows == 16
    assert merged.batch_counts().tolist() == [16] * 5 + [6]
    assert reverse.batch_counts().tolist() == [6] + [16] * 5
    np.testing.assert_allclose(scatters(merged), scatters(state(X)), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(reverse.covariance(), merged.covariance(), rtol=1e-12)
    halves = state(X[:64], K=4) + state(X[64:74], K=4)  # batches of 16 rows, and of 2
    assert halves.batch_counts().tolist() == [16] * 4 + [10]
