"""Batch means: on rows that depend on the rows before them, and on whatever else rows may be."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import DISCRETE, FULL, PValues, rejects, rows_of

from edgewise import edge_test
from edgewise.simulate import DISTRIBUTIONS, AutoRegressive, make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
SLACK = 0.015
N = 20_000
PRECISION = make_chain_precision(6)
NULL = PRECISION == 0

DRAWS = {10: (100, 1_000), 20: (60, 500), 50: (20, 200)}
# Batches, columns, rows per column. 100 batches need 100 rows.
SIZES = [(k, 10, ratio) for k in (30, 100) for ratio in (10, 50, 500)]
SIZES += [(30, 10, 3), (30, 50, 3), (100, 50, 3), (30, 20, 50), (100, 20, 50), (100, 50, 20)]
# Independent rows, however odd; batches may have a single row.
INDEPENDENT = ("contaminated", "one-cell", "lognormal", "poisson 0.02")
EVERY_CELL = [(law, *size) for law in INDEPENDENT for size in SIZES]
# Rows with a memory of 0.7: as many as give batches of 16 rows or more.
LONG_BATCHES = [(30, 10, 50), (30, 10, 500), (30, 20, 50), (100, 10, 500), (100, 20, 200)]
DEPENDENT = ("ar1-gaussian", "ar1-t5")
EVERY_CELL += [(law, *size) for law in DEPENDENT for size in LONG_BATCHES]
FEW_CELLS = [(law, 30, 10, 50) for law in INDEPENDENT + DEPENDENT]
FEW_CELLS += [("contaminated", 100, 10, 10), ("ar1-t5", 100, 10, 500), ("one-cell", 100, 10, 50)]
FEW_CELLS += [("lognormal", 30, 50, 3), ("contaminated", 30, 10, 3)]


def is_testable(law, p, ratio):
    """Columns of rare events with fewer rows are mostly constant."""
    return law != "poisson 0.02" or p * ratio >= 500


@pytest.mark.parametrize(
    ("law", "n_batches", "p", "ratio"),
    [cell for cell in (EVERY_CELL if FULL else FEW_CELLS) if is_testable(cell[0], *cell[2:])],
)
def test_batches(trial, law, n_batches, p, ratio):
    precision = make_chain_precision(p)
    null = np.logical_or(precision == 0, law in DISCRETE)[np.triu_indices(p, k=1)]
    log_pvalues = PValues("batch", n_batches=n_batches)
    shares, errors = [], []
    for rng in trial.draws(*DRAWS[p]):
        log_p = log_pvalues(rows_of(law, precision, ratio * p, rng))
        shares.append((log_p[null] <= np.log(ALPHA)).mean())
        errors.append(rejects(log_p, "holm")[null].any())
    with trial.together():
        trial.rate_at_most("family-wise error, batch + Holm", errors, ALPHA)
        if law in ("contaminated", *DEPENDENT) and ratio >= 50:
            trial.mean_within("null pairs below 0.05", shares, ALPHA, slack=SLACK)
        else:
            # The Gaussian floor, and with few rows a column the jackknife, are conservative.
            trial.mean_at_most("null pairs below 0.05", shares, ALPHA + SLACK)


@pytest.mark.parametrize("law", DEPENDENT)
def test_batches_shorter_than_the_memory(trial, law):
    """No test can know of a dependence that is longer than its batches: here they have one row.

    Left to itself the method makes fewer, longer batches, which have 16 rows each.
    """
    precision = make_chain_precision(10)
    null = (precision == 0)[np.triu_indices(10, k=1)]
    methods = {"one row": PValues("batch", n_batches=100), "default": PValues("batch")}
    shares = {name: [] for name in methods}
    for rng in trial.draws(100, 1_000):
        X = rows_of(law, precision, 199, rng)
        for name, log_pvalues in methods.items():
            shares[name].append((log_pvalues(X)[null] <= np.log(ALPHA)).mean())
    trial.mean_at_least("null pairs below 0.05, batches of one row", shares["one row"], 0.15)
    trial.mean_at_most("null pairs below 0.05, as by default", shares["default"], ALPHA + SLACK)


@pytest.mark.parametrize("distribution", ["gaussian", "t5"])
def test_batch_means_on_dependent_rows(trial, distribution):
    law = AutoRegressive(DISTRIBUTIONS[distribution], memory=0.7)
    pairs = NULL[np.triu_indices(6, k=1)]
    methods = {"batch": PValues("batch"), "wald": PValues("wald")}
    shares = {method: [] for method in methods}
    for rng in trial.draws(60, 4_000):
        X = sample(law, PRECISION, N, rng=rng)
        for method, log_pvalues in methods.items():
            shares[method].append((log_pvalues(X)[pairs] <= np.log(ALPHA)).mean())
    trial.mean_within("false edges, batch", shares["batch"], ALPHA, slack=SLACK)
    # The proofs must be able to see a bad test: this one takes the rows for independent.
    trial.mean_at_least("false edges, wald", shares["wald"], 0.2)


@pytest.mark.parametrize("distribution", ["gaussian", "t5"])
def test_largest_statistic_on_dependent_rows(trial, distribution):
    law = AutoRegressive(DISTRIBUTIONS[distribution], memory=0.7)
    errors = []
    for rng in trial.draws(25, 1_000):
        X = sample(law, PRECISION, N, rng=rng)
        result = edge_test(X, method="batch", alpha=ALPHA, correction="maxt", n_batches=200)
        errors.append(result.reject[NULL].any())
        assert np.isfinite(result.threshold[NULL]).all()
    trial.rate_at_most("family-wise error, batch + max-|T|", errors, ALPHA)
