"""A result of some of the pairs: its words, tables, graphs, files and pictures are about these."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.plots.export import write_graph
from edgewise.plots.layout import graph_of
from edgewise.results.result import chosen_pairs
from edgewise.results.summary import is_chosen

NAMES = ("age", "a", "b", "c", "sex")
FAMILIES = {
    "given": {"given": ["sex", "age"]},
    "chosen": {"pairs": [("c", "b"), ("a", "c")]},
    "chosen, all columns": {"pairs": [("age", "b"), ("a", "c"), ("sex", "a")]},
    "both": {"given": "sex", "pairs": [("age", "b"), ("a", "b")]},
    "maxt": {"given": "sex", "method": "batch", "correction": "maxt"},
    "entrywise": {"given": "sex", "method": "entrywise"},
    "whitened": {"given": "sex", "method": "whitened"},
}
every_family = pytest.mark.parametrize("family", FAMILIES)
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


def ask(family="given", names=NAMES, **more):
    X = np.random.default_rng(2).standard_t(6, (500, 5))
    for j in range(1, 5):
        X[:, j] += 0.5 * X[:, j - 1]
    return ew.edge_test(X, feature_names=names, **FAMILIES[family] | more)


@pytest.fixture(scope="module")
def results():
    return {name: ask(name) for name in FAMILIES}


def test_what_was_tested(results):
    given, chosen, both = results["given"], results["chosen"], results["both"]
    assert given.given == ("age", "sex")  # in the order of the columns
    assert (given.n_pairs, given.n_features, given.n_edges) == (3, 5, 2)
    assert chosen.given == ("age", "sex")
    assert both.given == ("c", "sex")
    assert results["chosen, all columns"].given == ()
    assert [is_chosen(one) for one in (given, chosen, both)] == [False, True, True]
    assert chosen_pairs(given) is None
    assert chosen_pairs(chosen) == [("a", "c"), ("b", "c")]
    whole = ask(given=None)
    assert (whole.tested, whole.given, whole.n_pairs) == (None, (), 10)
    assert graph_of(given).feature_names == ("a", "b", "c")


def test_the_sentence(results):
    rows = "from 500 rows (method 'score', alpha 0.05, holm)."
    adjusted = "adjusted for age and sex"
    assert results["given"].headline() == (
        f"2 of 3 possible edges among 3 variables, {adjusted}, {rows}"
    )
    assert results["chosen"].headline() == (
        f"1 of 2 chosen pairs among 3 variables is an edge, {adjusted}, {rows}"
    )
    assert results["chosen, all columns"].headline() == (
        f"0 of 3 chosen pairs among 5 variables are edges, {rows}"
    )
    assert ask(given=["b"]).headline().startswith("2 of 6 possible edges among 4 variables, adj")
    assert "adjusted for age, b and sex, from" in ask(given=["b", "age", "sex"]).headline()
    assert results["given"].summary().startswith(results["given"].headline())
    assert ", pairs=3, edges=2)" in repr(results["given"])
    assert "adjusted for age and sex" in results["given"]._repr_html_()


def test_many_names_are_counted():
    X = np.random.default_rng(0).standard_normal((50, 12))
    result = ew.edge_test(X, pairs=[("x0", "x1")])
    assert "adjusted for x2, x3, x4, x5, x6 and 5 more, from" in result.headline()


@every_family
def test_tables_have_the_tested_pairs(results, family, tmp_path, require):
    result = results[family]
    names = {name for pair in result.pairs() for name in pair[:2]}
    assert len(result.pairs()) == result.n_pairs
    assert names == set(NAMES) - set(result.given)
    assert set(result.edges()) <= set(result.pairs())
    assert not any(math.isnan(number) for pair in result.pairs() for number in pair[4:])
    assert require("pandas").DataFrame(result.to_frame("pandas")).shape == (result.n_pairs, 13)
    result.to_csv(tmp_path / "pairs.csv")
    text = (tmp_path / "pairs.csv").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1 + result.n_pairs


@every_family
def test_graphs_have_the_tested_columns(results, family, tmp_path, require):
    result, nx = results[family], require("networkx")
    graph = result.to_networkx()
    assert list(graph.nodes) == [name for name in NAMES if name not in result.given]
    assert graph.number_of_edges() == result.n_edges
    assert graph.graph.get("adjusted_for", "") == ", ".join(result.given)
    write_graph(result, tmp_path / "x.graphml")
    read = nx.read_graphml(tmp_path / "x.graphml")
    assert list(read.nodes) == list(graph.nodes)
    assert read.graph.get("adjusted_for", "") == ", ".join(result.given)


def test_hostile_names_that_were_adjusted_for(hostile_rows, hostile_names, tmp_path, require):
    require("networkx")
    result = ew.edge_test(hostile_rows, feature_names=hostile_names, given=hostile_names[:5])
    for kind in ("graphml", "gexf", "cyjs"):
        write_graph(result, tmp_path / f"x.{kind}")
    result.to_csv(tmp_path / "x.csv")
    for kind in ("network", "heatmap", "volcano", "forest", "pvalues"):
        result.plot(kind).figure.canvas.draw()


class TestPictures:
    @pytest.mark.parametrize("kind", ["network", "heatmap", "volcano", "forest", "pvalues"])
    @every_family
    def test_every_family(self, results, family, kind):
        result = results[family]
        ax = result.plot(kind)
        ax.figure.canvas.draw()
        title = ax.get_title().replace("\n", " ")
        assert ("adjusted for age and sex" in title) == (result.given == ("age", "sex"))

    def test_the_network_has_the_tested_columns(self, results):
        ax = results["given"].plot("network")
        assert [text.get_text() for text in ax.texts] == ["a", "b", "c"]
        assert "2 edges among 3 variables, 500 rows" in ax.get_title()

    def test_the_heat_map_is_grey_where_nothing_was_tested(self, results):
        shown = results["chosen, all columns"].plot("heatmap").images[0].get_array()
        assert np.count_nonzero(~np.ma.getmaskarray(np.ma.masked_invalid(shown))) == 6
        assert results["given"].plot("heatmap").images[0].get_array().shape == (3, 3)

    def test_the_volcano_and_the_curve_count_the_tested(self, results):
        result = results["given"]
        ax = result.plot("volcano")
        assert sum(len(points.get_offsets()) for points in ax.collections) == 3
        assert "2 edges in 3 pairs of variables" in ax.get_title()
        level = next(text.get_text() for text in ax.texts if text.get_text().startswith("p = "))
        assert level == "p = 0.05"  # Holm's last step of three
        assert "p-values of 3 pairs" in result.plot("pvalues").get_title()
        assert "2 chosen pairs of var" in results["chosen"].plot("volcano").get_title()

    def test_the_forest_shows_the_tested(self, results):
        ax = results["given"].plot("forest")
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert sorted(labels) == ["a – b", "a – c", "b – c"]
        assert ax.get_title().startswith(
            "All 3 tested pairs (score, α = 0.05)\nfilled: 2 of 2 edges"
        )
        assert ax.get_xlabel().endswith("for all tested pairs at once")

    def test_dollar_signs_are_no_formula(self):
        names = ("age", "a", "b", "c", "$x^{$")
        ask(names=names, given=["$x^{$"]).plot("network").figure.canvas.draw()

    def test_the_notebook_draws_the_tested(self, results):
        html = results["given"]._repr_html_()
        assert html.count("<circle") == 3
