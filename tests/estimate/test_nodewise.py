"""Θ̂ from regressions on few columns, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.estimate.nodewise import nodewise_fit
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
