"""Wherever a result is shown, it says how its rows were treated: imputed, ranked, in clusters."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.results.summary import imputed, meaning, transformed

SCORES = "Partial correlations are those of the normal scores of the columns"
POOLED = "Numbers are pooled from 3 imputed copies of the rows by Rubin's rules."


def pooled_of(rows, **options):
    rng = np.random.default_rng(0)
    copies = [rows + 0.2 * rng.standard_normal(rows.shape) for _ in range(3)]
    return ew.pool([ew.edge_test(copy, **options) for copy in copies])


@pytest.fixture(scope="module")
def results(rows):
    return {
        "pooled": pooled_of(rows),
        "scores": ew.edge_test(rows, transform="normal-scores"),
        "difference": ew.compare_groups(rows[:200], rows[200:], transform="normal-scores"),
        "both": pooled_of(rows, transform="normal-scores"),
        "clusters": pooled_of(rows, clusters=np.arange(400) // 10),
    }


#: What a headline has, what the second line begins with, and what the repr has.
SAID = {
    "pooled": ("from 400 rows, imputed 3 times (method 'score'", POOLED, "pooled=3, edges="),
    "scores": ("among 4 variables, of normal scores, from 400 rows", SCORES, "transform='normal-"),
    "difference": ("among 4 variables, of normal scores, differ", SCORES, "transform='normal-"),
    "both": ("of normal scores, from 400 rows, imputed 3 times", SCORES, "transform='normal-"),
    "clusters": ("from 400 rows in 40 clusters, imputed 3 times (method", POOLED, "pooled=3"),
}


@pytest.mark.parametrize("name", SAID)
def test_words_and_json(results, name):
    result, (headline, second, brief) = results[name], SAID[name]
    assert headline in result.headline()
    assert result.summary().splitlines()[1].startswith(second)
    assert brief in repr(result)
    assert second.replace("'", "&#x27;") in result._repr_html_().replace("&#39;", "&#x27;")
    again = type(result).from_json(result.to_json())
    assert (str(again), repr(again)) == (str(result), repr(result))


def test_plain_rows(rows):
    result = ew.edge_test(rows)
    assert imputed(result.provenance) == transformed(None) == transformed("something newer") == ""
    assert meaning(result.provenance) == []


def test_pooled_numbers(results):
    lost = results["pooled"].provenance.missing_information
    text = results["pooled"].summary().splitlines()[2]
    assert text == (
        f"Missing values took {100 * np.nanmean(lost):.0f} % of the information about a pair on "
        f"average, and at most {100 * np.nanmax(lost):.0f} %."
    )
    assert (results["clusters"].uncertainty.reference.df[0, 1:] < 40).all()


def test_graphs(results, require):
    require("networkx")
    assert results["pooled"].to_networkx().graph["pooled"] == 3
    assert results["scores"].to_networkx().graph["transform"] == "normal-scores"


def test_reports(results, require, tmp_path, refuses):
    require("jinja2")
    pages = {}
    for name, result in results.items():
        result.report(tmp_path / "page.html")
        pages[name] = (tmp_path / "page.html").read_text(encoding="utf-8")
    for name in ("scores", "difference", "both"):
        assert SCORES in pages[name]
    for words in (
        *("pooled from 3 imputed copies", "400, imputed 3 times", "a model that fits"),
        "edgewise.pool([edgewise.edge_test(data, ",
    ):
        assert words in pages["pooled"]
    for more in ({"data": np.zeros((3, 3))}, {"compare": True}):
        refuses(
            lambda more=more: results["pooled"].report(tmp_path / "page.html", **more),
            ParameterError,
            "data, compare",
            "pooled",
        )


@pytest.mark.parametrize("kind", ["network", "heatmap", "volcano", "forest", "pvalues"])
def test_plots(results, require, kind):
    require("matplotlib")
    for name, words in (("pooled", "imputed 3 times"), ("scores", "of normal scores")):
        figure = results[name].plot(kind).figure
        said = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]
        assert any(words in text for text in said)
