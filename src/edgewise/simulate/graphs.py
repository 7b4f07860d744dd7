"""Precision matrices of graphs with a known shape, and random ones, the paper's among them.

Each is scaled so that all variances are one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from edgewise._checks import check_count, check_real, check_rng
from edgewise._linalg import FloatArray, IndexArray, upper_pairs
from edgewise.errors import ParameterError

_USUAL_WEIGHT = 0.3
# With a default weight, the eigenvalues of weight·A stay within ± this number.
_USUAL_SHARE = 0.6
_NEARLY_SINGULAR = 1e-10

Rng = np.random.Generator | int | None


def make_chain_precision(
    n_features: int, weight: float | Sequence[float] = _USUAL_WEIGHT
) -> FloatArray:
    """A chain: each variable is joined to the one before it, or a band, to several before it.

    Parameters
    ----------
    n_features : int
        The length of the chain.
    weight : float or sequence of float
        Minus the partial correlation of neighbours, between −½ and ½; or of variables one place
        apart, two places apart, and so on.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ, which is zero except beside the diagonal.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> make_chain_precision(3).round(3).tolist()
    [[1.11, 0.349, 0.0], [0.349, 1.22, 0.349], [0.0, 0.349, 1.11]]
    >>> (make_chain_precision(5, (0.6, 0.3)) != 0).sum(axis=1).tolist()
    [3, 4, 5, 4, 3]
    """
    n_features = check_count("n_features", n_features, at_least=1)
    weights = weight if isinstance(weight, Sequence) else (weight,)
    # The eigenvalues 1 + 2·weight·cos(kπ/(p+1)) are positive for every p only if |weight| < ½.
    limit = 0.5 if len(weights) == 1 else 1.0
    theta = np.eye(n_features)
    for place, one in enumerate(weights, start=1):
        check_real("weight", one, above=-limit, below=limit)
        theta += one * (np.eye(n_features, k=place) + np.eye(n_features, k=-place))
    least = float(np.linalg.eigvalsh(theta)[0])
    if least <= _NEARLY_SINGULAR:
        raise ParameterError(
            f"weight: expected smaller ones, got {weight!r}, for which Θ is not positive "
            f"definite; those times {0.99 / (1 - least):.3g} would do."
        )
    return to_unit_variances(theta)


def make_hub_precision(
    n_features: int, *, n_hubs: int = 1, weight: float | None = None
) -> FloatArray:
    """Stars: the first `n_hubs` variables are centres, and the others join them in turn.

    Parameters
    ----------
    n_features : int
        How many variables, centres included.
    n_hubs : int
        How many stars; 1 is a single star.
    weight : float, optional
        Minus the partial correlation along an edge; by default 0.3, or less where Θ would be nearly
        singular (with k leaves at a hub it must be below 1/√k).

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ of the stars.

    Examples
    --------
    >>> from edgewise.simulate import make_hub_precision
    >>> (make_hub_precision(5) != 0).sum(axis=1).tolist()
    [5, 2, 2, 2, 2]
    """
    n_features = check_count("n_features", n_features, at_least=1)
    n_hubs = check_count("n_hubs", n_hubs, at_least=1)
    if n_hubs > n_features:
        raise ParameterError(f"n_hubs: expected at most {n_features} hubs, got {n_hubs}.")
    leaves = np.arange(n_hubs, n_features)
    return _joined(n_features, leaves % n_hubs, leaves, weight)


def make_grid_precision(
    n_features: int, *, n_columns: int | None = None, weight: float | None = None
) -> FloatArray:
    """A grid, filled row by row: each variable is joined to those beside, above and below it.

    Parameters
    ----------
    n_features : int
        How many variables; the last row of the grid may be shorter.
    n_columns : int, optional
        The width of the grid; by default the grid is as nearly square as possible.
    weight : float, optional
        As for `make_hub_precision`; a weight below ¼ works for any size.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ of the grid.

    Examples
    --------
    >>> from edgewise.simulate import make_grid_precision
    >>> (make_grid_precision(4) != 0).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]]
    """
    n_features = check_count("n_features", n_features, at_least=1)
    usual = math.isqrt(n_features - 1) + 1
    n_columns = check_count("n_columns", usual if n_columns is None else n_columns, at_least=1)
    nodes = np.arange(n_features)
    left, up = nodes[nodes % n_columns > 0], nodes[n_columns:]
    before = np.concatenate([left - 1, up - n_columns])
    return _joined(n_features, before, np.concatenate([left, up]), weight)


def make_erdos_renyi_precision(
    n_features: int,
    *,
    probability: float = 0.1,
    size: int | None = None,
    weight: float | None = None,
    rng: Rng = None,
) -> FloatArray:
    """A random graph: each pair is an edge with the same probability, independently.

    Parameters
    ----------
    n_features : int
        How many variables there are.
    probability : float
        The probability of an edge.
    size : int, optional
        The variables in a cluster of neighbours; pairs of two clusters are no edges. By default
        all are in one.
    weight : float, optional
        As for `make_hub_precision`.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ of the random graph.

    Examples
    --------
    >>> from edgewise.simulate import make_erdos_renyi_precision
    >>> theta = make_erdos_renyi_precision(10, probability=0.2, rng=0)
    >>> int((theta != 0).sum() - 10) // 2
    8
    >>> (make_erdos_renyi_precision(5, size=3, probability=1) != 0).sum(axis=1).tolist()
    [3, 3, 3, 2, 2]
    """
    n_features = check_count("n_features", n_features, at_least=1)
    size = check_count("size", n_features if size is None else size, at_least=1)
    check_real("probability", probability, above=0, below=math.nextafter(1, 2))
    rows, columns = upper_pairs(n_features)
    joined = check_rng(rng).random(len(rows)) < probability
    joined &= rows // size == columns // size
    return _joined(n_features, rows[joined], columns[joined], weight)


def to_unit_variances(precision: FloatArray) -> FloatArray:
    """Θ of the same variables, each divided by its standard deviation; zeros stay zeros."""
    deviation = np.sqrt(np.linalg.inv(precision).diagonal())
    scaled: FloatArray = precision * np.outer(deviation, deviation)
    return scaled


def _joined(p: int, rows: IndexArray, columns: IndexArray, weight: float | None) -> FloatArray:
    """Θ with the same weight on each of these pairs."""
    adjacency = np.zeros((p, p))
    adjacency[rows, columns] = adjacency[columns, rows] = 1.0
    spectrum = np.linalg.eigvalsh(adjacency)
    if weight is None:
        reach = float(np.abs(spectrum).max())
        weight = min(_USUAL_WEIGHT, _USUAL_SHARE / reach) if reach else _USUAL_WEIGHT
    weight = check_real("weight", weight, above=-math.inf)
    if (1 + weight * spectrum).min() <= _NEARLY_SINGULAR:
        low, high = -1 / spectrum[-1], -1 / spectrum[0]
        raise ParameterError(
            f"weight: expected a number between {low:.4g} and {high:.4g} for this graph, got "
            f"{weight!r}; Θ is not positive definite otherwise."
        )
    # A graph without edges sets no limit above, but a partial correlation is below one.
    check_real("weight", weight, above=-1, below=1)
    return to_unit_variances(np.eye(p) + weight * adjacency)


def make_sparse_precision(
    n_features: int,
    n_edges: int,
    *,
    smallest: float = 0.3,
    largest: float = 0.9,
    condition: float = 10.0,
    rng: Rng = None,
) -> FloatArray:
    """A random graph with exactly `n_edges` edges of random signs and strengths.

    Parameters
    ----------
    n_features : int
        The number of variables.
    n_edges : int
        The exact number of edges.
    smallest, largest : float
        The range of abs(Θ_ij) on the edges, before Θ is made positive definite. Only their ratio
        matters.
    condition : float
        Condition number of Θ before it is scaled to unit variances; a larger one gives stronger
        edges.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ of the random graph.

    Examples
    --------
    >>> from edgewise.simulate import make_sparse_precision
    >>> theta = make_sparse_precision(10, 12, rng=0)
    >>> int((theta != 0).sum() - 10) // 2
    12
    """
    n_features = check_count("n_features", n_features, at_least=1)
    check_real("smallest", smallest, above=0)
    check_real("largest", largest, above=math.nextafter(smallest, 0))
    check_real("condition", condition, above=1, below=1e12)
    rng = check_rng(rng)
    rows, columns = _random_pairs(n_features, n_edges, rng)
    theta = np.eye(n_features)
    if n_edges:
        strength = rng.uniform(smallest, largest, rows.size) * rng.choice([-1.0, 1.0], rows.size)
        theta = np.zeros((n_features, n_features))
        theta[rows, columns] = theta[columns, rows] = strength
        low, *_, high = np.linalg.eigvalsh(theta)
        # With a on the diagonal, the condition number (high + a)/(low + a) is `condition`.
        np.fill_diagonal(theta, (high - condition * low) / (condition - 1))
    return to_unit_variances(theta)


def make_gram_covariance(
    n_features: int, *, n_factors: int | None = None, rng: Rng = None
) -> FloatArray:
    """The paper's random covariance, Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), g_i ~ N(0, I).

    Parameters
    ----------
    n_features : int
        How many variables, p.
    n_factors : int, optional
        The length of the g_i, by default 3p; the paper does not state it. With few factors Σ is
        nearly singular (it is singular below p), and with many it is nearly the identity.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Σ, with ones on the diagonal.

    Examples
    --------
    >>> from edgewise.simulate import make_gram_covariance
    >>> make_gram_covariance(3, rng=0).round(2).tolist()
    [[1.0, -0.3, 0.5], [-0.3, 1.0, -0.72], [0.5, -0.72, 1.0]]
    """
    n_features = check_count("n_features", n_features, at_least=1)
    n_factors = 3 * n_features if n_factors is None else n_factors
    n_factors = check_count("n_factors", n_factors, at_least=n_features)
    g = check_rng(rng).standard_normal((n_features, n_factors))
    g /= np.linalg.norm(g, axis=1, keepdims=True)
    covariance: FloatArray = g @ g.T
    np.fill_diagonal(covariance, 1.0)
    return covariance


def _random_pairs(
    n_features: int, n_edges: int, rng: np.random.Generator
) -> tuple[IndexArray, IndexArray]:
    n_edges = check_count("n_edges", n_edges, at_least=0)
    rows, columns = upper_pairs(n_features)
    if n_edges > rows.size:
        raise ParameterError(
            f"n_edges: expected at most {rows.size} among {n_features} variables, got {n_edges}."
        )
    chosen = np.sort(rng.choice(rows.size, n_edges, replace=False))
    return rows[chosen], columns[chosen]
