"""The inverse covariance, and the columns that make it impossible."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.states import BatchMoments, Moments

RNG = np.random.default_rng(0)
A, B, C, D = RNG.standard_normal((4, 200))
NAMES = ("a", "b", "c", "d", "e")


def estimate(*columns):
    moments = Moments(order=2).update(np.column_stack(columns))
    return estimate_precision(moments, NAMES[: len(columns)])


def complaint(*columns):
    with pytest.raises(DataError) as caught:
        estimate(*columns)
    return str(caught.value)


@pytest.mark.parametrize("distribution", ["gaussian", "t5", "lognormal"])
def test_estimates(distribution):
    theta = ew.simulate.make_chain_precision(6)
    X = ew.simulate.sample(distribution, theta, 500, rng=np.random.default_rng(1)) + 7
    found = estimate_precision(Moments(order=2).update(X), tuple("abcdef"))
    expected = np.linalg.inv(np.cov(X, rowvar=False))
    root = np.sqrt(expected.diagonal())
    np.testing.assert_allclose(found.covariance, np.cov(X, rowvar=False), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.precision, expected, rtol=1e-10, atol=1e-12)
    partial = -expected / np.outer(root, root)
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(found.partial_correlation[off], partial[off], atol=1e-13)
    np.testing.assert_array_equal(found.partial_correlation.diagonal(), 1.0)
    for matrix in (found.covariance, found.precision, found.partial_correlation):
        np.testing.assert_allclose(matrix, matrix.T, rtol=1e-14)


def test_residual_map_makes_unit_variance_residuals():
    X = np.column_stack([A, A + B, C * 100 - A, D])
    found = estimate(*X.T)
    v = (X - X.mean(axis=0)) @ found.residual_map
    np.testing.assert_allclose(v.var(axis=0, ddof=1), 1.0, rtol=1e-12)
    for i in range(4):
        others = np.column_stack([np.ones(200), np.delete(X, i, axis=1)])
        residual = X[:, i] - others @ np.linalg.lstsq(others, X[:, i], rcond=None)[0]
        np.testing.assert_allclose(v[:, i], residual / residual.std(ddof=1), atol=1e-12)


@pytest.mark.parametrize("power", [-150, -80, 0, 80, 150])
def test_units_drop_out(power):
    X = np.column_stack([A, A + B, C + B, D])
    scale = 10.0 ** np.array([power, 0, -power, power / 2])
    plain, scaled = estimate(*X.T), estimate(*(X * scale).T)
    np.testing.assert_allclose(
        scaled.partial_correlation, plain.partial_correlation, rtol=1e-11, atol=1e-14
    )
    np.testing.assert_allclose(
        scaled.precision * scale * scale[:, np.newaxis], plain.precision, rtol=1e-11, atol=1e-13
    )
    v = [(x - x.mean(axis=0)) @ e.residual_map for x, e in ((X, plain), (X * scale, scaled))]
    np.testing.assert_allclose(v[1], v[0], atol=1e-12)


@pytest.mark.parametrize(
    "copy", [A, -A, 3 * A + 5, A * 1e12, A * 1e-140], ids=["same", "sign", "affine", "big", "tiny"]
)
def test_duplicated_column(copy):
    message = complaint(A, B, copy, C)
    assert "column 'c' duplicates column 'a'" in message
    assert "drop one of the two" in message


@pytest.mark.parametrize(
    ("columns", "combination"),
    [
        ((A, B, C, A + 2 * B - 0.5 * C), "'d' = 2·'b' +1·'a' -0.5·'c' up to a constant"),
        ((A, B, A + B + 3, C), "'c' = 1·'b' +1·'a'"),
        ((A, B, D, C, 4 * D - A), "'e' = 4·'c' -1·'a'"),
        ((A * 1e-90, B, 5 * A - 3 * B), "'c' = 5e+90·'a' -3·'b'"),
    ],
)
def test_collinear_columns_are_named_with_the_combination(columns, combination):
    message = complaint(*columns)
    assert combination in message
    assert f"column {combination[:3]} is a linear combination of others" in message


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 3e-6])
def test_nearly_collinear_columns_pass(noise):
    found = estimate(A, B, A + B + noise * C)
    variance = (noise * C)[:, np.newaxis]
    design = np.column_stack([np.ones(200), A, B])
    left = variance - design @ np.linalg.lstsq(design, variance, rcond=None)[0]
    expected = 199 / np.sum(left**2)  # Θ̂_cc is one over the residual variance
    np.testing.assert_allclose(found.precision[2, 2], expected, rtol=1e-14 / noise**2)


@pytest.mark.parametrize(
    ("shape", "fragment"),
    [
        ((3, 3), "more rows than columns, got 3 rows and 3 columns"),
        ((2, 2), "at least 3 rows"),
        ((10, 1), "1 feature"),
    ],
)
def test_too_few_rows_or_columns(shape, fragment):
    X = RNG.standard_normal(shape)
    assert fragment in complaint(*X.T)


def test_one_row_more_than_columns_is_enough():
    X = RNG.standard_normal((5, 4))
    np.testing.assert_allclose(
        estimate(*X.T).precision, np.linalg.inv(np.cov(X, rowvar=False)), rtol=1e-6
    )


# Columns that vary too little, too much or not at all for float64, each told from the others.


FAULT_RNG = np.random.default_rng(0)
FAULT_A, FAULT_B, FAULT_C = FAULT_RNG.standard_normal((3, 500))


def fault_complaint(column, method="score"):
    with pytest.raises(DataError) as caught:
        ew.edge_test(np.column_stack([FAULT_A, column, FAULT_B]), method=method)
    return str(caught.value)


def complaint_about_state(state, column, method):
    with pytest.raises(DataError) as caught:
        ew.edge_test(state.update(np.column_stack([FAULT_A, column, FAULT_B])), method=method)
    return str(caught.value)


@pytest.mark.parametrize("method", ["score", "batch", "fisher"])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e15 / 3, 1e-200, -5e-324, 1e300])
def test_all_values_are_equal(value, method):
    message = fault_complaint(np.full(500, value), method)
    assert f"got the constant column 'x1' (every value is {value:.6g}); drop it" in message


@pytest.mark.parametrize("value", [0.1, -1e15 / 3, 1e-110 / 7])
@pytest.mark.parametrize("n", [50, 300_000])
def test_one_value_that_is_one_step_off_is_no_constant(value, n):
    Z = np.column_stack([FAULT_RNG.standard_normal((n, 2)), np.full(n, value)])
    Z[n // 2, 2] = np.nextafter(value, np.inf)
    with pytest.raises(DataError, match=r"column 'x2' varies by only .* float64 has steps of"):
        ew.edge_test(Z, method="fisher")


@pytest.mark.parametrize("method", ["score", "batch", "trace", "fisher"])
@pytest.mark.parametrize("scale", [1e-153, 1e-160, 1e-200, 1e-300])
def test_values_whose_squares_underflow(scale, method):
    message = fault_complaint(FAULT_C * scale, method)
    assert "the values of column 'x1' are so small that its variance underflows" in message
    assert "multiply the column by 1e200" in message


@pytest.mark.parametrize(("state", "method"), [(Moments, "trace"), (BatchMoments, "batch")])
def test_a_state_has_no_values_to_look_at(state, method):
    message = complaint_about_state(state(), FAULT_C * 1e-200, method)
    assert "the values of column 'x1' are so small" in message
    assert "multiply the column by 1e200, or drop it if it is constant" in message
    for value in (0.0, 7.25):
        message = complaint_about_state(state(), np.full(500, value), method)
        assert f"the constant column 'x1' (every value is {value:g})" in message


@pytest.mark.parametrize("method", ["score", "batch", "trace", "fisher"])
@pytest.mark.parametrize("scale", [1e153, 1e160, 1e300])
def test_values_whose_squares_overflow(scale, method):
    message = fault_complaint(FAULT_C * scale, method)
    assert "the variance of column 'x1' overflows; divide the column by 1e200" in message


def test_far_from_zero_but_known_well_enough():
    X = np.column_stack([FAULT_A, FAULT_A + FAULT_B, FAULT_C]) + 1e15
    near = ew.edge_test(X - 1e15)  # the same rounded values
    np.testing.assert_allclose(ew.edge_test(X).log_pvalue, near.log_pvalue, rtol=1e-9)


def test_a_precision_that_overflows():
    X = np.column_stack([FAULT_A, FAULT_A + 1e-5 * FAULT_B, FAULT_C]) * 1e-151
    with pytest.raises(DataError, match="so small that its variance underflows"):
        ew.edge_test(X)
