"""`edgewise demo`: no argument, a table, a picture."""

from __future__ import annotations

import os

import edgewise as ew
from edgewise.edges.registry import METHODS


def test_demo(run_edgewise, tmp_path, require):
    done = run_edgewise("demo", cwd=tmp_path)
    picture = tmp_path / "edgewise-demo.png"
    assert os.listdir(tmp_path) == [picture.name]
    pixels = require("matplotlib.image").imread(picture)
    assert min(pixels.shape[:2]) > 300
    assert str(picture) in done.stdout
    result = ew.edge_test(ew.datasets.load_sp500_returns())
    assert f"strongest of {result.n_edges} edges" in done.stdout
    for edge in result.edges()[:10]:
        assert f"{edge.source} – {edge.target}" in done.stdout
    for method in METHODS:
        assert f"│ {method}" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_picture_goes_where_told(run_edgewise, tmp_path):
    path = tmp_path / "graph.svg"
    done = run_edgewise("demo", "--plot", path, cwd=tmp_path)
    assert str(path) in done.stdout
    assert b"<svg" in path.read_bytes()
    assert os.listdir(tmp_path) == [path.name]


def test_a_picture_that_cannot_be_written(run_edgewise, tmp_path):
    path = tmp_path / "nowhere" / "graph.png"
    done = run_edgewise("demo", "--plot", path, cwd=tmp_path, status=1)
    assert f"cannot write '{path}'" in done.stderr
    assert os.listdir(tmp_path) == []
