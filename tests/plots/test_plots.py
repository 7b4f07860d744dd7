"""Every kind of picture by one door, on the same hard cases."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.errors import ParameterError
from edgewise.plots import plots, style
from edgewise.plots.export import write_plot
from edgewise.plots.graph_drawing import community_order
from edgewise.plots.layout import graph_of
from edgewise.plots.plots import (
    null_share,
    plot_centrality,
    plot_forest,
    plot_heatmap,
    plot_pvalues,
    plot_volcano,
)
from edgewise.results.centrality import centralities
from edgewise.simulate import make_hub_precision, sample

every_kind = pytest.mark.parametrize("kind", plots.KINDS)


def texts_of(axes):
    from matplotlib.text import Text

    return [text for text in axes.figure.findobj(Text) if text.get_text()]


@pytest.mark.parametrize("kind", ["Network", "", "plot", None, 3])
def test_other_kinds_are_refused(rows, refuses, kind):
    result = ew.edge_test(rows)
    refuses(lambda: plots.plot(result, kind), ParameterError, "kind", "'volcano'", repr(kind))


@every_kind
def test_draws_where_told(rows, require, kind):
    figure = require("matplotlib.figure").Figure()
    left, right = figure.subplots(1, 2)
    result = ew.edge_test(rows)
    assert plots.plot(result, kind, ax=right) is right
    assert right.has_data() or right.texts or right.child_axes
    assert not left.has_data()


@every_kind
@pytest.mark.parametrize("p", [2, 12])
def test_without_any_edge(tmp_path, kind, p):
    X = np.random.default_rng(1).standard_normal((50, p))
    result = ew.edge_test(X, alpha=1e-6)
    assert result.n_edges == 0
    write_plot(plots.plot(result, kind), tmp_path / "x.png")


@pytest.mark.parametrize("kind", ["network", "forest"])
def test_the_picture_is_the_same_every_time(rows, kind):
    def draw():
        picture = io.BytesIO()
        plots.plot(ew.edge_test(rows), kind).figure.savefig(picture, format="png", dpi=50)
        return picture.getvalue()

    assert draw() == draw()


@pytest.mark.parametrize(
    ("kind", "ending"),
    [*((kind, "svg") for kind in plots.KINDS), ("network", "png"), ("forest", "pdf")],
)
def test_hostile_names_are_drawn_as_text(
    tmp_path, require, hostile_names, hostile_rows, kind, ending
):
    names = (*hostile_names[:-1], "名前 \U0001f642", hostile_names[-1])
    X = np.column_stack([hostile_rows, np.random.default_rng(0).standard_normal(300)])
    table = require("pyarrow").table(dict(zip(names, X.T, strict=True)))
    axes = plots.plot(ew.edge_test(table), kind)
    texts = texts_of(axes)
    # Without warnings too: those are errors here.
    write_plot(axes, tmp_path / f"x.{ending}")
    assert b"<script>" not in (tmp_path / f"x.{ending}").read_bytes()
    assert not any("\x1b" in text.get_text() for text in texts)
    assert not any("$" in text.get_text() and text.get_parse_math() for text in texts)
    assert max(len(line) for text in texts for line in text.get_text().splitlines()) < 120
    if kind in ("network", "heatmap"):
        assert "$x^2$" in {text.get_text() for text in texts}


def test_drawing_is_loaded_only_when_something_is_drawn():
    code = "import sys, edgewise.plots.plots; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_notebook_shows_it_and_a_file_closes_it(tmp_path, rows, require):
    pyplot = require("matplotlib.pyplot")
    result = ew.edge_test(rows)
    ax = result.plot()
    assert pyplot.get_fignums() == [ax.figure.number]
    write_plot(ax, tmp_path / "x.png")
    assert pyplot.get_fignums() == []


# The intervals drawn are those of the result.


@pytest.fixture(scope="module")
def forest_result():
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


def test_edges_are_filled_and_coloured_others_hollow(forest_result):
    axes = plot_forest(forest_result)
    _, marks, _ = drawn(axes)
    pairs = forest_result.pairs()[:30]
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
    assert "filled: 26 of 26 edges" in plot_forest(forest_result, most=55).get_title()


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


# The coloured matrix shows the partial correlations, in an order, with the edges marked.


@pytest.fixture(scope="module")
def heatmap_result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def shown_names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_cells_are_the_partial_correlations_in_the_order_of_the_names(heatmap_result):
    axes = plot_heatmap(heatmap_result)
    names = shown_names(axes)
    assert sorted(names) == sorted(heatmap_result.feature_names)
    assert [label.get_text() for label in axes.get_xticklabels()] == names
    order = [heatmap_result.feature_names.index(name) for name in names]
    wanted = heatmap_result.partial_correlation[np.ix_(order, order)].copy()
    np.fill_diagonal(wanted, np.nan)
    shown = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(shown, wanted)


def test_marks_are_the_edges_and_tell_the_sign(heatmap_result):
    axes = plot_heatmap(heatmap_result)
    order = [heatmap_result.feature_names.index(name) for name in shown_names(axes)]
    edge = heatmap_result.reject[np.ix_(order, order)]
    positive = heatmap_result.partial_correlation[np.ix_(order, order)] > 0
    for marks, wanted in zip(axes.collections, (edge & positive, edge & ~positive), strict=True):
        marked = np.zeros_like(wanted)
        columns, rows = marks.get_offsets().astype(int).T
        marked[rows, columns] = True
        np.testing.assert_array_equal(marked, wanted)
    assert len(axes.collections[0].get_paths()[0].vertices) == 4  # +
    assert len(axes.collections[1].get_paths()[0].vertices) == 2  # −
    assert f"{heatmap_result.n_edges} edges" in axes.get_title()
    assert "pairs without a mark are no edges" in axes.get_title()


def test_communities_stand_together_with_their_colours(heatmap_result, require):
    to_rgba = require("matplotlib.colors").to_rgba
    communities = graph_of(heatmap_result).communities
    order = community_order(graph_of(heatmap_result))
    assert sorted(order) == list(range(11))
    assert np.all(np.diff(communities[order]) >= 0)
    axes = plot_heatmap(heatmap_result)
    assert [heatmap_result.feature_names[i] for i in order] == shown_names(axes)
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


# The histogram of the p-values, and the level of pairs without an edge.


@pytest.fixture(scope="module")
def pvalues_result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def bars(axes):
    """Heights of the bars by their label."""
    return {
        group.get_label(): np.array([bar.get_height() for bar in group])
        for group in axes.containers
    }


def test_the_bars_count_every_pair_and_colour_the_edges(pvalues_result):
    upper = np.triu_indices(11, k=1)
    p, edge = pvalues_result.pvalue[upper], pvalues_result.reject[upper]
    drawn = bars(plot_pvalues(pvalues_result))
    for label, some in (("edges", edge), ("no edges", ~edge)):
        wanted, _ = np.histogram(p[some], bins=10, range=(0, 1))
        np.testing.assert_array_equal(drawn[label], wanted)


def test_the_level_is_that_of_pairs_without_an_edge(pvalues_result):
    axes = plot_pvalues(pvalues_result)
    share = null_share(pvalues_result.pvalue[np.triu_indices(11, k=1)])
    (level,) = (line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--")
    assert level == pytest.approx(share * 55 / 10)
    assert f"{100 * share:.2g} %" in axes.get_title()


def test_the_share_of_uniform_p_values():
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.random(8000), 1e-4 * rng.random(2000)])
    error = 2 * math.sqrt(0.4 * 0.6 / 10_000)
    assert null_share(p) == pytest.approx(0.8, abs=4 * error)
    assert null_share(np.full(5, 0.9)) == 1.0


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_if_every_p_value_is_one_it_says_so(rows):
    guarded = ew.edge_test(rows, method="trace")
    axes = plot_pvalues(guarded)
    (text,) = axes.texts
    assert text.get_text().startswith("Every p-value is 1")
    assert f"{guarded.rows_needed:,} rows" in text.get_text()
    assert not axes.patches


def test_p_values_that_are_limits_have_no_level(pvalues_result):
    rows = np.random.default_rng(0).standard_normal((400, 4)) @ np.triu(np.ones((4, 4)))
    anytime = ew.edge_test(rows, method="sequential")
    least = ew.edge_test(rows, min_effect=0.2)
    for limits in (
        replace(pvalues_result, decision=replace(pvalues_result.decision, radius=0.1)),
        anytime,
        least,
    ):
        axes = plot_pvalues(limits)
        assert not [line for line in axes.lines if line.get_linestyle() == "--"]
        assert "upper limits" in axes.get_title()


# Strength against certainty: every pair at its place, however small its p-value.


@pytest.fixture(scope="module")
def volcano_result():
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


def test_every_pair_stands_at_its_strength_and_certainty(volcano_result):
    rho, sure, edge = pairs_of(volcano_result)
    drawn = points(plot_volcano(volcano_result))
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


@pytest.mark.parametrize("which", ["volcano_result", "certain", "crowd"])
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


# The dots and lines drawn are the centralities and their intervals.


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
