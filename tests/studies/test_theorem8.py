"""The study of Theorem 8: its test over pairs of rows, and what it says of made-up thresholds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from edgewise.simulate import make_chain_precision, sample
from edgewise.studies.study import Cell
from edgewise.studies.theorem8 import BudgetStudy, kendall_threshold

STUDY = BudgetStudy()
SIZES = [1500 * 4**k for k in range(5)]
DRAWS = 12
SENTENCES = ("cost n²", "that of the linear", "Corollary 2", "within a factor of 3")


def results(linear=-0.5, pairs=-0.25, ratio=8.0):
    """Straight lines of these slopes; at the first budget the linear test is so much worse."""
    steps = 18.0 * np.array(SIZES) / (18.0 * SIZES[0])
    curves = np.stack([0.2 * ratio * steps**linear, 0.2 * steps**pairs])
    laws = ("gaussian", "laplace")
    cells = [Cell({"distribution": law, "sizes": SIZES}, DRAWS) for law in laws]
    return [(cell, {"threshold": np.tile(curves, (DRAWS, 1, 1))}) for cell in cells]


YES, OPEN, NO = "supported", "not refuted", "refuted"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"ratio": 2.5}, (YES, YES, YES, YES)),
        # 8 = 4096^{1/4}: they cross at 4096 times the first budget, which is not reached.
        ({}, (YES, YES, NO, OPEN)),
        ({"ratio": 2.5, "pairs": -0.35}, (NO, YES, NO, OPEN)),
        ({"ratio": 2.0, "linear": -0.4}, (YES, NO, YES, YES)),
    ],
)
def test_claims(verdict, given, expected):
    findings = STUDY.findings(results(**given))
    assert tuple(verdict(findings, sentence) for sentence in SENTENCES) == expected
    assert len(findings.claims) == 4


def test_infinite_thresholds(can_be_drawn):
    made = results(ratio=2.5)
    for _, measured in made:
        measured["threshold"][:, 0, 0] = np.inf
    findings = STUDY.findings(made)
    assert can_be_drawn(findings)
    assert {claim.verdict for claim in findings.claims} == {YES}


def test_table(records):
    rows = records(STUDY.findings(results()), 2 * 2 * 5)
    first = [row for row in rows if row["budget"] == 27_000]
    assert {(row["test"], row["n"]) for row in first} == {("trace", 1500), ("kendall", 134)}


def test_kendall_by_another_way():
    """τ by SciPy; the standard error by leaving out each row in turn."""
    rows = sample("laplace", make_chain_precision(3), 150, rng=4)

    def precision(some):
        covariance = np.eye(3)
        for i, j in combinations(range(3), 2):
            tau = stats.kendalltau(some[:, i], some[:, j]).statistic
            covariance[i, j] = covariance[j, i] = np.sin(np.pi * tau / 2)
        return np.linalg.inv(covariance)[np.triu_indices(3, 1)]

    without = np.array([precision(np.delete(rows, k, axis=0)) for k in range(len(rows))])
    n = len(rows)
    error = np.sqrt((n - 1) / n * np.sum((without - without.mean(axis=0)) ** 2, axis=0))
    expected = np.median(stats.norm.isf(0.05 / 6) * error)
    # The jackknife is the projection up to terms of order 1/n.
    assert kendall_threshold(rows) == pytest.approx(expected, rel=0.05)


def test_measure():
    cell = {"distribution": "gaussian", "sizes": [1500, 6000]}
    measured = STUDY.measure(cell, np.random.default_rng(1))["threshold"]
    assert measured.shape == (2, 2)
    assert np.all(np.diff(measured, axis=1) < 0)
    assert measured[1, 0] / measured[1, 1] == pytest.approx(2**0.5, rel=0.15)
