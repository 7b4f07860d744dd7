"""Θ̂ from regressions on few columns, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.estimate.nodewise import chosen_neighbours, nodewise_fit, universal_penalty
from edgewise.simulate import make_chain_precision, sample
from edgewise.sums.moments import Moments
from edgewise.sums.pairs import PairSets


def names(p):
    return [f"x{i}" for i in range(p)]


def fit(X, penalty=1.25, most=None):
    return nodewise_fit(Moments().update(X), names(X.shape[1]), penalty=penalty, most=most)


def test_with_all_columns_chosen_it_is_the_inverse():
    X = np.random.default_rng(0).standard_t(5, (200, 6)) * [1, 10, 1e-3, 1e5, 2, 3]
    expected = estimate_precision(Moments().update(X), names(6))
    found = fit(X, penalty=1e-6, most=5).estimate(names(6))
    for name in ("covariance", "precision", "partial_correlation", "residual_map"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)


def test_more_columns_than_rows():
    X = np.random.default_rng(1).standard_normal((30, 80))
    made = fit(X)
    estimate = made.estimate(names(80))
    assert max(map(len, made.neighbours.of)) <= 30 // 8
    assert np.isfinite(estimate.precision).all()
    assert (np.abs(estimate.partial_correlation) <= 1).all()
    np.testing.assert_array_equal(estimate.precision, estimate.precision.T)
    # Residuals given the neighbours, of unit variance.
    residuals = (X - X.mean(axis=0)) @ estimate.residual_map
    np.testing.assert_allclose(residuals.var(axis=0, ddof=1), 1.0, rtol=1e-10)


@pytest.mark.parametrize("p", [10, 60])
class TestRefused:
    def rows(self, p):
        return np.random.default_rng(3).standard_normal((40, p))

    def test_constant(self, p, refuses):
        X = self.rows(p)
        X[:, 4] = 7.5
        refuses(lambda: fit(X), DataError, "constant column 'x4'", "7.5", "drop it")

    @pytest.mark.parametrize("factor", [1.0, -3.0])
    def test_duplicated(self, p, factor, refuses):
        X = self.rows(p)
        X[:, 7] = factor * X[:, 2] + 1
        refuses(lambda: fit(X), DataError, "'x7' duplicates column 'x2'", "drop one")

    def test_a_sum_of_two_others(self, p, refuses):
        X = self.rows(p)
        X[:, 9] = X[:, 0] - 2 * X[:, 1]
        refuses(lambda: fit(X), DataError, "linear combination", "'x9'", "'x0'", "0.5·")

    def test_a_sum_that_only_a_pair_is_given(self, p, refuses):
        """x₉ is determined by the neighbours of x₁₀ and its own, not by its own alone."""
        X = self.rows(p)
        X[:, 9] = X[:, 0] - 2 * X[:, 1]
        made = replace(fit(self.rows(p)), correlation=np.corrcoef(X.T))
        made = replace(made, sets=PairSets.of([[], [], *[[]] * 6, [0], [1], *[[]] * (p - 10)]))
        refuses(lambda: made.estimate(names(p)), DataError, "linear combination", "'x9'", "'x0'")

    def test_too_few_rows(self, p, refuses):
        X = self.rows(p)[:19]
        refuses(lambda: fit(X), DataError, "at least 20 rows", "n_samples=19", "collect more")


# The neighbours that the scaled lasso chooses.


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
