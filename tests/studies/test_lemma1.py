"""What is said of Lemma 1, for events counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.studies.lemma1 import EVENTS, LemmaStudy
from edgewise.studies.study import Cell

STUDY = LemmaStudy()
DRAWS = 100
CELLS = [
    Cell({"distribution": distribution, "p": p, "n": 10_000}, DRAWS)
    for distribution in ("gaussian", "laplace")
    for p in (2, 6)
]
SENTENCES = {
    "eig": "Lemma 1",
    "trace": "Corollary 1",
    "chi2": "weighted chi-square radius",
    "false edge, eig": "declares a false edge",
}


def results(**happened):
    """Each event in so many of 100 draws, in one cell; elsewhere nothing happens."""
    made = [
        (
            cell,
            {
                "events": np.zeros((DRAWS, len(EVENTS)), dtype=bool),
                "norms": np.full((DRAWS, 2), 0.05),
                "radii": np.full((DRAWS, 3), 0.06),
            },
        )
        for cell in CELLS
    ]
    for event, times in happened.items():
        made[1][1]["events"][:times, list(EVENTS).index(event)] = True
    return made


# 0.05 + 3√(0.05·0.95/100) = 0.115.
@pytest.mark.parametrize(("times", "held"), [(0, True), (11, True), (12, False), (100, False)])
@pytest.mark.parametrize("event", EVENTS)
def test_claims(holds, event, times, held):
    findings = STUDY.findings(results(**{event: times}))
    for other, sentence in SENTENCES.items():
        assert holds(findings, sentence) == (held if other == event else True)
    assert len(findings.claims) == 4


def test_table(records):
    rows = records(STUDY.findings(results(eig=30)), 4 * 4)
    (row,) = [row for row in rows if row["rate"] > 0]
    assert (row["distribution"], row["p"], row["event"]) == ("gaussian", 6, EVENTS["eig"])
    assert (row["draws"], row["rate"]) == (100, 0.3)
    # Clopper and Pearson's interval for 30 of 100.
    assert row["lower_95"] == pytest.approx(0.2124, abs=1e-4)
    assert row["upper_95"] == pytest.approx(0.3998, abs=1e-4)


def test_scales():
    for scale in ("smoke", "quick", "paper"):
        cells = STUDY.cells(scale)
        assert {cell.parameters["distribution"] for cell in cells} == {"gaussian", "laplace"}
        assert {2, 6, 14} <= {cell.parameters["p"] for cell in cells}
    assert {cell.n_draws for cell in STUDY.cells("paper")} == {1000}


def test_measure():
    parameters = {"distribution": "gaussian", "p": 3, "n": 2000}
    measured = STUDY.measure(parameters, np.random.default_rng(1))
    eig, trace, chi2 = measured["radii"]
    norm, frobenius = measured["norms"]
    assert measured["events"].tolist()[:3] == [norm > eig, norm > trace, frobenius > chi2]
    assert eig < chi2 < trace
    assert norm <= frobenius
    # With Σ = I and Gaussian rows λ_max = 2/n whatever p is.
    assert eig == pytest.approx(2 * 1.96 / np.sqrt(2000), rel=0.15)
