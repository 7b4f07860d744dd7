"""`edgewise demo`: no argument, a table, a picture, a report."""

from __future__ import annotations

import os

import edgewise as ew


def test_demo(run_edgewise, tmp_path, require):
    done = run_edgewise("demo", cwd=tmp_path)
    picture, report = tmp_path / "edgewise-demo.png", tmp_path / "edgewise-demo.html"
    assert sorted(os.listdir(tmp_path)) == [report.name, picture.name]
    assert min(require("matplotlib.image").imread(picture).shape[:2]) > 300
    assert f"The report is in {report}" in done.stdout
    # Table, picture and report are of the method that fits.
    result = ew.edge_test(ew.datasets.load_sp500_returns())
    assert result.method == "batch"
    assert result.headline() in done.stdout
    for edge in result.edges()[:15]:
        assert f"{edge.source} – {edge.target}" in done.stdout
    page = report.read_text(encoding="utf-8")
    assert "<h1>Daily returns of 20 S&amp;P 500 companies, 1990–2022</h1>" in page
    assert f"{result.n_edges} of 190 pairs are" in page


def test_what_cannot_be_written(run_main, tmp_path):
    for option in ("--plot", "--report"):
        path = tmp_path / "nowhere" / "x.png"
        _, err = run_main("demo", option, path, status=1)
        assert f"cannot write '{path}'" in err
    assert os.listdir(tmp_path) == []
