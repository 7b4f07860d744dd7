"""Rows that lack values or have weights, on Dask and Spark: the same numbers as here."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError

METHODS = ["score", "wald", "batch"]
LENGTHS = [(400,), (0, 150, 0, 250), (47,) * 8 + (24,)]
BOUNDS = [0, 0, 150, 151, 400, 400]
PAIRWISE = {"missing": "pairwise"}


@pytest.fixture(scope="module")
def table(rows):
    """Gaps in two columns, and as the last column weights, of which some are zero."""
    rng = np.random.default_rng(9)
    X = np.column_stack([rows, rng.exponential(size=400) + 0.1])
    X[rng.random(400) < 0.15, 1] = np.nan
    X[rng.random(400) < 0.05, 2] = np.nan
    X[::40, 4] = 0.0
    return X


@pytest.fixture(scope="module")
def expected(table):
    """What `edge_test` finds here, of gaps, of weights and of both."""
    complete = np.where(np.isnan(table), 0.5, table)
    return {
        (method, kind): ew.edge_test(data, method=method, feature_names=list("abcd"), **how)
        for method in METHODS
        for kind, data, how in (
            ("gaps", table[:, :4], PAIRWISE),
            ("weights", complete, {"weights": "x4"}),
            ("both", table, {"weights": "x4", **PAIRWISE}),
        )
    }


@pytest.fixture
def same(same_result):
    def check(result, expected, names="abcd"):
        same_result(result, expected, names=names)
        assert result.n_missing == expected.n_missing
        if expected.pair_rows is not None:
            np.testing.assert_array_equal(result.pair_rows, expected.pair_rows)
        worth = [one.options.get("effective_rows") for one in (result, expected)]
        assert worth[0] == pytest.approx(worth[1])

    return check


class TestDask:
    @pytest.mark.parametrize("lengths", LENGTHS)
    @pytest.mark.parametrize("method", METHODS)
    def test_a_frame(self, frame_of, client, table, expected, same, lengths, method):
        gaps = frame_of(table[:, :4], lengths)
        result = ew.edge_test(gaps, method=method, client=client, **PAIRWISE)
        same(result, expected[method, "gaps"])
        both = frame_of(table, lengths)
        result = ew.edge_test(both, method=method, client=client, weights="e", **PAIRWISE)
        same(result, expected[method, "both"])

    @pytest.mark.parametrize("method", METHODS)
    def test_an_array(self, da, client, table, expected, same, method):
        X = da.from_array(np.where(np.isnan(table), 0.5, table), chunks=(70, 5))
        result = ew.edge_test(X, method=method, weights="x4", client=client)
        same(result, expected[method, "weights"], ["x0", "x1", "x2", "x3"])

    def test_other_processes(self, da, processes, table, expected, same):
        X = da.from_array(table, chunks=(70, 5))
        result = ew.edge_test(X, weights="x4", client=processes, **PAIRWISE)
        same(result, expected["score", "both"], ["x0", "x1", "x2", "x3"])

    def test_files(self, files_of, client, table, expected, same):
        paths = files_of(table, [100, 300])
        result = ew.edge_test(paths, weights="e", client=client, **PAIRWISE)
        same(result, expected["score", "both"])

    def test_a_state(self, frame_of, client, table):
        data = frame_of(table, (130, 130, 140))
        state = ew.accumulate(data, n_batches=25, weights="e", client=client, **PAIRWISE)
        here = ew.PairwiseMoments(25).update(table[:, :4], weights=table[:, 4])
        assert state.feature_names == ("a", "b", "c", "d")
        np.testing.assert_array_equal(state.batch_counts(), here.batch_counts())
        np.testing.assert_array_equal(state.pair_rows(), here.pair_rows())
        np.testing.assert_allclose(state.covariance(), here.covariance(), rtol=1e-11)

    def test_frequencies(self, frame_of, client, rows, same_result):
        counts = np.arange(400) % 4
        data = frame_of(np.column_stack([rows, counts]), (150, 250))
        for method in ("score", "batch", "fisher"):
            result = ew.edge_test(
                data, method=method, weights="e", weight_kind="frequency", client=client
            )
            repeated = ew.edge_test(np.repeat(rows, counts, axis=0), method=method)
            same_result(result, repeated, names="abcd")

    def test_complete_rows(self, frame_of, client, rows, same_result):
        """Nothing is missing, and weights are equal: as ever."""
        data = frame_of(np.column_stack([rows, np.full(400, 0.1)]), (150, 250))
        result = ew.edge_test(data, weights="e", client=client, **PAIRWISE)
        same_result(result, ew.edge_test(rows), names="abcd")
        assert "weights" not in result.options

    def test_dropped_rows_are_explained(self, frame_of, client, table):
        result = ew.edge_test(frame_of(table[:, :4], (150, 250)), missing="drop", client=client)
        here = ew.edge_test(table[:, :4], missing="drop")
        assert result.n_missing == here.n_missing
        assert result.n_dropped_alone == here.n_dropped_alone

    def test_refuses(self, frame_of, table, refuses):
        data = frame_of(table, (150, 250))
        refuses(
            lambda: ew.edge_test(data, weights=np.ones(400), **PAIRWISE),
            ParameterError,
            "weights: expected the name of a column",
        )
        wrong = table.copy()
        wrong[300, 4] = -1.0
        bad = frame_of(wrong, (150, 250))
        refuses(
            lambda: ew.edge_test(bad, weights="e", **PAIRWISE),
            DataError,
            "partition 1",
            "got -1 in column 'e' (1 row)",
        )


class TestSpark:
    @pytest.mark.parametrize("method", METHODS)
    def test_a_frame(self, cut, table, expected, same, method):
        data = cut(table, BOUNDS, list("abcdw"))
        result = ew.edge_test(data, method=method, weights="w", **PAIRWISE)
        same(result, expected[method, "both"])

    def test_gaps(self, cut, table, expected, same):
        data = cut(table[:, :4], BOUNDS, list("abcd"))
        same(ew.edge_test(data, **PAIRWISE), expected["score", "gaps"])

    def test_missing_values_of_spark(self, spark, table, expected, same):
        """A null is a missing value too."""
        lines = [[None if np.isnan(x) else x for x in row] for row in table[:, :4].tolist()]
        data = spark.createDataFrame(lines, "a double, b double, c double, d double").coalesce(1)
        same(ew.edge_test(data, **PAIRWISE), expected["score", "gaps"])

    def test_bad_weights(self, cut, table, refuses):
        wrong = table.copy()
        wrong[300, 4] = np.nan
        data = cut(wrong, BOUNDS, list("abcdw"))
        refuses(
            lambda: ew.edge_test(data, weights="w", **PAIRWISE), DataError, "missing ones (NaN)"
        )
