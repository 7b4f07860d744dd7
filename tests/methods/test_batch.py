"""Batch means against loops over the batches, and the largest statistic by its bootstrap."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import off_diagonal, rows_of

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.states import BatchMoments, Moments

DRAWS = 9999


def batch(data, **options):
    return ew.edge_test(data, method="batch", **options)


def fisher_z(X):
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    root = np.sqrt(theta.diagonal())
    return np.arctanh(-theta / np.outer(root, root) * ~np.eye(len(root), dtype=bool))


def without_each(X, counts, function):
    """The estimates without each batch, minus their mean."""
    places = np.split(np.arange(len(X)), np.cumsum(counts)[:-1])
    found = np.array([function(np.delete(X, place, axis=0)) for place in places])
    return found - found.mean(axis=0)


@pytest.mark.parametrize("distribution", ["gaussian", "exponential"])
@pytest.mark.parametrize(("n", "p", "K"), [(400, 2, 10), (411, 3, 20), (320, 4, 20), (90, 3, 3)])
def test_direct_statement(n, p, K, distribution):
    """V = (K−1)/K Σ(z_(−b) − z̄)², never below 1/(n−p−1); Student with K − 1."""
    X = rows_of(distribution, n, p) * np.logspace(0, 2, p)
    counts = ew.accumulate(X, n_batches=K).batch_counts()
    moved = without_each(X, counts, fisher_z)
    count = len(moved)
    assert K <= count <= 2 * K
    variance = (count - 1) / count * off_diagonal(np.sum(moved**2, axis=0))
    error = np.sqrt(np.maximum(variance, 1 / (n - p - 1)))
    result = batch(X, n_batches=K)
    assert result.options == {"n_batches": count}
    np.testing.assert_allclose(off_diagonal(result.uncertainty.spread.fisher_z), error, rtol=1e-8)
    T = off_diagonal(fisher_z(X)) / error
    np.testing.assert_allclose(off_diagonal(result.statistic), T, rtol=1e-8, atol=1e-10)
    expected = 2 * stats.t.sf(np.abs(T), count - 1)
    np.testing.assert_allclose(off_diagonal(result.pvalue), expected, rtol=1e-7)
    of_rho = error * (1 - off_diagonal(result.partial_correlation) ** 2)
    found = off_diagonal(result.partial_correlation_standard_error)
    np.testing.assert_allclose(found, of_rho, rtol=1e-8)
    moved = without_each(X, counts, lambda rows: np.linalg.inv(np.cov(rows, rowvar=False)))
    variance = (count - 1) / count * np.sum(moved**2, axis=0)
    root = np.sqrt(result.precision.diagonal())
    least = np.outer(root, root) ** 2 * (1 + result.partial_correlation**2) / (n - p - 1)
    expected = np.sqrt(np.maximum(variance, least))
    np.testing.assert_allclose(result.standard_error, expected, rtol=1e-8)


def test_number_of_batches_when_nobody_names_one():
    """Fewer than the hundred to two hundred of long data rather than too short ones."""
    for n in (200, 999, 5000, 40_000):
        found = batch(rows_of("gaussian", n, 3)).options["n_batches"]
        assert 10 <= found <= 200
        assert n / found >= 10
        assert n < 4000 or found >= 100


def test_a_state_of_the_same_batches_is_the_same(same_result):
    X = rows_of("t5", 800, 4)
    expected = batch(X, n_batches=25)
    states = [BatchMoments(25, batch_rows=32).update(part) for part in np.split(X, [320, 640])]
    stream = BatchMoments(25)
    for row in X:
        stream.update(row[np.newaxis])  # doubles up to 25 batches of 32
    for state in (states[0] + states[1] + states[2], ew.accumulate(X, n_batches=25), stream):
        same_result(batch(state), expected)


def test_order_of_the_rows_counts_and_that_of_the_batches_does_not(same_result):
    X = rows_of("gaussian", 640, 3)
    moved = np.concatenate(np.split(X, 20)[::-1])
    same_result(batch(moved, n_batches=20), batch(X, n_batches=20))
    shuffled = np.random.default_rng(0).permutation(X)
    assert np.max(np.abs(batch(shuffled).standard_error - batch(X).standard_error)) > 1e-4


def test_refusals(refuses):
    X = rows_of("gaussian", 100, 3)
    one = BatchMoments(10, batch_rows=500).update(X)
    few = rows_of("gaussian", 24, 16)  # in batches of 8
    for call, error, said in (
        (lambda: batch(Moments().update(X)), DataError, "'batch' needs the moments of batches"),
        (lambda: batch(one), DataError, "more than 3 rows without any one batch, got 0"),
        (lambda: batch(X, n_batches=101), ParameterError, "100 rows, got 101"),
        (lambda: batch(X, n_batches="many"), ParameterError, "n_batches: expected a whole number"),
        (lambda: batch(few, n_batches=2), DataError, "more than 16 rows without any one batch"),
        (
            lambda: batch(X, correction="maxt", min_effect=0.1),
            ParameterError,
            "min_effect: 'maxt' tests for an effect of zero only",
        ),
        *(
            (
                lambda method=method: ew.edge_test(X, method=method, correction="maxt"),
                ParameterError,
                f"correction: 'maxt' is not supported by method {method!r}",
            )
            for method in ("score", "sequential", "fisher")
        ),
    ):
        refuses(call, error, said)


class TestLargestStatistic:
    def test_direct_statement(self):
        """Step down, one draw and one set of edges at a time, from other random numbers."""
        X = rows_of("exponential", 320, 4, seed=2, weight=0.12)
        result = batch(X, correction="maxt", n_batches=20)
        upper = np.triu_indices(4, k=1)
        directions = np.array([f[upper] for f in without_each(X, [16] * 20, fisher_z)])
        directions /= np.sqrt(np.sum(directions**2, axis=0))
        draws = np.abs(np.random.default_rng(99).standard_normal((DRAWS, 20)) @ directions)
        z = stats.norm.isf(result.pvalue[upper] / 2)
        expected, largest = np.empty(6), 0.0
        left = list(np.argsort(-z))
        while left:
            largest = max(largest, np.mean(draws[:, left].max(axis=1) >= z[left[0]]))
            expected[left.pop(0)] = largest
        assert expected.min() < 0.5 < expected.max()
        np.testing.assert_allclose(
            result.adjusted_pvalue[upper], expected, atol=6 * math.sqrt(0.25 / DRAWS)
        )

    def test_critical_value_of_simultaneous_intervals(self):
        X = rows_of("gaussian", 640, 6)
        result = batch(X, correction="maxt", n_batches=40)
        error = off_diagonal(result.uncertainty.spread.fisher_z)

        def critical(result):
            low, high = result.confidence_interval(0.95, "partial_correlation", simultaneous=True)
            return (np.arctanh(off_diagonal(high)) - np.arctanh(off_diagonal(low))) / 2 / error

        found = critical(result)
        np.testing.assert_allclose(found, found[0], rtol=1e-9)
        pointwise, bonferroni = (stats.t.isf(0.025 / m, 39) for m in (1, 15))
        assert pointwise < found[0] < bonferroni * 1.02
        # Without "maxt" the level is divided by the number of pairs.
        np.testing.assert_allclose(critical(batch(X, n_batches=40)), bonferroni, rtol=1e-9)
