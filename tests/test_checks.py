"""Bad input from Python: one sentence that says which argument, the rule, and what came."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError

NORMAL = np.random.default_rng(0).standard_normal((60, 4))


def with_cells(**cells):
    X = NORMAL.copy()
    for value, places in cells.items():
        for place in places:
            X[place] = float(value)
    return X


BAD_ROWS = {
    "text": ([["u", "v"], ["w", "x"], ["y", "z"]], DataTypeError, ["numbers", "<U1"]),
    "numbers as text": (np.array([["1", "2"]] * 4), DataTypeError, ["numbers", "<U1"]),
    "an object": (
        np.array([[1, "q"], [2, 3], [3, 4], [4, 4]], dtype=object),
        DataTypeError,
        ["numbers", "'q'", "Convert or drop"],
    ),
    "complex": (NORMAL + 1j, DataTypeError, ["real numbers", "complex128"]),
    "empty list": ([], DataError, ["2D", "(0,)"]),
    "no rows": (NORMAL[:0], DataError, ["0 sample", "minimum of 3"]),
    "no columns": (NORMAL[:, :0], DataError, ["0 feature", "minimum of 2"]),
    "one column": (NORMAL[:, :1], DataError, ["1 feature", "minimum of 2"]),
    "two rows": (NORMAL[:2], DataError, ["at least 3 rows", "n_samples=2"]),
    "n = p": (NORMAL[:4], DataError, ["more rows than columns", "4 rows and 4 columns"]),
    "constant": (
        np.column_stack([NORMAL, np.full(60, 2.5)]),
        DataError,
        ["constant column 'x4'", "2.5", "drop it"],
    ),
    "duplicate": (
        np.column_stack([NORMAL, NORMAL[:, 1]]),
        DataError,
        ["'x4' duplicates column 'x1'", "drop one"],
    ),
    "collinear": (
        np.column_stack([NORMAL, NORMAL[:, 0] - 2 * NORMAL[:, 2]]),
        DataError,
        ["'x4' is a linear combination", "-2·'x2'", "1·'x0'", "drop one"],
    ),
    "NaN and infinity": (
        with_cells(nan=[(3, 1), (9, 2)], inf=[(5, 2)]),
        NonFiniteError,
        ["'x1' (1)", "'x2' (2)", "missing='drop'"],
    ),
}


@pytest.mark.parametrize("what", BAD_ROWS)
@pytest.mark.parametrize("method", ["score", "fisher"])
def test_rows_that_cannot_be_tested(refuses, what, method):
    X, error, fragments = BAD_ROWS[what]
    refuses(lambda: ew.edge_test(X, method=method, missing="raise"), error, *fragments)


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ({"alpha": 0}, ["alpha", "between 0 and 1", "got 0"]),
        ({"alpha": 1.0}, ["alpha", "between 0 and 1", "got 1.0"]),
        ({"alpha": -0.1}, ["alpha", "got -0.1"]),
        ({"alpha": float("nan")}, ["alpha", "got nan"]),
        ({"alpha": "5%"}, ["alpha", "number", "'5%'"]),
        ({"alpha": None}, ["alpha", "number", "None"]),
        ({"alpha": True}, ["alpha", "number", "True"]),
        ({"method": None}, ["method", "'score'", "None"]),
        ({"bogus": 1}, ["bogus", "'auto'", "does not take"]),
        (
            {"method": "spectral", "alpha": 0.2153},
            ["alpha", "0.2151", "0.2153", "smaller alpha"],
        ),
    ],
    ids=str,
)
def test_arguments_out_of_range(refuses, arguments, fragments):
    refuses(lambda: ew.edge_test(NORMAL, **arguments), ParameterError, *fragments)
