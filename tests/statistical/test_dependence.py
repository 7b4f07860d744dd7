"""The check for serial dependence: silent on independent rows, loud on others."""

from __future__ import annotations

import pytest

from edgewise.api.diagnose import diagnose
from edgewise.simulate import DISTRIBUTIONS, AutoRegressive, make_chain_precision, sample
from edgewise.tables.open import as_table

INDEPENDENT = ("gaussian", "laplace", "t5", "exponential", "lognormal")

N = 2000
PRECISION = make_chain_precision(6)
CUT = 0.01
# Products of log-normal residuals are skewed, even clipped: they raise an alarm too often.
LEVEL = {"lognormal": 0.02}


@pytest.mark.parametrize("distribution", INDEPENDENT)
def test_alarms_on_independent_rows(trial, distribution):
    alarms = []
    for rng in trial.draws(120, 8_000):
        X = sample(distribution, PRECISION, N, rng=rng)
        alarms.append(diagnose(as_table(X)).dependent)
    trial.rate_at_most("false alarms", alarms, LEVEL.get(distribution, CUT))


@pytest.mark.parametrize("distribution", INDEPENDENT)
def test_alarms_on_dependent_rows(trial, distribution):
    law = AutoRegressive(DISTRIBUTIONS[distribution], memory=0.7)
    alarms, advised = [], []
    for rng in trial.draws(20, 1_000):
        X = sample(law, PRECISION, N, rng=rng)
        diagnosis = diagnose(as_table(X))
        alarms.append(diagnosis.dependent)
        advised.append(diagnosis.advice().startswith("Use method 'batch'"))
    trial.rate_at_least("alarms, AR(1) with 0.7", alarms, 1.0)
    trial.rate_at_least("advice is 'batch'", advised, 1.0)
