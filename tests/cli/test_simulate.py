"""`edgewise simulate`: rows whose graph is known, through the real program."""

from __future__ import annotations

import json
from itertools import cycle

import networkx as nx
import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from edgewise.cli.simulate import _GRAPHS, _LAWS

SUFFIXES = (".parquet", ".parquet.truth.json", ".parquet.truth.graphml")


@pytest.fixture
def simulate(run_main, tmp_path):
    """``simulate("--seed", 3)``: rows of four variables in a file, and what is said of the truth."""

    def run(*arguments, name="x.parquet", rows=200):
        out, err = run_main("simulate", "-o", name, "-n", rows, "-p", 4, *arguments)
        assert err == ""
        assert out.startswith(f"{rows:,} rows of 4 variables, ")
        path = tmp_path / name
        read = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.csv.read_csv
        text = (tmp_path / f"{name}.truth.json").read_text(encoding="utf-8")
        truth = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
        X = np.column_stack([column.to_numpy() for column in read(path)])
        assert X.shape == (rows, 4)
        assert np.isfinite(X).all()
        return X, truth

    return run


def test_formats_and_seeds(simulate, tmp_path):
    """The seed decides every number, and the format none."""
    options = ["--graph", "erdos-renyi:probability=0.5", "--distribution", "laplace"]
    names = (("x.parquet", 5), ("y.csv", 5), ("z.parquet", 5), ("other.parquet", 6))
    x, y, _, other = (simulate(*options, "--seed", seed, name=name)[0] for name, seed in names)
    for suffix in SUFFIXES:
        content = (tmp_path / f"x{suffix}").read_bytes()
        assert (tmp_path / f"z{suffix}").read_bytes() == content
        assert (tmp_path / f"other{suffix}").read_bytes() != content
    np.testing.assert_array_equal(x, y)
    assert not np.isclose(x, other).any()


# What each graph and each law takes, and what the truth must say of it.
GRAPHS = {
    "chain:weight=-0.2": 3,
    "hub:n_hubs=2,weight=0.1": 2,
    "grid:weight=0.2": 4,
    "erdos-renyi:probability=0.99,weight=0.1": 6,
    "sparse:n_edges=5": 5,
    "gram:n_factors=9": 6,
}
LAWS = {
    "gaussian": {"law": "Gaussian"},
    "laplace:omega=1.5": {"law": "PowerExponential", "omega": 1.5},
    "t:df=8": {"law": "StudentT", "df": 8.0},
    "contaminated:share=0.1,scale=3": {"law": "Contaminated", "share": 0.1, "scale": 3.0},
    "gamma": {"law": "Gamma", "shape": 1.0},
    "lognormal:sigma=0.5": {"law": "LogNormal", "sigma": 0.5},
    "pareto:shape=3": {"law": "ClaytonPareto", "shape": 3.0},
}


def test_every_choice_is_tried():
    for tried, known in ((GRAPHS, _GRAPHS), (LAWS, _LAWS)):
        assert [name.partition(":")[0] for name in tried] == [*known]


@pytest.mark.parametrize(("graph", "law"), list(zip(cycle(GRAPHS), LAWS, strict=False)))
def test_every_graph_and_every_law(simulate, tmp_path, graph, law):
    _, truth = simulate("--graph", graph, "--distribution", law)
    assert truth["graph"] == graph
    assert len(truth["edges"]) == GRAPHS[graph]
    assert truth["distribution"] == LAWS[law]
    np.testing.assert_allclose(np.diagonal(truth["covariance"]), 1, rtol=1e-9)
    found = nx.read_graphml(tmp_path / "x.parquet.truth.graphml")
    assert found.number_of_edges() == GRAPHS[graph]


def test_memory(simulate):
    X, truth = simulate("--memory", "0.9", "--distribution", "t:df=9", rows=2000)
    assert truth["distribution"]["memory"] == 0.9
    assert min(np.corrcoef(column[:-1], column[1:])[0, 1] for column in X.T) > 0.8


def test_wrong_usage(refused):
    for arguments, fragment in (
        (["--graph", "chain:n_hubs=2"], "--graph: chain has no parameter 'n_hubs'."),
        (["--graph", "chain:weight"], "'weight' has no number for weight."),
        (["--distribution", "gaussian:df=5"], "gaussian has no parameter 'df'."),
        (["--rows", "0"], "--rows: expected a whole number from 1 on, got 0."),
        (["--features", "1"], "--features: expected a whole number from 2 on, got 1."),
        (["--seed", "-1"], "--seed: expected a whole number from 0 on, got -1."),
        (["--graph", "chain:weight=0.5"], "expected a number between -0.5 and 0.5, got 0.5."),
        (["--graph", "sparse:n_edges=7"], "n_edges: expected at most 6"),
        (["--graph", "chan"], "'chan' is not one of chain, hub"),
        (["--distribution", "cauchy"], "'cauchy' is not one of gaussian"),
        (["--distribution", "pareto:shape=2"], "The variance is infinite up to 2."),
        (["--memory", "1"], "memory: expected a number"),
        (["-o", "x.txt"], "output: the ending of 'x.txt': expected one of 'parquet', 'csv'"),
    ):
        assert fragment in refused("simulate", "-o", "x.csv", "-p", 4, *arguments)
    assert "'--output'" in refused("simulate")
