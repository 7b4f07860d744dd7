"""What all states have in common: they add, copy and refuse alike."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.states import BatchMoments, ConcordanceMoments, Moments, PairwiseMoments

KINDS = {
    "moments": Moments,
    "order 2": lambda **names: Moments(order=2, **names),
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


def test_columns_are_matched_by_name(make, rows):
    order = [2, 0, 3, 1]
    whole = make(feature_names=tuple("abcd")).update(rows)
    part = make(feature_names=[*"cadb"]).update(rows[200:][:, order])
    merged = make(feature_names=tuple("abcd")).update(rows[:200]) + part
    assert merged.feature_names == tuple("abcd")
    np.testing.assert_allclose(merged.covariance(), whole.covariance(), rtol=1e-10, atol=1e-12)


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
