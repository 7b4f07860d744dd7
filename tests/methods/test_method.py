"""What every method is given and must return, on statistics made up for the purpose."""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import BatchMoments, DataError, Moments, ParameterError
from edgewise.estimators.inverse import estimate_precision
from edgewise.inference.effect import MinEffect
from edgewise.inference.reference import Normal
from edgewise.inference.spread import Spread
from edgewise.methods import registry
from edgewise.methods.method import (
    Evidence,
    PerEdgeTest,
    Question,
    effect_options,
    per_edge_result,
    symmetric,
)
from edgewise.methods.registry import METHODS

NAMES = ("a", "b", "c")
X = ew.simulate.sample(
    "gaussian", ew.simulate.make_chain_precision(3), 200, rng=np.random.default_rng(0)
)
UPPER = np.triu_indices(3, k=1)
BOUNDS = {"whitened", "spectral", "trace", "eig"}
every_method = pytest.mark.parametrize("method", list(METHODS))


def evidence():
    return Evidence(Moments(order=2).update(X), lambda: iter([X]), NAMES)


def decide(statistic, *, correction="holm", alpha=0.05, effect=None, error=None, **parts):
    """`per_edge_result` of three statistics; one standard error for all."""
    matrix = symmetric(np.array(statistic), 3)
    estimate = estimate_precision(evidence().moments, NAMES)
    errors = np.full((3, 3), 0.1 if error is None else error)
    test = PerEdgeTest(
        statistic=matrix,
        reference=Normal(),
        spread=Spread(precision=errors, fisher_z=errors),
        threshold_at=lambda level: Normal().critical(level) * errors,
        **parts,
    )
    question = Question(alpha, correction, effect or MinEffect())
    return per_edge_result("made up", evidence(), estimate, test, question, {"option": 7})


