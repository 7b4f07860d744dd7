"""What is said of false positive rates, for p-values whose distribution is known."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.studies.diagonal import COMPARED, KINDS, LEVELS
from edgewise.studies.false_positives import (
    NULL_METHODS,
    VIOLATION_METHODS,
    FalsePositiveStudy,
)
from edgewise.studies.study import Cell

STUDY = FalsePositiveStudy()
DRAWS = 1000
PAIRS, ENTRIES, NULLS = 15, 21, 8
CELLS = [Cell({"distribution": name, "n": 1000}, DRAWS) for name in ("gaussian", "laplace")]
# Levels, as even as can be and in no order, so that every rate is just the level.
UNIFORM = np.random.default_rng(0).permutation((np.arange(DRAWS * PAIRS) + 0.5) / (DRAWS * PAIRS))
UNIFORM = UNIFORM.reshape(DRAWS, PAIRS)
DIAGONAL = np.cumsum([0, 6, 5, 4, 3, 2])


@pytest.fixture
def results():
    """Bounds that find nothing, and the rest as the paper says; each test spoils one thing."""
    made = []
    for cell in CELLS:
        is_null = np.zeros((DRAWS, PAIRS), dtype=bool)
        is_null[:, :NULLS] = True
        null = np.zeros((DRAWS, len(NULL_METHODS), PAIRS))
        heavy = cell.parameters["distribution"] == "laplace"
        null[:, NULL_METHODS.index("score")] = np.log(UNIFORM)
        null[:, NULL_METHODS.index("fisher")] = np.log(UNIFORM**2 if heavy else UNIFORM)
        violation = np.zeros((DRAWS, len(VIOLATION_METHODS), ENTRIES))
        # Fisher's interval is for pairs only.
        violation[:, VIOLATION_METHODS.index("fisher"), DIAGONAL] = np.nan
        made.append((cell, {"is_null": is_null, "null": null, "violation": violation}))
    return made


@pytest.fixture
def null_of(results):
    """The log p-values of a method, to be changed."""
    return lambda cell, method: results[cell][1]["null"][:, NULL_METHODS.index(method)]


@pytest.fixture
def violation_of(results):
    return lambda cell, method: results[cell][1]["violation"][:, VIOLATION_METHODS.index(method)]


NAMES = {"eig": "edgeTest-eig", "trace": "edgeTest-tr"}
EVERY = "at every δ"


def test_all_holds(results, records):
    findings = STUDY.findings(results)
    said = {claim.says: claim.verdict for claim in findings.claims}
    assert len(said) == 12
    # An equality is never supported.
    for says, found in said.items():
        assert found == ("not refuted" if "on the diagonal" in says else "supported")
    rows = records(findings, 2 * (5 + 2 * 4) * len(LEVELS))
    fisher = {
        row["delta"]: row["rate"]
        for row in rows
        if (row["distribution"], row["method"], row["kind"]) == ("laplace", "fisher", KINDS[0])
    }
    # P(U² ≤ δ) = √δ.
    assert fisher[0.25] == pytest.approx(0.5, abs=0.02)
    assert fisher[1.0] == 1


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("cell", [0, 1])
def test_null_entries_above_the_diagonal(results, null_of, verdict, method, cell):
    null_of(cell, method)[:] = np.log(UNIFORM**2)
    findings = STUDY.findings(results)
    other = NAMES["trace" if method == "eig" else "eig"]
    assert verdict(findings, NAMES[method], KINDS[0]) == "refuted"
    assert verdict(findings, other, KINDS[0]) == "supported"
    assert verdict(findings, NAMES[method], EVERY, KINDS[1]) == "supported"


def test_on_the_diagonal_is_not_above(results, null_of, verdict):
    null_of(0, "eig")[:] = np.log(UNIFORM)
    assert verdict(STUDY.findings(results), NAMES["eig"], KINDS[0]) == "not refuted"


def test_few_draws_show_nothing(results, verdict):
    """Forty without a single violation; and forty of which three more than 40 δ are violated."""
    few = [
        (Cell(cell.parameters, 40), {name: of[:40] for name, of in measured.items()})
        for cell, measured in results
    ]
    assert verdict(STUDY.findings(few), NAMES["trace"], "up to 0.215") == "not refuted"
    few[0][1]["violation"][:5, VIOLATION_METHODS.index("trace"), 0] = np.log(0.045)
    findings = STUDY.findings(few)
    assert verdict(findings, NAMES["trace"], "up to 0.215") == "not refuted"
    (claim,) = [c for c in findings.claims if NAMES["trace"] in c.says and "0.215" in c.says]
    assert claim.measured.startswith("rate 0.1250 at δ = 0.05 (gaussian, the worst)")
    assert 0 < claim.excess < claim.limit


def test_edges_that_are_found_are_no_false_positives(results, null_of, verdict):
    null_of(0, "eig")[:, NULLS:] = -100.0
    assert verdict(STUDY.findings(results), NAMES["eig"], KINDS[0]) == "supported"


def test_violations_of_an_entry(results, violation_of, verdict):
    violation_of(1, "trace")[:] = np.log(UNIFORM[:, :1] ** 2)
    findings = STUDY.findings(results)
    for kind in KINDS[1:]:
        assert verdict(findings, NAMES["trace"], EVERY, kind) == "refuted"
    assert verdict(findings, NAMES["trace"], "up to 0.215") == "refuted"
    assert verdict(findings, NAMES["trace"], KINDS[0]) == "supported"


def test_violations_of_any_entry(results, violation_of, verdict):
    """Each entry alone is rarely violated; one of them often."""
    violation_of(0, "trace")[:, :PAIRS] = np.log(UNIFORM)
    findings = STUDY.findings(results)
    assert verdict(findings, NAMES["trace"], EVERY, KINDS[1]) == "supported"
    assert verdict(findings, NAMES["trace"], EVERY, KINDS[2]) == "refuted"


def test_violations_beyond_the_proven_levels(results, violation_of, verdict):
    """At δ = 0.4 every draw is violated, below none is: the proven half of the axis is fine."""
    violation_of(0, "trace")[:, 0] = np.log(0.4)
    findings = STUDY.findings(results)
    assert verdict(findings, NAMES["trace"], EVERY, KINDS[2]) == "refuted"
    assert verdict(findings, NAMES["trace"], "up to 0.215", KINDS[2]) == "supported"


@pytest.mark.parametrize("power", [0.5, 2])
def test_fisher_off_the_diagonal_for_gaussian_rows(results, null_of, verdict, power):
    null_of(0, "fisher")[:] = np.log(UNIFORM**power)
    assert verdict(STUDY.findings(results), "Fisher's test lies on the diagonal") == "refuted"


@pytest.mark.parametrize(("power", "said"), [(0.5, "refuted"), (1, "not refuted")])
def test_fisher_not_above_the_diagonal_for_laplace_rows(results, null_of, verdict, power, said):
    null_of(1, "fisher")[:] = np.log(UNIFORM**power)
    assert verdict(STUDY.findings(results), "Fisher's test lies above the diagonal") == said


@pytest.mark.parametrize("power", [0.5, 2])
@pytest.mark.parametrize("cell", [0, 1])
def test_score_off_the_diagonal(results, null_of, verdict, cell, power):
    null_of(cell, "score")[:] = np.log(UNIFORM**power)
    assert verdict(STUDY.findings(results), "the score test lies on the diagonal") == "refuted"


def test_levels_reach_over_the_whole_axis():
    assert (LEVELS[0], LEVELS[-1]) == (0.001, 1.0)
    assert (np.diff(LEVELS) > 0).all()
    assert 0.05 in LEVELS
    np.testing.assert_allclose(LEVELS[COMPARED], np.arange(1, 100) / 100)


def test_the_papers_grid():
    cells = STUDY.cells("paper")
    assert {cell.parameters["n"] for cell in cells} == {100_000}
    assert {cell.parameters["distribution"] for cell in cells} == {"gaussian", "laplace"}
    # The paper has 100 to 200 draws.
    assert all(cell.n_draws >= 200 for cell in cells)
    assert all(cell.n_draws >= 200 for cell in STUDY.cells("quick"))


def test_measure():
    measured = STUDY.measure({"distribution": "laplace", "n": 4000}, np.random.default_rng(1))
    assert measured["is_null"].sum() == NULLS
    assert measured["null"].shape == (len(NULL_METHODS), PAIRS)
    assert measured["violation"].shape == (len(VIOLATION_METHODS), ENTRIES)
    # Log p-values; missing only on the diagonal of Fisher's.
    missing = np.isnan(measured["violation"])
    assert (np.flatnonzero(missing[VIOLATION_METHODS.index("fisher")]) == DIAGONAL).all()
    assert missing.sum() == 6
    assert (measured["null"] <= 0).all()
    assert (measured["violation"][~missing] <= 0).all()
