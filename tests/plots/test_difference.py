"""Both groups and their difference: the same places, one scale, and only what differs."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.plots.difference import graphs_of, plot_difference


@pytest.fixture(scope="module")
def compared():
    """Two groups in which one edge of a chain has changed its sign."""
    a, b = np.random.default_rng(5).standard_normal((2, 800, 4))
    for group, sign in ((a, 1), (b, -1)):
        group[:, 1] += 0.8 * group[:, 0]
        group[:, 3] += sign * 0.8 * group[:, 2]
    return ew.compare_groups(a, b, group_names=("before", "after"), alpha=1e-6)


def names_at(ax):
    return {text.get_text(): text.get_position() for text in ax.texts}


def segments(ax):
    (edges,) = (found for found in ax.collections if hasattr(found, "get_segments"))
    return edges


def test_every_variable_stands_in_the_same_place(compared):
    first, second, third = map(names_at, plot_difference(compared))
    assert first == second == third
    assert set(first) == set(compared.feature_names)


def test_a_group_shows_its_own_edges_and_the_third_graph_what_differs(compared):
    first, second, third = graphs_of(compared)
    assert first.n_edges == second.n_edges == 2
    assert third.n_edges == compared.n_edges == 1
    assert third.reject[2, 3]
    drawn = plot_difference(compared)
    assert [len(segments(ax).get_segments()) for ax in drawn] == [2, 2, 1]
    assert drawn[2].get_title() == "1 of 6 pairs differs"
    assert drawn[0].get_title() == "before: 2 edges, 800 rows"


def test_names_of_groups_are_text(rows):
    names = "{0} $x$ <b>", "line\nbreak"
    drawn = plot_difference(ew.compare_groups(rows[:200], -rows[200:], group_names=names))
    assert drawn[0].get_title().startswith("{0} $x$ <b>: ")
    assert drawn[1].get_title().startswith("line\ufffdbreak: ")
    for ax in drawn:
        ax.figure.canvas.draw()


def test_axes_of_ones_own(compared):
    from matplotlib.figure import Figure

    axes = Figure(figsize=(18, 6)).subplots(1, 3)
    assert compared.plot(axes=axes)[1] is axes[1]
    with pytest.raises(ParameterError, match=r"axes: expected 3 axes .* got 2"):
        compared.plot(axes=axes[:2])
