"""How a result tells of missing values and weights."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.results.summary import imputed, lacking, meaning, missing_value_notes, transformed

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[:80, 1] = np.nan
    X[100:120, 2] = np.nan
    X[70:90, 3] = np.nan
    return X


@pytest.fixture(scope="module")
def pairwise(gaps):
    return ew.edge_test(gaps, missing="pairwise", feature_names=NAMES)


@pytest.fixture(scope="module")
def dropped(gaps):
    return ew.edge_test(gaps, missing="drop", feature_names=NAMES)


@pytest.fixture(scope="module")
def weighted(rows):
    w = np.random.default_rng(0).exponential(size=400) + 0.1
    return ew.edge_test(np.column_stack([rows, w]), weights="x4")


class TestFields:
    def test_rows_of_each_edge(self, pairwise, dropped):
        for edge in pairwise.pairs():
            i, j = NAMES.index(edge.source), NAMES.index(edge.target)
            assert edge.n_samples == pairwise.provenance.pair_rows[i, j]
            assert type(edge.n_samples) is int
        assert {edge.n_samples for edge in dropped.edges()} == {290}

    def test_rows_of_tested_pairs(self, gaps):
        one = ew.edge_test(gaps, missing="pairwise", pairs=[("x0", "x1")])
        assert "of its columns, 320." in one.summary()


class TestSentences:
    def test_pairwise(self, pairwise):
        (told,) = missing_value_notes(pairwise)
        assert told == (
            "120 values (7.5 %) are missing, most in b (80), c (20), d (20). Each pair rests on "
            "the rows that have both of its columns, 300 to 380."
        )
        assert "from 400 rows, some with missing values (method" in pairwise.headline()
        assert told in pairwise.summary()

    def test_dropped(self, dropped):
        (told,) = missing_value_notes(dropped)
        assert told == (
            "110 rows with missing values were left out; left out because of one column alone: "
            "b (70), c (20), d (10). With missing='pairwise' (score, wald, batch) they would count."
        )
        assert told in dropped.summary()

    def test_one_row(self, rows):
        X = np.array(rows)
        X[0, 0] = np.nan
        assert missing_value_notes(ew.edge_test(X, missing="drop")) == [
            "1 row with missing values was left out; left out because of one column alone: x0 (1)."
        ]

    def test_rows_that_lack_several_values(self, rows):
        X = np.array(rows)
        X[:3, :2] = np.nan
        assert missing_value_notes(ew.edge_test(X, missing="drop")) == [
            "3 rows with missing values were left out; most values are missing in x0 (3), x1 (3)."
        ]

    def test_only_how_many_rows(self, dropped):
        older = dropped.with_measured(n_missing=(), n_dropped_alone=(), n_dropped=7)
        assert missing_value_notes(older) == ["7 rows with missing values were left out."]

    def test_weights(self, weighted, rows):
        (told,) = missing_value_notes(weighted)
        effective = weighted.options["effective_rows"]
        assert 150 < effective < 300
        assert told == (
            f"Rows are weighted by column 'x4': the effective sample size is {effective:,.0f}."
        )
        assert "from 400 rows, weighted (method" in weighted.headline()
        given = ew.edge_test(rows, weights=np.arange(400) + 1)
        assert "Rows are weighted by given weights: the" in given.summary()

    def test_of_each_column(self, pairwise, dropped):
        """Those that lack most first, with the share of all rows, also of those that are gone."""
        assert [one[0] for one in lacking(pairwise)] == ["b", "c", "d"]
        assert lacking(pairwise)[0] == lacking(dropped)[0] == ("b", 80, 0.2)

    def test_both(self, gaps):
        result = ew.edge_test(gaps, missing="pairwise", weights=np.arange(400) + 1)
        assert len(missing_value_notes(result)) == 2
        assert "rows, weighted, some with missing values (" in result.headline()

    def test_nothing(self, rows):
        result = ew.edge_test(rows)
        assert missing_value_notes(result) == lacking(result) == []


# Wherever a result is shown, it says how its rows were treated: imputed, ranked, in clusters.


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
