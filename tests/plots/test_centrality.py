"""The dots and lines drawn are the centralities and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots.layout import graph_of
from edgewise.plots.plots import plot_centrality
from edgewise.results.centrality import centralities


@pytest.fixture(autouse=True)
def _matplotlib(require):
    require("matplotlib")
    require("networkx")


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def names_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_panels_show_the_numbers_strongest_first(result):
    ax = plot_centrality(result, most=5)
    found = centralities(result, graph_of(result).communities)
    first = np.argsort(-found.strength)[:5]
    assert names_of(ax) == [result.feature_names[i] for i in first]
    assert "The 5 strongest of 11 variables (6 left out): 26 edges" in ax.get_title()
    assert "95 % interval" in ax.get_xlabel()
    numbers = [
        (found.degree, None, None),
        (found.strength, found.strength_low, found.strength_high),
        (found.bridge, found.bridge_low, found.bridge_high),
    ]
    for panel, (value, low, high) in zip(ax.child_axes, numbers, strict=True):
        lines, dots = panel.collections
        np.testing.assert_allclose(dots.get_offsets()[:, 0], value[first])
        np.testing.assert_allclose(dots.get_offsets()[:, 1], range(5))
        if low is not None:
            ends = np.array([segment[:, 0] for segment in lines.get_segments()])
            wanted = np.column_stack([low, high])[first]
            np.testing.assert_allclose(ends, wanted[np.isfinite(wanted[:, 0])])
        assert panel.get_ylim() == ax.get_ylim()


def test_no_edges_no_intervals_and_hostile_names(result, hostile_rows, hostile_names):
    rows = np.random.default_rng(0).standard_normal((99, 3))
    ax = plot_centrality(ew.edge_test(rows))
    assert "no edges" in ax.get_title()
    assert "interval" not in ax.get_xlabel()
    ax = plot_centrality(ew.edge_test(hostile_rows, feature_names=hostile_names))
    ax.figure.draw_without_rendering()
    assert all(name.isprintable() for name in names_of(ax))
