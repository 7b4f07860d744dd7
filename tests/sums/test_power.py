"""Sums of powers about any origin are the sums one would write down, of every order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.states import Moments
from edgewise.sums.blocks import Centre
from edgewise.sums.power import power_sums, square_products, together, transformed_quartics
from edgewise.tables.table import InMemoryRows

ROWS = np.random.default_rng(0).standard_exponential((200, 3)) @ np.array(
    [[1.0, 0.5, 0.0], [0.0, 2.0, -0.3], [0.0, 0.0, 0.7]]
)
ORDERS = 2, 4, "all"


def direct(X, origin):
    z = X - origin
    norm2 = np.sum(z * z, axis=1)
    ones = np.column_stack([np.ones(len(z)), z])
    a, b = np.triu_indices(z.shape[1] + 1)
    w = ones[:, a] * ones[:, b]
    return {
        "first": z.sum(axis=0),
        "second": z.T @ z,
        "third": np.sum(z**3, axis=0),
        "fourth": np.sum(z**4, axis=0),
        "norm2_row": norm2 @ z,
        "norm4": np.sum(norm2**2),
        "products": w.T @ w,
    }


def assert_sums(sums, X, tolerance=1e-12):
    assert sums.n == len(X)
    expected = direct(X, sums.origin[0])
    # Odd sums may cancel: errors are measured against sums of absolute values.
    size = direct(np.abs(X - sums.origin[0]), 0)
    for name, value in sums.named().items():
        if name not in ("n", "origin"):
            scale = size[name] if name == "products" else np.max(size[name])
            assert np.max(np.abs(value[0] - expected[name]) / scale) <= tolerance, name


@pytest.mark.parametrize("order", ORDERS)
def test_of_a_block(order):
    sums = power_sums(ROWS, order=order)
    np.testing.assert_allclose(sums.origin[0], ROWS.mean(axis=0), rtol=1e-14)
    assert_sums(sums, ROWS)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=30)
@given(shift=st.tuples(*[st.floats(-10, 10)] * 3))
def test_about_any_origin(order, shift):
    sums = power_sums(ROWS, order=order)
    moved = sums.about(Centre(sums.origin + np.array(shift), None))
    assert_sums(moved, ROWS, 1e-11)
    np.testing.assert_allclose(moved.mean(), sums.mean(), rtol=1e-12)
    central = moved.central()
    assert np.abs(central.first).max() <= 1e-11


def test_origin_and_rest_carry_the_mean_beyond_working_precision():
    X = ROWS + 1e10
    sums = power_sums(X)
    exact = (X - 1e10).mean(axis=0)  # both subtractions are exact
    carried = (sums.origin - 1e10) + sums.first / sums.n
    np.testing.assert_allclose(carried[0], exact, rtol=1e-14)
    assert np.abs((sums.mean() - 1e10) - exact).max() > 1e-10


@pytest.mark.exactness
@pytest.mark.parametrize("order", ORDERS)
def test_addition_is_the_sums_of_all_rows_and_commutes_to_the_bit(order):
    X = [ROWS[:37], ROWS[37:90] * 3 + 2, ROWS[90:]]
    a, b, c = (power_sums(rows, order=order) for rows in X)
    assert_sums(a.plus(b).plus(c), np.vstack(X))
    assert_sums(together([a, b.then(c)]), np.vstack(X))
    for name, value in a.plus(b).named().items():  # entry by entry, x + y is y + x
        np.testing.assert_array_equal(value, b.plus(a).named()[name])


@pytest.mark.parametrize("p", [27, 28, 60])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("offset", [0.0, 2.0**33])
def test_many_columns_lie_in_rows(p, order, offset):
    """From 28 on, blocks keep the order of the rows in memory, and other products make the sums."""
    X = np.random.default_rng(p).standard_exponential((700, p))
    X = np.asarray(np.round(X * 2**18) / 2**18 + offset, order=order)  # adding it is exact
    assert_sums(power_sums(X, order=4), X)
    if p < 28:
        assert_sums(power_sums(X, order="all"), X)


# Fourth-order moments of transformed rows, and Mardia's kurtosis among them.


DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed))


def quartics(X, A, parts=1):
    centre = Moments().update(X).centre()
    return transformed_quartics(InMemoryRows(np.array_split(X, parts)), centre, A)


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 700, p) + 3
    A = np.random.default_rng(1).standard_normal((p, p))
    w = (X - X.mean(axis=0)) @ A.T
    found = quartics(X, A)
    np.testing.assert_allclose(found.columns, np.mean(w**4, axis=0), rtol=1e-12)
    assert found.norm == pytest.approx(np.mean(np.sum(w * w, axis=1) ** 2), rel=1e-12)


def test_of_rows_left_out_of_their_own_covariance():
    X = rows_of("lognormal", 300, 4) + 3
    A = np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False)))
    w = (X - X.mean(axis=0)) @ A.T
    w /= np.sqrt(1 - 1 / 300 - np.sum(w**2, axis=1) / 299)[:, np.newaxis]
    centre = Moments().update(X).centre()
    rows = InMemoryRows(np.array_split(X, 3))
    found = transformed_quartics(rows, centre, A, whitened_by=300)
    np.testing.assert_allclose(found.columns, np.mean(w**4, axis=0), rtol=1e-10)
    assert found.norm == pytest.approx(np.mean(np.sum(w * w, axis=1) ** 2), rel=1e-10)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("p", [2, 5, 20])
def test_products_of_squares(p, parts):
    X = rows_of("t5", 900, p) + 1e8
    scale = np.linspace(0.5, 2.0, p)
    centre = Moments().update(X).centre()
    batches = [X[:0], *np.array_split(X, parts)]
    (found,) = square_products(iter(batches), centre, scale)
    z = ((X - 1e8) - (X - 1e8).mean(axis=0)) * scale
    expected = np.einsum("ki,kj->ij", z**2, z**2)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
