"""Places in the plane whose distances come as near as they can to given ones."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray

_STEPS_TO_START = 50
_WORK, _SETTLED = 1e8, 1e-5  # most pairs of nodes to visit, smallest relative gain of a step
_NUDGE = 0.02  # of the typical distance; separates nodes that the data do not separate


def path_distances(partial_correlation: FloatArray) -> FloatArray:
    from scipy.sparse.csgraph import floyd_warshall

    # Two methods give the same estimate up to rounding, and should give the same picture.
    length = 1 / (np.abs(np.round(partial_correlation, 9)) + 0.01)
    np.fill_diagonal(length, 0.0)
    distance = floyd_warshall(length, directed=False) ** 0.75
    return np.asarray(distance / distance.max())


def scaled_start(distance: FloatArray) -> FloatArray:
    """The two leading directions of classical scaling, approached from a circle.

    If the data prefer no direction (for example without any correlation), the circle stays. An
    eigenvector would then be decided by rounding alone.
    """
    p = len(distance)
    angle = 2 * np.pi * np.arange(p) / p
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    squares = distance**2
    mean = squares.mean(axis=0)
    inner = -0.5 * (squares - mean - mean[:, None] + mean.mean())
    places = circle
    for _ in range(_STEPS_TO_START):
        left, _, right = np.linalg.svd(inner @ places, full_matrices=False)
        places = left @ right
    typical = float(distance.mean())
    return np.asarray(places * typical * np.sqrt(p / 2) + _NUDGE * typical * circle)


def least_stress(distance: FloatArray, places: FloatArray) -> FloatArray:
    p = len(distance)
    apart = distance > 0
    weight = np.divide(1.0, distance**2, out=np.zeros_like(distance), where=apart)
    pull = weight * distance
    # V⁺ of the majorisation X ← V⁺ B(X) X. V is singular along the constants; adding 1/p before
    # the inversion and subtracting it after gives the pseudo-inverse.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=0)) - weight + 1 / p) - 1 / p
    before = np.inf
    for _ in range(int(np.clip(_WORK / p**2, 50, 300))):
        length = _lengths(places)
        stress = float(np.sum(weight * (length - distance) ** 2))
        if before - stress <= _SETTLED * stress:
            break
        before = stress
        steer = np.divide(-pull, length, out=np.zeros_like(pull), where=apart)
        np.fill_diagonal(steer, -steer.sum(axis=0))
        places = inverse @ (steer @ places)
    return places


def _lengths(places: FloatArray) -> FloatArray:
    squares = np.sum(places**2, axis=1)
    between = squares[:, None] + squares - 2 * places @ places.T
    # Never 0, so that two nodes in the same place can still move apart.
    return np.asarray(np.sqrt(np.maximum(between, 1e-12)))


def lying(places: FloatArray) -> FloatArray:
    """The places, centred and turned so that their longer side lies along the first axis.

    The sign of each axis is free, so the first nodes decide it.
    """
    places = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    leading = places[np.argmax(np.abs(places) > 1e-6 * np.abs(places).max(), axis=0), [0, 1]]
    return np.asarray(places * np.where(leading > 0, -1.0, 1.0))
