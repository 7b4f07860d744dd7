"""Where things stand: the same places for the same data, and no two nodes in one."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.errors import ParameterError
from edgewise.plots import layout
from edgewise.plots.difference import graphs_of, plot_difference
from edgewise.simulate import make_grid_precision, make_hub_precision


def partial_correlations(precision):
    root = np.sqrt(precision.diagonal())
    rho = -precision / np.outer(root, root)
    np.fill_diagonal(rho, 1.0)
    return rho


def lengths(places):
    return np.sqrt(np.sum((places[:, None] - places) ** 2, axis=2))


@pytest.fixture(scope="module")
def returns():
    return datasets.load_sp500_returns()


def test_places_depend_on_neither_alpha_nor_method_nor_run(returns):
    wanted = layout.node_positions(ew.edge_test(returns).partial_correlation)
    assert wanted.shape == (20, 2)
    for options in ({}, {"alpha": 1e-6}, {"method": "fisher"}, {"correction": "bh"}):
        found = layout.node_positions(ew.edge_test(returns, **options).partial_correlation)
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_the_stress_is_as_small_as_that_of_kamada_and_kawai(returns, require):
    nx = require("networkx")
    result = ew.edge_test(returns)
    distance = layout.path_distances(result.partial_correlation)

    def raw_stress(places):
        upper = np.triu_indices(20, k=1)
        ratio = lengths(places)[upper] / distance[upper]
        return np.sum((ratio * ratio.sum() / np.sum(ratio**2) - 1) ** 2)

    complete = nx.complete_graph(20)
    placed = nx.kamada_kawai_layout(
        complete, dist={i: dict(enumerate(distance[i])) for i in range(20)}
    )
    theirs = raw_stress(np.array([placed[i] for i in range(20)]))
    assert raw_stress(layout.node_positions(result.partial_correlation)) < 1.02 * theirs


def test_groups_that_nothing_connects_lie_apart():
    rho = np.eye(40)
    for start in range(0, 32, 8):
        rho[start, start + 1 : start + 8] = rho[start + 1 : start + 8, start] = 0.4
    places = layout.node_positions(rho)
    middles = np.array([places[start : start + 8].mean(axis=0) for start in range(0, 32, 8)])
    reach = max(
        np.hypot(*(places[start : start + 8] - middle).T).max()
        for start, middle in zip(range(0, 32, 8), middles, strict=True)
    )
    assert lengths(middles)[np.triu_indices(4, k=1)].min() > 1.8 * reach
    # Those without a neighbour stand in rows below.
    assert places[32:, 1].max() < places[:32, 1].min()


@pytest.mark.parametrize(
    "partial_correlation",
    [
        np.eye(2),
        np.array([[1, -0.99999], [-0.99999, 1]]),
        np.eye(5),
        np.eye(200),
        np.ones((6, 6)),  # every column a copy of the first
        partial_correlations(make_hub_precision(9)),  # leaves that nothing tells apart
        partial_correlations(make_hub_precision(120, n_hubs=10)),
        partial_correlations(make_grid_precision(49)),
    ],
    ids=["p2", "p2-tight", "zero5", "zero200", "copies", "star", "stars", "grid"],
)
def test_no_two_nodes_coincide(partial_correlation):
    places = layout.node_positions(partial_correlation)
    p = len(places)
    assert np.isfinite(places).all()
    # An even spread over the disc leaves about √(π/p) to each.
    assert lengths(places)[np.triu_indices(p, k=1)].min() > 0.2 * np.sqrt(np.pi / p)


def joined(p, *edges):
    rho = np.eye(p)
    for i, j, value in edges:
        rho[i, j] = rho[j, i] = value
    reject = (rho != 0) & ~np.eye(p, dtype=bool)
    return layout.Graph(tuple("abcdefghijklmnop"[:p]), rho, reject)


TRIANGLES = [(0, 1, 0.2), (1, 2, -0.2), (0, 2, 0.2), (3, 4, 0.4), (4, 5, -0.5), (3, 5, 0.4)]


def test_two_triangles_and_a_bridge():
    graph = joined(8, *TRIANGLES, (2, 3, 0.05))
    assert graph.communities.tolist() == [1, 1, 1, 0, 0, 0, -1, -1]


def test_pairs_that_are_no_edges_do_not_count():
    graph = joined(4, (0, 1, 0.5), (2, 3, 0.4))
    graph.partial_correlation[1, 2] = graph.partial_correlation[2, 1] = 0.9
    assert graph.communities.tolist() == [0, 0, 1, 1]
    assert graph.strength[1, 2] == 0


def test_names():
    graph = joined(5, (0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (3, 0, 0.3), (0, 2, 0.3), (1, 3, 0.2))
    assert graph.communities.tolist() == [0, 0, 0, 0, -1]
    assert graph.community_names(graph.feature_names) == ["c, d + 2"]


# Both groups and their difference: the same places, one scale, and only what differs.


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
