"""Communities are found in the edges, numbered by strength, and named by their strongest nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise.view.communities import communities_of, community_names, edge_strengths


@dataclass
class Picture:
    """A graph that is only drawn."""

    partial_correlation: np.ndarray
    reject: np.ndarray

    @property
    def n_features(self):
        return len(self.reject)

    @property
    def feature_names(self):
        return tuple("abcdefghijklmnop"[: self.n_features])


def joined(p, *edges):
    rho = np.eye(p)
    for i, j, value in edges:
        rho[i, j] = rho[j, i] = value
    reject = (rho != 0) & ~np.eye(p, dtype=bool)
    return Picture(rho, reject)


TRIANGLES = [(0, 1, 0.2), (1, 2, -0.2), (0, 2, 0.2), (3, 4, 0.4), (4, 5, -0.5), (3, 5, 0.4)]


def test_two_triangles_and_a_bridge():
    graph = joined(8, *TRIANGLES, (2, 3, 0.05))
    assert communities_of(graph).tolist() == [1, 1, 1, 0, 0, 0, -1, -1]


def test_pairs_that_are_no_edges_do_not_count():
    graph = joined(4, (0, 1, 0.5), (2, 3, 0.4))
    graph.partial_correlation[1, 2] = graph.partial_correlation[2, 1] = 0.9
    assert communities_of(graph).tolist() == [0, 0, 1, 1]
    assert edge_strengths(graph)[1, 2] == 0


def test_no_edges():
    graph = joined(3)
    assert communities_of(graph).tolist() == [-1, -1, -1]
    assert community_names(graph, communities_of(graph), "abc") == []


def test_rounding_does_not_matter():
    rng = np.random.default_rng(0)
    graph = joined(16, *((i, j, 0.3) for i in range(16) for j in range(i) if rng.random() < 0.3))
    found = communities_of(graph)
    graph.partial_correlation *= 1 + 1e-12 * rng.standard_normal((16, 16))
    assert communities_of(graph).tolist() == found.tolist()


def test_names():
    graph = joined(5, (0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (3, 0, 0.3), (0, 2, 0.3), (1, 3, 0.2))
    communities = communities_of(graph)
    assert communities.tolist() == [0, 0, 0, 0, -1]
    assert community_names(graph, communities, graph.feature_names) == ["c, d + 2"]
