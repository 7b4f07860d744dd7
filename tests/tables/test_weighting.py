"""Weights from a column or an array, beside rows of every kind; and every bad one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.tables.open import as_table
from edgewise.tables.options import weighted_columns


@pytest.fixture(scope="module")
def weights():
    w = np.random.default_rng(6).exponential(size=400) + 0.1
    w[::50] = 0.0
    w.flags.writeable = False
    return w


@pytest.fixture(scope="module")
def expected(rows, weights):
    return ew.edge_test(rows, weights=weights, feature_names=list("abcd"))


@pytest.fixture
def table(rows, weights):
    """The weights stand between the variables."""
    columns = dict(zip("abcd", rows.T, strict=True))
    return pa.table({"a": columns.pop("a"), "w": weights, **columns})


@pytest.fixture(scope="module")
def wide(rows, weights):
    """The same as an array."""
    return np.column_stack([rows[:, :1], weights, rows[:, 1:]])


def test_a_column_of_every_kind_of_data(save, table, wide, tmp_path, in_parts, require, expected,
                                        rows, weights, same_result):  # fmt: skip
    require("pandas")
    for number, start in enumerate(range(0, 400, 130)):
        save(f"parts/{number}.csv", "awbcd", wide[start : start + 130])
    files = [save(name, "awbcd", wide) for name in ("r.csv", "r.parquet", "r.feather")]
    frame = table.to_pandas()
    for data in (*files, tmp_path / "parts", table, frame, require("polars").from_arrow(table)):
        result = ew.edge_test(data, weights="w")
        same_result(result, expected)
        assert result.options["weights"] == "w"
    for data in (wide, save("r.npy", None, wide)):
        names = ["x0", "x2", "x3", "x4"]
        same_result(ew.edge_test(data, weights="x1"), expected, names=names)
    X = np.column_stack([rows[:, :3], weights])
    for known in (True, False):
        for method in ("score", "batch"):
            result = ew.edge_test(in_parts(X, known=known), weights="d", method=method)
            plain = ew.edge_test(rows[:, :3], weights=weights, method=method)
            same_result(result, plain, names="abc")
    batches = (table.slice(start, 70) for start in range(0, 400, 70))
    result = ew.edge_test(batches, weights="w", method="batch")
    same_result(result, ew.edge_test(rows, weights=weights, method="batch"), names="abcd")


def test_an_array_beside_any_rows_in_memory(require, table, rows, same_result):
    pd, numbers = require("pandas"), np.arange(400) % 4 + 0.5
    expected = ew.edge_test(rows, weights=numbers)
    assert expected.options["weights"] == "given"
    frame = pd.DataFrame(rows, columns=list("abcd"))
    given = (numbers.tolist(), pd.Series(numbers), numbers.astype("f4"), numbers.astype(object))
    for data in (
        frame,
        table.drop_columns("w"),
        require("polars").DataFrame(frame.to_dict("list")),
    ):
        for one in given:
            same_result(ew.edge_test(data, weights=one), expected, names="abcd")


def test_the_column_is_no_variable(table, weights, expected, same_result, refuses):
    for chosen, names in (
        ({}, "abcd"),
        ({"columns": ["d", "a", "b"]}, "dab"),
        ({"exclude": "a"}, "bcd"),
        ({"exclude": ["a", "w"]}, "bcd"),  # this says it twice
    ):
        here = ew.edge_test(table.select([*names, "w"]), weights="w")
        same_result(ew.edge_test(table, weights="w", **chosen), here, names=names)
    renamed = {"feature_names": list("wxyz")}
    same_result(ew.edge_test(table, weights="w", **renamed), expected, names="wxyz")
    bare = table.drop_columns("w")
    same_result(ew.edge_test(bare, weights=weights, **renamed), expected, names="wxyz")
    assert weighted_columns(["b", "a"], None, "w") == (["b", "a", "w"], None)
    assert weighted_columns(None, ["a", "w"], "w") == (None, ["a"])
    call = lambda: ew.edge_test(table, columns=["a", "b", "w"], weights="w")  # noqa: E731
    refuses(call, ParameterError, "weights: expected a column that is not tested, got 'w'")
    for more in ({"given": ["w"]}, {"pairs": [("a", "w")]}):
        refuses(lambda more=more: ew.edge_test(table, weights="w", **more), DataError, "'w'")


def test_weights_stay_beside_their_rows(rows, weights, expected, same_result):
    X = np.array(rows)
    X[[5, 101, 399], 2] = np.nan
    kept = np.delete(np.arange(400), [5, 101, 399])
    result = ew.edge_test(X, weights=weights, missing="drop")
    same_result(result, ew.edge_test(rows[kept], weights=weights[kept]))
    assert (result.n_dropped, result.provenance.n_missing) == (3, (0, 0, 3, 0))
    # Rows of weight zero may lack values: they count for nothing.
    X = np.array(rows)
    X[weights == 0, 1] = np.nan
    same_result(ew.edge_test(X, weights=weights), expected, names=["x0", "x1", "x2", "x3"])
    X[:40, 1] = np.nan
    result = ew.edge_test(X, weights=weights, missing="pairwise")
    assert result.provenance.n_missing == (0, 40 - (weights[:40] == 0).sum(), 0, 0)
    assert result.n_samples == (weights > 0).sum()


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e160, 1e300])
def test_only_proportions_matter(rows, weights, expected, unit):
    result = ew.edge_test(rows, weights=weights * unit)
    np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-9)
    assert result.options == pytest.approx(expected.options | {"weights": "given"})


@pytest.mark.parametrize("method", ["score", "wald", "batch"])
def test_weights_are_no_leave_to_lack_values(rows, weights, refuses, method):
    X = np.array(rows)
    X[np.flatnonzero(weights)[:3], 2] = np.nan
    for call in (
        lambda: ew.edge_test(X, method=method, weights=weights, missing="raise"),
        lambda: ew.accumulate(X, weights=weights),
        lambda: ew.EdgeTest(method=method, missing="raise").fit(X, sample_weight=weights),
    ):
        refuses(call, NonFiniteError, "'x2' (3)", "missing='pairwise'")


def test_bad_weights(save, rows, refuses):
    """In an array, in a column of a table, and in a file."""
    for value, what in ((-1.0, "-1"), (np.nan, "missing ones (NaN)"), (np.inf, "inf")):
        w = np.ones(400)
        w[[3, 9]] = value
        X = np.column_stack([rows, w])
        said = "weights: expected finite numbers of at least 0, got " + what
        call = lambda w=w: ew.edge_test(rows, weights=w)  # noqa: E731
        refuses(call, DataError, said + " in the weights (2 rows)")
        for data, name in ((X, "x4"), (save("r.parquet", "abcdw", X), "w")):
            for missing in ("raise", "drop"):
                refuses(
                    lambda d=data, n=name, m=missing: ew.edge_test(d, weights=n, missing=m),
                    DataError,
                    said + f" in column {name!r}",
                )
    zeros = save("z.csv", "abcdw", np.column_stack([rows, np.zeros(400)]))
    refuses(
        lambda: ew.edge_test(rows, weights=np.zeros(400)),
        DataError,
        "weights: expected a positive weight for some row",
    )
    refuses(lambda: ew.edge_test(zeros, weights="w"), DataError)


def test_what_is_no_weight(save, require, table, wide, csv_file, rows, weights, refuses):
    for count in (0, 1, 399, 401):
        refuses(
            lambda c=count: ew.edge_test(rows, weights=np.ones(c)),
            ParameterError,
            f"weights: expected one weight for each of 400 rows, got {count} weights.",
        )
    dates = np.array(["2020-01-01"] * 400, dtype="datetime64[D]")
    for bad in (np.ones((400, 1)), 1.0, ["heavy"] * 400, {"w": 1}, np.ones(400) + 1j, dates):
        refuses(lambda b=bad: ew.edge_test(rows, weights=b), ParameterError, "weights: expected")
    refuses(lambda: ew.edge_test(rows, weights=[None] * 400), ValueError, "weights: expected")
    pd = require("pandas")
    moved = pd.Series(np.ones(400), index=np.arange(400)[::-1])
    frame = pd.DataFrame(rows, columns=list("abcd"))
    refuses(lambda: ew.edge_test(frame, weights=moved), ParameterError, "weights", "index")
    path = save("r.csv", ["a", "weight", "b", "c", "d"], wide)
    for data, near in ((path, "'weight'"), (table, "'w'")):
        call = lambda d=data: ew.edge_test(d, weights="wight")  # noqa: E731
        refuses(call, DataError, "has no column 'wight'", near)
    text = table.set_column(1, "w", pa.array(["heavy"] * 400))
    refuses(lambda: ew.edge_test(text, weights="w"), DataTypeError, "'w' must hold numbers")
    refuses(
        lambda: ew.edge_test(csv_file, weights=weights),
        ParameterError,
        "weights: expected the name of a column, because the rows are not in memory, got ndarray",
    )
    few = np.where(np.arange(400) < 3, 1.0, 1e-9)
    refuses(
        lambda: ew.edge_test(rows, weights=few),
        DataError,
        "effective sample size",
        "above 5",
        "got 3:",
    )


def test_what_does_not_go_together(rows, weights, table, refuses):
    state = ew.states.BatchMoments().update(rows)
    for call, said in (
        (
            lambda: ew.edge_test(rows, clusters=np.arange(400), weights=weights),
            "cannot be combined",
        ),
        (
            lambda: ew.edge_test(rows, weights=weights, transform="normal-scores"),
            "cannot be combined",
        ),
        (lambda: ew.edge_test(state, method="batch", weights=weights), "got a state"),
    ):
        refuses(call, ParameterError, said)
    opened = as_table(table, weights="w")
    assert as_table(opened) is opened
    for method in ("fisher", "nodewise", "trace", "kendall", "entrywise"):
        for data, how in ((rows, {"weights": weights}), (opened, {})):
            refuses(
                lambda d=data, h=how, m=method: ew.edge_test(d, method=m, **h),
                ParameterError,
                "weights: sampling weights are not supported by method",
                "use method 'score', 'wald' or 'batch', or repeat rows",
            )
