"""What is said of Weyl's bounds, for eigenvalues put where they are wanted."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.simulate import make_gram_covariance
from edgewise.studies.eigenvalues import EigenvalueStudy
from edgewise.studies.study import Cell

STUDY = EigenvalueStudy()
SIZES = [1000, 4000]
DRAWS = 40
RADIUS = {"eig": 0.01, "trace": 0.03, "chi2": 0.02}
CELLS = [
    Cell({"distribution": distribution, "p": p, "sizes": SIZES}, DRAWS)
    for distribution in ("gaussian", "laplace")
    for p in (6, 8)
]


def truth(p):
    """The Σ of the study: decided by p alone."""
    return np.linalg.eigvalsh(make_gram_covariance(p, rng=np.random.default_rng([2016, p])))


def results(*, missed, by):
    """So many draws miss an eigenvalue, in one panel, by a multiple of ε_Eig."""
    made = []
    for cell in CELLS:
        p = cell.parameters["p"]
        radius = np.tile(list(RADIUS.values()), (DRAWS, 2, 1))
        eigenvalues = np.tile(truth(p), (DRAWS, 2, 1)) + 0.002
        made.append((cell, {"eigenvalues": eigenvalues, "radius": radius}))
    made[1][1]["eigenvalues"][:missed, 1, 3] = truth(8)[3] - by * 0.01
    return made


# P(X ≥ 9) = 0.0002 and P(X ≥ 10) = 0.00004 for X ~ B(40, 0.05); 0.001/8 panels lies between.
@pytest.mark.parametrize(
    ("missed", "by", "broken"),
    [
        (0, 0, ""),
        (9, 4, ""),
        (10, 1.5, "ε_Eig"),
        (10, 2.5, "ε_Eig ε_chi²"),
        (10, 4, "ε_Eig ε_chi² ε_Trace"),
        (40, 4, "ε_Eig ε_chi² ε_Trace"),
    ],
)
def test_claims(verdict, missed, by, broken):
    findings = STUDY.findings(results(missed=missed, by=by))
    for name in ("ε_Eig", "ε_chi²", "ε_Trace"):
        assert verdict(findings, name) == ("refuted" if name in broken else "not refuted")


def test_enough_draws_support_a_claim(verdict):
    """0.95^200 = 0.00004, while forty draws show nothing."""
    made = [
        (Cell(cell.parameters, 5 * DRAWS), {name: np.tile(of, (5, 1, 1)) for name, of in m.items()})
        for cell, m in results(missed=1, by=2.5)
    ]
    findings = STUDY.findings(made)
    assert verdict(findings, "ε_Trace") == "supported"
    # Five of 200 missed, in one panel.
    assert verdict(findings, "ε_Eig") == "not refuted"


def test_one_missed_eigenvalue_is_enough(verdict):
    """All eigenvalues of a draw at once: different ones in different draws count together."""
    made = results(missed=0, by=0)
    for draw in range(20):
        made[0][1]["eigenvalues"][draw, 0, draw % 6] += 1.0
    assert verdict(STUDY.findings(made), "ε_Trace") == "refuted"


def test_table(records):
    rows = records(STUDY.findings(results(missed=7, by=1.5)), 2 * (6 + 8) * DRAWS * 2)
    for row in rows:
        alpha, true = 1 / row["estimate"], 1 / row["true_value"]
        for name, radius in RADIUS.items():
            low, high = row[f"lower_{name}"], row[f"upper_{name}"]
            assert (low, high) == pytest.approx((1 / (alpha + radius), 1 / (alpha - radius)))
            # A bound in terms of Θ is the bound in terms of Σ that the claims count.
            assert (low <= 1 / true <= high) == (abs(alpha - true) <= radius)
    # Numbered as eigenvalues of Θ, the smallest first.
    first = {row["eigenvalue"]: row["true_value"] for row in rows if row["p"] == 6}
    assert sorted(first) == list(range(1, 7))
    assert np.allclose([first[k] for k in range(1, 7)], np.sort(1 / truth(6)))


def test_upper_bound_is_infinite_where_the_radius_is_too_large(records, can_be_drawn):
    made = results(missed=0, by=0)
    for _, measured in made:
        measured["radius"][..., 1] = 10.0
    findings = STUDY.findings(made)
    rows = records(findings, 2 * (6 + 8) * DRAWS * 2)
    assert all(np.isinf(row["upper_trace"]) and row["lower_trace"] > 0 for row in rows)
    assert can_be_drawn(findings)


def test_the_papers_grid():
    cells = STUDY.cells("paper")
    assert {cell.n_draws for cell in cells} == {200}
    assert [cell.parameters["sizes"] for cell in cells] == [[100_000, 500_000]] * 4
    assert {(c.parameters["distribution"], c.parameters["p"]) for c in cells} == {
        ("gaussian", 6),
        ("gaussian", 8),
        ("laplace", 6),
        ("laplace", 8),
    }


def test_measure():
    parameters = {"distribution": "gaussian", "p": 6, "sizes": [2000, 8000]}
    measured = STUDY.measure(parameters, np.random.default_rng(1))
    assert measured["eigenvalues"].shape == (2, 6)
    assert measured["radius"].shape == (2, 3)
    eig, trace, chi2 = measured["radius"].T
    assert (eig < chi2).all()
    assert (chi2 < trace).all()
    assert (np.abs(measured["eigenvalues"] - truth(6)) < trace[:, np.newaxis]).all()
