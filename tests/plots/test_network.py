"""The drawn graph shows the result and nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.legend import Legend

import edgewise as ew
from edgewise import datasets
from edgewise.plots import style
from edgewise.plots.layout import graph_of
from edgewise.plots.plots import plot_network
from edgewise.plots.style import edge_width
from edgewise.simulate import make_hub_precision, sample


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
    """Paths, widths, colours and dashes."""
    (edges,) = (found for found in axes.collections if hasattr(found, "get_segments"))
    return (
        edges.get_segments(),
        np.atleast_1d(edges.get_linewidth()),
        edges.get_color(),
        edges.get_linestyle(),
    )


def node_places(axes):
    (nodes,) = (found for found in axes.collections if len(found.get_offsets()) > 1)
    return np.asarray(nodes.get_offsets())


def legend_texts(axes):
    """All texts but the names."""
    from matplotlib.text import Text

    found = (text.get_text() for text in axes.findobj(Text) if text not in axes.texts)
    return [text for text in found if text and axes.axison is False]


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


def test_an_edge_joins_its_nodes_with_its_width(rows):
    """The same strength has the same width in every picture."""
    result = ew.edge_test(rows, correction=None, alpha=0.9)
    axes = plot_network(result)
    places = node_places(axes)
    paths, widths, _, _ = drawn_edges(axes)
    assert len(paths) == result.n_edges > 3
    for path, width in zip(paths, widths, strict=True):
        i, j = (int(np.argmin(np.hypot(*(places - end).T))) for end in path[[0, -1]])
        np.testing.assert_allclose(places[[i, j]], path[[0, -1]], atol=1e-9)
        assert result.reject[i, j]
        assert width == pytest.approx(edge_width(result.partial_correlation[i, j]))
    assert np.all(np.diff(widths) > 0)  # strong ones on top


def test_signs_have_colours_dashes_and_a_key(signed, require):
    to_rgb = require("matplotlib.colors").to_rgb
    axes = plot_network(signed)
    _, _, colours, styles = drawn_edges(axes)
    signs = [edge.partial_correlation > 0 for edge in reversed(signed.edges())]
    assert set(signs) == {True, False}
    for positive, colour, (_, dashes) in zip(signs, colours, styles, strict=True):
        assert tuple(colour[:3]) == to_rgb(style.POSITIVE if positive else style.NEGATIVE)
        assert (dashes is None) == positive
    texts = legend_texts(axes)
    largest = max(edge.partial_correlation for edge in signed.edges())
    assert f"positive, up to {largest:.2f}" in texts
    assert any(text.startswith("negative, up to 0.") for text in texts)
    assert {"|ρ̂| = 0.05", "0.1", "0.3", "0.6"} <= set(texts)


def test_nodes_are_filled_by_community_and_sized_by_strength(require):
    to_rgb = require("matplotlib.colors").to_rgb
    result = ew.edge_test(datasets.load_sachs(), method="score")
    axes = plot_network(result)
    graph = graph_of(result)
    (nodes,) = (found for found in axes.collections if len(found.get_offsets()) > 1)
    for number, colour in zip(graph.communities, nodes.get_facecolor(), strict=True):
        assert tuple(colour[:3]) == to_rgb(style.community_colour(number))
    order = np.argsort(graph.node_strength)
    assert np.all(np.diff(np.asarray(nodes.get_sizes())[order]) >= 0)
    assert {*graph.community_names(result.feature_names)} <= {*legend_texts(axes)}


@pytest.mark.parametrize(("p", "size"), [(20, (6.4, 4.8)), (60, None), (100, None)])
def test_names_collide_neither_with_names_nor_with_nodes(star, require, p, size):
    own = None if size is None else require("matplotlib.figure").Figure(size).add_subplot()
    result = star(p)
    axes = plot_network(result, ax=own)
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not overlapping(boxes)
    pixels = axes.transData.transform(node_places(axes))
    assert not any(box.contains(*pixel) for box in boxes for pixel in pixels)
    page = axes.get_window_extent()
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 - 1 <= box.y0 < box.y1 <= page.y1 + 1
    assert min(text.get_fontsize() for text in axes.texts) >= style.SMALLEST_FONT
    assert len(boxes) >= min(p, 20)
    if len(boxes) < p:
        assert f"named: {len(boxes)} of {p} variables" in axes.get_title()
    if p <= 60 and size is None:
        assert {text.get_text() for text in axes.texts} == set(result.feature_names)


def test_a_saved_picture_has_its_legends():
    """A file is cut to what is drawn, and the legends below the axes are."""
    ax = ew.edge_test(datasets.load_sachs(), method="score").plot()
    ax.figure.draw_without_rendering()
    boxes = [one.get_window_extent() for one in ax.get_children() if isinstance(one, Legend)]
    assert len(boxes) == 2
    assert all(box.y1 < ax.get_window_extent().y0 for box in boxes)
    lowest = min(box.y0 for box in boxes) / ax.figure.dpi
    assert ax.figure.get_tightbbox().y0 <= lowest + 1e-6
