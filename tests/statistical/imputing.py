"""Missing values, and imputers that draw them with all their uncertainty, for the proofs."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def with_holes(X: np.ndarray, kind: str, share: float, rng: np.random.Generator) -> np.ndarray:
    """Rows with so many values missing: "mcar" anywhere, by a coin.

    "mar": the first column is complete, and others are missing the more often the larger it is.
    """
    X = X.copy()
    if kind == "mcar":
        X[rng.random(X.shape) < share] = np.nan
        return X
    place = X[:, 0].argsort().argsort() / len(X)
    missing = rng.random(X.shape) < 2 * share * place[:, np.newaxis]
    missing[:, 0] = False
    X[missing] = np.nan
    return X


def imputed_copies(
    X: np.ndarray, m: int, rng: np.random.Generator, tails: float = math.inf
) -> list[np.ndarray]:
    """Copies by chained equations: each column given all others, parameters drawn anew each time.

    The errors are Gaussian, or with `tails` degrees of freedom those of a multivariate t: a row
    then has a latent weight, drawn too. Ten sweeps before the first copy, five between copies.
    """
    X, missing = X.copy(), np.isnan(X)
    n, p = X.shape
    for j in range(p):
        X[missing[:, j], j] = rng.choice(X[~missing[:, j], j], missing[:, j].sum())
    weights, copies = np.ones(n), []
    for sweep in range(10 + 5 * (m - 1)):
        if math.isfinite(tails):
            weights = _drawn_weights(X, weights, tails, rng)
        for j in range(p):
            _impute_column(X, j, missing[:, j], weights, rng)
        if sweep >= 9 and (sweep - 9) % 5 == 0:
            copies.append(X.copy())
    return copies


def _drawn_weights(X, weights, tails, rng):
    centred = X - weights @ X / weights.sum()
    scatter = (centred * weights[:, np.newaxis]).T @ centred / len(X)
    distance = np.einsum("ij,ij->i", centred @ np.linalg.inv(scatter), centred)
    return rng.gamma((tails + X.shape[1]) / 2, 2 / (tails + distance))


def _impute_column(X, j, missing, weights, rng):
    """From the posterior of a linear regression on all other columns, with the usual flat prior."""
    n, p = X.shape
    if not missing.any():
        return
    root = np.sqrt(weights)
    others = np.column_stack([np.ones(n), np.delete(X, j, axis=1)])
    seen, target = others[~missing] * root[~missing, np.newaxis], X[~missing, j] * root[~missing]
    inverse = np.linalg.inv(seen.T @ seen)
    slopes = inverse @ (seen.T @ target)
    left = target - seen @ slopes
    scale = math.sqrt(left @ left / rng.chisquare(len(left) - p))
    slopes = slopes + scale * np.linalg.cholesky(inverse) @ rng.standard_normal(p)
    errors = scale / root[missing] * rng.standard_normal(missing.sum())
    X[missing, j] = others[missing] @ slopes + errors


def normal_scores_of_seen(X: np.ndarray) -> np.ndarray:
    """Each column's normal scores, ranked among the values that are there."""
    scores = X.copy()
    for column in scores.T:
        seen = ~np.isnan(column)
        column[seen] = stats.norm.ppf(stats.rankdata(column[seen]) / (seen.sum() + 1))
    return scores
