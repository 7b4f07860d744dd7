"""The histogram of the p-values, and the level of pairs without an edge."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots.plots import null_share, plot_pvalues


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sachs(), method="score")


def bars(axes):
    """Heights of the bars by their label."""
    return {
        group.get_label(): np.array([bar.get_height() for bar in group])
        for group in axes.containers
    }


def test_the_bars_count_every_pair_and_colour_the_edges(result):
    upper = np.triu_indices(11, k=1)
    p, edge = result.pvalue[upper], result.reject[upper]
    drawn = bars(plot_pvalues(result))
    for label, some in (("edges", edge), ("no edges", ~edge)):
        wanted, _ = np.histogram(p[some], bins=10, range=(0, 1))
        np.testing.assert_array_equal(drawn[label], wanted)


def test_the_level_is_that_of_pairs_without_an_edge(result):
    axes = plot_pvalues(result)
    share = null_share(result.pvalue[np.triu_indices(11, k=1)])
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


def test_p_values_that_are_limits_have_no_level(result):
    rows = np.random.default_rng(0).standard_normal((400, 4)) @ np.triu(np.ones((4, 4)))
    anytime = ew.edge_test(rows, method="sequential")
    least = ew.edge_test(rows, min_effect=0.2)
    for limits in (replace(result, decision=replace(result.decision, radius=0.1)), anytime, least):
        axes = plot_pvalues(limits)
        assert not [line for line in axes.lines if line.get_linestyle() == "--"]
        assert "upper limits" in axes.get_title()
