"""The sums of the score test against refitted regressions, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise._checks import default_names
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.sign_flip import SignFlip
from edgewise.inference.uncertainty import ScoreTest
from edgewise.states import Moments
from edgewise.sums import score as score_pair
from edgewise.sums.score import (
    NEARLY_ONE,
    all_pairs_at_once,
    all_pairs_exactly,
    believed_tau,
    few_rows,
    one_pair_exactly,
    score_weight,
)
from edgewise.tables.table import InMemoryRows

NAMES = ("second", "cross", "ends", "fourth", "sixth")


def pareto(n, p, rng):
    return rng.pareto(3, (n, p))


DRAWS = {
    "gaussian": lambda n, p, rng: rng.standard_normal((n, p)),
    "t5": lambda n, p, rng: rng.standard_normal((n, p)) / np.sqrt(rng.chisquare(5, (n, 1)) / 5),
    "lognormal": lambda n, p, rng: rng.lognormal(size=(n, p)),
    "pareto": pareto,
}


def rows_of(distribution, n, p, seed=0, strong=False):
    """A chain with weak edges; with `strong`, partial correlations up to 0.8 too."""
    X = DRAWS[distribution](n, p, np.random.default_rng(seed))
    X[:, 1:] += 0.2 * X[:, :-1]
    if strong:
        X[:, 1] += 1.2 * X[:, 0]
        X[:, 3] -= 0.8 * X[:, 2]
    return X


def estimated(X):
    return estimate_precision(Moments().update(X), default_names(X.shape[1]))


def exactly(X):
    estimate = estimated(X)
    centred = estimate.centre.subtract_from(X, np.empty(X.shape[::-1]))
    return all_pairs_exactly(centred, estimate.leverage(), estimate.partial_correlation)


def at_once(X, batches=None, nearly_one=NEARLY_ONE):
    estimate = estimated(X)
    return all_pairs_at_once(
        InMemoryRows([X] if batches is None else batches),
        estimate.centre,
        estimate.leverage(),
        estimate.partial_correlation,
        nearly_one,
    )


def residuals(design, target):
    return target - design @ np.linalg.lstsq(design, target, rcond=None)[0]


def hat(design):
    Q, _ = np.linalg.qr(design)
    return np.sum(Q**2, axis=1)


def refitted(X):
    """Two regressions for each pair, their own leverages, and the sums written down."""
    n, p = X.shape
    found = {name: np.zeros((p, p)) for name in (*NAMES, "square_square")}
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    alone = np.empty((n, p))
    for i in range(p):
        e = residuals(np.delete(Z, i, axis=1), Z[:, i])
        alone[:, i] = e / np.sqrt(e @ e / (n - 1))
    whole = hat(np.column_stack([np.ones(n), Z]))
    mean_square = np.mean(alone**2, axis=1) * (n - p) / (n - 1)
    tau = believed_tau((mean_square - whole * (1 - whole)) / (1 - whole) ** 2, p)
    for i, j in combinations(range(p), 2):
        design = np.column_stack([np.ones(n), np.delete(Z, [i, j], axis=1)])
        h = hat(design)
        w = 1 / ((1 - h) * (1 - h + tau * h))
        e = residuals(design, Z[:, [i, j]])
        a, b = (e / np.sqrt(np.mean(e**2, axis=0))).T
        terms = w * (a * b) ** 2
        second = terms.sum()
        sums = {
            "second": second,
            "cross": np.sum(w * a * b * (a**2 + b**2)),
            "ends": np.sum(w * (a**2 + b**2) ** 2) / 4,
            "fourth": np.sum(terms**2) / second**2,
            "sixth": np.sum(terms**3) / second**3,
            "square_square": np.sum((alone[:, i] * alone[:, j] / (1 - whole)) ** 2),
        }
        for name, value in sums.items():
            found[name][i, j] = found[name][j, i] = value
    return found


def upper(matrix):
    return matrix[np.triu_indices(len(matrix), k=1)]


def assert_refitted(sums, X, rtol):
    expected = refitted(X)
    for name in (*NAMES, "square_square"):
        ours, theirs = upper(getattr(sums, name)), upper(expected[name])
        size = upper(np.sqrt(expected["second"] * expected["ends"])) if name == "cross" else theirs
        assert np.max(np.abs(ours - theirs) / size) < rtol, name


def decided(X, sums):
    """The statistic and the log p-values of the pairs."""
    n, p = X.shape
    test = ScoreTest(
        n,
        n - p + 1,
        sums.second,
        sums.cross,
        sums.ends,
        SignFlip(sums.fourth, sums.sixth),
        np.ones((p, p)),
    )
    statistic = test.statistic(estimated(X).partial_correlation)
    return upper(statistic), upper(test.reference.log_two_sided(statistic))


def errors_at_once(X):
    """Of T and of log p where |T| < 4, and of T anywhere; relative, but for small T and p."""
    T, log_p = decided(X, exactly(X))
    found_T, found_log_p = decided(X, at_once(X))
    in_doubt = np.abs(T) < 4
    of_T = np.abs(found_T - T) / np.maximum(np.abs(T), 1)
    of_log_p = np.maximum(np.abs(found_log_p - log_p) - 1e-3, 0) / np.maximum(-log_p, 1e-3)
    return of_T[in_doubt].max(), of_log_p[in_doubt].max(), of_T.max()


@pytest.mark.parametrize(("n", "p"), [(501, 70), (5600, 20), (24_000, 10)])
@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("distribution", DRAWS)
def test_at_once_is_nearly_exact(distribution, strong, n, p):
    """With as many rows as it is used for; where ρ is large, weights are not quite products."""
    assert not few_rows(n, p)
    for seed in range(2):
        of_T, of_log_p, of_any_T = errors_at_once(rows_of(distribution, n, p, seed, strong))
        assert of_T < 1.5e-3
        assert of_log_p < (0.05 if n == 501 else 0.02)
        assert of_any_T < (0.025 if strong else 3e-3)


@pytest.mark.parametrize(("n", "p"), [(501, 70), (800, 6), (5600, 20)])
@pytest.mark.parametrize("distribution", DRAWS)
def test_the_square_sums(distribution, n, p):
    """Standard errors of Θ̂ are made from their roots. At once, all pairs have one mean leverage."""
    X = rows_of(distribution, n, p)
    found, expected = (np.sqrt(sums(X).square_square) for sums in (at_once, exactly))
    assert np.median(np.abs(found / expected - 1)) < 0.01
    np.testing.assert_allclose(found, expected, rtol=0.1)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("sums", [exactly, at_once])
def test_nearly_equal_columns(sums, distance, sign):
    """Where ρ is close to ±1, expansions in ρ would cancel; the pair has a pass of its own."""
    X = rows_of("t5", 600, 4)
    noise = np.random.default_rng(1).standard_normal(600)
    X[:, 1] = sign * (X[:, 0] + np.sqrt(2 * distance) * X[:, 0].std() * noise)
    left = 1 - abs(estimated(X).partial_correlation[0, 1])
    assert left == pytest.approx(distance, rel=0.5)
    found, expected = sums(X), refitted(X)
    for name in NAMES:
        # A covariance in double precision knows 1 − |ρ| to about 1e-16.
        ours, theirs = getattr(found, name)[0, 1], expected[name][0, 1]
        # Above that limit the pair is like all others: its weights are products.
        close = 1e-13 / left + 1e-10 if sums is exactly or left < 1 - NEARLY_ONE else 0.03
        assert ours == pytest.approx(theirs, rel=close), name


def test_pairs_near_one_may_start_anywhere():
    """With every pair in the pass of its own, all is exact."""
    X = rows_of("t5", 700, 5, strong=True)
    found, expected = at_once(X, nearly_one=-1.0), exactly(X)
    for name in NAMES:
        np.testing.assert_allclose(
            upper(getattr(found, name)), upper(getattr(expected, name)), rtol=1e-10
        )


def test_two_rare_events_that_never_meet():
    """Products of residuals that are nearly all zero: sums stay finite, and terms few."""
    X = np.zeros((800, 3))
    X[5, 0] = X[9, 1] = X[100:110, 2] = 1.0
    for sums in (exactly(X), at_once(X)):
        assert np.isfinite(upper(sums.second)).all()
        assert (upper(sums.second) >= 0).all()
        shares = upper(sums.fourth)
        assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
        assert (upper(sums.sixth) <= shares**1.5 * (1 + 1e-9)).all()


@pytest.mark.parametrize(("n", "p"), [(6, 4), (40, 2), (60, 3), (100, 7), (260, 20)])
@pytest.mark.parametrize("distribution", DRAWS)
def test_exactly_is_refitted_regressions(distribution, n, p):
    X = rows_of(distribution, n, p, strong=p > 3) * np.logspace(-2, 3, p) + 5
    assert_refitted(exactly(X), X, 1e-7 if n == 6 else 1e-9)


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(3, 30), st.integers(0, 10**6))
def test_exactly_on_any_rows(p, more, seed):
    X = np.random.default_rng(seed).standard_t(3, (p + more, p))
    assert_refitted(exactly(X), X, 1e-6)


@pytest.mark.parametrize("chunk", [50, 200, 80 * 4])  # less than a pair, two, four of fifteen
def test_exactly_in_chunks_of_pairs(chunk, monkeypatch):
    X = rows_of("t5", 80, 6)
    whole = exactly(X)
    monkeypatch.setattr("edgewise.sums.score._CHUNK", chunk)
    found = exactly(X)
    for name in (*NAMES, "square_square"):
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-12)


@pytest.mark.parametrize("length", [7, 100, 8192])
@pytest.mark.parametrize("law", DRAWS)
def test_the_sums_of_a_pair(law, length, monkeypatch):
    monkeypatch.setattr(score_pair, "_ROWS", length)
    X = rows_of(law, 300, 5, strong=True)
    estimate = estimated(X)
    centred = estimate.centre.subtract_from(X, np.empty(X.shape[::-1]))
    leverage, rho = estimate.leverage(), estimate.partial_correlation
    sums = all_pairs_exactly(centred, leverage, rho)
    # Among other columns, in another order.
    kept = np.empty((8, 300))
    kept[[6, 0, 3, 7, 2]] = centred
    before = kept.copy()
    found = one_pair_exactly(kept, np.array([6, 0, 3, 7, 2]), leverage, float(rho[0, 1]))
    second = sums.second[0, 1]
    expected = second, sums.fourth[0, 1] * second**2, sums.sixth[0, 1] * second**3
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    np.testing.assert_array_equal(kept, before)


@pytest.mark.parametrize("first", [2, 4])
@pytest.mark.parametrize("law", DRAWS)
def test_products_of_the_first_columns_only(law, first):
    X = rows_of(law, 900, 6, strong=True)
    X[:5] *= 6
    estimate = estimated(X)
    rest = InMemoryRows([X[:400], X[400:]]), estimate.centre, estimate.leverage()
    rho = estimate.partial_correlation
    whole = all_pairs_at_once(*rest, rho, NEARLY_ONE)
    part = all_pairs_at_once(*rest, rho[:first, :first], NEARLY_ONE)
    for name in ("second", "cross", "ends", "fourth", "sixth"):
        expected = getattr(whole, name)[:first, :first]
        np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-12)


def test_the_weight():
    """One over 1 − h for rows of one scale, over its square where a row's own scale dominates."""
    left = np.array([1.0, 0.5, 0.1, 1e-10])
    np.testing.assert_allclose(score_weight(left, 1.0), 1 / left, rtol=1e-14)
    np.testing.assert_allclose(score_weight(left, 0.0), left**-2, rtol=1e-14)


