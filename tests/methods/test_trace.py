"""The paper's Algorithm 1, with both of its radii, against the authors' own program."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import DataError, Moments, ParameterError, TooFewRowsWarning
from edgewise._base.matrices import population_covariance
from edgewise.covcov.closed_form import trace_from_quartics

FOLDER = Path(__file__).parents[1] / "reference"
REFERENCE = json.loads((FOLDER / "edge_thresholds.json").read_text("utf-8"))
METHODS = ["trace", "eig"]
MAX_TRACE_ALPHA = 0.2151

cases = pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["name"])
methods = pytest.mark.parametrize("method", METHODS)


def covcov_trace(moments):
    """Tr Cov(U(Σ̂)) from one pass, as `Trace` finds it."""
    n = moments.n_samples
    s = population_covariance(moments.covariance(), n)
    return trace_from_quartics(n, s, moments.quartics())


def bound(X, method, **options):
    """The test, without the warning that an infinite threshold comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, method=method, **options)


def load(case):
    return np.load(FOLDER / case["data"])


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


class TestAuthorsProgram:
    @cases
    @methods
    def test_threshold_and_decisions(self, case, method):
        X = load(case)
        assert X.shape == (case["n"], case["p"])
        result = bound(X, method, alpha=REFERENCE["alpha"], mu=REFERENCE["mu"])
        expected = float(case[f"thresh_{method}"])
        assert result.threshold == pytest.approx(expected, rel=1e-10)
        np.testing.assert_array_equal(
            off_diagonal(result.reject), off_diagonal(case[f"reject_{method}"]) == 1
        )
        assert not result.reject.diagonal().any()
        np.testing.assert_allclose(result.covariance, case["sigma_hat"], rtol=1e-10)
        np.testing.assert_allclose(result.precision, case["theta_hat"], rtol=1e-10)
        if math.isinf(expected):
            assert result.rows_needed > case["n"]
        else:
            assert result.rows_needed is None

    @cases
    def test_covariance_of_the_covariance(self, case):
        X = load(case)
        matrix = ew.covariance_of_covariance(X)
        scale = np.sqrt(np.outer(matrix.diagonal(), matrix.diagonal()))
        assert np.max(np.abs(matrix - case["covcov"]) / scale) <= 1e-10
        assert np.trace(matrix) == pytest.approx(case["covcov_trace"], rel=1e-10)
        assert covcov_trace(Moments().update(X)) == pytest.approx(case["covcov_trace"], rel=1e-10)
        assert np.linalg.eigvalsh(matrix)[-1] == pytest.approx(case["covcov_eigmax"], rel=1e-10)

    @cases
    @methods
    def test_radius(self, case, method):
        variance = case["covcov_trace" if method == "trace" else "covcov_eigmax"]
        expected = math.sqrt(2 * variance) * stats.norm.isf(REFERENCE["alpha"] / 2)
        assert bound(load(case), method).radius == pytest.approx(expected, rel=1e-10)


class TestRowsNeeded:
    @methods
    @pytest.mark.parametrize("n", [20, 50, 120])
    def test_that_many_rows_and_not_one_fewer(self, n, method):
        X = rows_of("t5", n, 4)
        with pytest.warns(TooFewRowsWarning, match=f"infinite threshold with {n} rows"):
            result = ew.edge_test(X, method=method)
        assert result.threshold == math.inf
        assert not result.reject.any()
        smallest = np.linalg.eigvalsh(result.covariance)[0]
        radius_at = [
            result.radius * math.sqrt(n / rows)
            for rows in (result.rows_needed, result.rows_needed - 1)
        ]
        assert radius_at[0] < smallest <= radius_at[1] * (1 + 1e-12)

    def test_the_warning_says_how_many(self):
        X = rows_of("gaussian", 30, 3)
        needed = bound(X, "trace").rows_needed
        with pytest.warns(TooFewRowsWarning, match=f"about {needed:,} rows would make it finite"):
            ew.edge_test(X, method="trace")

    def test_about_that_many_rows_are_enough(self):
        needed = bound(rows_of("gaussian", 100, 3), "trace").rows_needed
        assert math.isfinite(bound(rows_of("gaussian", 2 * needed, 3, seed=1), "trace").threshold)


