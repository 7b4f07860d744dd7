"""A plan keeps its word: its rows have the power, or the threshold, that was planned."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from edgewise import edge_test, plan_sample_size
from edgewise.simulate import AutoRegressive, Gaussian, make_chain_precision, sample

PILOT_ROWS = 20_000
POWER = 0.8
P = 6
PAIR = (2, 3)

PER_EDGE = [
    (method, effect, law)
    for law in ("gaussian", "t5", "exponential")
    for method, effect in (("score", 0.45), ("score", 0.3), ("wald", 0.1), ("batch", 0.1))
]
PER_EDGE += [("score", 0.1, "laplace"), ("elliptical", 0.1, "laplace"), ("fisher", 0.1, "gaussian")]


def power_at_the_planned_rows(trial, rows, method, effect):
    """The share of tests that find the pair, averaged over pilots because their plans differ."""
    precision = make_chain_precision(P, effect)
    for rng in trial.draws(30, 400):
        plan = plan_sample_size(
            rows(precision, PILOT_ROWS, rng=rng),
            effect=effect,
            power=POWER,
            method=method,
            correction="bonferroni",
        )
        n = int(plan.pairs[PAIR])
        found = [
            edge_test(rows(precision, n, rng=rng), method=method, correction="bonferroni")
            for _ in range(10)
        ]
        yield np.mean([result.reject[PAIR] for result in found])


@pytest.mark.parametrize(("method", "effect", "distribution"), PER_EDGE)
def test_planned_power(trial, method, effect, distribution):
    rows = partial(sample, distribution)
    shares = list(power_at_the_planned_rows(trial, rows, method, effect))
    trial.mean_within(f"power planned for {POWER}", shares, POWER, slack=0.05)


def test_planned_power_on_dependent_rows(trial):
    rows = partial(sample, AutoRegressive(Gaussian(), memory=0.7))
    shares = list(power_at_the_planned_rows(trial, rows, "batch", 0.1))
    trial.mean_within(f"power planned for {POWER}", shares, POWER, slack=0.05)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", ["trace", "spectral", "whitened"])
def test_planned_threshold(trial, method, distribution):
    effect = 0.3
    precision = make_chain_precision(P, effect)
    thresholds = []
    for rng in trial.draws(9, 101):
        pilot = sample(distribution, precision, PILOT_ROWS, rng=rng)
        n = int(plan_sample_size(pilot, effect=effect, method=method).pairs[PAIR])
        result = edge_test(sample(distribution, precision, n, rng=rng), method=method)
        threshold = np.broadcast_to(result.threshold, (P, P))[PAIR]
        root = np.sqrt(result.precision.diagonal())
        thresholds.append(threshold / (root[PAIR[0]] * root[PAIR[1]]))
    trial.median_within(f"threshold on |ρ| planned for {effect}", thresholds, effect, 0.05)
