"""Which columns of a table are variables, wherever the table is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, ParameterError

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


def test_names_in_any_form(mixed, numbers, require, refuses):
    require("pandas")
    assert ew.edge_test(mixed.drop_columns("city"), exclude="day").feature_names == tuple("abc")
    for several in (tuple, np.array, iter, lambda names: map(str, names)):
        assert ew.edge_test(mixed, columns=several(["c", "a"])).feature_names == ("c", "a")
        left = ew.edge_test(mixed, exclude=several(["day", "city"]))
        assert left.feature_names == ("a", "b", "c")
    frame = mixed.to_pandas()
    assert ew.edge_test(frame, columns=frame.columns[1:3]).feature_names == ("a", "b")
    numbered = require("pandas").DataFrame(numbers)
    assert ew.edge_test(numbered, columns=[2, 0]).feature_names == ("2", "0")
    assert ew.edge_test(numbers, exclude="x1").feature_names == ("x0", "x2")
    renamed = ew.edge_test(mixed, columns=["a", "c"], feature_names=["first", "third"])
    assert renamed.feature_names == ("first", "third")
    for wrong in (1, 1.5, {"a", "b"}, {"a": 1}, b"a"):
        for argument in ("columns", "exclude"):
            refuses(
                lambda given={argument: wrong}: ew.edge_test(mixed, **given),
                ParameterError,
                f"{argument}: expected the name of a column",
            )


def test_missing_values_of_columns_that_are_left_out_do_not_matter(mixed):
    holes = mixed.set_column(4, "c", pa.array([None, *mixed["c"].to_pylist()[1:]], pa.float64()))
    assert ew.edge_test(holes, columns=["a", "b"]).n_samples == 300
    assert ew.accumulate(holes, columns=["a", "c"], missing="drop").n_samples == 299


def test_what_is_not_there(mixed, numbers, refuses):
    call = lambda: ew.edge_test(mixed, columns=["a", "day"])  # noqa: E731
    refuses(call, DataTypeError, "'day'", "dates", "leave it out")
    refuses(lambda: ew.edge_test(mixed, exclude="time"), DataError, "exclude", "'time'", "'day'")
    refuses(lambda: ew.edge_test(mixed, columns=["a", "d"]), DataError, "columns", "'d'")
    refuses(lambda: ew.edge_test(numbers, columns=["a", "b"]), DataError, "'a'", "'x0'")


def test_of_a_state_there_is_nothing_to_choose(numbers, refuses):
    state = ew.accumulate(numbers)
    refuses(
        lambda: ew.edge_test(state, method="fisher", columns=["x0", "x1"]),
        ParameterError,
        "columns",
        "a state",
    )
