"""Normal scores of partitions, on Dask and Spark: the same numbers as here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import NonFiniteError
from edgewise.rows import normal_scores
from edgewise.rows.collecting import all_rows
from edgewise.rows.opening import open_table

SCORES = {"transform": "normal-scores"}
BOUNDS = [0, 0, 150, 151, 400, 400]


@pytest.fixture(scope="module")
def skewed(rows):
    X = np.exp(rows)
    X[:, 2] = np.round(X[:, 2])
    return X


@pytest.fixture(scope="module")
def expected(skewed):
    return ew.edge_test(stats.norm.ppf(stats.rankdata(skewed, axis=0) / 401))


@pytest.fixture
def many():
    rng = np.random.default_rng(8)
    X = rng.standard_t(3, (40_000, 3))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.round(X[:, 2])
    return X


def check_sketch(data, X, monkeypatch, require, **more):
    """A limit that one partition keeps, and two together do not."""
    require("datasketches")
    monkeypatch.setattr(normal_scores, "MOST_ON_CLUSTER", 150_000)
    found = all_rows(open_table(data, **SCORES, **more))
    exact = stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))
    assert found.shape == X.shape
    assert np.sqrt(np.mean((found - exact) ** 2)) < 0.01
    assert np.abs(found - exact).max() < 0.1


class TestDask:
    @pytest.mark.parametrize("method", ["score", "batch", "nodewise"])
    def test_an_array(self, da, client, skewed, same_result, method):
        X = da.from_array(skewed, chunks=(70, 4))
        expected = ew.edge_test(skewed, method=method, **SCORES)
        result = ew.edge_test(X, method=method, client=client, **SCORES)
        same_result(result, expected)
        assert result.options == expected.options

    def test_other_processes(self, da, processes, skewed, expected, same_result):
        X = da.from_array(skewed, chunks=(70, 4))
        same_result(ew.edge_test(X, client=processes, **SCORES), expected)

    def test_groups_and_missing_values(self, dd, pd, client, skewed, same_result):
        X = skewed.copy()
        X[::50, 1] = np.nan
        frame = pd.DataFrame(X, columns=list("abcd"))
        frame["subject"] = [f"s{i % 25}" for i in range(400)]
        data = dd.from_pandas(frame, npartitions=3)
        asked = {"groups": "subject", "missing": "drop", **SCORES}
        result = ew.edge_test(data, client=client, **asked)
        same_result(result, ew.edge_test(frame, **asked))
        assert result.n_dropped == 8
        values = frame.dropna()
        slow = stats.norm.ppf(stats.rankdata(values[list("abcd")], axis=0) / (len(values) + 1))
        table = open_table(data, client=client, **asked)
        np.testing.assert_allclose(all_rows(table), slow, rtol=1e-12, atol=1e-14)

    def test_files(self, tmp_path, client, write_csv, skewed, expected, same_result):
        for number, start in enumerate(range(0, 400, 130)):
            write_csv(tmp_path / f"{number}.csv", "abcd", skewed[start : start + 130])
        same_result(ew.edge_test(tmp_path, client=client, **SCORES), expected, names="abcd")

    def test_a_sketch(self, da, client, many, monkeypatch, require):
        data = da.from_array(many, chunks=(5000, 3))
        check_sketch(data, many, monkeypatch, require, client=client)

    def test_a_sketch_of_partitions_of_unknown_length(self, dd, pd, many, monkeypatch, require):
        data = dd.from_pandas(pd.DataFrame(many, columns=list("abc")), npartitions=7)
        check_sketch(data, many, monkeypatch, require)

    def test_missing_values_are_named(self, da, skewed, refuses):
        X = skewed.copy()
        X[300, 1] = np.inf
        data = da.from_array(X, chunks=(100, 4))
        refuses(
            lambda: ew.edge_test(data, **SCORES), NonFiniteError, "chunk 3", "in column 'x1' (1)"
        )


class TestSpark:
    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_a_frame(self, cut, skewed, same_result, method):
        result = ew.edge_test(cut(skewed, BOUNDS), method=method, **SCORES)
        same_result(result, ew.edge_test(skewed, method=method, **SCORES))

    def test_a_sketch(self, cut, many, monkeypatch, require):
        data = cut(many, [0, 100, 9_000, 9_000, 20_000, 40_000])
        check_sketch(data, many, monkeypatch, require)
