"""Wherever a result is shown, it says that it is of normal scores."""

from __future__ import annotations

import pytest

import edgewise as ew
from edgewise.plots.export import write_csv, write_difference_csv
from edgewise.results.summary import meaning, transformed

SENTENCE = "Partial correlations are those of the normal scores of the columns"


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows, transform="normal-scores")


@pytest.fixture(scope="module")
def difference(rows):
    return ew.compare_groups(rows[:200], rows[200:], transform="normal-scores")


def test_plain_columns():
    for options in ({}, {"transform": None}, {"transform": "something newer"}):
        assert transformed(options) == ""
        assert meaning(options) == []


def test_sentences(result, difference):
    assert "among 4 variables, of normal scores, from 400 rows" in result.headline()
    assert "among 4 variables, of normal scores, differ" in difference.headline()
    for one in (result, difference):
        assert SENTENCE in one.summary().splitlines()[1]
        assert "transform='normal-scores'" in repr(one)
    assert SENTENCE in result._repr_html_()


def test_json(result, difference):
    for one in (result, difference):
        again = type(one).from_json(one.to_json())
        assert again.options["transform"] == "normal-scores"
        assert again.headline() == one.headline()


def test_files(result, difference, require, tmp_path):
    write_csv(result, tmp_path / "r.csv")
    write_difference_csv(difference, tmp_path / "d.csv")
    for name in ("r.csv", "d.csv"):
        assert f"# {SENTENCE}" in (tmp_path / name).read_text(encoding="utf-8")
    require("networkx")
    assert result.to_networkx().graph["transform"] == "normal-scores"


def test_reports(result, difference, require, tmp_path):
    require("jinja2")
    for one in (result, difference):
        one.report(tmp_path / "page.html")
        assert SENTENCE in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["network", "heatmap", "volcano", "forest", "pvalues"])
def test_plots(result, require, kind):
    require("matplotlib")
    figure = result.plot(kind).figure
    said = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]
    assert any("of normal scores" in text for text in said)
