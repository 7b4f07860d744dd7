"""Simulated rows and their truth as files: exact, standard, and whole or not there."""

from __future__ import annotations

import json
import os

import networkx as nx
import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from edgewise import simulate
from edgewise.errors import ParameterError
from edgewise.simulate import make_sparse_precision, sample, sample_batches
from edgewise.simulate.files import row_kind, truth_paths, write_rows, write_truth

PRECISION = make_sparse_precision(4, 3, rng=1)
NAMES = ("a", "b", "c", "naïve – ü")
RECORD = {"graph": "sparse", "seed": 1}


def read(path):
    reader = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.csv.read_csv
    table = reader(path)
    return tuple(table.column_names), np.column_stack([column.to_numpy() for column in table])


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("batch_rows", [7, 1000])
def test_rows_are_read_back_exactly(tmp_path, kind, batch_rows):
    """Shortest decimals that are read back as the same number: CSV loses nothing either."""
    path = tmp_path / f"rows.{kind}"
    X = sample("lognormal", PRECISION, 250, rng=3)
    batches = sample_batches("lognormal", PRECISION, 250, rng=3, batch_rows=batch_rows)
    assert write_rows(path, NAMES, batches) == 250
    names, rows = read(path)
    assert names == NAMES
    np.testing.assert_array_equal(rows, X)
    assert os.listdir(tmp_path) == [path.name]


def test_a_batch_is_written_before_the_next_is_made(tmp_path):
    sizes = []

    def batches():
        for _ in range(4):
            sizes.append(sum(file.stat().st_size for file in tmp_path.iterdir()))
            yield np.random.default_rng(0).standard_normal((30_000, 4))

    write_rows(tmp_path / "rows.csv", NAMES, batches())
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_failure_leaves_everything_as_it_was(tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    path.write_text("old")

    def batches():
        yield np.ones((10, 4))
        raise RuntimeError("the light went out")

    with pytest.raises(RuntimeError, match="the light went out"):
        write_rows(path, NAMES, batches())
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["x", "x.txt", "x.csv.gz", ".csv"])
def test_other_endings(refuses, name):
    refuses(lambda: row_kind(name), ParameterError, f"ending of '{name}'", "'parquet'", "'csv'")


def test_the_truth(tmp_path):
    law = simulate.AutoRegressive(simulate.StudentT(8.0), 0.5)
    path = tmp_path / "rows.parquet"
    write_truth(path, NAMES, PRECISION, law, RECORD)
    # Strict JSON, without NaN and Infinity.
    text = truth_paths(path)[0].read_text(encoding="utf-8")
    truth = json.loads(text, parse_constant=pytest.fail)
    graph = nx.read_graphml(truth_paths(path)[1])
    np.testing.assert_array_equal(truth["precision"], PRECISION)
    np.testing.assert_allclose(truth["covariance"] @ PRECISION, np.eye(4), atol=1e-12)
    assert truth["feature_names"] == list(NAMES) == list(graph.nodes)
    assert {name: truth[name] for name in RECORD} == RECORD
    listed = {(edge["source"], edge["target"]): edge for edge in truth["edges"]}
    assert len(listed) == graph.number_of_edges() == 3
    for (a, b), edge in listed.items():
        i, j = NAMES.index(a), NAMES.index(b)
        rho = -PRECISION[i, j] / np.sqrt(PRECISION[i, i] * PRECISION[j, j])
        for found in (edge, graph.edges[a, b]):
            assert found["precision"] == PRECISION[i, j]
            assert found["partial_correlation"] == pytest.approx(rho, rel=1e-14)
    # The record is enough to make the law again.
    inner = {"law": "StudentT", "df": 8.0}
    assert truth["distribution"] == {"law": "AutoRegressive", "innovations": inner, "memory": 0.5}
