"""The distribution of the p-values and the band around the uniform one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.view.pvalues import dkw_half_width, plot_pvalues


@pytest.fixture(autouse=True)
def _matplotlib(require):
    require("matplotlib")


@pytest.fixture(scope="module")
def result():
    return ew.edge_test(datasets.load_sachs())


def sorted_pvalues(result):
    return np.sort(result.pvalue[np.triu_indices(result.n_features, k=1)])


def test_the_curve_is_the_share_of_the_p_values(result):
    (curve,) = (line for line in plot_pvalues(result).lines if line.get_label().startswith("these"))
    assert curve.get_drawstyle() == "steps-post"
    x, y = curve.get_data()
    p = sorted_pvalues(result)
    np.testing.assert_allclose(x, [0, *p, 1])
    np.testing.assert_allclose(y, [0, *(np.arange(1, 56) / 55), 1])


def test_the_band_is_that_of_dvoretzky_kiefer_and_wolfowitz(result):
    (band,) = plot_pvalues(result).collections
    corners = band.get_paths()[0].vertices
    half = math.sqrt(math.log(40) / 110)
    middle = corners[np.isclose(corners[:, 0], 0.5)]
    np.testing.assert_allclose(np.sort(middle[:, 1]), [0.5 - half, 0.5 + half])
    assert corners[:, 1].min() == 0
    assert corners[:, 1].max() == 1


@pytest.mark.parametrize("m", [20, 200])
def test_the_band_holds_uniform_numbers(m):
    draws = 4000
    p = np.sort(np.random.default_rng(m).random((draws, m)), axis=1)
    rank = np.arange(1, m + 1)
    stray = np.maximum(rank / m - p, p - (rank - 1) / m).max(axis=1)
    held = np.mean(stray <= dkw_half_width(m))
    error = math.sqrt(0.05 * 0.95 / draws)
    # Massart's constant is sharp: not below 95 %, and little above.
    assert 0.95 - 3 * error < held < 0.98


def test_the_histogram_counts_every_pair(result):
    (inset,) = plot_pvalues(result).child_axes
    heights = [bar.get_height() for bar in inset.patches]
    wanted, _ = np.histogram(sorted_pvalues(result), bins=20, range=(0, 1))
    np.testing.assert_array_equal(heights, wanted)


def test_too_few_p_values_have_no_histogram(rows):
    assert plot_pvalues(ew.edge_test(rows)).child_axes == []


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_the_histogram_stands_where_the_curve_does_not(result):
    guarded = ew.edge_test(datasets.load_sachs(), method="trace")
    assert sorted_pvalues(guarded).mean() > 0.5 > sorted_pvalues(result).mean()
    corner = {}
    for found in (guarded, result):
        axes = plot_pvalues(found)
        axes.figure.draw_without_rendering()
        box = axes.child_axes[0].get_window_extent()
        corner[found.method] = axes.transAxes.inverted().transform(box.get_points().mean(axis=0))
    assert corner["trace"][1] > corner["trace"][0]
    assert corner["score"][1] < corner["score"][0]


def test_the_title_says_what_edges_do(result):
    title = plot_pvalues(result).get_title()
    assert "55 pairs" in title
    assert "true edges lift the curve at the left" in title
