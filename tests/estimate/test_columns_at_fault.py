"""Columns that vary too little, too much or not at all for float64, each told from the others."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.states import BatchMoments, Moments

RNG = np.random.default_rng(0)
A, B, C = RNG.standard_normal((3, 500))


def complaint(column, method="score"):
    with pytest.raises(DataError) as caught:
        ew.edge_test(np.column_stack([A, column, B]), method=method)
    return str(caught.value)


def complaint_about_state(state, column, method):
    with pytest.raises(DataError) as caught:
        ew.edge_test(state.update(np.column_stack([A, column, B])), method=method)
    return str(caught.value)


@pytest.mark.parametrize("method", ["score", "batch", "fisher"])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e15 / 3, 1e-200, -5e-324, 1e300])
def test_all_values_are_equal(value, method):
    message = complaint(np.full(500, value), method)
    assert f"got the constant column 'x1' (every value is {value:.6g}); drop it" in message


@pytest.mark.parametrize("value", [0.1, -1e15 / 3, 1e-110 / 7])
@pytest.mark.parametrize("n", [50, 300_000])
def test_one_value_that_is_one_step_off_is_no_constant(value, n):
    Z = np.column_stack([RNG.standard_normal((n, 2)), np.full(n, value)])
    Z[n // 2, 2] = np.nextafter(value, np.inf)
    with pytest.raises(DataError, match=r"column 'x2' varies by only .* float64 has steps of"):
        ew.edge_test(Z, method="fisher")


@pytest.mark.parametrize("method", ["score", "batch", "trace", "fisher"])
@pytest.mark.parametrize("scale", [1e-153, 1e-160, 1e-200, 1e-300])
def test_values_whose_squares_underflow(scale, method):
    message = complaint(C * scale, method)
    assert "the values of column 'x1' are so small that its variance underflows" in message
    assert "multiply the column by 1e200" in message


@pytest.mark.parametrize(("state", "method"), [(Moments, "trace"), (BatchMoments, "batch")])
def test_a_state_has_no_values_to_look_at(state, method):
    message = complaint_about_state(state(), C * 1e-200, method)
    assert "the values of column 'x1' are so small" in message
    assert "multiply the column by 1e200, or drop it if it is constant" in message
    for value in (0.0, 7.25):
        message = complaint_about_state(state(), np.full(500, value), method)
        assert f"the constant column 'x1' (every value is {value:g})" in message


@pytest.mark.parametrize("method", ["score", "batch", "trace", "fisher"])
@pytest.mark.parametrize("scale", [1e153, 1e160, 1e300])
def test_values_whose_squares_overflow(scale, method):
    message = complaint(C * scale, method)
    assert "the variance of column 'x1' overflows; divide the column by 1e200" in message


def test_far_from_zero_but_known_well_enough():
    X = np.column_stack([A, A + B, C]) + 1e15
    near = ew.edge_test(X - 1e15)  # the same rounded values
    np.testing.assert_allclose(ew.edge_test(X).log_pvalue, near.log_pvalue, rtol=1e-9)


def test_a_precision_that_overflows():
    X = np.column_stack([A, A + 1e-5 * B, C]) * 1e-151
    with pytest.raises(DataError, match="so small that its variance underflows"):
        ew.edge_test(X)
