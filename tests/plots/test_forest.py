"""The intervals drawn are those of the result."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots import style
from edgewise.plots.plots import plot_forest


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def drawn(axes):
    """Bars and marks, from the top, and the arrows."""
    bars = [line for line in axes.lines if line.get_marker() == "None" and line.get_zorder() == 2]
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    arrows = [line for line in axes.lines if line.get_marker() in ("<", ">")]
    return bars, marks, arrows


def indices(result, pairs):
    names = result.feature_names
    return [(names.index(pair.source), names.index(pair.target)) for pair in pairs]


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_bars_are_the_intervals_of_the_strongest_pairs(correction):
    result = ew.edge_test(datasets.load_sachs(), method="score", correction=correction)
    axes = plot_forest(result, most=12)
    low, high = result.shown_interval
    bars, marks, _ = drawn(axes)
    pairs = result.pairs()[:12]
    for y, (index, bar, mark) in enumerate(zip(indices(result, pairs), bars, marks, strict=True)):
        np.testing.assert_allclose(bar.get_xdata(), [low[index], high[index]])
        np.testing.assert_array_equal(bar.get_ydata(), y)
        assert mark.get_xdata()[0] == result.partial_correlation[index]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{pair.source} – {pair.target}" for pair in pairs
    ]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the strongest on top
    assert result.interval_label in axes.get_xlabel()
    # Those of a single pair are too narrow for pairs that were chosen.
    assert ("too narrow for pairs chosen" in axes.get_xlabel()) == (correction == "bh")


def test_edges_are_filled_and_coloured_others_hollow(result):
    axes = plot_forest(result)
    _, marks, _ = drawn(axes)
    pairs = result.pairs()[:30]
    assert {pair.reject for pair in pairs} == {True, False}
    for pair, mark in zip(pairs, marks, strict=True):
        sign = style.POSITIVE if pair.partial_correlation > 0 else style.NEGATIVE
        wanted = (sign, sign) if pair.reject else (style.QUIET, "#ffffff")
        assert (mark.get_color(), mark.get_markerfacecolor()) == wanted
    edges = sum(pair.reject for pair in pairs)
    first, second = axes.get_title().splitlines()
    assert first == "The 30 strongest of 55 pairs (score, α = 0.05)"
    assert edges == 25
    assert second == "filled: 25 of 26 edges"
    assert "filled: 26 of 26 edges" in plot_forest(result, most=55).get_title()


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_endless_intervals_end_in_arrows(rows):
    axes = plot_forest(ew.edge_test(rows, method="trace"))
    bars, _, arrows = drawn(axes)
    assert len(bars) == 6
    assert sorted(float(arrow.get_xdata()[0]) for arrow in arrows) == [-1.0] * 6 + [1.0] * 6
    for bar in bars:
        np.testing.assert_array_equal(bar.get_xdata(), [-1, 1])
    left, right = axes.get_xlim()
    assert left < -1 < 1 < right
    assert "at once" in axes.get_xlabel()
    assert "no edges" in axes.get_title()
