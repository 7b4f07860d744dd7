"""Wherever a result is shown, it says that it was pooled from imputed copies."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.plots.export import write_csv
from edgewise.results.summary import imputed, pooling

SENTENCE = "Numbers are pooled from 3 imputed copies of the rows by Rubin's rules. Missing values"


@pytest.fixture(scope="module")
def result(rows):
    rng = np.random.default_rng(0)
    copies = [rows + 0.2 * rng.standard_normal(rows.shape) for _ in range(3)]
    return ew.pool([ew.edge_test(copy) for copy in copies])


def test_plain_results():
    assert imputed({}) == ""
    assert pooling({}) == []


@pytest.mark.parametrize("lost", [None, [], {}, {"mean": "a", "largest": None}, "x"])
def test_changed_files(lost):
    told = pooling({"pooled": 3, "missing_information": lost})
    assert told == ["Numbers are pooled from 3 imputed copies of the rows by Rubin's rules."]


def test_sentences(result):
    assert "from 400 rows, imputed 3 times (method 'score'" in result.headline()
    assert SENTENCE in result.summary().splitlines()[1]
    assert "pooled=3, edges=" in repr(result)
    assert "Rubin" in result._repr_html_()


def test_groups(rows):
    rng = np.random.default_rng(0)
    copies = [rows + 0.2 * rng.standard_normal(rows.shape) for _ in range(2)]
    together = np.arange(400) // 10
    pooled = ew.pool([ew.edge_test(copy, clusters=together) for copy in copies])
    assert "from 400 rows in 40 groups, imputed 2 times (method" in pooled.headline()
    assert (pooled.uncertainty.reference.degrees[0, 1:] < 40).all()


def test_transform(rows):
    rng = np.random.default_rng(0)
    copies = [rows + 0.2 * rng.standard_normal(rows.shape) for _ in range(2)]
    pooled = ew.pool([ew.edge_test(copy, transform="normal-scores") for copy in copies])
    assert "of normal scores, from 400 rows, imputed 2 times" in pooled.headline()
    assert len(pooled.summary().splitlines()[1:3]) == 2
    assert "normal scores" in pooled.summary().splitlines()[1]
    assert "Rubin" in pooled.summary().splitlines()[2]


def test_files(result, require, tmp_path):
    write_csv(result, tmp_path / "r.csv")
    assert f"# {SENTENCE}" in (tmp_path / "r.csv").read_text(encoding="utf-8")
    require("networkx")
    assert result.to_networkx().graph["pooled"] == 3


def test_report(result, require, tmp_path, refuses):
    require("jinja2")
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "pooled from 3 imputed copies" in page
    assert "400, imputed 3 times" in page
    assert "edgewise.pool([edgewise.edge_test(data, " in page
    assert "a model that fits" in page
    assert "missing_information" not in page
    for more in ({"data": np.zeros((3, 3))}, {"compare": True}):
        refuses(
            lambda more=more: result.report(tmp_path / "page.html", **more),
            ew.errors.ParameterError,
            "data, compare",
            "pooled",
        )


@pytest.mark.parametrize("kind", ["network", "heatmap", "volcano", "forest", "pvalues"])
def test_plots(result, require, kind):
    require("matplotlib")
    figure = result.plot(kind).figure
    said = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]
    assert any("imputed 3 times" in text for text in said)
