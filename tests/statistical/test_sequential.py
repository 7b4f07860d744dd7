"""Looking at a stream again and again: the error of all looks together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistical.laws import DISCRETE, PValues, rejects, rows_of

from edgewise import ConfidenceSequence, edge_test
from edgewise.inference.references import Student
from edgewise.methods.sequential import AnytimeReference, tuned_rho2
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
FIRST, LAST = 500, 50_000
# The laws of `test_batch`.
LAWS = ("ar1-gaussian", "ar1-t5", "contaminated", "one-cell", "lognormal", "poisson 0.02")


def covers_all_pairs(result, scale, truth):
    low, high = result.confidence_interval(1 - ALPHA, scale=scale, simultaneous=True)
    inside = (low <= truth) & (truth <= high)
    return bool(inside[np.triu_indices(len(truth), k=1)].all())


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_every_look_at_a_stream(trial, partial_correlations, distribution):
    p, looks = (6, 200) if trial.full else (4, 25)
    precision = make_chain_precision(p)
    truths = {"precision": precision, "partial_correlation": partial_correlations(precision)}
    null = precision == 0
    ends = np.geomspace(FIRST, LAST, looks).round().astype(int)
    sequential, fixed = [], []
    covered: dict[str, list[bool]] = {scale: [] for scale in truths}
    for rng in trial.draws(40, 400):
        X = sample(distribution, precision, LAST, rng=rng)
        sequence = ConfidenceSequence(ALPHA, tuned_for=5000)
        false_sequential = false_fixed = False
        held = dict.fromkeys(truths, True)
        for start, end in zip([0, *ends], ends, strict=False):
            result = sequence.update(X[start:end]).result()
            false_sequential |= bool(result.reject[null].any())
            for scale, truth in truths.items():
                held[scale] &= covers_all_pairs(result, scale, truth)
            anew = edge_test(sequence.state, method="batch", alpha=ALPHA, correction="bonferroni")
            false_fixed |= bool(anew.reject[null].any())
        sequential.append(false_sequential)
        fixed.append(false_fixed)
        for scale, kept in held.items():
            covered[scale].append(kept)
    trial.rate_at_most("a false edge at any look, confidence sequence", sequential, ALPHA)
    for scale, events in covered.items():
        trial.rate_at_least(f"all pairs covered at all looks, {scale}", events, 1 - ALPHA)
    # The proofs must be able to see a bad test: this one is made anew at every look.
    trial.rate_exceeds("a false edge at any look, batch + bonferroni", fixed, ALPHA)


@pytest.mark.parametrize("law", LAWS)
def test_every_look_at_odd_rows(trial, law):
    """The first look comes at 500 rows, where rows with a memory outlast the batches of 2 to 4."""
    p, looks = 5, (200 if trial.full else 30)
    precision = make_chain_precision(p)
    null = np.logical_or(precision == 0, law in DISCRETE)[np.triu_indices(p, k=1)]
    ends = np.geomspace(FIRST, LAST, looks).round().astype(int)
    errors = []
    for rng in trial.draws(15, 200):
        X = rows_of(law, precision, LAST, rng)
        sequence = ConfidenceSequence(ALPHA, tuned_for=5000)
        log_pvalues = PValues(sequence.method())
        found = False
        for start, end in zip([0, *ends], ends, strict=False):
            log_p = log_pvalues(sequence.update(X[start:end]).state)
            found |= bool(rejects(log_p, "bonferroni")[null].any())
        errors.append(found)
    trial.rate_at_most("a false edge at any look, confidence sequence", errors, ALPHA)


@pytest.mark.parametrize("p", [10, 20, 50])
def test_errors_from_batches_that_stay_few(trial, p):
    """However many rows: 100 to 199 batches. At the levels of many pairs that shows.

    The limit itself is drawn: sums of batches are normal. Every pair is a trial at its share of the
    level; Bonferroni needs no more.
    """
    share, kept, pairs = ALPHA / (p * (p - 1) / 2), 100, 4000
    rho2 = tuned_rho2(share, 1600)
    references = {"Student": Student, "normal": lambda _: Student(1e12)}
    crossed: dict[str, list[bool]] = {name: [] for name in references}
    for rng in trial.draws(3, 150):
        found = {name: np.zeros(pairs, bool) for name in references}
        sums = list(rng.standard_normal((kept, pairs)))
        for rows in 2 ** np.arange(8):
            total, squares = np.sum(sums, axis=0), np.sum(np.square(sums), axis=0)
            while len(sums) < 2 * kept:
                sums.append(rng.standard_normal(pairs) * math.sqrt(rows))
                total, squares = total + sums[-1], squares + sums[-1] ** 2
                k = len(sums)
                statistic = np.abs(total) / np.sqrt(k * (squares - total**2 / k) / (k - 1))
                for name, law in references.items():
                    reference = AnytimeReference(int(k * rows), rho2, law(k - 1))
                    found[name] |= statistic >= reference.critical(math.log(share))
            sums = [sum(two) for two in zip(sums[::2], sums[1::2], strict=True)]
        for name, events in found.items():
            crossed[name] += events.tolist()
    trial.rate_at_most(f"a pair of {p} columns at any look, Student", crossed["Student"], share)
    if trial.full and p == 20:
        trial.rate_exceeds("the same, errors taken for known", crossed["normal"], share)
