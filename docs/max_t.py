"""Would the maximum over all pairs, by sign flips of the rows, find more than Holm's correction?

`python docs/max_t.py` prints the table of theory/multiplicity.md; a minute.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from edgewise.simulate import make_chain_precision
from edgewise.simulate.distributions import mixing_matrix

FLIPS, TABLES, LEVEL = 2000, 20, 0.05


def covariance(name: str, p: int) -> np.ndarray:
    if name == "one factor":
        loadings = np.linspace(0.3, 0.9, p)
        return np.outer(loadings, loadings) + np.diag(1 - loadings**2)
    if name == "equicorrelated, 0.9":
        return np.full((p, p), 0.9) + 0.1 * np.eye(p)
    mixing = mixing_matrix(make_chain_precision(p, (0.4, 0.2)))
    return mixing @ mixing.T


def levels(rng: np.random.Generator, sigma: np.ndarray, n: int) -> tuple[float, float]:
    """The level of each test at the critical value of the maximum, as a multiple of Bonferroni's.

    First for the pairs together, then if all pairs were independent of each other: the second is
    what flips of few rows, whose tail is lighter than normal, gain for a single pair.
    """
    p = len(sigma)
    rows = rng.standard_normal((n, p)) @ np.linalg.cholesky(sigma).T
    rows -= rows.mean(axis=0)
    theta = np.linalg.inv(rows.T @ rows)
    scale = np.sqrt(theta.diagonal())
    v, rho = rows @ theta / scale, -theta / np.outer(scale, scale)
    i, j = np.triu_indices(p, 1)
    u = (v[:, i] + rho[i, j] * v[:, j]) * (v[:, j] + rho[i, j] * v[:, i])
    u /= np.sqrt((u**2).sum(axis=0))
    flipped = np.abs(rng.choice([-1.0, 1.0], (FLIPS, n)) @ u)
    alone = np.take_along_axis(
        flipped, rng.permuted(np.tile(np.arange(FLIPS), (len(i), 1)), axis=1).T, 0
    )
    found = [
        2 * norm.sf(np.quantile(each.max(axis=1), 1 - LEVEL)) * len(i) / LEVEL
        for each in (flipped, alone)
    ]
    return found[0], found[1]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print(
        "| family | rows × columns | all pairs together | independent pairs |\n|---|---:|---:|---:|"
    )
    for name in ("equicorrelated, 0.9", "one factor", "band"):
        for n, p in ((150, 10), (500, 10), (500, 30), (3000, 30)):
            mean = np.mean(
                [levels(rng, covariance(name, p), n) for _ in range(TABLES)], axis=0
            )
            print(f"| {name} | {n:,} × {p} | {mean[0]:.2f} | {mean[1]:.2f} |")
