"""The neighbours that the scaled lasso chooses."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.estimate.nodewise import chosen_neighbours, universal_penalty
from edgewise.simulate import make_chain_precision, sample


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def slow_scaled_lasso(z, i, penalty, require):
    """scikit-learn's own estimator on the rows, and the noise in turn."""
    lasso = require("sklearn.linear_model").Lasso
    others = np.delete(np.arange(z.shape[1]), i)
    noise = 1.0
    for _ in range(200):
        model = lasso(alpha=penalty * noise, fit_intercept=False, tol=1e-12, max_iter=100_000)
        model.fit(z[:, others], z[:, i])
        before, noise = noise, np.sqrt(((z[:, i] - model.predict(z[:, others])) ** 2).mean())
        if abs(before - noise) < 1e-12:
            break
    return dict(zip(others.tolist(), model.coef_.tolist(), strict=True))


@pytest.mark.parametrize(("n", "p"), [(40, 60), (200, 12)])
def test_as_from_rows(n, p, require):
    z = standardized(sample("t5", make_chain_precision(p), n, rng=0))
    penalty = 1.25 * universal_penalty(n, p)
    found = chosen_neighbours(z.T @ z / n, penalty, most=p)
    assert found.penalty == penalty
    for i in range(0, p, 6):
        slow = slow_scaled_lasso(z, i, penalty, require)
        chosen = set(found.of[i].tolist())
        # The noise is found to a thousandth: a coefficient of next to nothing may go either way.
        assert {j for j, b in slow.items() if abs(b) > 2e-3} <= chosen
        assert chosen <= {j for j, b in slow.items() if abs(b) > 0} | {
            j for j in slow if abs(slow[j]) < 2e-3
        }
        assert i not in chosen
        assert sorted(chosen) == found.of[i].tolist()
    assert not found.cut.size


def test_the_true_neighbours_of_a_chain():
    p = 50
    z = standardized(sample("gaussian", make_chain_precision(p, 0.45), 2000, rng=1))
    found = chosen_neighbours(z.T @ z / 2000, 1.25 * universal_penalty(2000, p), most=20)
    for i in range(p):
        assert {i - 1, i + 1} & set(range(p)) <= set(found.of[i].tolist())


def test_at_most_so_many_and_the_largest_ones():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 9))
    X[:, 0] = X[:, 1:] @ np.arange(1.0, 9.0) + rng.standard_normal(300)
    z = standardized(X)
    found = chosen_neighbours(z.T @ z / 300, 0.01, most=3)
    assert found.of[0].tolist() == [6, 7, 8]
    assert 0 in found.cut
    assert max(map(len, found.of)) == 3
