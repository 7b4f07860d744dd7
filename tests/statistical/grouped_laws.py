"""Rows of subjects: laws under which rows of a group depend on each other, in shuffled order."""

from __future__ import annotations

import math

import numpy as np

MEMORY = 0.7
#: How much of a variance lies between subjects.
BETWEEN = 0.5
#: Laws whose columns are independent, whatever precision matrix is asked for.
UNRELATED = ("counts", "traits", "lognormal")
LAWS = ("ar1", "ar1-t5", "intercepts", "intercepts-t5", "scales", "t5", *UNRELATED)


def group_sizes(n_clusters: int, mean: int, shape: str) -> np.ndarray:
    """Rows of each group: equal, or with the largest 30 or 300 times the smallest."""
    ratio = {"equal": 1, "unequal": 30, "very unequal": 300}[shape]
    weights = np.geomspace(1, ratio, n_clusters)
    return np.maximum(np.round(weights / weights.mean() * mean), 1).astype(int)


def grouped_rows(
    law: str, precision: np.ndarray, sizes: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows with the precision matrix and the label of each, shuffled."""
    groups, p = np.repeat(np.arange(len(sizes)), sizes), len(precision)
    X = _unrelated(law, groups, p, rng)
    while X is not None and np.linalg.matrix_rank(X - X.mean(axis=0)) < p:
        X = _unrelated(law, groups, p, rng)  # a column of rare events is constant, or two are equal
    if X is None:
        covariance = np.linalg.inv(precision)
        X = _standard(law, sizes, groups, p, rng) @ np.linalg.cholesky(covariance).T
    order = rng.permutation(len(X))
    return X[order], groups[order]


def _standard(
    law: str, sizes: np.ndarray, groups: np.ndarray, p: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows of independent columns, before they are mixed; a scale belongs to a whole row."""
    n, count = len(groups), len(sizes)
    tails = law.endswith("t5")
    if law.startswith("ar1"):
        steps = int(sizes.max())
        Z = rng.standard_normal((steps, count, p)) * _scales((steps, count, 1), tails, rng)
        for step in range(1, steps):
            Z[step] = MEMORY * Z[step - 1] + math.sqrt(1 - MEMORY**2) * Z[step]
        return Z[np.concatenate([np.arange(size) for size in sizes]), groups]
    rows = rng.standard_normal((n, p)) * _scales((n, 1), tails, rng)
    if law == "scales":
        return rows * _scales((count, 1), True, rng)[groups]
    if law == "t5":
        return rows
    subjects = rng.standard_normal((count, p)) * _scales((count, 1), tails, rng)
    return math.sqrt(BETWEEN) * subjects[groups] + math.sqrt(1 - BETWEEN) * rows


def _scales(shape: tuple[int, ...], tails: bool, rng: np.random.Generator) -> np.ndarray:
    return np.sqrt(3 / rng.chisquare(5, shape)) if tails else np.ones(shape)


def _unrelated(law: str, groups: np.ndarray, p: int, rng: np.random.Generator) -> np.ndarray | None:
    n, count = len(groups), int(groups.max()) + 1
    if law == "counts":  # each subject has a rate of its own: many never have an event
        return rng.poisson(rng.gamma(0.5, 0.1, (count, p))[groups]).astype(float)
    subjects, rows = rng.standard_normal((count, p))[groups], rng.standard_normal((n, p))
    mixed = math.sqrt(BETWEEN) * subjects + math.sqrt(1 - BETWEEN) * rows
    if law == "lognormal":
        return np.exp(mixed)
    if law == "traits":  # 0 or 1 in all rows of a subject, beside columns that vary
        mixed[:, : p // 2] = (rng.random((count, p // 2)) < 0.1)[groups]
        return mixed
    return None
