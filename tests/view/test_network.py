"""The drawn graph shows the result and nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.simulate import make_hub_precision, sample
from edgewise.view import layout
from edgewise.view.network import plot_network


@pytest.fixture(autouse=True)
def _matplotlib(require):
    require("matplotlib")


@pytest.fixture(scope="module")
def signed():
    """Three columns, with an edge of either sign."""
    a, b, c = np.random.default_rng(0).standard_normal((3, 500))
    return ew.edge_test(np.column_stack([a, a + b, c - a]))


@pytest.fixture
def star(require):
    """So many variables with names of 4 to 12 letters, joined in stars."""

    def make(p, **options):
        rng = np.random.default_rng(p)
        letters = list("ABCDEFGHKLMNOPRSTUVWabcdefghiklmnoprstuvw_")
        names = {"".join(rng.choice(letters, rng.integers(4, 13))) for _ in range(2 * p)}
        X = sample("gaussian", make_hub_precision(p, n_hubs=max(p // 12, 1)), 2000, rng=p)
        frame = require("pandas").DataFrame(X, columns=sorted(names)[:p])
        return ew.edge_test(frame, **options)

    return make


def drawn_edges(axes):
    """Segments, widths, colours and dashes."""
    (edges,) = (found for found in axes.collections if hasattr(found, "get_segments"))
    return (
        np.array(edges.get_segments()).reshape(-1, 2, 2),
        np.atleast_1d(edges.get_linewidth()),
        edges.get_color(),
        edges.get_linestyle(),
    )


def overlapping(boxes):
    return [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_every_node_and_every_edge_is_drawn(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    result = ew.edge_test(frame)
    assert 0 < result.n_edges < 6
    axes = plot_network(result)
    assert {text.get_text() for text in axes.texts} == set("abcd")
    assert len(drawn_edges(axes)[0]) == result.n_edges
    assert f"{result.n_edges} edges among 4 variables, 400 rows" in axes.get_title()


def test_an_edge_joins_its_nodes_with_its_strength(rows):
    result = ew.edge_test(rows, correction=None, alpha=0.9)
    axes = plot_network(result)
    place = {text.get_text(): tuple(np.round(text.get_position(), 6)) for text in axes.texts}
    segments, widths, _, _ = drawn_edges(axes)
    width = {
        frozenset(map(tuple, np.round(ends, 6))): wide
        for ends, wide in zip(segments, widths, strict=True)
    }
    found = [width[frozenset(place[name] for name in edge[:2])] for edge in result.edges()]
    assert len(found) > 3
    assert np.all(np.diff(found) < 0)


def test_signs_have_colours_dashes_and_a_legend(signed, require):
    to_rgb = require("matplotlib.colors").to_rgb
    axes = plot_network(signed)
    _, _, colours, styles = drawn_edges(axes)
    signs = [edge.partial_correlation > 0 for edge in reversed(signed.edges())]
    assert set(signs) == {True, False}
    for positive, colour, (_, dashes) in zip(signs, colours, styles, strict=True):
        assert tuple(colour[:3]) == to_rgb(layout.POSITIVE if positive else layout.NEGATIVE)
        assert (dashes is None) == positive
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert [text.split()[0] for text in texts] == ["positive", "negative"]
    assert f"{max(edge.partial_correlation for edge in signed.edges()):.2f}" in texts[0]


def test_a_legend_names_only_what_is_there(rows):
    result = ew.edge_test(rows)
    assert all(edge.partial_correlation > 0 for edge in result.edges())
    assert len(plot_network(result).get_legend().get_texts()) == 1


@pytest.mark.parametrize("load", [datasets.load_sp500_returns, datasets.load_sachs])
def test_real_names_do_not_collide(load):
    axes = plot_network(ew.edge_test(load()))
    axes.figure.draw_without_rendering()
    assert not overlapping([text.get_window_extent() for text in axes.texts])
    assert not overlapping([text.get_bbox_patch().get_window_extent() for text in axes.texts])


@pytest.mark.parametrize("p", [20, 40, 60])
@pytest.mark.parametrize("size", [None, (6.4, 4.8)], ids=["own", "small"])
def test_names_do_not_collide(star, require, p, size):
    own = None if size is None else require("matplotlib.figure").Figure(size).add_subplot()
    result = star(p)
    axes = plot_network(result, ax=own)
    axes.figure.draw_without_rendering()
    assert len(axes.texts) == p
    assert not overlapping([text.get_window_extent() for text in axes.texts])
    page = axes.get_window_extent()
    for text in axes.texts:
        box = text.get_window_extent()
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
    if size is None:
        assert min(text.get_fontsize() for text in axes.texts) >= 7
        assert {text.get_text() for text in axes.texts} == set(result.feature_names)


def test_nodes_keep_their_places_when_alpha_or_method_changes(rows):
    positions = [
        [text.get_position() for text in plot_network(ew.edge_test(rows, **options)).texts]
        for options in ({"alpha": 1e-9}, {"alpha": 0.5}, {"method": "fisher"})
    ]
    np.testing.assert_allclose(positions[1], positions[0], atol=1e-6)
    np.testing.assert_allclose(positions[2], positions[0], atol=1e-6)


def test_of_many_variables_the_most_connected_are_named(star):
    result = star(96)
    axes = plot_network(result)
    named = {text.get_text() for text in axes.texts}
    assert set(result.feature_names[:8]) <= named  # the hubs
    assert len(named) == 24
    assert "named: the 24 with the strongest edges" in axes.get_title()
    dots = axes.collections[-1].get_offsets()
    assert len(dots) == 96 - 24
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not overlapping(boxes)
    pixels = axes.transData.transform(dots)
    assert not any(box.contains(*pixel) for box in boxes for pixel in pixels)


@pytest.mark.parametrize("p", [2, 3, 12, 70])
def test_a_graph_without_edges(p):
    X = np.random.default_rng(1).standard_normal((200, p))
    axes = plot_network(ew.edge_test(X, alpha=1e-6))
    assert len(drawn_edges(axes)[0]) == 0
    assert axes.get_legend() is None
    assert axes.get_title().startswith("0 edges")
    assert len(axes.texts) == (p if p <= 60 else 0)


def test_one_edge_is_not_edges():
    result = ew.edge_test(
        np.random.default_rng(0).multivariate_normal([0, 0], [[2, 1], [1, 2]], 99)
    )
    assert plot_network(result).get_title().startswith("1 edge among 2")


def test_long_names_are_shortened(require):
    X = np.random.default_rng(0).standard_normal((50, 3))
    frame = require("pandas").DataFrame(X, columns=["x" * 300, "y" * 300, "z"])
    assert {len(text.get_text()) for text in plot_network(ew.edge_test(frame)).texts} == {16, 1}
