"""Strength against certainty: every pair at its place, however small its p-value."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots.plots import plot_volcano
from edgewise.simulate import make_hub_precision, sample


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sp500_returns())


@pytest.fixture(scope="module")
def certain():
    """p-values far below the smallest float."""
    found = ew.edge_test(datasets.load_sachs(), method="fisher")
    assert np.nanmin(found.log_pvalue) < -2000
    return found


def pairs_of(result):
    upper = np.triu_indices(result.n_features, k=1)
    return (
        result.partial_correlation[upper],
        -result.log_pvalue[upper] / math.log(10),
        result.reject[upper],
    )


def points(axes):
    return {
        mark.get_label(): np.asarray(mark.get_offsets())
        for mark in axes.collections
        if not mark.get_label().startswith("_")
    }


def names(axes):
    return [text for text in axes.texts if " – " in text.get_text()]


def sorted_rows(array):
    return array[np.lexsort(array.T)]


def test_every_pair_stands_at_its_strength_and_certainty(result):
    rho, sure, edge = pairs_of(result)
    drawn = points(plot_volcano(result))
    for label, some in (("no edge", ~edge), ("edge, positive", edge & (rho > 0))):
        wanted = np.column_stack([rho, sure])[some]
        np.testing.assert_allclose(sorted_rows(drawn[label]), sorted_rows(wanted), atol=1e-12)
    assert "edge, negative" not in drawn  # there is none


def test_what_is_beyond_the_axis_is_drawn_at_its_top_and_said(certain):
    axes = plot_volcano(certain)
    _, sure, _ = pairs_of(certain)
    heights = np.concatenate([np.asarray(mark.get_offsets())[:, 1] for mark in axes.collections])
    np.testing.assert_allclose(np.sort(heights), np.sort(np.minimum(sure, 300)))
    beyond = int((sure > 300).sum())
    assert beyond > 0
    assert f"▲ {beyond} with p below 1e-300" in axes.get_title()
    assert axes.get_ylim()[1] < 400
    assert len(set(points(axes))) == 3  # no legend entry twice


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", None])
def test_the_line_parts_the_edges_from_the_others(correction):
    result = ew.edge_test(datasets.load_sachs(), correction=correction)
    axes = plot_volcano(result)
    (level,) = (line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":")
    _, sure, edge = pairs_of(result)
    np.testing.assert_array_equal(sure >= level, edge)


@pytest.mark.parametrize("which", ["result", "certain", "crowd"])
def test_names_cover_neither_names_nor_points(request, which):
    if which == "crowd":
        X = sample("gaussian", make_hub_precision(60, n_hubs=5), 3000, rng=0)
        result = ew.edge_test(X)
    else:
        result = request.getfixturevalue(which)
    axes = plot_volcano(result)
    axes.figure.draw_without_rendering()
    assert len(names(axes)) >= 3
    # An annotation's extent has its leader in it; the text alone is meant.
    text_type = type(axes.title)
    boxes = [text_type.get_window_extent(text) for text in names(axes)]
    legend = axes.get_legend().get_window_extent()
    assert legend.y1 < axes.get_window_extent().y0  # below the axes, where no point can be
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    rho, sure, _ = pairs_of(result)
    pixels = axes.transData.transform(np.column_stack([rho, np.minimum(sure, 300)]))
    assert not any(box.contains(*pixel) for box in boxes for pixel in pixels)
