"""Groups of variables that are connected more among themselves than to others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.parts import part
from edgewise._base.types import AnyArray, FloatArray
from edgewise.view.layout import Graph, IntArray

_SEED = 0
#: What two methods agree on up to rounding must give the same communities.
_DECIMALS = 9
# With more variables, finding the best order of the branches takes too long.
_BEST_ORDER = 500


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


def community_order(graph: Graph, communities: IntArray) -> IntArray:
    """The variables by community, clustered inside of each; those without one come last."""
    parts = []
    for number in (*range(int(communities.max(initial=-1)) + 1), -1):
        members = np.flatnonzero(communities == number)
        if len(members) > 1:
            rho = graph.partial_correlation[np.ix_(members, members)]
            members = members[clustered_order(rho)]
        parts.append(members)
    return np.concatenate(parts)


def clustered_order(partial_correlation: FloatArray) -> AnyArray:
    """An order of the variables that puts related ones side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    p = len(partial_correlation)
    # Two methods give the same estimate up to rounding, and should give the same picture.
    distance = 1 - np.abs(np.round(partial_correlation, 9))
    tree = linkage(pairs_of(distance), method="average", optimal_ordering=p <= _BEST_ORDER)
    return np.asarray(leaves_list(tree))