@pytest.mark.parametrize("law", ["one scale", "t3", "contaminated"])
@pytest.mark.parametrize(("n", "p"), [(500, 50), (250, 50), (200, 10)])
def test_the_weight_makes_up_for_the_fit(law, n, p):
    """Var(Σ e_ie_j) = Σ σ_k²g_k exactly, for errors of known variances; g² is what e_i²e_j² shows.

    With the τ of these variances the weighted sum of g² is the variance, for rows of one scale, and
    up to a third more where scales differ; hardly less.
    """
    rng = np.random.default_rng(0)
    scale = {
        "one scale": np.ones(n),
        "t3": 1 / np.sqrt(rng.chisquare(3, n) / 3),
        "contaminated": np.where(rng.random(n) < 0.05, 5.0, 1.0),
    }[law]
    variance = scale**2 / np.mean(scale**2)
    Z = np.column_stack([np.ones(n), rng.standard_normal((n, p - 2)) * scale[:, np.newaxis]])
    H = Z @ np.linalg.pinv(Z)
    h, left = H.diagonal(), np.eye(n) - H
    g = left**2 @ variance
    own = np.maximum((g - h * (1 - h)) / (1 - h) ** 2, 0.5)
    estimated = np.sum(score_weight(1 - h, 1 / own) * g**2)
    ratio = estimated / np.sum(variance * g)
    if law == "one scale":
        assert ratio == pytest.approx(1, abs=1e-9)
    assert 0.97 < ratio < 1.33


def test_the_belief_written_down():
    variance, p = np.array([0.1, 0.5, 0.9, 1.0, 2.0, 30.0, 500.0]), 8
    for seen, tau in zip(variance, believed_tau(variance, p), strict=True):
        few = 0.9 * 6 / 18
        excess = max(seen - 1, 0)
        belief = few + (1 - few) * excess**2 / (excess**2 + 3600)
        assert tau == pytest.approx(1 - belief * (1 - 1 / max(seen, 0.5)), rel=1e-12)