class TestSymmetric:
    def test_places_values_row_by_row(self):
        np.testing.assert_array_equal(
            symmetric([1, 2, 3], 3, diagonal=0), [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
        )

    def test_diagonal_is_missing_unless_told(self):
        assert np.isnan(symmetric([1, 2, 3], 3).diagonal()).all()

    def test_of_two_columns(self):
        np.testing.assert_array_equal(symmetric([4.0], 2, 1.0), [[1, 4], [4, 1]])


class TestEvidence:
    def test_first_pass_of_batches_is_the_pooled_one(self):
        state = BatchMoments(10).update(X)
        pooled = Evidence(state, None, NAMES).first_pass("fisher")
        assert isinstance(pooled, Moments)
        np.testing.assert_allclose(pooled.covariance(), np.cov(X, rowvar=False), rtol=1e-12)
        moments = Moments().update(X)
        assert Evidence(moments, None, NAMES).first_pass("fisher") is moments

    @pytest.mark.parametrize("state", [BatchMoments(10), Moments(order=2)])
    def test_fourth_order_sums_that_were_not_kept(self, state, refuses):
        held = Evidence(state.copy().update(X), None, NAMES)
        refuses(
            lambda: held.first_pass("trace", order=4),
            DataError,
            "data: method 'trace' needs fourth-order sums, got a state without them",
        )

    def test_without_rows_a_second_pass_is_refused(self, refuses):
        held = Evidence(Moments().update(X), None, NAMES)
        refuses(
            lambda: held.rows("wald"),
            DataError,
            "data: method 'wald' reads the rows twice, got a state without rows",
        )
        assert next(iter(evidence().rows("wald")())) is X


class TestPerEdgeResult:
    def test_pvalues_and_decisions(self):
        result = decide([3.0, -1.0, 2.3])
        p = 2 * stats.norm.sf([3.0, 1.0, 2.3])
        np.testing.assert_allclose(result.pvalue[UPPER], p, rtol=1e-12)
        np.testing.assert_allclose(result.adjusted_pvalue[UPPER], [3 * p[0], p[1], 2 * p[2]])
        assert result.reject[UPPER].tolist() == [True, False, True]
        np.testing.assert_array_equal(result.reject, result.reject.T)
        assert not result.reject.diagonal().any()
        # Two are out, so the last one is compared with the whole level.
        critical = stats.norm.isf(0.025)
        np.testing.assert_allclose(result.threshold[UPPER], 0.1 * critical, rtol=1e-12)

    def test_carries_estimates_and_errors(self):
        result = decide([3.0, -1.0, 2.3])
        np.testing.assert_allclose(result.covariance, np.cov(X, rowvar=False), rtol=1e-12)
        assert (result.method, result.n_samples, result.n_features) == ("made up", 200, 3)
        assert result.options == {"option": 7}
        assert result.radius is None
        rho = result.partial_correlation[UPPER]
        np.testing.assert_array_equal(result.standard_error, np.full((3, 3), 0.1))
        np.testing.assert_allclose(
            result.partial_correlation_standard_error[UPPER], 0.1 * (1 - rho**2), rtol=1e-12
        )
        assert np.isnan(result.statistic.diagonal()).all()

    @pytest.mark.parametrize("scale", ["precision", "partial_correlation"])
    def test_minimal_effect(self, scale):
        result = decide([9.0, 9.0, 9.0], effect=MinEffect(0.2, scale), correction=None)
        estimate, value = result.precision[UPPER], 0.2
        if scale == "partial_correlation":
            estimate, value = np.arctanh(result.partial_correlation[UPPER]), math.atanh(0.2)
        size = np.abs(estimate)
        expected = stats.norm.sf((size - value) / 0.1) + stats.norm.sf((size + value) / 0.1)
        np.testing.assert_allclose(result.pvalue[UPPER], expected, rtol=1e-10)
        np.testing.assert_array_equal(
            (np.abs(result.precision) >= result.threshold)[UPPER], result.reject[UPPER]
        )
        assert result.options == {"option": 7, "min_effect": 0.2, "effect_scale": scale}

    def test_largest_statistic(self):
        asked = []

        def adjusted(statistic):
            asked.append(statistic.tolist())
            return np.log([0.01, 0.9, 0.05])

        result = decide(
            [3.0, -1.0, 2.3],
            correction="maxt",
            max_log_pvalues=adjusted,
            max_critical=lambda level, among=None: 2.2,
        )
        assert asked == [[3.0, -1.0, 2.3]]
        np.testing.assert_allclose(result.adjusted_pvalue[UPPER], [0.01, 0.9, 0.05])
        assert result.reject[UPPER].tolist() == [True, False, True]
        low, high = result.confidence_interval(simultaneous=True)
        np.testing.assert_allclose(high - low, 2 * 2.2 * 0.1)

    def test_largest_statistic_is_refused_without_resampling(self, refuses):
        refuses(
            lambda: decide([1.0, 2.0, 3.0], correction="maxt"),
            ParameterError,
            "'maxt' resamples batches of rows, which method 'made up' does not keep",
        )


def test_effect_options():
    assert effect_options(MinEffect()) == {}
    assert effect_options(MinEffect(0.1, "precision")) == {
        "min_effect": 0.1,
        "effect_scale": "precision",
    }


class TestRegistry:
    def test_names_in_the_order_in_which_they_are_shown(self):
        assert next(iter(METHODS)) == "score"
        assert set(METHODS) >= BOUNDS | {"score", "wald", "batch", "elliptical", "fisher"}
        assert list(METHODS) == list(registry.FILES)
        assert all(name == method.name for name, method in METHODS.items())

    def test_names_are_known_before_the_tests_are_loaded(self):
        ask = "import sys, edgewise.methods.registry as r; print(*r.FILES, 'numpy' in sys.modules)"
        told = subprocess.run(
            [sys.executable, "-c", ask], capture_output=True, text=True, check=True
        )
        assert told.stdout.split() == [*METHODS, "False"]

    def test_nothing_else_is_loaded_by_asking(self):
        with pytest.raises(AttributeError, match="no attribute 'METHOD'"):
            registry.METHOD  # noqa: B018

    @every_method
    def test_descriptions_are_true(self, method):
        described = METHODS[method]
        assert described.simultaneous == (method in BOUNDS)
        assert 3 <= len(described.guarantee.split()) <= 6
        assert described.effect_scale == (
            "precision" if method in ("trace", "eig") else "partial_correlation"
        )

    @every_method
    def test_passes(self, method):
        """One pass means that a state is enough, two that it is not."""
        described = METHODS[method]
        rows = np.random.default_rng(0).standard_normal((20_000, 3))
        kept = Moments(order=described.order) if described.order else BatchMoments(100)
        state = kept.update(rows)
        if described.passes == 1:
            assert ew.edge_test(state, method=method).n_samples == 20_000
        else:
            with pytest.raises(DataError, match="reads the rows twice"):
                ew.edge_test(state, method=method)

    @every_method
    def test_options_are_those_it_takes(self, method, refuses):
        taken = {"mu", "standardize", "radius", "support", "n_batches", "random_state", "solver"}
        for option in taken - METHODS[method].options:
            refuses(
                lambda option=option: ew.edge_test(X, method=method, **{option: None}),
                ParameterError,
                f"{option}: method {method!r} does not take it",
            )
        assert METHODS[method].options <= taken
