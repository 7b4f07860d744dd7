"""The Wald test: within its level on every law, and the more conservative the heavier the tails.

Measured with 300 data sets of 500 × 10: 0.04 of null pairs below 0.05 on Gaussian rows, 0.024 on
contaminated ones, 0.009 on log-normal ones.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import CONTINUOUS, DISCRETE, FULL, PValues, rejects, rows_of

from edgewise.simulate import make_chain_precision

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
DRAWS = {10: (100, 1_000), 20: (60, 400)}
EVERY_CELL = [(law, p, ratio) for law in CONTINUOUS for p in (10, 20) for ratio in (10, 50)]
EVERY_CELL += [(law, 10, 50) for law in DISCRETE]
FEW_CELLS = [(law, 10, 10) for law in ("gaussian", "t5", "contaminated", "lognormal")]
FEW_CELLS += [("poisson 0.02", 10, 50), ("ordinal", 10, 50)]


@pytest.mark.parametrize(("law", "p", "ratio"), EVERY_CELL if FULL else FEW_CELLS)
def test_wald(trial, law, p, ratio):
    precision = make_chain_precision(p)
    null = np.logical_or(precision == 0, law in DISCRETE)[np.triu_indices(p, k=1)]
    log_pvalues = PValues("wald")
    shares, errors = [], []
    for rng in trial.draws(*DRAWS[p]):
        log_p = log_pvalues(rows_of(law, precision, ratio * p, rng))
        shares.append((log_p[null] <= np.log(ALPHA)).mean())
        errors.append(rejects(log_p, "holm")[null].any())
    with trial.together():
        trial.rate_at_most("family-wise error, wald + Holm", errors, ALPHA)
        trial.mean_at_most("null pairs below 0.05", shares, ALPHA)
