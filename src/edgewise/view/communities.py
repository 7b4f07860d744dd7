"""Groups of variables that are connected more among themselves than to others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._base.parts import part
from edgewise._base.types import FloatArray
from edgewise.view.layout import Graph, IntArray

_SEED = 0
#: What two methods agree on up to rounding must give the same communities.
_DECIMALS = 9


def communities_of(graph: Graph) -> IntArray:
    """The community of each variable: 0 for the strongest, −1 without an edge.

    Louvain's method (Blondel and others 2008, of networkx) on the edges of the graph, weighted by
    |ρ̂|, with a fixed seed. Communities are numbered by the total strength of their nodes.
    """
    nx = part("networkx", "plot", "Communities")
    weight = np.round(edge_strengths(graph), _DECIMALS)
    found = nx.Graph()
    for i, j in zip(*np.nonzero(np.triu(weight)), strict=True):
        found.add_edge(int(i), int(j), weight=float(weight[i, j]))
    members = [sorted(one) for one in nx.community.louvain_communities(found, seed=_SEED)]
    strength = np.round(weight.sum(axis=0), _DECIMALS)
    members.sort(key=lambda nodes: (-float(strength[nodes].sum()), nodes[0]))
    communities = np.full(graph.n_features, -1, dtype=np.intp)
    for number, nodes in enumerate(members):
        communities[nodes] = number
    return communities


def community_names(graph: Graph, communities: IntArray, names: Sequence[str]) -> list[str]:
    """What a legend calls each community: by its strongest variables."""
    strength = np.round(edge_strengths(graph).sum(axis=0), _DECIMALS)
    told = []
    for number in range(int(communities.max(initial=-1)) + 1):
        members = np.flatnonzero(communities == number)
        ordered = members[np.argsort(-strength[members], kind="stable")]
        shown = ordered if len(ordered) <= 3 else ordered[:2]
        more = len(ordered) - len(shown)
        told.append(", ".join(names[i] for i in shown) + f" + {more}" * bool(more))
    return told


def edge_strengths(graph: Graph) -> FloatArray:
    """|ρ̂| of the edges; 0 for pairs that are none."""
    strength = np.where(graph.reject, np.abs(graph.partial_correlation), 0.0)
    np.fill_diagonal(strength, 0.0)
    return np.asarray(strength)
