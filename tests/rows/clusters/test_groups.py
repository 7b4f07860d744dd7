"""Groups that span partitions, on Dask and Spark: the same numbers as here."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, ParameterError

LENGTHS = [(400,), (0, 150, 0, 250), (47,) * 8 + (24,)]


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(4).permutation(400) % 25


@pytest.fixture(scope="module")
def expected(rows, labels):
    return {
        method: ew.edge_test(rows, method=method, groups=labels, feature_names=list("abcd"))
        for method in ("score", "wald")
    }


@pytest.fixture
def frame(pd, rows, labels):
    made = pd.DataFrame(rows, columns=list("abcd"))
    made.insert(1, "subject", [f"subject {label:02}" for label in labels])
    return made


class TestDask:
    @pytest.mark.parametrize("lengths", LENGTHS)
    @pytest.mark.parametrize("method", ["score", "wald"])
    def test_a_frame(self, dd, client, frame, expected, same_result, lengths, method):
        ends = np.cumsum((0, *lengths))
        parts = [frame.iloc[a:b] for a, b in itertools.pairwise(ends)]
        data = dd.from_map(lambda i: parts[i], range(len(parts)), meta=frame.iloc[:0])
        result = ew.edge_test(data, method=method, groups="subject", client=client)
        same_result(result, expected[method])

    def test_a_frame_of_categories(self, dd, frame, expected, same_result):
        data = dd.from_pandas(frame.astype({"subject": "category"}), npartitions=3)
        same_result(ew.edge_test(data, groups="subject"), expected["score"])

    def test_an_array(self, da, rows, labels, expected, same_result):
        X = da.from_array(np.column_stack([labels, rows]), chunks=(70, 5))
        result = ew.edge_test(X, groups="x0")
        same_result(result, expected["score"], names=["x1", "x2", "x3", "x4"])

    def test_files(self, tmp_path, client, frame, expected, same_result):
        for number, start in enumerate(range(0, 400, 130)):
            part = frame.iloc[start : start + 130]
            part.to_csv(tmp_path / f"{number}.csv", index=False, float_format="%.17g")
        result = ew.edge_test(tmp_path, groups="subject", client=client)
        same_result(result, expected["score"])

    def test_missing_labels(self, dd, frame, refuses):
        gaps = frame.copy()
        gaps.loc[300, "subject"] = None
        data = dd.from_pandas(gaps, npartitions=3)
        refuses(
            lambda: ew.edge_test(data, groups="subject"),
            DataError,
            "partition 2",
            "missing ones in column 'subject'",
        )
        assert ew.edge_test(data, groups="subject", drop_missing=True).n_dropped == 1

    def test_refuses(self, dd, frame, labels, refuses):
        data = dd.from_pandas(frame, npartitions=3)
        refuses(lambda: ew.edge_test(data, groups="b"), DataTypeError, "'subject'")
        refuses(lambda: ew.edge_test(data, groups="subj"), DataError, "did you mean 'subject'?")
        numbers = data[["a", "b", "c"]]
        refuses(lambda: ew.edge_test(numbers, groups=labels), ParameterError, "name of a column")


class TestSpark:
    def test_a_frame(self, spark, frame, expected, same_result):
        data = spark.createDataFrame(frame.to_dict("records")).repartition(2)
        data = data.select("a", "subject", "b", "c", "d")
        same_result(ew.edge_test(data, groups="subject"), expected["score"])

    def test_csv_files(self, spark, tmp_path, frame, expected, same_result):
        from edgewise.rows.clusters.spark_files import spark_file_table

        for number, start in enumerate(range(0, 400, 130)):
            part = frame.iloc[start : start + 130]
            part.to_csv(tmp_path / f"{number}.csv", index=False, float_format="%.17g")
        table = spark_file_table(spark, [str(tmp_path)], along=["subject"])
        same_result(ew.edge_test(table, groups="subject"), expected["score"])

    def test_missing_labels(self, spark, frame, refuses):
        records = frame.to_dict("records")
        records[7]["subject"] = None
        data = spark.createDataFrame(records).coalesce(1)
        refuses(lambda: ew.edge_test(data, groups="subject"), DataError, "missing ones in column")
        assert ew.edge_test(data, groups="subject", drop_missing=True).n_dropped == 1

    def test_refuses(self, spark, frame, refuses):
        data = spark.createDataFrame(frame.to_dict("records"))
        refuses(lambda: ew.edge_test(data, groups="a"), DataTypeError, "'subject' (string)")
