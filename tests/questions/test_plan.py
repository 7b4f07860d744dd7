"""`plan_sample_size`: how many rows would find an effect."""

from __future__ import annotations

import dataclasses
import warnings
from itertools import pairwise

import numpy as np
import pytest

import edgewise as ew
from edgewise.methods.registry import METHODS
from edgewise.simulate import sample

PER_EDGE = [name for name, method in METHODS.items() if not method.simultaneous]
BOUNDS = [name for name, method in METHODS.items() if method.simultaneous]
# The critical value of a sequence grows with the rows, so it is treated apart.
AT_ONE_LOOK = [name for name in METHODS if name != "sequential"]


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


def test_the_fields_of_a_plan(pilot):
    plan = ew.plan_sample_size(pilot, effect=0.2, power=0.9, method="wald", alpha=0.01)
    assert isinstance(plan, ew.SamplePlan)
    assert (plan.method, plan.effect, plan.power, plan.alpha) == ("wald", 0.2, 0.9, 0.01)
    assert isinstance(plan.n_samples, int)
    off = plan.pairs[np.triu_indices(4, k=1)]
    assert plan.n_samples == int(np.median(off))
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.n_samples = 3


@pytest.mark.exactness
@pytest.mark.parametrize("method", METHODS)
def test_the_matrix_of_pairs(pilot, method):
    pairs = ew.plan_sample_size(pilot, effect=0.2, method=method).pairs
    off = ~np.eye(4, dtype=bool)
    assert_same_rows(pairs, pairs.T)
    assert np.isnan(pairs.diagonal()).all()
    assert (pairs[off] > 0).all()
    np.testing.assert_array_equal(pairs[off], np.round(pairs[off]))


@pytest.mark.parametrize("method", PER_EDGE)
def test_more_power_needs_more_rows(pilot, method):
    needed = [rows_for(pilot, effect=0.1, power=power, method=method) for power in (0.5, 0.8, 0.99)]
    assert needed[0] < needed[1] < needed[2]


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
    error = 0.06 if method == "nodewise" else 0.02  # simulated
    assert needed[1] / needed[0] == pytest.approx(4, rel=error)
    assert needed[2] / needed[1] == pytest.approx(4, rel=error)
    assert rows_for(pilot, effect=0.2, method=method) < rows_for(pilot, effect=0.1, method=method)


class TestSequential:
    def test_rows_grow_a_little_faster_than_the_inverse_square(self, pilot):
        """The boundary grows as the root of the logarithm of the rows, far beyond its tuning."""
        needed = [
            rows_for(pilot, effect=effect, method="sequential") for effect in (0.002, 0.001, 0.0005)
        ]
        for fewer, more in pairwise(needed):
            assert 4 < more / fewer < 4.6
        assert needed[2] / needed[1] < needed[1] / needed[0] * 1.01

    def test_needs_more_rows_than_one_look(self, pilot):
        for effect in (0.2, 0.1, 0.02, 0.002):
            once = rows_for(pilot, effect=effect, method="batch", correction="bonferroni")
            assert once < rows_for(pilot, effect=effect, method="sequential") < 3 * once

    def test_is_sharpest_where_it_is_tuned(self, pilot):
        n = rows_for(pilot, effect=0.05, method="sequential", tuned_for=10_000)
        tuned = [
            rows_for(pilot, effect=0.05, method="sequential", tuned_for=round(n * factor))
            for factor in (0.01, 1, 100)
        ]
        assert tuned[1] < min(tuned[0], tuned[2])

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


@pytest.mark.parametrize("method", METHODS)
def test_the_plan_for_what_the_rows_find_is_as_many_rows(pilot, method):
    effect = ew.detectable_effect(pilot, method=method)
    if np.isnan(effect):
        assert method in BOUNDS
        assert rows_for(pilot, effect=0.99, method=method) > len(pilot)
    else:
        error = 0.02 if method == "nodewise" else 0.005  # simulated
        assert rows_for(pilot, effect=effect, method=method) == pytest.approx(2000, rel=error)


def test_what_the_rows_find_depends_on_the_question(pilot):
    usual = ew.detectable_effect(pilot)
    assert ew.detectable_effect(pilot, power=0.95) > usual
    assert ew.detectable_effect(pilot, alpha=0.001) > usual
    assert ew.detectable_effect(pilot, correction=None) < usual
    assert ew.detectable_effect(pilot, pairs=[("x0", "x1")]) != usual
    assert ew.detectable_effect(pilot[:200]) > 2 * usual
    assert ew.detectable_effect(pilot[:7]) > 0.9 or np.isnan(ew.detectable_effect(pilot[:7]))


def test_a_stricter_level_needs_more_rows(pilot):
    by_alpha = [rows_for(pilot, effect=0.1, alpha=alpha) for alpha in (0.2, 0.05, 0.001)]
    assert by_alpha == sorted(by_alpha)
    corrected = {c: rows_for(pilot, effect=0.1, correction=c) for c in ("holm", "bonferroni", "bh")}
    assert len(set(corrected.values())) == 1  # the first, strictest step is the same
    assert rows_for(pilot, effect=0.1, correction=None) < corrected["holm"]


def test_a_sharper_radius_needs_fewer_rows(pilot):
    trace = rows_for(pilot, effect=0.1, method="whitened")
    assert rows_for(pilot, effect=0.1, method="whitened", radius="chi2") < trace
    assert trace < rows_for(pilot, effect=0.1, method="spectral")
    assert rows_for(pilot, effect=0.1, method="eig", mu=0.5) < rows_for(
        pilot, effect=0.1, method="eig"
    )


