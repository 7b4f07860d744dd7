"""Simulated rows and their truth as files: exact, standard, and whole or not there."""

from __future__ import annotations

import json
import os

import networkx as nx
import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from edgewise.errors import ParameterError
from edgewise.simulate import (
    ClaytonPareto,
    Contaminated,
    Gamma,
    Gaussian,
    LogNormal,
    PowerExponential,
    StudentT,
    make_sparse_precision,
    sample,
    sample_batches,
)
from edgewise.simulate.files import row_kind, truth_paths, write_rows, write_truth

PRECISION = make_sparse_precision(4, 3, rng=1)
NAMES = ("a", "b", "c", "naïve – ü")
RECORD = {"graph": "sparse", "seed": 1}
LAWS = {
    "Gaussian": Gaussian(),
    "PowerExponential": PowerExponential(0.7),
    "StudentT": StudentT(8.0),
    "Contaminated": Contaminated(0.1, 3.0),
    "Gamma": Gamma(2.0),
    "LogNormal": LogNormal(0.5),
    "ClaytonPareto": ClaytonPareto(7.0),
}


def read(path):
    reader = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.csv.read_csv
    table = reader(path)
    return tuple(table.column_names), np.column_stack([column.to_numpy() for column in table])


def strict_json(path):
    """As the standard has it: without NaN and Infinity."""
    return json.loads(
        path.read_text(encoding="utf-8"),
        parse_constant=lambda word: pytest.fail(f"{word} is no JSON"),
    )


class TestRows:
    @pytest.mark.parametrize("kind", ["parquet", "csv"])
    @pytest.mark.parametrize("batch_rows", [7, 100, 1000])
    def test_read_back_exactly(self, tmp_path, kind, batch_rows):
        """Shortest decimals that are read back as the same number: CSV loses nothing either."""
        path = tmp_path / f"rows.{kind}"
        X = sample("lognormal", PRECISION, 250, rng=3)
        batches = sample_batches("lognormal", PRECISION, 250, rng=3, batch_rows=batch_rows)
        assert write_rows(path, NAMES, batches) == 250
        names, rows = read(path)
        assert names == NAMES
        np.testing.assert_array_equal(rows, X)
        assert os.listdir(tmp_path) == [path.name]

    def test_rows_are_not_held(self, tmp_path):
        """A batch is written before the next is made."""
        path = tmp_path / "rows.csv"
        sizes = []

        def batches():
            for _ in range(4):
                sizes.append(sum(file.stat().st_size for file in tmp_path.iterdir()))
                yield np.random.default_rng(0).standard_normal((30_000, 4))

        write_rows(path, NAMES, batches())
        assert sizes == sorted(set(sizes)), "the file did not grow from batch to batch"

    @pytest.mark.parametrize("kind", ["parquet", "csv"])
    @pytest.mark.parametrize("existed", [True, False])
    def test_a_failure_leaves_everything_as_it_was(self, tmp_path, kind, existed):
        path = tmp_path / f"rows.{kind}"
        if existed:
            path.write_text("old")

        def batches():
            yield np.ones((10, 4))
            raise RuntimeError("the light went out")

        with pytest.raises(RuntimeError, match="the light went out"):
            write_rows(path, NAMES, batches())
        assert os.listdir(tmp_path) == ([path.name] if existed else [])
        assert not existed or path.read_text() == "old"

    @pytest.mark.parametrize("name", ["x", "x.txt", "x.csv.gz", "csv", "", ".csv", "x."])
    def test_other_endings(self, refuses, name):
        refuses(lambda: row_kind(name), ParameterError, f"ending of '{name}'", "'parquet'", "'csv'")


class TestTruth:
    @pytest.fixture
    def written(self, tmp_path):
        def write(law=LAWS["StudentT"], precision=PRECISION):
            path = tmp_path / "rows.parquet"
            write_truth(path, NAMES[: len(precision)], precision, law, RECORD)
            assert sorted(os.listdir(tmp_path)) == [
                "rows.parquet.truth.graphml",
                "rows.parquet.truth.json",
            ]
            return strict_json(truth_paths(path)[0]), nx.read_graphml(truth_paths(path)[1])

        return write

    def test_matrices(self, written):
        truth, _ = written()
        np.testing.assert_array_equal(truth["precision"], PRECISION)
        np.testing.assert_allclose(truth["covariance"] @ PRECISION, np.eye(4), atol=1e-12)
        assert truth["feature_names"] == list(NAMES)
        assert {name: truth[name] for name in RECORD} == RECORD

    def test_edges(self, written):
        truth, graph = written()
        expected = {
            (NAMES[i], NAMES[j]): PRECISION[i, j]
            for i in range(4)
            for j in range(i + 1, 4)
            if PRECISION[i, j] != 0
        }
        assert len(expected) == 3
        root = dict(zip(NAMES, np.sqrt(PRECISION.diagonal()), strict=True))
        listed = {(edge["source"], edge["target"]): edge for edge in truth["edges"]}
        assert listed.keys() == expected.keys()
        assert sorted(graph.nodes) == sorted(NAMES)
        assert not graph.is_directed()
        assert {frozenset(pair) for pair in graph.edges} == {frozenset(pair) for pair in expected}
        for pair, value in expected.items():
            partial = -value / (root[pair[0]] * root[pair[1]])
            for found in (listed[pair], graph.edges[pair]):
                assert found["precision"] == value
                assert found["partial_correlation"] == pytest.approx(partial, rel=1e-14)

    @pytest.mark.parametrize("name", LAWS)
    def test_law(self, written, name):
        """The record is enough to make the law again."""
        truth, _ = written(LAWS[name])
        law = truth["distribution"]
        assert law.pop("law") == name
        assert type(LAWS[name])(**law) == LAWS[name]
        assert truth["mardia_kurtosis"] == pytest.approx(LAWS[name].mardia_kurtosis(4))
