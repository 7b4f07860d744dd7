"""Power sums about any origin are the sums one would write down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.sums.power import BlockSummer

ROWS = np.random.default_rng(0).standard_exponential((200, 3)) @ np.array(
    [[1.0, 0.5, 0.0], [0.0, 2.0, -0.3], [0.0, 0.0, 0.7]]
)


def sums_of(X, *, quartic=True):
    return BlockSummer(X.shape[1], len(X), quartic=quartic)(X)


def direct(X, origin):
    z = X - origin
    norm2 = np.sum(z * z, axis=1)
    return {
        "first": z.sum(axis=0),
        "second": z.T @ z,
        "third": np.sum(z**3, axis=0),
        "fourth": np.sum(z**4, axis=0),
        "norm2_row": norm2 @ z,
        "norm4": np.sum(norm2**2),
    }


def flat(sums):
    quartic = sums.quartic
    return {
        "first": sums.first,
        "second": sums.second,
        **{name: getattr(quartic, name) for name in ("third", "fourth", "norm2_row", "norm4")},
    }


def assert_sums(sums, X, tolerance=1e-12):
    expected = direct(X, sums.origin)
    # Odd sums may cancel: errors are measured against sums of absolute values.
    size = direct(np.abs(X - sums.origin), 0)
    for name, value in flat(sums).items():
        error = np.max(np.abs(value - expected[name]) / np.max(size[name]))
        assert error <= tolerance, name


def test_block():
    sums = sums_of(ROWS)
    assert sums.n == 200
    np.testing.assert_allclose(sums.origin, ROWS.mean(axis=0), rtol=1e-14)
    assert_sums(sums, ROWS)


@settings(max_examples=50)
@given(st.tuples(*[st.floats(-10, 10)] * 3))
def test_moving_the_origin(shift):
    sums = sums_of(ROWS)
    a = np.array(shift)
    moved = sums.moved(a, sums.origin + a)
    assert_sums(moved, ROWS)
    np.testing.assert_allclose(moved.mean(), sums.mean(), rtol=1e-12)


def test_central_sums_have_no_first_order():
    central = sums_of(ROWS).moved(np.full(3, 5.0), ROWS.mean(axis=0) + 5).central()
    assert np.abs(central.first).max() <= 1e-12
    assert_sums(central, ROWS)


def test_origin_and_rest_carry_the_mean_beyond_working_precision():
    X = ROWS + 1e10
    sums = sums_of(X)
    exact = (X - 1e10).mean(axis=0)  # both subtractions are exact
    carried = (sums.origin - 1e10) + sums.first / sums.n
    np.testing.assert_allclose(carried, exact, rtol=1e-14)
    assert np.abs((sums.mean() - 1e10) - exact).max() > 1e-10


@pytest.mark.exactness
def test_addition_is_the_sums_of_all_rows_and_commutes_to_the_bit():
    a, b = sums_of(ROWS[:37]), sums_of(ROWS[37:] * 3 + 2)
    both = np.vstack([ROWS[:37], ROWS[37:] * 3 + 2])
    assert_sums(a + b, both)
    for name, value in flat(a + b).items():  # entry by entry, x + y is y + x
        np.testing.assert_array_equal(value, flat(b + a)[name])


@pytest.mark.parametrize("p", [27, 28, 60])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("offset", [0.0, 2.0**33])
def test_many_columns_lie_in_rows(p, order, offset):
    """From 28 on, blocks keep the order of the rows in memory, and other products make the sums."""
    X = np.random.default_rng(p).standard_exponential((700, p))
    X = np.asarray(np.round(X * 2**18) / 2**18 + offset, order=order)  # adding it is exact
    assert_sums(BlockSummer(p, 300, quartic=True)(X), X)
