"""Spark: the same numbers as here, whatever the partitions; and what is not a table of numbers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.methods.registry import METHODS
from edgewise.rows.clusters import spark as engine
from edgewise.rows.clusters.partition_task import PartTask
from edgewise.rows.opening import _is_spark, open_table
from edgewise.states.accumulate import _taken

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

# Empty ones first and between, one of a few rows, one of most.
UNEVEN = [0, 0, 5, 5, 400]
# More than one task merges, so that there are two levels of merging; the last one is empty.
MANY = [0, 0, *range(3, 33), 200, 400, 400]


@pytest.fixture(scope="module")
def uneven(cut, rows):
    return cut(rows, UNEVEN).cache()


@pytest.fixture(scope="module")
def many(cut, rows):
    assert len(MANY) - 1 > engine.FAN_IN
    return cut(rows, MANY).cache()


@pytest.fixture
def collected(monkeypatch):
    """The sizes of the states that came to the driver, a list for each pass."""
    passes = []
    merged = engine._merged

    def noted(packed, merge):
        passes.append([len(one) for one in packed])
        return merged(packed, merge)

    monkeypatch.setattr(engine, "_merged", noted)
    return passes


def bits(result):
    """All numbers of a result, to the last bit: what the same partitions give on the same CPU."""
    fields = ("covariance", "partial_correlation", "statistic", "log_pvalue", "threshold")
    return [np.asarray(getattr(result, field)).tobytes() for field in fields]


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_gives_what_it_gives_here(uneven, rows, same_result, method):
    same_result(ew.edge_test(uneven, method=method), ew.edge_test(rows, method=method))


def test_rows_outside_the_support_are_counted_where_they_are(uneven, rows, same_result):
    asked = ew.Whitened(radius="bernstein", support=(-3, 3), outside=0.2)
    result = ew.edge_test(uneven, method=asked)
    same_result(result, ew.edge_test(rows, method=asked))
    assert result.options["n_outside"] == int((np.abs(rows) > 3).any(axis=1).sum()) > 0


@pytest.mark.parametrize(
    "options",
    [
        {"method": "eig", "solver": "matrix-free"},
        {"method": "whitened", "radius": "chi2", "solver": "matrix-free"},
    ],
    ids=["eig", "chi2"],
)
def test_products_alone_on_the_cluster(cut, rows, tmp_path, same_result, options):
    # Beside rows that are read for every pass, as these are: those in memory take another way.
    pq.write_table(pa.table({f"x{j}": rows[:, j] for j in range(4)}), tmp_path / "x.parquet")
    expected = ew.edge_test(tmp_path / "x.parquet", **options)
    result = ew.edge_test(cut(rows, [0, 150, 400]).cache(), **options)
    same_result(result, expected)
    assert result.options["solver"] == "matrix-free"
    # Other sums of the same rows: their last bits may decide on one pass more.
    assert result.options["iterations"] == pytest.approx(expected.options["iterations"], abs=1)


def test_two_levels_of_merging(many, rows, same_result, collected):
    first, again = (ew.edge_test(many) for _ in range(2))
    same_result(first, ew.edge_test(rows))
    assert bits(first) == bits(again)
    batches = ew.edge_test(many, method="batch", n_batches=20)
    same_result(batches, ew.edge_test(rows, method="batch", n_batches=20))
    # Each has two passes: the first does not know how many partitions there are, and takes no
    # chances; the second does.
    assert [len(sizes) for sizes in collected] == [1, 2] * 3


def test_the_same_partitions_give_the_same_bits(uneven):
    first, again = (ew.edge_test(uneven, method="batch") for _ in range(2))
    assert bits(first) == bits(again)


def test_what_comes_back_is_a_state_of_each_partition(uneven, rows, collected):
    source = engine.SparkTable(uneven)
    one_pass = partial(_taken, state=ew.Moments(), after=None, looks=False)
    made = PartTask(one_pass, 4, source.feature_names)
    with engine.without_pandas_warning():
        carried = engine._Broadcast(engine._Carried(made, None), None)
        states = source._frame.mapInArrow(engine._states(carried), engine._SCHEMA).collect()
    assert [(row["number"], row["parts"]) for row in states] == [(i, 1) for i in range(4)]
    # p × p sums of four orders and what wraps them, whether of 5 rows or of 395.
    sizes = [len(row["state"]) for row in states]
    assert max(sizes) < 8 * 10 * 4**2 + 2000
    assert abs(sizes[1] - sizes[3]) < 16
    # And so it is with every pass of a test that knows the partitions.
    ew.edge_test(uneven, method="wald")
    first, second = collected
    assert (len(first), len(second)) == (1, 4)
    # The first pass brings a glance at the first rows too.
    assert max(first) < 8 * 10 * 4**2 + 2000 + 8 * 4 * 1600
    assert max(second) < 8 * 10 * 4**2 + 2000


def test_what_every_task_needs_is_broadcast_and_forgotten(uneven, monkeypatch):
    broadcast = engine.SparkTable._broadcast
    sent = []

    def noted(source, carried):
        sent.append(broadcast(source, carried))
        return sent[-1]

    monkeypatch.setattr(engine.SparkTable, "_broadcast", noted)
    ew.edge_test(uneven)
    assert len(sent) == 2
    for one in sent:
        assert one.here is None
        assert not one.elsewhere._jbroadcast.isValid()


def test_batches_follow_the_rows_of_the_partitions(spark, same_result):
    walk = np.random.default_rng(5).standard_normal((300, 3)).cumsum(axis=0)
    options = {"method": "batch", "n_batches": 20, "correction": "maxt"}
    shuffled = spark.createDataFrame(pa.table(dict(zip("abc", walk.T, strict=True)))).repartition(3)
    result = ew.edge_test(shuffled, **options)
    same_result(result, ew.edge_test(shuffled.toArrow(), **options))
    assert not np.allclose(
        result.statistic, ew.edge_test(walk, **options).statistic, equal_nan=True
    )


def test_missing_values_are_counted_over_all_partitions(cut, rows, same_result, refuses):
    X = rows.copy()
    X[[3, 100, 101], 1] = np.nan
    X[399, 1], X[399, 2] = np.inf, -np.inf
    frame = cut(X, [0, 90, 101, 400]).cache()
    error = refuses(
        lambda: ew.edge_test(frame), NonFiniteError, "'x1' (4), 'x2' (1)", "missing='drop'"
    )
    np.testing.assert_array_equal(error.counts, [0, 4, 1, 0])
    for method in ("score", "batch"):
        result = ew.edge_test(frame, method=method, drop_missing=True)
        same_result(result, ew.edge_test(X, method=method, drop_missing=True))
        assert (result.n_samples, result.n_dropped) == (396, 4)


def test_numbers_of_all_kinds_and_nulls_among_them(spark, same_result, refuses):
    frame = spark.sql(
        "SELECT CAST(id * 37 % 11 AS tinyint) i8, CAST(id * 91 % 101 AS smallint) i16, "
        "CAST(id * 57 % 13 AS int) i32, id * 17 % 29 i64, CAST(id * 7 % 5 AS float) f32, "
        "id % 3 = 0 bool, CAST(id * 61 % 19 / 4 AS decimal(20, 4)) dec, "
        "IF(id < 4, NULL, CAST(id * id % 23 AS int)) gaps FROM range(0, 200, 1, 3)"
    ).cache()
    result = ew.edge_test(frame, drop_missing=True)
    same_result(result, ew.edge_test(frame.toArrow(), drop_missing=True))
    assert result.n_dropped == 4
    empty = frame.selectExpr("i8", "NULL AS nothing", "CAST(NULL AS double) AS none")
    refuses(lambda: ew.edge_test(empty), NonFiniteError, "'nothing' (200), 'none' (200)")
    refuses(lambda: ew.edge_test(empty, drop_missing=True), DataError, "every row has missing")


def test_names_that_spark_would_take_for_its_own(cut, rows, same_result):
    names = ("a.b", "a", "c d", "`e`.f`")
    frame = cut(rows, [0, 200, 400], names)
    same_result(
        ew.edge_test(frame, method="fisher"), ew.edge_test(rows, method="fisher"), names=names
    )
    upper = ew.edge_test(
        frame.toDF("a", "A", "b", "B"), method="fisher", feature_names=list("wxyz")
    )
    assert upper.feature_names == tuple("wxyz")


def test_states_and_the_estimator(uneven, rows, same_result):
    state = ew.accumulate(uneven) + ew.accumulate(rows + 0.0)
    expected = ew.edge_test(np.concatenate([rows, rows]), method="trace")
    same_result(ew.edge_test(state, method="trace"), expected)

    fitted = ew.EdgeTest().fit(uneven)
    same_result(fitted.result_, ew.edge_test(rows))
    assert (fitted.n_features_in_, fitted.n_samples_seen_) == (4, 400)
    assert list(fitted.feature_names_in_) == ["x0", "x1", "x2", "x3"]

    later = ew.EdgeTest("trace").partial_fit(rows).partial_fit(uneven.toDF("x0", "x1", "x2", "x3"))
    same_result(later.result_, expected)
    assert later.n_samples_seen_ == 800


def test_no_rows(spark, refuses):
    nothing = spark.createDataFrame([], "a double, b double")
    none_left = spark.range(10).selectExpr("id AS a", "2 * id AS b").where("a < 0")
    refuses(lambda: ew.edge_test(nothing), DataError, "0 sample(s)")
    refuses(lambda: ew.edge_test(none_left, method="batch"), DataError, "0 sample(s)")


@pytest.mark.parametrize(
    ("columns", "options", "error", "fragments"),
    [
        (
            ["id", "'x' AS text", "now() AS time", "array(1.0) AS list", "struct(1) AS s"],
            {},
            DataTypeError,
            ["'text' (string), 'time' (timestamp), 'list' (array<decimal(2,1)>)", "cast them"],
        ),
        ([f"'x' AS t{i}" for i in range(7)], {}, DataTypeError, ["'t4' (string) and 2 more"]),
        (["id AS a", "id AS b", "2 * id AS a"], {}, DataError, ["'a' more than once"]),
        (["id"], {}, DataError, ["1 feature(s)", "an edge joins two columns"]),
        (
            ["id", "id % 7 AS b"],
            {"budget": 1.0, "method": "trace"},
            ParameterError,
            ["budget: ", "cluster"],
        ),
        (["id", "id % 7 AS b"], {"feature_names": ["a"]}, ParameterError, ["expected 2 names"]),
    ],
    ids=["kinds", "many", "twice", "alone", "budget", "names"],
)
def test_refusals(spark, refuses, columns, options, error, fragments):
    frame = spark.range(20).selectExpr(*columns)
    refuses(lambda: ew.edge_test(frame, **options), error, *fragments)


def test_a_stream_is_refused_in_one_sentence(spark, refuses):
    stream = spark.readStream.format("rate").load().selectExpr("value AS a", "2 * value AS b")
    refuses(lambda: ew.edge_test(stream), DataError, "streaming sources")


def test_only_frames_are_taken_for_spark(uneven, rows):
    assert isinstance(open_table(uneven), engine.SparkTable)
    for other in (rows, uneven.schema, uneven["x0"], uneven.toArrow(), "x.csv"):
        assert not _is_spark(other)


def test_chosen_columns(uneven, rows, same_result, refuses):
    """`columns=`, `exclude=` and `feature_names`, which were refused once."""
    mixed = uneven.selectExpr("'x' AS `a.b`", "x0", "x1", "x2", "x3")
    result = ew.edge_test(mixed, columns=["x3", "x0"])
    same_result(result, ew.edge_test(rows[:, [3, 0]]), names=("x3", "x0"))
    result = ew.edge_test(mixed, exclude=["a.b", "x1"], feature_names=list("pqr"), method="batch")
    same_result(result, ew.edge_test(rows[:, [0, 2, 3]], method="batch"), names="pqr")
    refuses(lambda: ew.edge_test(mixed, exclude="z"), DataError, "no column 'z'", "'a.b', 'x0'")
