"""Rows that lack values or have weights, against estimates made anew without each row, in loops."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.inference.sample import open_sample
from edgewise.methods import leave_one_out as module
from edgewise.methods.leave_one_out import unit_sandwich, unit_scores
from edgewise.simulate import make_chain_precision

N, P = 70, 4
UPPER = np.triu_indices(P, k=1)
CASES = ["missing", "weights", "both"]
METHODS = ["score", "wald", "batch"]


def chain(n, p=P, seed=7):
    rng = np.random.default_rng(seed)
    factor = np.linalg.cholesky(np.linalg.inv(make_chain_precision(p)))
    return rng.standard_t(6, (n, p)) @ factor.T


def uneven(case, n=N, seed=7):
    """Rows and what to ask of them; the columns have different units."""
    X, rng = chain(n, seed=seed) * [1.0, 1e-3, 1e4, 1.0] + [0, 5, 1e6, -3], np.random.default_rng(5)
    how = {}
    if case in ("missing", "both"):
        X[rng.random(X.shape) < 0.12] = np.nan
        how["missing"] = "pairwise"
    if case in ("weights", "both"):
        how["weights"] = rng.exponential(size=n) + 0.1
    return X, how


def slow_covariance(X, w):
    """The definition, pair by pair: weighted means of the rows that have both, divisor n − 1."""
    p = X.shape[1]
    found = np.empty((p, p))
    for i in range(p):
        for j in range(p):
            u, v, total, n, both = 0.0, 0.0, 0.0, 0, []
            for row, weight in zip(X, w, strict=True):
                if np.isfinite(row[i]) and np.isfinite(row[j]):
                    both.append((row[i], row[j], weight))
                    total, n = total + weight, n + 1
            for x, y, weight in both:
                u, v = u + weight * x / total, v + weight * y / total
            found[i, j] = sum(weight * (x - u) * (y - v) for x, y, weight in both)
            found[i, j] *= n / (n - 1) / total
    return found


def slow_estimates(X, w):
    """Θ, and Fisher's z of its pairs."""
    theta = np.linalg.inv(slow_covariance(X, w))
    root = np.sqrt(theta.diagonal())
    return theta, np.arctanh(-theta[UPPER] / np.outer(root, root)[UPPER])


def slow_jackknife(X, w, units):
    """(G − 1)/G Σ (θ − mean)² over units that are left out in turn: of Θ, of z; and the z."""
    kept = [~np.isin(np.arange(len(X)), unit) for unit in units]
    made = [slow_estimates(X[rows], w[rows]) for rows in kept]
    theta, z = (np.array(values) for values in zip(*made, strict=True))
    G = len(units)
    share = (G - 1) / G
    return (
        share * np.sum((theta - theta.mean(axis=0)) ** 2, axis=0),
        share * np.sum((z - z.mean(axis=0)) ** 2, axis=0),
        z,
    )


def scaled(X):
    """Columns of the size of one, so that loops do not lose digits."""
    return (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)


def opened(X, how):
    evidence = open_sample(X, ew.methods.Wald().needs, "the test", **how)
    return evidence, pairwise_precision(evidence.pairwise, evidence.feature_names)


@pytest.fixture(scope="module", params=CASES)
def data(request):
    X, how = uneven(request.param)
    Y = scaled(X)
    w = how.get("weights", np.ones(N))
    return X, how, Y, w, slow_jackknife(Y, w, [[k] for k in range(N)])


def worths(X, w):
    """(Σw)²/Σw² of the rows of each pair."""
    known = np.isfinite(X).astype(float)
    return (known.T * w @ known) ** 2 / (known.T * w**2 @ known)