class TestPValues:
    @pytest.mark.exactness
    @methods
    @pytest.mark.parametrize("standardize", [False, True])
    @pytest.mark.parametrize("mu", [1.0, 0.02])
    def test_at_most_alpha_exactly_where_the_threshold_is_reached(self, method, mu, standardize):
        decisions = set()
        for seed, distribution in enumerate(("gaussian", "laplace", "t5")):
            X = rows_of(distribution, 20_000, 4, seed) * 10.0 ** (seed - 1)
            for alpha in (1e-9, 1e-3, 0.05, 0.2, 0.6):
                if method == "trace" and alpha > MAX_TRACE_ALPHA:
                    continue
                result = bound(X, method, alpha=alpha, mu=mu, standardize=standardize)
                reached = np.abs(result.precision) >= result.threshold
                np.testing.assert_array_equal(
                    off_diagonal(result.pvalue <= alpha), off_diagonal(reached)
                )
                np.testing.assert_array_equal(off_diagonal(result.reject), off_diagonal(reached))
                decisions |= set(off_diagonal(result.reject))
        assert decisions == {False, True}

    @methods
    def test_is_the_level_at_which_the_decision_turns(self, method):
        X = rows_of("gaussian", 3000, 3)
        mu = 0.1  # so that some p-values lie where a threshold can be asked for
        result = bound(X, method, mu=mu)
        found = 0
        for i, j in ((0, 1), (0, 2), (1, 2)):
            pvalue = result.pvalue[i, j]
            if not 1e-12 < pvalue < 0.2:
                continue
            found += 1
            assert bound(X, method, mu=mu, alpha=pvalue * (1 + 1e-7)).reject[i, j]
            assert not bound(X, method, mu=mu, alpha=pvalue * (1 - 1e-7)).reject[i, j]
        assert found

    def test_trace_reports_no_unproven_level(self):
        seen = []
        for n in (100, 1000, 10_000):
            for seed in range(5):
                X = rows_of("gaussian", n, 4, seed)
                result = bound(X, "trace", mu=0.05)
                seen.extend(off_diagonal(result.pvalue))
        seen = np.array(seen)
        assert np.all((seen <= MAX_TRACE_ALPHA) | (seen == 1))
        assert (seen < MAX_TRACE_ALPHA).any()
        assert (seen == 1).any()

    @methods
    def test_never_zero(self, method):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((400_000, 2)) @ [[1.0, 0.5], [0, 1]]
        result = bound(X, method, mu=1e-3)
        assert np.isfinite(result.log_pvalue[0, 1])
        assert result.log_pvalue[0, 1] < -1000
        assert 0 < result.pvalue[0, 1] < 1e-300

    @methods
    def test_no_correction_applies(self, method):
        X = rows_of("gaussian", 2000, 4)
        result = bound(X, method)
        assert result.correction is None
        np.testing.assert_array_equal(result.adjusted_pvalue, result.pvalue)


class TestOptions:
    @pytest.mark.parametrize("alpha", [0.2153, 0.5])
    def test_trace_refuses_unproven_levels(self, alpha):
        with pytest.raises(ParameterError, match=f"at most 0.2151 .* got {alpha}"):
            ew.edge_test(rows_of("gaussian", 100, 3), method="trace", alpha=alpha)

    @methods
    def test_threshold_is_proportional_to_mu(self, method):
        X = rows_of("laplace", 20_000, 3)
        one, three = (bound(X, method, mu=mu).threshold for mu in (1.0, 3.0))
        assert three == pytest.approx(3 * one, rel=1e-12)

    @methods
    @pytest.mark.parametrize("mu", [0, -1, math.nan, math.inf, "1", None])
    def test_mu_must_be_positive(self, method, mu):
        with pytest.raises(ParameterError, match="mu: expected a number above 0"):
            ew.edge_test(rows_of("gaussian", 100, 3), method=method, mu=mu)

    @methods
    def test_standardize_is_the_test_of_standardized_columns(self, method):
        X = rows_of("t5", 5000, 4) * [1e-3, 1.0, 50.0, 1e4]
        found = bound(X, method, standardize=True)
        expected = bound(X / X.std(axis=0, ddof=1), method)
        assert found.threshold == pytest.approx(expected.threshold, rel=1e-10)
        for field in ("covariance", "precision", "log_pvalue"):
            np.testing.assert_allclose(
                getattr(found, field), getattr(expected, field), rtol=1e-9, atol=1e-12
            )
        assert found.options.items() >= {"mu": 1.0, "standardize": True}.items()

    @methods
    @pytest.mark.parametrize("power", [-150, 150])
    def test_standardize_takes_any_units(self, method, power):
        X = rows_of("t5", 5000, 3)
        scale = 10.0 ** np.array([power, 0, -power / 2])
        np.testing.assert_allclose(
            bound(X * scale, method, standardize=True).log_pvalue,
            bound(X, method, standardize=True).log_pvalue,
            rtol=1e-8,
            atol=1e-12,
        )

    def test_trace_needs_only_a_state(self):
        X = rows_of("laplace", 3000, 4)
        state = Moments().update(X[:1000]) + Moments().update(X[1000:])
        found, expected = bound(state, "trace"), bound(X, "trace")
        assert found.threshold == pytest.approx(expected.threshold, rel=1e-10)
        np.testing.assert_allclose(found.log_pvalue, expected.log_pvalue, rtol=1e-10)

    def test_standardize_needs_the_rows(self):
        state = Moments().update(rows_of("gaussian", 100, 3))
        with pytest.raises(DataError, match="reads the rows twice, got a state without rows"):
            ew.edge_test(state, method="trace", standardize=True)

    @methods
    def test_fourth_moments_that_overflow(self, method):
        with pytest.raises(DataError, match=r"fourth-order moments overflow.*standardize=True"):
            ew.edge_test(rows_of("gaussian", 100, 3) * 1e100, method=method)