def test_fisher_on_gaussian_rows_is_the_textbook_formula():
    """((z_{α/2m} √(1−ρ²) + z_β (1−ρ²))/ρ)² + p: the test's t, and ρ̂'s own spread."""
    X = np.random.default_rng(0).standard_normal((200_000, 3))
    plan = ew.plan_sample_size(X, effect=0.1, method="fisher")
    level, beta = 2.3939797998185104, 0.8416212335729143  # scipy.stats.norm.isf(.05/6), .isf(.2)
    expected = ((level * np.sqrt(0.99) + beta * 0.99) / 0.1) ** 2 + 3
    assert plan.n_samples == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("method", ["score", "wald", "fisher", "elliptical"])
def test_the_planned_rows_have_the_planned_power(method):
    """600 draws of the planned size: 0.8 within four binomial standard errors."""
    effect = 0.15
    precision = np.eye(4)
    precision[0, 1] = precision[1, 0] = -effect
    pilot = sample("gaussian", precision, 20_000, rng=np.random.default_rng(5))
    options = {"method": method, "correction": "bonferroni"}
    n = int(ew.plan_sample_size(pilot, effect=effect, **options).pairs[0, 1])
    found = [
        ew.edge_test(
            sample("gaussian", precision, n, rng=np.random.default_rng(seed)), **options
        ).reject[0, 1]
        for seed in range(600)
    ]
    assert abs(np.mean(found) - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 600)


def test_heavy_tails_need_more_rows_of_the_score_test():
    needed = {
        tails: rows_for(sample(tails, np.eye(3), 20_000, rng=np.random.default_rng(1)), effect=0.1)
        for tails in ("gaussian", "t5")
    }
    assert needed["t5"] > 1.3 * needed["gaussian"]


@pytest.mark.exactness
def test_a_path_and_a_frame(pilot, tmp_path, write_csv, require):
    expected = ew.plan_sample_size(pilot, effect=0.1).pairs
    path = write_csv(tmp_path / "pilot.csv", "abcd", pilot)
    frame = require("pandas").DataFrame(pilot, columns=list("abcd"))
    for data in (path, str(path), [path], frame, require("polars").from_pandas(frame)):
        assert_same_rows(ew.plan_sample_size(data, effect=0.1).pairs, expected)


def test_too_small_a_pilot_for_a_bound_is_what_the_plan_is_for(pilot):
    """The infinite threshold of the pilot is no warning here (warnings are errors)."""
    plan = ew.plan_sample_size(pilot[:50], effect=0.1, method="trace")
    assert plan.n_samples > 50


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, np.nan, "0.1", None, True])
@pytest.mark.parametrize("argument", ["effect", "power"])
def test_an_effect_or_power_outside_its_range(pilot, refuses, argument, value):
    refuses(
        lambda: ew.plan_sample_size(pilot, **{"effect": 0.1, argument: value}),
        ew.ParameterError,
        f"{argument}: expected a number between 0 and 1",
        f"got {value!r}",
    )


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        ({"method": "nope"}, ["method", "'nope'", "'score'"]),
        ({"alpha": 0}, ["alpha", "got 0"]),
        ({"correction": "nope"}, ["correction", "'nope'"]),
        ({"bogus": 1}, ["bogus", "'score'"]),
        ({"method": "trace", "alpha": 0.3}, ["alpha", "0.2151", "radius='chi2'"]),
    ],
    ids=str,
)
def test_the_other_arguments_are_those_of_edge_test(pilot, refuses, options, fragments):
    refuses(
        lambda: ew.plan_sample_size(pilot, effect=0.1, **options), ew.ParameterError, *fragments
    )


def test_a_pilot_that_cannot_be_tested(pilot, refuses):
    refuses(
        lambda: ew.plan_sample_size(pilot[:3], effect=0.1), ew.DataError, "more rows than columns"
    )
    state = ew.accumulate(pilot)
    for method in ("score", "fisher", "whitened"):
        refuses(
            lambda method=method: ew.plan_sample_size(state, effect=0.1, method=method),
            ew.DataError,
            f"method {method!r} reads the rows twice, got a state without rows; pass the rows",
        )
    with pytest.raises(TypeError, match="effect"):
        ew.plan_sample_size(pilot)


@pytest.mark.parametrize("method", ["trace", "spectral"])
def test_what_a_state_serves_can_be_planned_from_it(pilot, method):
    found = ew.plan_sample_size(ew.accumulate(pilot), effect=0.1, method=method)
    expected = ew.plan_sample_size(pilot, effect=0.1, method=method)
    np.testing.assert_allclose(found.pairs, expected.pairs, rtol=1e-9)


def test_no_warning_of_ours_and_every_warning_of_others(pilot):
    """The filters of other threads are left alone."""
    before = list(warnings.filters)
    ew.plan_sample_size(pilot[:50], effect=0.1, method="trace")
    assert warnings.filters == before


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

    @pytest.mark.parametrize("method", METHODS)
    def test_fewer_pairs_never_need_more_rows(self, pilot, method):
        whole = ew.plan_sample_size(pilot, effect=0.2, method=method)
        one = ew.plan_sample_size(pilot, effect=0.2, method=method, pairs=[("x0", "x1")])
        assert np.isfinite(one.pairs).sum() == 2
        bound = METHODS[method].simultaneous and method != "entrywise"
        if bound:
            assert one.pairs[0, 1] == whole.pairs[0, 1]
        else:
            assert one.pairs[0, 1] < whole.pairs[0, 1]
