"""The jackknife over batches against really leaving out each of them."""

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise._checks import default_names
from edgewise._linalg import pairs_of
from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.uncertainty import floored_spread
from edgewise.methods.leave_one_out import left_out_batches
from edgewise.states import BatchMoments, Moments

DRAWS = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "t5": lambda rng, shape: rng.standard_t(5, shape),
    "lognormal": lambda rng, shape: rng.lognormal(size=shape),
}


def rows_of(distribution, n, p, seed=0):
    X = DRAWS[distribution](np.random.default_rng(seed), (n, p))
    X[:, 1:] += 0.4 * X[:, :-1]
    return X


def estimated(X):
    return estimate_precision(Moments().update(X), default_names(X.shape[1]))


def left_out(X, batch_rows):
    state = BatchMoments(len(X), batch_rows=batch_rows).update(X)
    estimate = estimate_precision(state.pooled(), default_names(X.shape[1]))
    return left_out_batches(state, estimate), estimate


def really_left_out(X, batch_rows):
    """z, and Θ̂ in units of √(Θ̂_iiΘ̂_jj) of all rows, without each batch; minus their means."""
    root = np.sqrt(estimated(X).precision.diagonal())
    z, precision = [], []
    for start in range(0, len(X), batch_rows):
        one = estimated(np.delete(X, slice(start, start + batch_rows), axis=0))
        rho = np.where(np.eye(len(root), dtype=bool), 0.0, one.partial_correlation)
        z.append(np.arctanh(rho))
        precision.append(one.precision / np.outer(root, root))
    return np.array(z) - np.mean(z, axis=0), np.array(precision) - np.mean(precision, axis=0)


def close(found, expected, rtol=1e-8):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.max(np.abs(expected)))


@pytest.mark.parametrize("distribution", DRAWS)
@pytest.mark.parametrize(
    ("n", "p", "batch_rows"),
    [(100, 2, 10), (103, 4, 10), (240, 6, 8), (30, 5, 1), (50, 3, 25), (900, 60, 90)],
)
def test_each_batch(distribution, n, p, batch_rows):
    X = rows_of(distribution, n, p) * np.logspace(-3, 3, p) + 5
    found, estimate = left_out(X, batch_rows)
    z, precision = really_left_out(X, batch_rows)
    assert found.batches == len(z) == math.ceil(n / batch_rows)
    close(found.fisher_z(), pairs_of(z))
    diagonal = np.diagonal(precision, axis1=1, axis2=2)
    close(found.precision(), np.hstack([pairs_of(precision), diagonal]))
    close(found.variance, (len(z) - 1) / len(z) * np.sum(precision**2, axis=0))
    # Standard errors: (K−1)/K of the sums of squares, and never below those of Gaussian rows.
    share, left = (len(z) - 1) / len(z), n - p - 1
    spread = floored_spread(estimate, found.variance, found.variance_z)
    off = ~np.eye(p, dtype=bool)
    variance_z = np.maximum(share * np.sum(z**2, axis=0), 1 / left)
    close(spread.fisher_z[off], np.sqrt(variance_z)[off])
    assert np.isnan(spread.fisher_z.diagonal()).all()
    unit = np.sqrt(np.outer(estimate.precision.diagonal(), estimate.precision.diagonal()))
    least = (1 + estimate.partial_correlation**2) / left
    variance = np.maximum(share * np.sum(precision**2, axis=0), least)
    close(spread.precision / unit, np.sqrt(variance))


def test_a_column_that_is_zero_outside_one_batch():
    """Without that batch it is constant: it has nothing in common with the others then."""
    X = rows_of("gaussian", 400, 3)
    X[:, 2] = 0.0
    X[40:60, 2] = np.random.default_rng(1).standard_normal(20)
    found, estimate = left_out(X, 20)
    assert np.isfinite(found.fisher_z()).all()
    assert np.isfinite(found.variance).all()
    z = np.arctanh(estimate.partial_correlation[0, 2])
    of_batches = found.fisher_z()[:, 1]  # of the first and the last column
    moved = of_batches[2] - np.delete(of_batches, 2).mean()
    # Every other batch leaves z about where it is; without the third it is zero.
    assert moved == pytest.approx(-z, abs=0.2 * abs(z) + 0.01)
    # The others do not feel it.
    z, _ = really_left_out(X[:, :2], 20)
    np.testing.assert_allclose(found.fisher_z()[2, 0], z[2, 0, 1], atol=5e-3)


def test_a_column_of_one_outlier():
    """One cell that is far out: the test knows that it knows nothing, and says it in numbers."""
    X = np.random.default_rng(0).standard_normal((1500, 5))
    X[700, 2] = 1e4
    result = ew.edge_test(X, method="batch")
    assert np.isfinite(result.statistic[~np.eye(5, dtype=bool)]).all()
    assert not result.reject[2].any()


def test_nearly_equal_columns():
    rng = np.random.default_rng(3)
    for distance in (1e-2, 1e-4, 3e-6):
        X = rows_of("gaussian", 400, 3)
        X[:, 1] = X[:, 0] + distance * rng.standard_normal(400)
        found, _ = left_out(X, 20)
        assert np.isfinite(found.fisher_z()).all()
        if distance > 1e-5:
            z, _ = really_left_out(X, 20)
            np.testing.assert_allclose(found.fisher_z()[:, 0], z[:, 0, 1], atol=1e-4)


def test_refusals(refuses):
    for n, batch_rows, said in (
        (50, 50, "n_batches: expected more than 4 rows without any one batch, got 0"),
        (20, 16, "n_batches: expected more than 4 rows without any one batch, got 4"),
        (8, 4, "use more batches, or collect more rows"),
    ):
        X = rows_of("gaussian", n, 4)
        refuses(lambda X=X, batch_rows=batch_rows: left_out(X, batch_rows), DataError, said)
    assert np.isfinite(left_out(rows_of("gaussian", 10, 4), 5)[0].fisher_z()).all()
