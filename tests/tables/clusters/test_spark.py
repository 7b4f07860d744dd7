"""Spark: levels of merging, batches in the order of partitions, frames that cannot be tested."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.tables import spark as engine
from edgewise.tables.open import _is_spark, as_table

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

# More than one task merges, so that there are two levels of merging; some are empty.
MANY = [0, 0, *range(3, 33), 200, 400, 400]


def test_two_levels_of_merging(cut, rows, same_result, same_bits, monkeypatch):
    passes, merged = [], engine._merged

    def noted(rows, merge):
        passes.append([len(row["state"]) for row in rows])
        return merged(rows, merge)

    monkeypatch.setattr(engine, "_merged", noted)
    assert len(MANY) - 1 > engine.FAN_IN
    many = cut(rows, MANY).cache()
    first, again = (ew.edge_test(many, method="wald") for _ in range(2))
    same_result(first, ew.edge_test(rows, method="wald"))
    same_bits(first, again)
    assert [len(sizes) for sizes in passes] == [2, 2] * 2
    # Sums and the first rows; then sums alone.
    assert max(passes[0]) < 8 * 10 * 4**2 + 3000 + 8 * 4 * 1600
    assert max(passes[1]) < 8 * 10 * 4**2 + 3000


def test_batches_follow_the_rows_of_the_partitions(cut, same_result):
    walk = np.random.default_rng(5).standard_normal((300, 3)).cumsum(axis=0)
    options = {"method": "batch", "n_batches": 20, "correction": "maxt"}
    shuffled = cut(walk, [0, 300]).repartition(3).cache()
    result = ew.edge_test(shuffled, **options)
    same_result(result, ew.edge_test(shuffled.toArrow(), **options))
    other = ew.edge_test(walk, **options)
    assert not np.allclose(result.statistic, other.statistic, equal_nan=True)


def test_missing_values_are_counted_over_all_partitions(cut, rows, refuses):
    X = rows.copy()
    X[[3, 100, 101], 1] = np.nan
    X[399, 1], X[399, 2] = np.inf, -np.inf
    fragments = ["'x1' (4), 'x2' (1)", "missing='drop'"]
    error = refuses(
        lambda: ew.edge_test(cut(X, [0, 90, 101, 400]), missing="raise"), NonFiniteError, *fragments
    )
    np.testing.assert_array_equal(error.counts, [0, 4, 1, 0])


def test_numbers_of_all_kinds_and_nulls_among_them(spark, same_result, refuses):
    frame = spark.sql(
        "SELECT CAST(id * 37 % 11 AS tinyint) i8, CAST(id * 91 % 101 AS smallint) i16, "
        "CAST(id * 57 % 13 AS int) `a.b`, id * 17 % 29 `c d`, CAST(id * 7 % 5 AS float) `e``f`, "
        "id % 3 = 0 bool, CAST(id * 61 % 19 / 4 AS decimal(20, 4)) dec, "
        "IF(id < 4, NULL, CAST(id * id % 23 AS int)) gaps FROM range(0, 200, 1, 3)"
    ).cache()
    result = ew.edge_test(frame, missing="drop")
    same_result(result, ew.edge_test(frame.toArrow(), missing="drop"))
    assert result.n_dropped == 4
    empty = frame.selectExpr("i8", "NULL AS nothing", "CAST(NULL AS double) AS none")
    refuses(
        lambda: ew.edge_test(empty, missing="raise"),
        NonFiniteError,
        "'nothing' (200), 'none' (200)",
    )
    none_left = frame.where("i8 < 0")
    refuses(lambda: ew.edge_test(none_left), DataError, "0 sample(s)")


def test_frames_that_cannot_be_tested(spark, refuses):
    for columns, options, error, fragments in (
        (
            ["id", "'x' AS text", "now() AS time", "array(1.0) AS list", "struct(1) AS s"],
            {"columns": ["id", "text"]},
            DataTypeError,
            ["'text' must hold numbers, got text"],
        ),
        (["id AS a", "id AS b", "2 * id AS a"], {}, DataError, ["'a' more than once"]),
        (["id"], {}, DataError, ["1 feature(s)", "an edge joins two columns"]),
        (["id", "id % 7 AS b"], {"feature_names": ["a"]}, ParameterError, ["expected 2 names"]),
        (["id", "id % 7 AS b"], {"columns": ["z"]}, DataError, ["no column 'z'"]),
    ):
        frame = spark.range(20).selectExpr(*columns)
        refuses(lambda f=frame, o=options: ew.edge_test(f, **o), error, *fragments)
    words = ["id", "id % 7 AS b", "'x' AS text", "now() AS time", "array(1) AS list"]
    left_out = as_table(spark.range(20).selectExpr(*words)).left_out
    assert left_out == {"text": "text", "time": "dates", "list": "array<int>"}
    stream = spark.readStream.format("rate").load().selectExpr("value AS a", "2 * value AS b")
    refuses(lambda: ew.edge_test(stream), DataError, "streaming sources")


def test_only_frames_are_taken_for_spark(cut, rows):
    frame = cut(rows, [0, 400])
    assert _is_spark(frame)
    for other in (rows, frame.schema, frame["x0"], "x.csv"):
        assert not _is_spark(other)
