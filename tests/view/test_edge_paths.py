"""Edges pass through no node but their own."""

from __future__ import annotations

import numpy as np

from edgewise.view.edge_paths import distances_to_lines, edge_paths


def test_distances_to_lines():
    points = np.array([[0.0, 1.0], [5.0, 0.0], [-3.0, 4.0]])
    found = distances_to_lines(points, np.array([[0.0, 0.0]]), np.array([[2.0, 0.0]]))
    np.testing.assert_allclose(found, [[1, 3, 5]])


def test_a_bent_edge_keeps_away_from_the_nodes_and_joins_its_own():
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(4)), axis=-1).reshape(-1, 2) * 40.0
    places = grid + rng.uniform(-2, 2, grid.shape)
    rows, columns = np.triu_indices(len(places), k=1)
    chosen = rng.choice(len(rows), 60, replace=False)
    rows, columns = rows[chosen], columns[chosen]
    paths = edge_paths(places, rows, columns, 6.0)
    bent = 0
    for i, j, path in zip(rows, columns, paths, strict=True):
        np.testing.assert_allclose(path[[0, -1]], places[[i, j]], atol=1e-9)
        bent += len(path) > 2
        others = np.delete(places, [i, j], axis=0)
        assert distances_to_lines(others, path[:-1], path[1:]).min() > 4.5
    assert 0 < bent < 60


def test_no_edges():
    assert edge_paths(np.zeros((3, 2)), np.zeros(0, dtype=int), np.zeros(0, dtype=int), 1.0) == []
