"""The finite-sample radius: it holds for every number of rows, because the support is declared."""

from __future__ import annotations

import math
from contextlib import nullcontext

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.errors import TooFewRowsWarning

ALPHA = 0.05
COPIED = 0.5

# Name, variance of a column, columns: as many as still have a finite threshold at 5000 rows.
KINDS = {"uniform": (1 / 12, 2), "bernoulli": (1 / 4, 3)}


def dependent_rows(kind, p, n, rng):
    """Columns that share one draw in half of the cases, so their correlation is a quarter."""
    draws = rng.random((n, p + 1))
    if kind == "bernoulli":
        draws = np.round(draws)
    return np.where(rng.random((n, p)) < COPIED, draws[:, :1], draws[:, 1:])


def covers(interval, truth):
    low, high = interval
    return bool(((low <= truth) & (truth <= high)).all())


@pytest.mark.parametrize("n", [50, 5000])
@pytest.mark.parametrize("kind", list(KINDS))
def test_hoeffding(trial, kind, n):
    variance, p = KINDS[kind]
    covariance = variance * ((1 - COPIED**2) * np.eye(p) + COPIED**2)
    precision = np.linalg.inv(covariance)
    d = p * (p + 1) // 2
    # |Σ̂_ij − Σ_ij| ≤ r_ij √(log(2d/α)/(2⌊n/2⌋)), r_ij = 1 and r_ii = ½ for columns within (0, 1).
    entry_bounds = (1 - np.eye(p) / 2) * math.sqrt(math.log(2 * d / ALPHA) / (2 * (n // 2)))
    entries, balls = [], {"spectral": [], "whitened": []}
    intervals = {"spectral": [], "whitened": []}
    for rng in trial.draws(100, 10_000):
        X = dependent_rows(kind, p, n, rng)
        for method in intervals:
            # 50 rows are too few for anything finite, and are told so.
            told = pytest.warns(TooFewRowsWarning) if n == 50 else nullcontext()
            with told:
                result = edge_test(
                    X, method=method, alpha=ALPHA, radius="hoeffding", support=(0, 1)
                )
            error = result.covariance - covariance
            interval = result.confidence_interval(1 - ALPHA)
            assert np.isfinite(interval.low).all() == (n > 50)
            intervals[method].append(covers(interval, precision))
            if method == "whitened":
                inverse = np.linalg.inv(np.linalg.cholesky(result.covariance))
                balls[method].append(
                    np.linalg.norm(inverse @ error @ inverse.T, 2) <= result.radius
                )
            else:
                balls[method].append(np.linalg.norm(error, 2) <= result.radius)
                entries.append((np.abs(error) <= entry_bounds).all())
    trial.rate_at_least("all of Σ within e_ij of Σ̂", entries, 1 - ALPHA)
    for method in intervals:
        trial.rate_at_least(f"Σ within ε of Σ̂, {method}", balls[method], 1 - ALPHA)
        trial.rate_at_least(f"all entries of Θ covered, {method}", intervals[method], 1 - ALPHA)
