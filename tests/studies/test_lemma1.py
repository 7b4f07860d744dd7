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


# P(X ≥ 14) = 0.0005 and P(X ≥ 15) = 0.0001 for X ~ B(100, 0.05); 0.001/4 lies between.
@pytest.mark.parametrize(
    ("times", "said"),
    [
        (0, "not refuted"),
        (5, "not refuted"),
        (14, "not refuted"),
        (15, "refuted"),
        (100, "refuted"),
    ],
)
@pytest.mark.parametrize("event", EVENTS)
def test_claims(verdict, event, times, said):
    findings = STUDY.findings(results(**{event: times}))
    for other, sentence in SENTENCES.items():
        # 0.95^100 = 0.006: a hundred draws without an event do not show that it is rare.
        assert verdict(findings, sentence) == (said if other == event else "not refuted")
    assert len(findings.claims) == 4


def test_enough_draws_support_a_claim(verdict):
    """0.95^200 = 0.00004."""
    made = []
    for cell, measured in results(eig=1):
        twice = {name: np.concatenate([of, of]) for name, of in measured.items()}
        made.append((Cell(cell.parameters, 2 * DRAWS), twice))
    findings = STUDY.findings(made)
    assert verdict(findings, SENTENCES["trace"]) == "supported"
    # Two events in 200: P(X ≤ 2) = 0.0023.
    assert verdict(findings, SENTENCES["eig"]) == "not refuted"


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
