"""Places of many variables: groups that hang together lie apart from each other.

With many variables nearly all partial correlations are noise. If they all pulled, every picture
would be a ball. Here only those pull that stand out from the others, so the layout still depends on
the partial correlations alone and on no decision.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.matrices import pairs_of
from edgewise._base.types import BoolArray, FloatArray
from edgewise.view.stress import least_stress, lying, scaled_start

IntArray: TypeAlias = npt.NDArray[np.intp]

# The first quartile of |x| for a standard normal x: where less than half of the pairs are edges,
# that of the partial correlations is made of noise.
_QUARTILE = 0.3186
_BEND = 0.9  # long paths a little shorter, so that the picture is compact
_CANDIDATES = 3000
_APART = 1.9  # steps between two groups
_WIDE = 1.1  # pages are wider than high
_GOLDEN = math.pi * (3 - math.sqrt(5))


def island_positions(partial_correlation: FloatArray) -> FloatArray:
    """Places of the nodes: each connected group by its stress, then the groups side by side.

    Nodes that nothing connects stand in rows below.

    Examples
    --------
    >>> import numpy as np
    >>> rho = np.eye(5)
    >>> rho[0, 1] = rho[1, 0] = rho[2, 3] = rho[3, 2] = 0.5
    >>> places = island_positions(rho)
    >>> bool(np.hypot(*(places[0] - places[1])) < np.hypot(*(places[0] - places[2])))
    True
    """
    from scipy.sparse.csgraph import connected_components, shortest_path

    strength = np.abs(np.round(partial_correlation, 9))
    np.fill_diagonal(strength, 0.0)
    strength = np.where(_standing_out(strength), strength, 0.0)
    length = np.divide(1.0, strength, out=np.zeros_like(strength), where=strength > 0)
    _, island = connected_components(strength, directed=False)
    size = np.bincount(island)
    places = np.zeros((len(strength), 2))
    groups = [np.flatnonzero(island == k) for k in np.flatnonzero(size > 1)]
    for nodes in groups:
        distance = shortest_path(length[np.ix_(nodes, nodes)], directed=False) ** _BEND
        places[nodes] = lying(least_stress(distance, scaled_start(distance)))
    step = _typical_step(places, groups)
    _pack(places, groups, step)
    _in_rows(places, np.flatnonzero(size[island] == 1), step)
    return places


def _standing_out(strength: FloatArray) -> BoolArray:
    """Pairs that are stronger than the strongest of so many of noise alone would be.

    A node without any keeps its strongest pair, if that is stronger than what it has by noise.
    """
    p = len(strength)
    noise = float(np.quantile(pairs_of(strength), 0.25)) / _QUARTILE
    strong = strength > max(noise * math.sqrt(2 * math.log(p * (p - 1) / 2)), 1e-8)
    lonely = np.flatnonzero(~strong.any(axis=0))
    nearest = np.argmax(strength[lonely], axis=1)
    held = strength[lonely, nearest] > max(noise * math.sqrt(2 * math.log(p)), 1e-8)
    strong[lonely[held], nearest[held]] = strong[nearest[held], lonely[held]] = True
    return np.asarray(strong)


def _typical_step(places: FloatArray, groups: list[IntArray]) -> float:
    """The typical distance of a node to the nearest one of its group."""
    nearest = []
    for nodes in groups:
        between = np.hypot(*(places[nodes][:, None] - places[nodes]).T)
        np.fill_diagonal(between, np.inf)
        nearest.append(between.min(axis=0))
    return float(np.median(np.concatenate(nearest))) if nearest else 1.0


def _pack(places: FloatArray, groups: list[IntArray], step: float) -> None:
    """Move the groups side by side, the largest in the middle, each as near to it as it fits."""
    from scipy.spatial import cKDTree

    for nodes in groups:
        places[nodes] -= (places[nodes].max(axis=0) + places[nodes].min(axis=0)) / 2
    radii = [float(np.hypot(*places[nodes].T).max()) + step for nodes in groups]
    order = np.lexsort((np.arange(len(groups)), -np.round(radii, 6)))
    turn = np.arange(_CANDIDATES)
    reach = 2.5 * math.sqrt(sum(radius**2 for radius in radii))
    spiral = (np.sqrt(turn / _CANDIDATES) * reach)[:, None] * np.column_stack(
        [_WIDE * np.cos(_GOLDEN * turn), np.sin(_GOLDEN * turn) / _WIDE]
    )
    placed = np.zeros((0, 2))
    for k in order:
        moved = places[groups[k]]
        if len(placed):
            tree, apart = cKDTree(placed), _APART * step
            for block in np.array_split(spiral, _CANDIDATES // 50):
                near, _ = tree.query(block[:, None] + moved, distance_upper_bound=apart)
                clear = np.flatnonzero(np.all(near >= apart, axis=1))
                if clear.size:
                    moved = moved + block[clear[0]]
                    break
        places[groups[k]] = moved
        placed = np.vstack([placed, moved])


def _in_rows(places: FloatArray, lonely: IntArray, step: float) -> None:
    """Put nodes without any neighbour in rows below the others."""
    if not lonely.size:
        return
    others = np.setdiff1d(np.arange(len(places)), lonely)
    width = float(np.ptp(places[others, 0])) if others.size else step * math.sqrt(lonely.size)
    per_row = max(int(width / step) + 1, 2)
    row, column = np.divmod(np.arange(lonely.size), per_row)
    in_row = np.minimum(lonely.size - row * per_row, per_row)
    middle = float(places[others, 0].min() + width / 2) if others.size else 0.0
    bottom = float(places[others, 1].min()) if others.size else 0.0
    places[lonely, 0] = middle + (column - (in_row - 1) / 2) * step
    places[lonely, 1] = bottom - (row + 1.5) * step
