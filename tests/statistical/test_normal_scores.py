"""Normal scores: error rates and power where columns are increasing changes of Gaussian ones.

There the theory holds in the limit. For rows of Student's t, which share a scale, it nearly holds:
the change of columns makes partial correlations of its own (0.004 on a chain of t₃), which many
rows can show.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from tests.statistical.laws import FULL

from edgewise import edge_test
from edgewise.simulate import StudentT, make_chain_precision, sample

P, ALPHA = 10, 0.05
CHANGES = {
    "exp": np.exp,
    "cubes": lambda X: X**3,
    "cauchy": lambda X: np.tan(np.pi * (ndtr(X) - 0.5)),
}
CHAINS = [make_chain_precision(P, weight) for weight in (0.3, -0.3)]
EDGE = np.triu(CHAINS[0] != 0, 1)
NULL = np.triu(CHAINS[0] == 0, 1)


@pytest.mark.parametrize("n", [500, 2000] if FULL else [500])
@pytest.mark.parametrize("change", CHANGES)
def test_increasing_changes_of_gaussian_columns(trial, change, n):
    errors, found, plainly = [], [], []
    for draw, rng in enumerate(trial.draws(100, 4_000)):
        X = CHANGES[change](sample("gaussian", CHAINS[draw % 2], n, rng=rng))
        scored = edge_test(X, transform="normal-scores").reject
        errors.append(scored[NULL].any())
        found.append(scored[EDGE].mean())
        plainly.append(edge_test(X).reject[EDGE].mean())
    with trial.together():
        trial.rate_at_most("family-wise error, normal scores + Holm", errors, ALPHA)
        more = np.subtract(found, plainly)
        trial.mean_at_least("power above that of the values", more, 0.0)
        trial.mean_at_least("power, normal scores", found, 0.95)


@pytest.mark.parametrize("method", ["score", "wald", "batch"])
@pytest.mark.parametrize(("freedom", "n"), [(3, 500), (5, 500), (5, 2000)] if FULL else [(5, 500)])
def test_elliptical_rows(trial, freedom, n, method):
    """Few rows do not show what the change makes."""
    errors = []
    for draw, rng in enumerate(trial.draws(60, 2_000)):
        X = sample(StudentT(freedom), CHAINS[draw % 2], n, rng=rng)
        result = edge_test(X, method=method, transform="normal-scores")
        errors.append(result.reject[NULL].any())
    trial.rate_at_most(f"family-wise error, normal scores, {method} + Holm", errors, ALPHA)
