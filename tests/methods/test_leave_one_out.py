"""The jackknife over batches against really leaving out each of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistical.grouped_laws import group_sizes, grouped_rows

import edgewise as ew
from edgewise._checks import default_names
from edgewise._linalg import pairs_of
from edgewise.errors import DataError
from edgewise.estimate.inverse import estimate_precision
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.inference.sample import open_sample
from edgewise.inference.uncertainty import floored_spread
from edgewise.methods import leave_one_out as module
from edgewise.methods.leave_one_out import left_out_batches, unit_sandwich, unit_scores
from edgewise.simulate import make_chain_precision
from edgewise.states import BatchMoments, Moments
from edgewise.sums.score import believed_tau, score_weight

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


# Score and jackknife of groups, against regressions that are done one by one.


P = 4


@pytest.fixture(scope="module")
def clusters_data():
    """240 rows in 24 groups of unequal size, shuffled; the columns have different units."""
    rng = np.random.default_rng(7)
    X, labels = grouped_rows(
        "intercepts-t5", make_chain_precision(P), group_sizes(24, 10, "unequal"), rng
    )
    return X * [1.0, 1e-3, 1e4, 1.0] + [0, 5, 1e6, -3], labels


@pytest.fixture(scope="module")
def evidence(clusters_data):
    X, labels = clusters_data
    return open_sample(X, ew.methods.Score().needs, "the test", clusters=labels)


@pytest.fixture(scope="module")
def estimate(evidence):
    return estimate_precision(evidence.moments(), evidence.feature_names)


def residuals(X, i, j):
    """Of x_i and x_j given the others and a constant, and the hat matrix."""
    n = len(X)
    Z = np.column_stack([np.ones(n), np.delete(X, [i, j], axis=1)])
    Z = Z / np.linalg.norm(Z, axis=0)
    Q = np.linalg.qr(Z)[0]
    H = Q @ Q.T
    return X[:, i] - H @ X[:, i], X[:, j] - H @ X[:, j], H


def taus(X, labels):
    """1/σ² of each group, from the hat matrix of all columns, one group at a time."""
    n, p = X.shape
    Q = np.linalg.qr(np.column_stack([np.ones(n), X / X.std(axis=0)]))[0]
    Y = (X - X.mean(axis=0)) / X.std(axis=0)
    precision = np.linalg.inv(np.cov(Y, rowvar=False))
    V = Y @ precision / np.sqrt(precision.diagonal())
    scales, rows, kept = [], [], []
    for group in np.unique(labels):
        mine = labels == group
        H = Q[mine] @ Q[mine].T
        free = np.trace(H @ (np.eye(len(H)) - H))
        scales.append((n - p) / (n - 1) * np.trace(V[mine].T @ H @ V[mine]) / p / free)
        rows += [scales[-1]] * len(H)
        kept.append(free / np.trace(H))
    usual = max(np.quantile(rows, 0.5, method="inverted_cdf"), 1.0)
    return believed_tau((np.array(scales) / usual - 1) / kept + 1, p)


def terms(X, labels, i, j, rho):
    """The terms of e_ie_j − ρ₀(e_i² + e_j²)/2, with D_g from the hat matrix of the group."""
    a, b, H = residuals(X, i, j)
    a, b = a / np.sqrt(np.mean(a**2)), b / np.sqrt(np.mean(b**2))
    found = []
    for group, tau in zip(np.unique(labels), taus(X, labels), strict=True):
        mine = labels == group
        undo = np.linalg.inv(np.eye(mine.sum()) - H[np.ix_(mine, mine)])
        u, v = a[mine], b[mine]
        kept = (u @ u + v @ v) / (u @ undo @ u + v @ undo @ v)
        part = (np.sqrt(score_weight(kept, tau)) - 1) / (1 / kept - 1)

        def score(M, u=u, v=v):
            return u @ M @ v - rho * (u @ M @ u + v @ M @ v) / 2

        plain = score(np.eye(len(u)))
        found.append(plain + part * (score(undo) - plain))
    return np.array(found)


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.8])
def test_the_variance_of_the_score(clusters_data, evidence, estimate, rho):
    sums = unit_scores(evidence, estimate).sums
    variance = sums.second - rho * sums.cross + rho**2 * sums.ends
    for i in range(P):
        for j in range(i):
            expected = np.sum(terms(*clusters_data, i, j, rho) ** 2)
            np.testing.assert_allclose(variance[[i, j], [j, i]], expected, rtol=1e-7)


def test_higher_powers_of_the_terms(clusters_data, evidence, estimate):
    sums = unit_scores(evidence, estimate).sums
    for i in range(P):
        for j in range(i):
            square = terms(*clusters_data, i, j, 0.0) ** 2
            share = square / square.sum()
            np.testing.assert_allclose(sums.fourth[i, j], np.sum(share**2), rtol=1e-7)
            np.testing.assert_allclose(sums.sixth[i, j], np.sum(share**3), rtol=1e-7)


def partial_correlations(X):
    precision = np.linalg.inv(np.cov(X, rowvar=False))
    root = np.sqrt(precision.diagonal())
    return -precision / np.outer(root, root), precision


def test_the_jackknife(clusters_data, evidence, estimate):
    """Every group is left out in turn, and everything is estimated anew."""
    X, labels = clusters_data
    X = X / X.std(axis=0)
    different = np.unique(labels)
    G, upper = len(different), np.triu_indices(P, k=1)
    z = np.array([np.arctanh(partial_correlations(X[labels != g])[0][upper]) for g in different])
    theta = np.array([partial_correlations(X[labels != g])[1] for g in different])
    whole = partial_correlations(X)[1]
    spread, _ = unit_sandwich(evidence, estimate)
    variance = (G - 1) / G * np.sum((z - z.mean(axis=0)) ** 2, axis=0)
    rows = unit_scores(evidence, estimate).rows
    floor = 1 / (rows - P - 1)
    np.testing.assert_allclose(
        spread.fisher_z[upper] ** 2, np.maximum(variance, floor[upper]), rtol=1e-8
    )
    error = np.sqrt((G - 1) / G * np.sum((theta - theta.mean(axis=0)) ** 2, axis=0))
    root = np.sqrt(whole.diagonal())
    ratio = spread.precision / np.sqrt(
        np.outer(estimate.precision.diagonal(), estimate.precision.diagonal())
    )
    least = np.sqrt((1 + partial_correlations(X)[0] ** 2) * floor)
    np.testing.assert_allclose(ratio, np.maximum(error / np.outer(root, root), least), rtol=1e-7)


def test_what_rows_and_groups_are_worth(clusters_data, evidence, estimate):
    """From the correlation of two residuals of a group, over all pairs of rows."""
    X, labels = clusters_data
    rows = unit_scores(evidence, estimate).rows
    _, degrees = unit_sandwich(evidence, estimate)
    n = len(X)
    counts = np.bincount(labels)
    together = np.sum(counts * (counts - 1))
    for i in range(P):
        for j in range(i):
            within = []
            for e in residuals(X, i, j)[:2]:
                e = e / np.sqrt(np.mean(e**2))
                products = sum(np.sum(e[labels == g]) ** 2 for g in np.unique(labels)) - n
                within.append(max(products / together, 0.0))
            of_groups = [m * (1 + (m - 1) * within[0] * within[1]) for m in counts]
            np.testing.assert_allclose(rows[i, j], n**2 / np.sum(of_groups), rtol=1e-8)
            assert n / 10 < rows[i, j] <= n
            expected = np.sum(of_groups) ** 2 / np.sum(np.square(of_groups))
            np.testing.assert_allclose(degrees[i, j], expected, rtol=1e-8)
            assert 5 < expected < 23


def test_rows_that_are_all_alike_are_worth_one_each_group():
    rng = np.random.default_rng(3)
    subjects = np.repeat(rng.standard_normal((50, 3)), 10, axis=0)
    X = subjects + 1e-6 * rng.standard_normal(subjects.shape)
    labels = np.repeat(np.arange(50), 10)
    evidence = open_sample(X, ew.methods.Score().needs, "the test", clusters=labels)
    estimate = estimate_precision(evidence.moments(), evidence.feature_names)
    rows = unit_scores(evidence, estimate).rows
    np.testing.assert_allclose(rows, 50, rtol=0.05)


@pytest.mark.parametrize("n", [60, 500])
def test_every_row_its_own_group_is_the_plain_score_test(n):
    """Also where some rows are far larger than others: the weight has each row's own scale."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, 8)) * np.where(np.arange(n) % 30 == 0, 8.0, 1.0)[:, np.newaxis]
    plain, alone = ew.edge_test(X), ew.edge_test(X, clusters=np.arange(n))
    upper = np.triu_indices(8, k=1)
    np.testing.assert_allclose(alone.statistic[upper], plain.statistic[upper], rtol=1e-9)
    np.testing.assert_allclose(alone.log_pvalue[upper], plain.log_pvalue[upper], rtol=1e-9)
    intervals = [
        result.confidence_interval(0.95, scale="partial_correlation") for result in (alone, plain)
    ]
    np.testing.assert_allclose(intervals[0].low[upper], intervals[1].low[upper], atol=1e-9)
    np.testing.assert_allclose(intervals[0].high[upper], intervals[1].high[upper], atol=1e-9)


