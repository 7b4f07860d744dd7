"""Which columns of a table are variables, wherever the table is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import edgewise as ew
from edgewise.rows.selection import selected_names

NAMES = ["day", "a", "b", "city", "c"]


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(3).standard_t(6, (300, 3)) @ np.triu(np.ones((3, 3)))


@pytest.fixture(scope="module")
def mixed(numbers):
    """Three columns of numbers among a date and a text."""
    a, b, c = numbers.T
    day = pa.array(np.arange(300).astype("datetime64[D]"))
    return pa.table([day, pa.array(a), pa.array(b), pa.array(["x"] * 300), pa.array(c)], NAMES)


@pytest.fixture(
    params=["arrow", "reader", "pandas", "polars", "parquet", "csv", "feather", "batches"]
)
def rows(request, mixed, require, tmp_path):
    """The table in another form."""
    kind = request.param
    if kind == "pandas":
        require("pandas")
        return mixed.to_pandas()
    if kind == "polars":
        return require("polars").from_arrow(mixed)
    if kind == "reader":
        return mixed.to_reader()
    if kind == "batches":
        return iter(mixed.to_batches(max_chunksize=70))
    if kind in ("parquet", "csv", "feather"):
        path = tmp_path / f"rows.{kind}"
        if kind == "feather":
            pa.feather.write_feather(mixed, path)
        else:
            {"parquet": parquet.write_table, "csv": csv.write_csv}[kind](mixed, path)
        return path
    return mixed


def test_by_leaving_out(rows, numbers):
    state = ew.accumulate(rows, exclude=["day", "city"])
    assert state.feature_names == ("a", "b", "c")
    np.testing.assert_allclose(state.covariance(), np.cov(numbers, rowvar=False), rtol=1e-9)


def test_by_name_in_the_order_asked_for(rows, numbers):
    result = ew.edge_test(rows, method="batch", columns=["c", "a"])
    assert result.feature_names == ("c", "a")
    expected = np.cov(numbers[:, [2, 0]], rowvar=False)
    np.testing.assert_allclose(result.covariance, expected, rtol=1e-9)


def test_one_name_is_a_name(mixed):
    result = ew.edge_test(mixed.drop_columns("city"), exclude="day")
    assert result.feature_names == ("a", "b", "c")


@pytest.mark.parametrize("several", [tuple, np.array, iter, lambda names: map(str, names)])
def test_several_names_in_any_form(mixed, several):
    assert ew.edge_test(mixed, columns=several(["c", "a"])).feature_names == ("c", "a")
    left = ew.edge_test(mixed, exclude=several(["day", "city"])).feature_names
    assert left == ew.accumulate(mixed, exclude=several(["city", "day"])).feature_names
    assert left == ("a", "b", "c")


def test_names_of_a_pandas_frame(mixed, numbers, require):
    pandas = require("pandas")
    frame = mixed.to_pandas()
    assert ew.edge_test(frame, columns=frame.columns[1:3]).feature_names == ("a", "b")
    assert ew.edge_test(pandas.DataFrame(numbers), columns=[2, 0]).feature_names == ("2", "0")


@pytest.mark.parametrize(
    "wrong", [1, 1.5, {"a", "b"}, {"a": 1}, b"a"], ids=lambda wrong: type(wrong).__name__
)
def test_what_is_no_sequence_of_names(mixed, refuses, wrong):
    for argument in ("columns", "exclude"):
        refuses(
            lambda given={argument: wrong}: ew.edge_test(mixed, **given),
            ew.ParameterError,
            f"{argument}: expected the name of a column",
        )


def test_columns_of_an_array(numbers):
    assert ew.edge_test(numbers, exclude="x1").feature_names == ("x0", "x2")


def test_names_are_given_after_columns_are_chosen(mixed):
    result = ew.edge_test(mixed, columns=["a", "c"], feature_names=["first", "third"])
    assert result.feature_names == ("first", "third")


def test_missing_values_of_columns_that_are_left_out_do_not_matter(mixed):
    holes = mixed.set_column(4, "c", pa.array([None, *mixed["c"].to_pylist()[1:]], pa.float64()))
    assert ew.edge_test(holes, columns=["a", "b"]).n_samples == 300
    assert ew.accumulate(holes, columns=["a", "c"], drop_missing=True).n_samples == 299


def test_a_plan(mixed):
    plan = ew.plan_sample_size(mixed, effect=0.2, exclude=["day", "city"])
    assert plan.pairs.shape == (3, 3)


def test_the_message_about_text_says_how_to_leave_it_out(mixed, refuses):
    refuses(lambda: ew.edge_test(mixed), ew.DataTypeError, "'day'", "exclude=")


def test_what_is_not_there(mixed, numbers, refuses):
    refuses(lambda: ew.edge_test(mixed, exclude="time"), ew.DataError, "exclude", "'time'", "'day'")
    refuses(lambda: ew.edge_test(mixed, columns=["a", "d"]), ew.DataError, "columns", "'d'")
    refuses(lambda: ew.edge_test(numbers, columns=["a", "b"]), ew.DataError, "'a'", "'x0'")


def test_of_a_state_there_is_nothing_to_choose(numbers, refuses):
    state = ew.accumulate(numbers)
    refuses(
        lambda: ew.edge_test(state, method="fisher", columns=["x0", "x1"]),
        ew.ParameterError,
        "columns",
        "a state",
    )


def test_selected_names(refuses):
    assert selected_names(list("abcd"), None, None, "X") == tuple("abcd")
    assert selected_names(list("abcd"), ["d", "a"], None, "X") == ("d", "a")
    assert selected_names(list("abcd"), ["d", "a", "b"], ["a"], "X") == ("d", "b")
    assert selected_names(list("abcd"), None, ["a", "c"], "X") == ("b", "d")
    for columns, exclude in (([], None), (None, list("ab"))):
        refuses(lambda c=columns, e=exclude: selected_names(list("ab"), c, e, "X"), ew.DataError)
    refuses(lambda: selected_names(list("ab"), ["a", "a"], None, "X"), ew.DataError, "'a'", "once")
    refuses(lambda: selected_names(["a", "a"], ["a"], None, "X"), ew.DataError, "'a'", "once")
