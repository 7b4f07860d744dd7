"""States add like the rows they have seen, and lose no digits on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgewise.errors import DataError, ParameterError
from edgewise.states import Moments

MIXING = np.array([[1.0, 0.6, -0.3, 0.0], [0, 1, 0.5, 0.2], [0, 0, 1, 0.9], [0, 0, 0, 1]])
OFFSETS = [0.0, 1.0, 1e5, 1e8, 1e10]
extended = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="no extended precision to compare with"
)


def state(X, *, order=4):
    return Moments(order=order).update(X)


def stream(X, rows):
    moments = Moments()
    for start in range(0, len(X), rows):
        moments.update(X[start : start + rows])
    return moments


def random_tree(states, rng):
    """Merge two states drawn at random until one is left."""
    states = list(states)
    while len(states) > 1:
        i, j = rng.choice(len(states), 2, replace=False)
        merged = states[i] + states[j]
        states = [s for k, s in enumerate(states) if k not in (i, j)] + [merged]
    return states[0]


def values(moments):
    quartics = moments.quartics()
    return np.concatenate(
        [moments.mean(), moments.covariance().ravel(), quartics.columns, [quartics.norm]]
    )


def assert_identical(a, b):
    """To the last bit: for states made by the same operations in the same order."""
    assert a.n_samples == b.n_samples
    np.testing.assert_array_equal(values(a), values(b))


def errors(moments, X):
    """Error of the covariance and of the fourth-order sums against extended precision."""
    # Subtracting the first row is exact, so the second pass starts without rounding error.
    c = X.astype(np.longdouble) - X[0].astype(np.longdouble)
    c -= c.mean(axis=0)
    c -= c.mean(axis=0)
    covariance = c.T @ c / (len(X) - 1)
    columns, norm = np.mean(c**4, axis=0), np.mean(np.sum(c * c, axis=1) ** 2)
    deviation = np.sqrt(covariance.diagonal())
    quartics = moments.quartics()
    second = np.abs(moments.covariance() - covariance) / np.outer(deviation, deviation)
    fourth = max(
        np.max(np.abs(quartics.columns - columns) / columns), abs(quartics.norm / norm - 1)
    )
    return float(second.max()), float(fourth)


def rows_of(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    draw = {
        "gaussian": lambda: rng.standard_normal((n, 4)),
        "exponential": lambda: rng.standard_exponential((n, 4)),
        "t5": lambda: rng.standard_t(5, (n, 4)),
    }
    return draw[kind]() @ MIXING


tables = st.tuples(st.integers(0, 12), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(-1e3, 1e3, width=32))
)


class TestAddition:
    @settings(max_examples=60)
    @given(tables, st.data())
    def test_associative_and_batch_is_stream_is_tree(self, X, data):
        n = len(X)
        cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6)))
        parts = [state(part) for part in np.split(X, cuts)]
        left, right = Moments(), Moments()
        for part in parts:
            left = left + part
        for part in reversed(parts):
            right = part + right
        tree = random_tree(parts, np.random.default_rng(n))
        rows = data.draw(st.integers(1, 5))
        states = [state(X), stream(X, rows), left, right, tree]
        assert {s.n_samples for s in states} == {n}
        if n < 2:
            return
        size = np.abs(X).max()
        for s in states[1:]:
            quartics, expected = s.quartics(), states[0].quartics()
            np.testing.assert_allclose(s.mean(), X.mean(axis=0), atol=1e-14 * size)
            np.testing.assert_allclose(
                s.covariance(), states[0].covariance(), atol=1e-13 * size**2, rtol=1e-12
            )
            np.testing.assert_allclose(
                [*quartics.columns, quartics.norm],
                [*expected.columns, expected.norm],
                atol=1e-13 * size**4,
                rtol=1e-12,
            )

    @pytest.mark.exactness
    def test_different_orders_are_refused(self):
        X = rows_of("gaussian", 9)
        a = state(X)
        with pytest.raises(ParameterError, match="a state of order 4, got order 2"):
            a.merge(state(X, order=2))
        assert_identical(a, state(X))


@extended
class TestAccuracy:
    @pytest.mark.parametrize("offset", OFFSETS)
    @pytest.mark.parametrize("kind", ["gaussian", "exponential", "t5"])
    def test_far_from_the_origin(self, kind, offset):
        X = rows_of(kind, 12_000) + offset
        for moments in (state(X), stream(X, 100), state(X, order="all")):
            second, fourth = errors(moments, X)
            assert second <= 1e-13
            assert fourth <= 1e-12

    @pytest.mark.parametrize("offset", OFFSETS)
    def test_merge_order_does_not_show(self, offset):
        rng = np.random.default_rng(3)
        X = rows_of("t5", 5000) + offset
        parts = [state(part) for part in np.split(X, np.sort(rng.integers(0, 5000, 40)))]
        trees = [random_tree(parts, rng) for _ in range(10)]
        covariances = np.array([t.covariance() for t in trees])
        quartics = np.array([[*t.quartics().columns, t.quartics().norm] for t in trees])
        deviation = np.sqrt(covariances[0].diagonal())
        assert np.max(np.ptp(covariances, axis=0) / np.outer(deviation, deviation)) <= 1e-13
        assert np.max(np.ptp(quartics, axis=0) / quartics[0]) <= 1e-13

    @pytest.mark.parametrize("rows", [1, 100, 3000])
    @pytest.mark.parametrize("row", [np.full(4, 1e8), np.array([1e8, 0, 0, -1e8])])
    def test_outlier_in_the_first_row(self, row, rows):
        X = np.vstack([row, rows_of("gaussian", 2999)])
        assert max(errors(stream(X, rows), X)) <= 1e-12


class TestInput:
    @pytest.mark.parametrize(
        "layout",
        [
            np.asfortranarray,
            lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
            lambda X: X[::-1][::-1],
            lambda X: np.broadcast_to(X, (1, *X.shape))[0],
            lambda X: X.astype(">f8"),
        ],
        ids=["fortran", "strided", "reversed", "broadcast", "big-endian"],
    )
    def test_every_layout(self, layout):
        X = rows_of("t5", 500) + 3.0
        np.testing.assert_allclose(values(state(layout(X))), values(state(X)), rtol=1e-13)

    @pytest.mark.exactness
    def test_order_two_has_no_quartics(self):
        X = rows_of("gaussian", 100)
        moments = state(X, order=2)
        # Not to the last bit: with the fourth orders, rows are multiplied in other groups.
        np.testing.assert_allclose(
            moments.covariance(), state(X).covariance(), rtol=1e-12, atol=1e-14
        )
        with pytest.raises(ParameterError, match="expected a state of order 4, got order 2"):
            moments.quartics()

    def test_too_few_rows_are_named(self):
        with pytest.raises(DataError, match="expected at least 1 row, got 0"):
            Moments().mean()
        with pytest.raises(DataError, match="expected at least 2 rows, got 1"):
            state(np.ones((1, 3))).covariance()
