"""`plan_sample_size`: how many rows would find an effect."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.methods.registry import registered
from edgewise.results.detectable import detected_effect
from edgewise.simulate import sample

BOUNDS = [name for name, method in registered().items() if method.simultaneous]
# The critical value of a sequence grows with the rows; plans for nodewise are simulated.
AT_ONE_LOOK = [name for name in registered() if name not in ("sequential", "nodewise")]


@pytest.fixture(scope="module")
def pilot():
    """2000 × 4 with heavy tails and one edge."""
    X = np.random.default_rng(4).standard_t(7, (2000, 4))
    X[:, 1] += 0.5 * X[:, 0]
    X.flags.writeable = False
    return X


def assert_same_rows(found, expected):
    """Up to one: numbers that differ in their last bits may be rounded up to neighbours."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1)


def rows_for(pilot, **options):
    return ew.plan_sample_size(pilot, **options).n_samples


@pytest.mark.exactness
@pytest.mark.parametrize("method", registered())
def test_the_matrix_of_pairs(pilot, method):
    pairs = ew.plan_sample_size(pilot, effect=0.2, method=method).pairs
    off = ~np.eye(4, dtype=bool)
    assert_same_rows(pairs, pairs.T)
    assert np.isnan(pairs.diagonal()).all()
    assert (pairs[off] > 0).all()
    np.testing.assert_array_equal(pairs[off], np.round(pairs[off]))


@pytest.mark.exactness
@pytest.mark.parametrize("method", BOUNDS)
def test_a_bound_has_no_power_to_choose(pilot, method):
    plans = [
        ew.plan_sample_size(pilot, effect=0.1, power=power, method=method) for power in (0.5, 0.99)
    ]
    assert [plan.power for plan in plans] == [None, None]
    np.testing.assert_array_equal(plans[0].pairs, plans[1].pairs)


@pytest.mark.parametrize("method", AT_ONE_LOOK)
def test_rows_grow_with_the_inverse_square_of_a_small_effect(pilot, method):
    needed = [rows_for(pilot, effect=effect, method=method) for effect in (0.002, 0.001, 0.0005)]
    assert needed[1] / needed[0] == pytest.approx(4, rel=0.02)
    assert needed[2] / needed[1] == pytest.approx(4, rel=0.02)
    assert rows_for(pilot, effect=0.2, method=method) < rows_for(pilot, effect=0.1, method=method)


class TestSequential:
    @pytest.mark.validity
    def test_the_planned_rows_have_at_least_the_planned_power(self):
        """300 draws; the batches of the pilot are noisy, and the plan errs on the safe side."""
        effect, precision = 0.15, np.eye(4)
        precision[0, 1] = precision[1, 0] = -effect
        pilot = sample("gaussian", precision, 20_000, rng=np.random.default_rng(5))
        options = {"method": "sequential", "tuned_for": 1000, "correction": "bonferroni"}
        n = int(ew.plan_sample_size(pilot, effect=effect, **options).pairs[0, 1])
        found = [
            ew.edge_test(
                sample("gaussian", precision, n, rng=np.random.default_rng(seed)), **options
            ).reject[0, 1]
            for seed in range(300)
        ]
        assert 0.8 - 4 * np.sqrt(0.8 * 0.2 / 300) < np.mean(found) < 0.97


@pytest.mark.parametrize("method", registered())
def test_the_plan_for_what_the_rows_find_is_as_many_rows(pilot, method):
    effect = ew.detectable_effect(pilot, method=method)
    if np.isnan(effect):
        assert method in BOUNDS
        assert rows_for(pilot, effect=0.99, method=method) > len(pilot)
    else:
        error = 0.02 if method == "nodewise" else 0.005  # simulated
        assert rows_for(pilot, effect=effect, method=method) == pytest.approx(2000, rel=error)


def test_fisher_on_gaussian_rows_is_the_textbook_formula():
    """((z_{α/2m} √(1−ρ²) + z_β (1−ρ²))/ρ)² + p: the test's t, and ρ̂'s own spread."""
    X = np.random.default_rng(0).standard_normal((200_000, 3))
    plan = ew.plan_sample_size(X, effect=0.1, method="fisher")
    level, beta = 2.3939797998185104, 0.8416212335729143  # scipy.stats.norm.isf(.05/6), .isf(.2)
    expected = ((level * np.sqrt(0.99) + beta * 0.99) / 0.1) ** 2 + 3
    assert plan.n_samples == pytest.approx(expected, rel=0.01)


def test_too_small_a_pilot_for_a_bound_is_what_the_plan_is_for(pilot):
    """The infinite threshold of the pilot is no warning here (warnings are errors)."""
    plan = ew.plan_sample_size(pilot[:50], effect=0.1, method="trace")
    assert plan.n_samples > 50


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, np.nan, "0.1", None, True])
@pytest.mark.parametrize("argument", ["effect", "power"])
def test_an_effect_or_power_outside_its_range(pilot, refuses, argument, value):
    refuses(
        lambda: ew.plan_sample_size(pilot, **{"effect": 0.1, argument: value}),
        ParameterError,
        f"{argument}: expected a number between 0 and 1",
        f"got {value!r}",
    )


def test_a_pilot_that_cannot_be_tested(pilot, refuses):
    refuses(lambda: ew.plan_sample_size(pilot[:3], effect=0.1), DataError, "ollect more rows")
    state = ew.accumulate(pilot)
    for method in ("score", "whitened"):
        refuses(
            lambda method=method: ew.plan_sample_size(state, effect=0.1, method=method),
            DataError,
            f"method {method!r} needs the rows a second time, which a",
        )
    with pytest.raises(TypeError, match="effect"):
        ew.plan_sample_size(pilot)


@pytest.mark.parametrize("method", ["trace", "spectral"])
def test_what_a_state_serves_can_be_planned_from_it(pilot, method):
    found = ew.plan_sample_size(ew.accumulate(pilot), effect=0.1, method=method)
    expected = ew.plan_sample_size(pilot, effect=0.1, method=method)
    np.testing.assert_allclose(found.pairs, expected.pairs, rtol=1e-9)


class TestFamily:
    def test_the_level_is_that_of_the_family(self, pilot):
        """As many rows as a single pair needs at the level α/m, for m tested pairs."""
        family = ew.plan_sample_size(pilot, effect=0.2, given="x0", method="fisher")
        tested = np.isfinite(family.pairs)
        p = len(tested)
        n_pairs = (p - 1) * (p - 2) // 2
        assert tested.sum() == 2 * n_pairs
        assert not tested[0].any()
        alone = ew.plan_sample_size(
            pilot, effect=0.2, method="fisher", alpha=0.05 / n_pairs, correction=None
        )
        np.testing.assert_array_equal(family.pairs[tested], alone.pairs[tested])
        assert family.n_samples == int(np.median(alone.pairs[tested]))


def test_plans_and_reports_agree_where_values_are_missing():
    rows = np.random.default_rng(0).standard_normal((600, 5))
    rows[np.random.default_rng(1).random(rows.shape) < 0.05] = np.nan
    for missing in ("auto", "drop"):
        result = ew.edge_test(rows, missing=missing)
        found = ew.detectable_effect(rows, missing=missing)
        assert found == pytest.approx(detected_effect(result), rel=1e-9)
