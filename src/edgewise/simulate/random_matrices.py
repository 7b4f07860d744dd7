"""Random covariance and precision matrices, the paper's among them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_count, check_real, check_rng
from edgewise._base.matrices import upper_pairs
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.simulate.graphs import to_unit_variances

_MOST_SWEEPS = 10_000
_SETTLED = 1e-13


def make_sparse_precision(
    n_features: int,
    n_edges: int,
    *,
    smallest: float = 0.3,
    largest: float = 0.9,
    condition: float = 10.0,
    rng: np.random.Generator | int | None = None,
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
        Θ, scaled so that the variances are one.

    Examples
    --------
    >>> from edgewise.simulate import make_sparse_precision
    >>> theta = make_sparse_precision(10, 12, rng=0)
    >>> int((theta != 0).sum() - 10) // 2
    12
    """
    n_features = check_count("n_features", n_features, at_least=1)
    check_real("smallest", smallest, above=0)
    check_real("largest", largest, above=0)
    if largest < smallest:
        raise ParameterError(f"largest: expected at least smallest={smallest:g}, got {largest:g}.")
    check_real("condition", condition, above=1, below=1e12)
    rng = check_rng(rng)
    rows, columns = _random_pairs(n_features, n_edges, rng)
    strength = rng.uniform(smallest, largest, rows.size) * rng.choice([-1.0, 1.0], rows.size)
    theta = np.zeros((n_features, n_features))
    theta[rows, columns] = theta[columns, rows] = strength
    low, *_, high = np.linalg.eigvalsh(theta) if n_features > 1 else (0.0, 0.0)
    if n_edges:
        # With a on the diagonal, the condition number (high + a)/(low + a) is `condition`.
        np.fill_diagonal(theta, (high - condition * low) / (condition - 1))
    else:
        np.fill_diagonal(theta, 1.0)
    return to_unit_variances(theta)


def make_gram_covariance(
    n_features: int,
    *,
    n_factors: int | None = None,
    rng: np.random.Generator | int | None = None,
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


def make_gram_precision(
    n_features: int,
    n_edges: int,
    *,
    n_factors: int | None = None,
    rng: np.random.Generator | int | None = None,
) -> FloatArray:
    """The paper's random covariance made sparse: a random graph whose edges keep their Σ_ij.

    Among all Θ that are zero outside the edges, this is the one whose inverse agrees with
    `make_gram_covariance` on the diagonal and on the edges (Dempster's covariance selection). So
    the variances stay one, and null pairs exist.

    Parameters
    ----------
    n_features : int
        How many variables.
    n_edges : int
        How many of their pairs are edges.
    n_factors : int, optional
        As for `make_gram_covariance`.
    rng : numpy.random.Generator or int, optional
        Where the randomness comes from, or a seed.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Θ, zero except on the diagonal and the edges.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.simulate import make_gram_precision
    >>> theta = make_gram_precision(6, 7, rng=0)
    >>> int((theta != 0).sum() - 6) // 2
    7
    >>> np.linalg.inv(theta).diagonal().round(10).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rng = check_rng(rng)
    covariance = make_gram_covariance(n_features, n_factors=n_factors, rng=rng)
    rows, columns = _random_pairs(n_features, n_edges, rng)
    return select_covariance(covariance, rows, columns)


def select_covariance(
    covariance: FloatArray, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]
) -> FloatArray:
    """Θ with zeros off the given pairs, whose inverse is `covariance` on them and the diagonal.

    Each variable in turn is regressed on its neighbours with their current Σ, and its covariances
    with all others are set to what that regression implies, until nothing changes. In the end the
    regressions give the columns of Θ: minus the coefficients over the residual variance.
    """
    p = len(covariance)
    joined = np.zeros((p, p), dtype=bool)
    joined[rows, columns] = joined[columns, rows] = True
    neighbours = [np.flatnonzero(row) for row in joined]
    current = covariance.copy()
    for _ in range(_MOST_SWEEPS):
        change = 0.0
        for j, near in enumerate(neighbours):
            implied = current[:, near] @ _coefficients(current, covariance, j, near)
            implied[j] = covariance[j, j]
            change = max(change, float(np.abs(implied - current[j]).max()))
            current[j] = current[:, j] = implied
        if change <= _SETTLED:
            break
    else:
        raise ParameterError(
            "n_factors: this covariance is too close to singular to be made sparse; use more "
            "factors or fewer edges."
        )
    theta = np.zeros((p, p))
    for j, near in enumerate(neighbours):
        slopes = _coefficients(current, covariance, j, near)
        theta[j, j] = 1 / (covariance[j, j] - current[j, near] @ slopes)
        theta[near, j] = -slopes * theta[j, j]
    symmetric: FloatArray = (theta + theta.T) / 2
    return symmetric


def _coefficients(
    current: FloatArray, covariance: FloatArray, j: int, near: npt.NDArray[np.intp]
) -> FloatArray:
    return np.asarray(np.linalg.solve(current[np.ix_(near, near)], covariance[near, j]))


def _random_pairs(
    n_features: int, n_edges: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    n_edges = check_count("n_edges", n_edges, at_least=0)
    rows, columns = upper_pairs(n_features)
    if n_edges > rows.size:
        raise ParameterError(
            f"n_edges: expected at most {rows.size} among {n_features} variables, got {n_edges}."
        )
    chosen = np.sort(rng.choice(rows.size, n_edges, replace=False))
    return rows[chosen], columns[chosen]
