"""What all states have in common: they add, copy, match columns by name and refuse alike."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.states import BatchMoments, ConcordanceMoments, Moments, PairwiseMoments

NAMES = ("a", "b", "c", "d")
KINDS = {
    "moments": Moments,
    "order 2": lambda **names: Moments(order=2, **names),
    "all products": lambda **names: Moments(order="all", **names),
    "batches": lambda **names: BatchMoments(5, **names),
    "pairwise": lambda **names: PairwiseMoments(5, **names),
    "concordance": lambda **names: ConcordanceMoments(5, **names),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def make(request):
    return request.param


def bits(state):
    contents = state._contents()
    arrays = {name: array.tobytes() for name, array in contents.arrays.items()}
    return contents.columns, contents.n_samples, contents.meta, arrays


def assert_close(state, expected):
    ours, theirs = state._contents(), expected._contents()
    assert (ours.columns, ours.n_samples, ours.meta) == (
        theirs.columns,
        theirs.n_samples,
        theirs.meta,
    )
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, array in ours.arrays.items():
        size = max(np.abs(theirs.arrays[name]).max(), 1.0)
        np.testing.assert_allclose(
            array, theirs.arrays[name], rtol=0, atol=1e-12 * size, err_msg=name
        )


@pytest.mark.exactness
def test_an_empty_state_is_neutral(make, rows):
    state = make().update(rows)
    for merged in (make() + state, state + make(), state.copy().update(rows[:0])):
        assert bits(merged) == bits(state)
    assert (make() + make()).n_samples == 0


@pytest.mark.exactness
def test_addition_copies_and_merging_is_in_place(make, rows):
    a, b = make().update(rows[:130]), make().update(rows[130:])
    before = bits(a), bits(b)
    total, copied = a + b, a.copy()
    copied.update(rows[:40])
    assert (bits(a), bits(b)) == before
    assert a.merge(b) is a
    assert bits(a) == bits(total)
    assert bits(a.update(rows[:9])) == bits(total.update(rows[:9]))
    assert (bits(b), copied.n_samples) == (before[1], 170)


def test_threads_may_update_one_state(make):
    X = np.random.default_rng(0).standard_normal((600, 4))
    state = make()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(state.update, np.split(X, 200)))
    assert state.n_samples == 600
    if not isinstance(state, ConcordanceMoments):
        np.testing.assert_allclose(state.covariance(), np.cov(X, rowvar=False), rtol=1e-10)


def test_what_does_not_add_up_is_refused(make, rows, refuses):
    a = make().update(rows)
    before = bits(a)
    for call in (lambda: a + a, lambda: a.merge(a)):
        refuses(call, ParameterError, "got the state itself", "copy()")
    assert (a + a.copy()).n_samples == 2 * len(rows)
    empty = make()
    assert empty.merge(empty).n_samples == 0
    narrow = make().update(rows[:, :3])
    refuses(lambda: a + narrow, ParameterError, "a state of 4 columns, got one of 3")
    for other in (1, None, *(kind().update(rows) for kind in KINDS.values())):
        if type(other) is not type(a):
            with pytest.raises(TypeError):
                _ = a + other
    if hasattr(a, "n_batches"):
        six = type(a)(6).update(rows)
        refuses(lambda: a.merge(six), ParameterError, "a state of 5 batches, got one of 6")
    assert bits(a) == before


def test_memory_does_not_grow(make, rows):
    """Of a stream, only sums are kept, and of ranks at most a window of rows."""
    state, sizes = make(), []
    for _ in range(130):
        sizes.append(len(pickle.dumps(state.update(rows))))
    assert max(sizes[64:]) <= 1.1 * max(sizes[:64])
    assert state.n_samples == 130 * len(rows)
    assert bits(pickle.loads(pickle.dumps(state))) == bits(state)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_failed_update_changes_nothing(make, rows, bad, refuses):
    state = make().update(rows[:33])
    before = bits(state)
    refuses(lambda: state.update(rows[:, :2]), DataError, "2 features, but 4 features")
    X = rows.copy()
    X[-1, 1] = bad
    if not isinstance(state, PairwiseMoments):  # for which it is a missing value
        with pytest.raises(NonFiniteError, match=r"'x1' \(1\)") as caught:
            state.update(X)
        assert caught.value.counts.tolist() == [0, 1, 0, 0]
    assert bits(state) == before


@pytest.mark.parametrize("dtype", [bool, np.int16, np.float32, object])
def test_every_kind_of_number_and_later_changes(make, dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype is bool else 100, (300, 3))
    own = X.astype(dtype)
    state = make().update(own)
    expected = make().update(X.astype(np.float64)).covariance()
    own[:] = 0
    np.testing.assert_allclose(state.covariance(), expected, rtol=1e-12)


def test_no_rows(make):
    state = make().update(np.empty((0, 3)))
    assert (state.n_samples, state.n_features) == (0, None)
    assert "n_samples=0, n_features=None" in repr(state)


@pytest.mark.parametrize("kind", [BatchMoments, PairwiseMoments, ConcordanceMoments])
def test_number_of_batches_is_a_whole_number_from_two_on(kind, refuses):
    for K in (1, 0, -3, 2.0, 2.5, "5", True, np.nan):
        refuses(lambda K=K: kind(K), ParameterError, "n_batches: expected a whole number", "2")


class TestNames:
    @pytest.mark.parametrize("order", [(3, 2, 1, 0), (2, 0, 3, 1)])
    def test_states_in_any_order_of_columns(self, make, rows, order):
        order = list(order)
        left = make(feature_names=NAMES).update(rows[:150])
        aligned = make(feature_names=NAMES).update(rows[150:])
        names = [NAMES[i] for i in order]
        shuffled = make(feature_names=names).update(rows[150:, order])
        assert_close(left + shuffled, left + aligned)
        assert_close(left.copy().merge(shuffled), left + aligned)
        # The other way round the result has the other order, and the same numbers in it.
        swapped = shuffled + left
        assert swapped.feature_names == tuple(names)
        covariance = (left + aligned).covariance()
        np.testing.assert_allclose(
            swapped.covariance(), covariance[np.ix_(order, order)], rtol=1e-12, atol=1e-14
        )

    @pytest.mark.parametrize("named", [0, 1])
    def test_one_side_without_names_is_matched_by_position(self, make, rows, named):
        names = [NAMES if i == named else None for i in range(2)]
        left = make(feature_names=names[0]).update(rows[:150])
        merged = left + make(feature_names=names[1]).update(rows[150:])
        assert merged.feature_names == NAMES
        whole = make().update(rows).covariance()
        np.testing.assert_allclose(merged.covariance(), whole, rtol=1e-11, atol=1e-13)

    def test_other_columns_are_refused(self, make, rows, refuses):
        left = make(feature_names=NAMES).update(rows)
        right = make(feature_names=("a", "b", "c", "e")).update(rows)
        for call in (lambda: left + right, lambda: left.merge(right)):
            refuses(call, ParameterError, "it lacks 'd'", "it also has 'e'")
        other = arrow(rows, ("a", "b", "c", "e"))
        refuses(lambda: left.update(other), DataError, "X:", "it lacks 'd'", "it also has 'e'")
        assert bits(left) == bits(make(feature_names=NAMES).update(rows))

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_rows_in_another_order_of_columns(self, make, rows, require, library):
        frames = require(library)
        table = {
            "pandas": lambda rows, names: frames.DataFrame(rows, columns=list(names)),
            "polars": lambda rows, names: frames.DataFrame(rows, schema=list(names)),
            "pyarrow": arrow,
        }[library]
        state = make().update(table(rows[:150], NAMES))
        state.update(table(rows[150:, ::-1], NAMES[::-1]))
        assert_close(state, make(feature_names=NAMES).update(rows[:150]).update(rows[150:]))

    def test_arrays_go_by_position(self, make, rows):
        state = make().update(arrow(rows[:150], NAMES)).update(rows[150:])
        assert_close(state, make(feature_names=NAMES).update(rows[:150]).update(rows[150:]))
        # Names that come late could be those of other columns.
        assert make().update(rows[:150]).update(arrow(rows[150:], NAMES)).feature_names is None
        assert make().update(arrow(rows[:0], NAMES)).feature_names is None

    def test_numbers_are_names_where_there_are_no_others(self, make, rows, require):
        frame = require("pandas").DataFrame(rows)
        state = make().update(frame[:150]).update(frame.iloc[150:, ::-1])
        expected = make(feature_names=list("0123")).update(rows[:150]).update(rows[150:])
        assert_close(state, expected)
        # Numbers that nobody gave do not contradict names that somebody did.
        named = make(feature_names=NAMES)
        assert_close(named.copy().update(frame), named.update(rows))


def arrow(rows, names):
    return pa.table(dict(zip(names, np.asarray(rows).T, strict=True)))
