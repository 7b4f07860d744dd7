"""Frames and Arrow streams give what the plain array gives, with their columns' names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError
from edgewise.tables import arrow as tables
from edgewise.tables.arrow import fixed_blocks
from edgewise.tables.files import FileTable
from edgewise.tables.open import as_table

FRAMES = {
    "many chunks": lambda table, require: pa.concat_tables(
        table.slice(start, 70) for start in range(0, 400, 70)
    ),
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


def test_frames_of_several_kinds_of_numbers(rows, require, same_result):
    require("pandas")
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
    require("pandas")
    table = pa.table(
        {
            "whole": pa.array([1, None, 3, 4, 8, 6, 5], pa.int32()),
            "flag": pa.array([True, None, None, False, True, True, False]),
            "real": pa.array([1.5, 2.0, float("nan"), None, 2.5, 0.5, 1.0]),
        }
    )
    for frame in (table, table.to_pandas(), require("polars").from_arrow(table)):
        refuses(
            lambda frame=frame: ew.edge_test(frame, missing="raise"),
            NonFiniteError,
            "'whole' (1)",
            "'flag' (2)",
            "'real' (2)",
            "missing='drop'",
        )
        result = ew.edge_test(frame, missing="drop")
        assert result.n_dropped == 3
        same_result(
            result,
            ew.edge_test([[1, 1, 1.5], [8, 1, 2.5], [6, 1, 0.5], [5, 0, 1.0]]),
            names=("whole", "flag", "real"),
        )


@pytest.mark.parametrize(
    ("values", "kind"),
    [(list("wxyz"), "text"), ([[1], [2], [3], [4]], "list"), ([b"a"] * 4, "binary")],
)
def test_columns_that_are_not_numbers_are_left_out(refuses, values, kind):
    table = pa.table({"a": [1, 2, 3, 5], "b": [1, 3, 3, 1], "label": values})
    (what,) = as_table(table).left_out.values()
    assert kind in what
    call = lambda: as_table(table, columns=["a", "label"])  # noqa: E731
    refuses(call, DataTypeError, "'label'", "numbers", kind, "leave it out")


def test_repeated_names_are_refused(require, refuses, rows):
    table = pa.table(list(rows.T), names=list("abba"))
    frame = require("pandas").DataFrame(rows, columns=list("abba"))
    mixed = require("pandas").DataFrame(rows, columns=[1, "1", "b", "c"])
    for data, name in ((table, "'a', 'b'"), (frame, "'a', 'b'"), (mixed, "'1'")):
        refuses(lambda data=data: ew.edge_test(data), DataError, name, "more than once")


def in_batches(X, cuts):
    """The rows as Arrow batches that end at the cuts, some of them empty."""
    names = [f"x{j}" for j in range(X.shape[1])]
    pieces = np.split(X, sorted(cuts))
    return (pa.record_batch(list(np.ascontiguousarray(x.T)), names=names) for x in pieces)


@given(st.lists(st.integers(0, 100), max_size=8), st.integers(0, 110))
def test_blocks_have_one_size_whatever_the_batches(cuts, skip):
    X = np.arange(300.0).reshape(100, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "batch_rows", lambda n_features: 16)
        blocks = list(fixed_blocks(in_batches(X, cuts), 3, skip))
    left = max(100 - skip, 0)
    assert [len(block) for block in blocks] == [16] * (left // 16) + [left % 16] * (left % 16 > 0)
    np.testing.assert_array_equal(np.concatenate([np.empty((0, 3)), *blocks]), X[skip:])


@pytest.fixture
def gappy(rows):
    X = rows.copy()
    X[[3, 200, 390], [1, 1, 2]] = np.nan, np.inf, np.nan
    return pa.table(dict(zip("abcd", X.T, strict=True)))


def test_rows_dropped_from_a_stream_are_counted(gappy, rows, same_result):
    result = ew.edge_test(gappy.to_reader(), method="batch", n_batches=20, missing="drop")
    assert result.n_dropped == 3
    kept = np.delete(rows, [3, 200, 390], axis=0)
    same_result(result, ew.edge_test(kept, method="batch", n_batches=20), names="abcd")


def test_text_further_down_a_pandas_column_is_named(require, refuses):
    pd = require("pandas")
    for late in (["x"] * 1000, [None] * 999 + ["x"]):
        labels = pd.Series([1.5] * 2000 + late, dtype=object)
        frame = pd.DataFrame({"a": np.arange(3000.0), "label": labels})
        refuses(
            lambda frame=frame: ew.edge_test(frame, missing="raise"),
            DataTypeError,
            "label",
            "numbers",
        )


# Odd inputs that once went wrong: each is one sentence, or simply works.


def test_an_adbc_stream_handle_is_read_once(require, table, rows, same_result, refuses):
    with require("adbc_driver_sqlite.dbapi").connect() as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("kept", table, mode="create")
        cursor.execute("select * from kept")
        result = ew.edge_test(cursor.fetch_arrow(), method="fisher")
        same_result(result, ew.edge_test(rows, method="fisher"), names="abcd")
        cursor.execute("select * from kept")
        handle = cursor.fetch_arrow()
        refuses(lambda: ew.edge_test(handle), DataError, "read already", "method='batch'")


def test_large_whole_numbers_with_gaps():
    table = pa.table({"a": pa.array([2**60 + 1, None, 3, 4, 5, 6]), "b": [1.0, 2, 5, 3, 1, 2]})
    result = ew.edge_test(table, method="fisher", missing="drop")
    assert (result.n_samples, result.n_dropped) == (5, 1)


@pytest.mark.parametrize("options", [{}, {"columns": ["a", "b"]}])
def test_repeated_names_in_a_later_file(tmp_path, refuses, options):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,b,a\n1,2,3\n")
    refuses(lambda: FileTable([tmp_path], **options), DataError, "2.csv", "'a'")


def test_an_error_of_a_stream_is_one_sentence(table, refuses):
    def make():
        yield table.to_batches()[0]
        raise pa.ArrowInvalid("could not\nconvert")

    reader = pa.RecordBatchReader.from_batches(table.schema, make())
    refuses(lambda: ew.edge_test(reader, method="fisher"), DataError, "could not convert")
