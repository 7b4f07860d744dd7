"""The drawn graph shows the result and nothing else."""

from __future__ import annotations

import io

import numpy as np
import pytest

import edgewise as ew
from edgewise.view.plots import plot_network


@pytest.fixture(autouse=True)
def _matplotlib(require):
    require("matplotlib")


def test_every_node_and_every_edge_is_drawn(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    result = ew.edge_test(frame)
    assert 0 < result.n_edges < 6
    axes = plot_network(result)
    assert {text.get_text() for text in axes.texts} == set("abcd")
    assert len(axes.lines) == result.n_edges
    assert f"{result.n_edges} edges among 4 variables, 400 rows" in axes.get_title()


def test_an_edge_joins_its_nodes_with_its_strength(rows):
    result = ew.edge_test(rows)
    axes = plot_network(result)
    place = {text.get_text(): np.array(text.get_position()) for text in axes.texts}
    drawn = {
        frozenset(map(tuple, np.round(line.get_xydata(), 9))): line.get_linewidth()
        for line in axes.lines
    }
    widths = [
        drawn[frozenset(tuple(np.round(place[name], 9)) for name in edge[:2])]
        for edge in result.edges()
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > widths[-1]


def test_signs_have_colours_and_a_legend():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 500))
    result = ew.edge_test(np.column_stack([a, a + b, c - a]))
    axes = plot_network(result)
    assert {edge.partial_correlation > 0 for edge in result.edges()} == {True, False}
    assert len({line.get_color() for line in axes.lines}) == 2
    assert len(axes.get_legend().get_texts()) == 2


def test_draws_where_told(rows, require):
    figure = require("matplotlib.figure").Figure()
    left, right = figure.subplots(1, 2)
    result = ew.edge_test(rows)
    assert plot_network(result, ax=right) is right
    assert result.plot(ax=left) is left
    assert len(left.lines) == len(right.lines) == result.n_edges


def test_no_figure_stays_open(rows, require):
    pyplot = require("matplotlib.pyplot")
    before = pyplot.get_fignums()
    ew.edge_test(rows).plot()
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize("p", [2, 3, 12])
def test_a_graph_without_edges(p):
    X = np.random.default_rng(1).standard_normal((50, p))
    result = ew.edge_test(X, alpha=1e-6)
    axes = result.plot()
    assert len(axes.lines) == 0
    assert axes.get_legend() is None
    axes.get_figure().savefig(io.BytesIO(), format="png")


def test_the_layout_does_not_depend_on_alpha(rows):
    positions = [
        [text.get_position() for text in ew.edge_test(rows, alpha=alpha).plot().texts]
        for alpha in (1e-9, 0.5)
    ]
    np.testing.assert_array_equal(*positions)


@pytest.mark.filterwarnings("ignore:Glyph 27", "ignore:constrained_layout not applied")
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_hostile_names_are_drawn_as_text(require, hostile_names, hostile_rows, kind):
    table = require("pyarrow").table(dict(zip(hostile_names, hostile_rows.T, strict=True)))
    axes = ew.edge_test(table).plot()
    assert len(axes.texts) == len(hostile_names)
    assert "$x^2$" in {text.get_text() for text in axes.texts}
    assert not any(text.get_parse_math() for text in axes.texts)
    picture = io.BytesIO()
    axes.get_figure().savefig(picture, format=kind)
    assert b"<script>" not in picture.getvalue()
