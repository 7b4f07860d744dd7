"""`edgewise demo`: no argument, a table, a picture, a report."""

from __future__ import annotations

import os

import pytest

import edgewise as ew
from edgewise.methods.registry import METHODS


def test_demo(run_edgewise, tmp_path, require):
    done = run_edgewise("demo", cwd=tmp_path)
    picture, report = tmp_path / "edgewise-demo.png", tmp_path / "edgewise-demo.html"
    assert sorted(os.listdir(tmp_path)) == [report.name, picture.name]
    pixels = require("matplotlib.image").imread(picture)
    assert min(pixels.shape[:2]) > 300
    assert done.stdout.splitlines()[-4:] == [
        f"The graph is in {picture}",
        f"The report is in {report}",
        "",
        "Next, open the report in a browser, then try a table of your own: edgewise report "
        "DATA.csv --open",
    ]
    # Table, picture and report are of the method that fits.
    returns = ew.datasets.load_sp500_returns()
    method = ew.diagnose(returns).recommended
    assert method == "batch"
    assert f"Use method '{method}'" in done.stdout
    result = ew.edge_test(returns, method=method)
    assert result.headline() in done.stdout
    assert f"strongest of {result.n_edges} edges" in done.stdout
    for edge in result.edges()[:10]:
        assert f"{edge.source} – {edge.target}" in done.stdout
    for method in METHODS:
        assert f"│ {method}" in done.stdout
    assert "\x1b" not in done.stdout
    page = report.read_text(encoding="utf-8")
    assert "<h1>Daily returns of 20 S&amp;P 500 companies, 1990–2022</h1>" in page
    assert f"{result.n_edges} of 190 pairs are" in page
    assert "<pre>edgewise demo</pre>" in page
    for part in ("Every method on the same data", "<dt>tails</dt>", "<strong>Advice.</strong>"):
        assert part in page


@pytest.mark.parametrize("option", ["--plot", "--report"])
def test_what_cannot_be_written(run_main, tmp_path, option):
    path = tmp_path / "nowhere" / "x.png"
    _, err = run_main("demo", option, path, status=1)
    assert f"cannot write '{path}'" in err
    assert os.listdir(tmp_path) == []