class TestJackknife:
    def test_of_single_rows(self, data):
        X, how, Y, w, (variance, _, _) = data
        evidence, estimate = opened(X, how)
        found = unit_scores(evidence, estimate)
        assert found.units == N
        root = np.sqrt(slow_estimates(Y, w)[0].diagonal())
        expected = variance / np.outer(root, root) ** 2
        np.testing.assert_allclose(found.precision, expected, rtol=1e-9)

    def test_standard_errors_of_wald(self, data):
        X, how, Y, w, (variance, variance_z, _) = data
        evidence, estimate = opened(X, how)
        spread, _ = unit_sandwich(evidence, estimate)
        least = 1 / np.maximum(worths(X, w) - P - 1, 1.0)
        np.testing.assert_allclose(
            spread.fisher_z[UPPER] ** 2, np.maximum(variance_z, least[UPPER]), rtol=1e-9
        )
        theta, z = slow_estimates(Y, w)
        root = np.sqrt(theta.diagonal())
        rho = np.eye(P)
        rho[UPPER] = rho.T[UPPER] = np.tanh(z)
        own = np.sqrt(estimate.precision.diagonal())
        ratio = (spread.precision / np.outer(own, own)) ** 2
        expected = np.maximum(variance / np.outer(root, root) ** 2, (1 + rho**2) * least)
        np.testing.assert_allclose(ratio, expected, rtol=1e-9)

    @pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning")
    def test_of_batches(self, data):
        X, how, Y, w, _ = data
        result = ew.edge_test(X, method="batch", n_batches=10, **how)
        length = 4  # 70 rows in 10 to 20 batches
        units = np.split(np.arange(N), np.arange(length, N, length))
        assert result.options["n_batches"] == len(units) == 18
        _, variance_z, _ = slow_jackknife(Y, w, units)
        least = 1 / np.maximum(worths(X, w) - P - 1, 1.0)
        expected = slow_estimates(Y, w)[1] / np.sqrt(np.maximum(variance_z, least[UPPER]))
        np.testing.assert_allclose(result.statistic[UPPER], expected, rtol=1e-9)

    def test_of_several_rows_at_once(self, data, monkeypatch):
        X, how, Y, w, _ = data
        monkeypatch.setattr(module, "_MOST_UNITS", 24)
        evidence, estimate = opened(X, how)
        found = unit_scores(evidence, estimate)
        units = np.split(np.arange(N), np.arange(3, N, 3))
        assert found.units == len(units) == 24
        variance, variance_z, _ = slow_jackknife(Y, w, units)
        root = np.sqrt(slow_estimates(Y, w)[0].diagonal())
        expected = variance / np.outer(root, root) ** 2
        np.testing.assert_allclose(found.precision, expected, rtol=1e-9)
        spread, _ = unit_sandwich(evidence, estimate)
        least = 1 / np.maximum(worths(X, w) - P - 1, 1.0)[UPPER]
        np.testing.assert_allclose(
            spread.fisher_z[UPPER] ** 2, np.maximum(variance_z, least), rtol=1e-9
        )


class TestNearOrdinaryRows:
    """Where hardly anything is missing, or weights are almost equal, hardly anything changes."""

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("weight", [1.0, 0.1, 3e4])
    def test_equal_weights_are_none(self, same_result, method, weight):
        X = chain(500)
        plain = ew.edge_test(X, method=method)
        result = ew.edge_test(X, method=method, weights=np.full(500, weight))
        same_result(result, plain)
        assert result.options == plain.options

    @pytest.mark.parametrize("method", ["score", "wald"])
    def test_a_few_missing_values(self, method):
        X = chain(2000)
        plain = ew.edge_test(X, method=method)
        X[[3, 700, 1500], [0, 1, 3]] = np.nan
        result = ew.edge_test(X, method=method, missing="pairwise")
        far = 0.05 if method == "score" else 0.4  # wald leaves rows out only where they are uneven
        np.testing.assert_allclose(
            result.statistic[UPPER], plain.statistic[UPPER], rtol=0.03, atol=far
        )


class TestEdges:
    @pytest.mark.parametrize("method", ["score", "wald"])
    def test_an_event_in_one_row_only(self, method):
        """Without that row a column is constant: it has nothing in common with the others."""
        X = np.random.default_rng(1).standard_normal((200, 3))
        X[:, 2] = 0.0
        X[0, 2] = 1.0
        X[5:25, 0] = np.nan
        result = ew.edge_test(X, method=method, missing="pairwise")
        assert np.isfinite(result.pvalue[np.triu_indices(3, k=1)]).all()
        assert not result.reject.any()

    def test_batches_that_a_pair_needs(self, refuses):
        """All rows that have both columns are in one batch."""
        X = chain(200)
        X[20:, 0] = np.nan
        refuses(
            lambda: ew.edge_test(X, method="batch", n_batches=5, missing="pairwise"),
            DataError,
            "n_batches: expected more than 4 rows with both columns of a pair",
            "use more batches. The pairs with least overlap are 'x0' and 'x1' (20 rows)",
        )