def test_an_event_in_one_group_only():
    """Without that group a column is constant: it has nothing in common with the others."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 3))
    X[:, 2] = 0.0
    X[:3, 2] = 1.0
    labels = np.arange(200) // 5
    for method in ("score", "wald"):
        result = ew.edge_test(X, method=method, clusters=labels)
        assert np.isfinite(result.pvalue[np.triu_indices(3, k=1)]).all()
        assert not result.reject.any()


# Rows that lack values or have weights, against estimates made anew without each row, in loops.


N, ROWS_P = 70, 4
UPPER = np.triu_indices(ROWS_P, k=1)
CASES = ["missing", "weights", "both"]
METHODS = ["score", "wald", "batch"]


def chain(n, p=ROWS_P, seed=7):
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
def rows_data(request):
    X, how = uneven(request.param)
    Y = scaled(X)
    w = how.get("weights", np.ones(N))
    return X, how, Y, w, slow_jackknife(Y, w, [[k] for k in range(N)])


def worths(X, w):
    """(Σw)²/Σw² of the rows of each pair."""
    known = np.isfinite(X).astype(float)
    return (known.T * w @ known) ** 2 / (known.T * w**2 @ known)


class TestJackknife:
    def test_of_single_rows(self, rows_data):
        X, how, Y, w, (variance, _, _) = rows_data
        evidence, estimate = opened(X, how)
        found = unit_scores(evidence, estimate)
        assert found.units == N
        root = np.sqrt(slow_estimates(Y, w)[0].diagonal())
        expected = variance / np.outer(root, root) ** 2
        np.testing.assert_allclose(found.precision, expected, rtol=1e-9)

    def test_standard_errors_of_wald(self, rows_data):
        X, how, Y, w, (variance, variance_z, _) = rows_data
        evidence, estimate = opened(X, how)
        spread, _ = unit_sandwich(evidence, estimate)
        least = 1 / np.maximum(worths(X, w) - ROWS_P - 1, 1.0)
        np.testing.assert_allclose(
            spread.fisher_z[UPPER] ** 2, np.maximum(variance_z, least[UPPER]), rtol=1e-9
        )
        theta, z = slow_estimates(Y, w)
        root = np.sqrt(theta.diagonal())
        rho = np.eye(ROWS_P)
        rho[UPPER] = rho.T[UPPER] = np.tanh(z)
        own = np.sqrt(estimate.precision.diagonal())
        ratio = (spread.precision / np.outer(own, own)) ** 2
        expected = np.maximum(variance / np.outer(root, root) ** 2, (1 + rho**2) * least)
        np.testing.assert_allclose(ratio, expected, rtol=1e-9)

    @pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning")
    def test_of_batches(self, rows_data):
        X, how, Y, w, _ = rows_data
        result = ew.edge_test(X, method="batch", n_batches=10, **how)
        length = 4  # 70 rows in 10 to 20 batches
        units = np.split(np.arange(N), np.arange(length, N, length))
        assert result.options["n_batches"] == len(units) == 18
        _, variance_z, _ = slow_jackknife(Y, w, units)
        least = 1 / np.maximum(worths(X, w) - ROWS_P - 1, 1.0)
        expected = slow_estimates(Y, w)[1] / np.sqrt(np.maximum(variance_z, least[UPPER]))
        np.testing.assert_allclose(result.statistic[UPPER], expected, rtol=1e-9)

    def test_of_several_rows_at_once(self, rows_data, monkeypatch):
        X, how, Y, w, _ = rows_data
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
        least = 1 / np.maximum(worths(X, w) - ROWS_P - 1, 1.0)[UPPER]
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
