"""Frames and Arrow streams give what the plain array gives, with their columns' names."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew


class ArrowStream:
    """Exports an Arrow C stream and nothing else, as DuckDB's or ADBC's results do."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.fixture
def table(require, rows):
    return require("pyarrow").table(dict(zip("abcd", rows.T, strict=True)))


FRAMES = {
    "pyarrow table": lambda table, require: table,
    "many chunks": lambda table, require: require("pyarrow").concat_tables(
        table.slice(start, 70) for start in range(0, 400, 70)
    ),
    "record batch": lambda table, require: table.combine_chunks().to_batches()[0],
    "record batch reader": lambda table, require: table.to_reader(max_chunksize=37),
    "Arrow C stream": lambda table, require: ArrowStream(table),
    "polars": lambda table, require: require("polars").from_arrow(table),
    "pandas": lambda table, require: (require("pandas"), table.to_pandas())[1],
    "pandas on Arrow": lambda table, require: table.to_pandas(
        types_mapper=require("pandas").ArrowDtype
    ),
    "pandas, nullable": lambda table, require: (
        require("pandas").DataFrame(table.to_pydict()).convert_dtypes()
    ),
    "pandas, object": lambda table, require: (require("pandas"), table.to_pandas())[1].astype(
        object
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(rows, table, require, same_result, kind):
    frame = FRAMES[kind](table, require)
    same_result(ew.edge_test(frame), ew.edge_test(rows), names="abcd")


def test_an_index_is_not_a_column(rows, require, same_result):
    pd = require("pandas")
    days = pd.date_range("2020-01-01", periods=len(rows), name="day")
    frame = pd.DataFrame(rows, columns=list("abcd"), index=days)
    same_result(ew.edge_test(frame), ew.edge_test(rows), names="abcd")


def test_names_that_are_not_text_become_text(rows, require, same_result):
    frame = require("pandas").DataFrame(rows)
    same_result(ew.edge_test(frame), ew.edge_test(rows), names="0123")


def test_frames_of_several_kinds_of_numbers(rows, require, same_result):
    pa = require("pyarrow")
    columns = [
        np.rint(100 * rows[:, 0]).astype(np.int16),
        rows[:, 1] > 0,
        rows[:, 2].astype(np.float32),
        np.rint(100 * rows[:, 3]) / 100,
    ]
    expected = ew.edge_test(np.column_stack(columns))
    table = pa.table(dict(zip("abcd", columns, strict=True)))
    decimal = table.set_column(3, "d", table["d"].cast(pa.decimal128(12, 2)))
    for frame in (table, decimal, table.to_pandas(), require("polars").from_arrow(table)):
        same_result(ew.edge_test(frame), expected, names="abcd")


def test_nulls_of_every_kind_are_missing(require, refuses, same_result):
    pa = require("pyarrow")
    table = pa.table(
        {
            "whole": pa.array([1, None, 3, 4, 8, 6, 5], pa.int32()),
            "flag": pa.array([True, None, None, False, True, True, False]),
            "real": pa.array([1.5, 2.0, float("nan"), None, 2.5, 0.5, 1.0]),
        }
    )
    for frame in (table, table.to_pandas(), require("polars").from_arrow(table)):
        refuses(
            lambda frame=frame: ew.edge_test(frame),
            ew.NonFiniteError,
            "'whole' (1)",
            "'flag' (2)",
            "'real' (2)",
            "drop_missing",
        )
        result = ew.edge_test(frame, drop_missing=True)
        assert result.n_dropped == 3
        same_result(
            result,
            ew.edge_test([[1, 1, 1.5], [8, 1, 2.5], [6, 1, 0.5], [5, 0, 1.0]]),
            names=("whole", "flag", "real"),
        )


@pytest.mark.parametrize(
    ("values", "kind"),
    [(list("wxyz"), "string"), ([[1], [2], [3], [4]], "list"), ([b"a"] * 4, "binary")],
)
def test_columns_that_are_not_numbers_are_named(require, refuses, values, kind):
    table = require("pyarrow").table({"a": [1, 2, 3, 5], "label": values})
    refuses(lambda: ew.edge_test(table), ew.DataTypeError, "'label'", "numbers", kind, "drop")


def test_pandas_columns_that_are_not_numbers_are_named(require, refuses):
    pd = require("pandas")
    days = pd.date_range("2020-01-01", periods=4)
    for values in (list("wxyz"), pd.Categorical(list("wxyz")), days, [1, "x", None, 2.0], [1j] * 4):
        frame = pd.DataFrame({"a": [1, 2, 3, 5], "label": values})
        refuses(lambda frame=frame: ew.edge_test(frame), ew.DataTypeError, "label", "numbers")


def test_bad_columns_are_called_by_their_names(require, refuses, rows):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    refuses(lambda: ew.edge_test(frame.assign(e=7)), ew.DataError, "constant column 'e'", "7")
    refuses(lambda: ew.edge_test(frame.assign(e=frame.b)), ew.DataError, "'e' duplicates", "'b'")
    mixed = frame.assign(e=frame.a + 3 * frame.c)
    refuses(lambda: ew.edge_test(mixed), ew.DataError, "'e' = 3·'c' +1·'a'")


def test_repeated_names_are_refused(require, refuses, rows):
    table = require("pyarrow").table(list(rows.T), names=list("abba"))
    frame = require("pandas").DataFrame(rows, columns=list("abba"))
    mixed = require("pandas").DataFrame(rows, columns=[1, "1", "b", "c"])
    for data, name in ((table, "'a', 'b'"), (frame, "'a', 'b'"), (mixed, "'1'")):
        refuses(lambda data=data: ew.edge_test(data), ew.DataError, name, "more than once")


def test_frames_without_rows_or_columns(require, refuses):
    pd = require("pandas")
    refuses(lambda: ew.edge_test(pd.DataFrame()), ew.DataError, "0 sample")
    refuses(lambda: ew.edge_test(pd.DataFrame({"a": [], "b": []})), ew.DataError, "0 sample")
    refuses(lambda: ew.edge_test(pd.DataFrame({"a": [1.0, 2, 3]})), ew.DataError, "1 feature")


def test_hostile_names_stay_what_they_are(require, hostile_names, hostile_rows, same_result):
    frame = require("pandas").DataFrame(hostile_rows, columns=list(hostile_names))
    result = ew.edge_test(frame)
    same_result(result, ew.edge_test(hostile_rows), names=hostile_names)
    assert {edge.source for edge in result.edges()} <= set(hostile_names)
