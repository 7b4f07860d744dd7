"""The coloured matrix shows the partial correlations, in an order, with the edges marked."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots import style
from edgewise.plots.graph_drawing import community_order
from edgewise.plots.layout import graph_of
from edgewise.plots.plots import plot_heatmap
from edgewise.simulate import make_hub_precision, sample


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def shown_names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_cells_are_the_partial_correlations_in_the_order_of_the_names(result):
    axes = plot_heatmap(result)
    names = shown_names(axes)
    assert sorted(names) == sorted(result.feature_names)
    assert [label.get_text() for label in axes.get_xticklabels()] == names
    order = [result.feature_names.index(name) for name in names]
    wanted = result.partial_correlation[np.ix_(order, order)].copy()
    np.fill_diagonal(wanted, np.nan)
    shown = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(shown, wanted)


def test_marks_are_the_edges_and_tell_the_sign(result):
    axes = plot_heatmap(result)
    order = [result.feature_names.index(name) for name in shown_names(axes)]
    edge = result.reject[np.ix_(order, order)]
    positive = result.partial_correlation[np.ix_(order, order)] > 0
    for marks, wanted in zip(axes.collections, (edge & positive, edge & ~positive), strict=True):
        marked = np.zeros_like(wanted)
        columns, rows = marks.get_offsets().astype(int).T
        marked[rows, columns] = True
        np.testing.assert_array_equal(marked, wanted)
    assert len(axes.collections[0].get_paths()[0].vertices) == 4  # +
    assert len(axes.collections[1].get_paths()[0].vertices) == 2  # −
    assert f"{result.n_edges} edges" in axes.get_title()
    assert "pairs without a mark are no edges" in axes.get_title()


def test_communities_stand_together_with_their_colours(result, require):
    to_rgba = require("matplotlib.colors").to_rgba
    communities = graph_of(result).communities
    order = community_order(graph_of(result))
    assert sorted(order) == list(range(11))
    assert np.all(np.diff(communities[order]) >= 0)
    axes = plot_heatmap(result)
    assert [result.feature_names[i] for i in order] == shown_names(axes)
    for number in range(communities.max() + 1):
        colour = to_rgba(style.community_colour(number))
        sides = [strip for strip in axes.patches if strip.get_facecolor() == colour]
        assert {max(one.get_width(), one.get_height()) for one in sides} == {
            float(np.sum(communities == number))
        }


def test_of_many_variables_only_the_edges_are_coloured():
    X = sample("gaussian", make_hub_precision(70, n_hubs=5), 1000, rng=0)
    result = ew.edge_test(X)
    axes = plot_heatmap(result)
    shown = np.ma.filled(axes.images[0].get_array(), 0.0)
    assert np.count_nonzero(shown) == 2 * result.n_edges
    assert "pairs that are no edges are blank" in axes.get_title()
