"""What is said of power, for decisions made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.studies.power import METHODS, PowerStudy
from edgewise.studies.study import Cell

STUDY = PowerStudy()
SIZES = [10_000, 20_000, 30_000, 40_000]
DRAWS, PAIRS = 20, 15
CELLS = [Cell({"distribution": name, "sizes": SIZES}, DRAWS) for name in ("gaussian", "laplace")]
# Five strong entries, ten weak.
ENTRIES = np.tile(np.r_[np.full(5, 0.8), np.full(10, 0.2)], (DRAWS, 1))


@pytest.fixture
def results():
    """At the k-th size the 3k + 1 strongest are found; Fisher finds twelve of the fifteen."""
    found = np.zeros((DRAWS, len(METHODS), len(SIZES), PAIRS), dtype=bool)
    for k in range(len(SIZES)):
        found[:, :, k, : 3 * k + 1] = True
    found[:, METHODS.index("fisher"), :, :12] = True
    return [(cell, {"entries": ENTRIES.copy(), "found": found.copy()}) for cell in CELLS]


NAMES = {"eig": "edgeTest-eig", "trace": "edgeTest-tr"}
RISES, HIGHER, FEWER = "rises with n", "higher for |Θ_ij| > 0.5", "Fisher's test without correction"


def test_all_holds(results, records):
    findings = STUDY.findings(results)
    assert [claim.verdict for claim in findings.claims] == ["supported"] * 6
    rows = records(findings, 2 * len(METHODS) * 2 * len(SIZES))
    for row in rows:
        found = 12 if row["method"] == "fisher" else 3 * SIZES.index(row["n"]) + 1
        strong = row["entries"] != "all entries"
        assert row["power"] == pytest.approx(min(found, 5) / 5 if strong else found / 15)
        assert row["standard_error"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("cell", [0, 1])
def test_power_that_falls(results, verdict, method, cell):
    """Between two sizes only; at the end it is higher than at the beginning all the same."""
    found = results[cell][1]["found"][:, METHODS.index(method)]
    found[:, 2, 2:] = False
    findings = STUDY.findings(results)
    other = NAMES["trace" if method == "eig" else "eig"]
    assert verdict(findings, NAMES[method], RISES) == "refuted"
    assert verdict(findings, other, RISES) == "supported"


def test_power_that_stays(results, verdict):
    for _, measured in results:
        measured["found"][:] = measured["found"][:, :, :1]
    assert verdict(STUDY.findings(results), NAMES["eig"], RISES) == "not refuted"


def test_a_fall_within_the_error_is_none(results, verdict):
    """Of an edge that 20 draws had found one loses it again: that is one standard error."""
    found = results[0][1]["found"][:, METHODS.index("eig")]
    found[:, 1] = found[:, 0]
    found[3, 1] = False
    assert verdict(STUDY.findings(results), NAMES["eig"], RISES) == "supported"
    found[3:18, 1] = False
    assert verdict(STUDY.findings(results), NAMES["eig"], RISES) == "refuted"


@pytest.mark.parametrize("method", NAMES)
def test_weak_entries_found_first(results, verdict, method):
    found = results[1][1]["found"][:, METHODS.index(method)]
    found[:] = found[:, :, ::-1].copy()
    findings = STUDY.findings(results)
    other = NAMES["trace" if method == "eig" else "eig"]
    assert verdict(findings, NAMES[method], HIGHER) == "refuted"
    assert verdict(findings, other, HIGHER) == "supported"


def test_no_difference_is_not_higher(results, verdict):
    for _, measured in results:
        measured["found"][:] = np.arange(4)[:, np.newaxis] >= 2
    assert verdict(STUDY.findings(results), NAMES["eig"], HIGHER) == "not refuted"


@pytest.mark.parametrize("method", NAMES)
def test_fisher_at_one_size(results, verdict, method):
    """At the last of one distribution it finds as many, then fewer."""
    fisher = results[1][1]["found"][:, METHODS.index("fisher"), -1]
    for n_found, said in ((10, "not refuted"), (7, "refuted")):
        fisher[:] = np.arange(PAIRS) < n_found
        assert verdict(STUDY.findings(results), FEWER, NAMES[method]) == said


def test_few_draws_show_nothing(results, verdict):
    """Five that agree in everything."""
    few = [
        (Cell(cell.parameters, 5), {name: of[:5] for name, of in measured.items()})
        for cell, measured in results
    ]
    assert {claim.verdict for claim in STUDY.findings(few).claims} == {"not refuted"}


def test_draws_with_more_strong_entries_count_for_more(results):
    """Power is the share of all edges, not the mean of the shares of draws."""
    measured = results[0][1]
    measured["entries"][:] = 0.2
    measured["entries"][0, :10] = 0.8
    measured["entries"][1, 14] = 0.8
    first = [row for row in STUDY.findings(results).table.rows if row[1] == "eig"]
    (power,) = [
        row[4] for row in first if row[:1] + row[2:4] == ("gaussian", "|Θ_ij| > 0.5", 40_000)
    ]
    assert power == pytest.approx(10 / 11)


def test_no_strong_entries_at_all(results, records, can_be_drawn):
    for _, measured in results:
        measured["entries"][:] = 0.2
    findings = STUDY.findings(results)
    rows = records(findings, 2 * len(METHODS) * 2 * len(SIZES))
    assert all(row["power"] == 0 for row in rows if row["entries"] != "all entries")
    assert can_be_drawn(findings)


def test_the_papers_grid():
    for scale in ("paper", "quick"):
        for cell in STUDY.cells(scale):
            sizes = cell.parameters["sizes"]
            assert len(sizes) == 101
            assert (sizes[0], sizes[-1]) == (10_000, 1_010_000)
    assert {cell.parameters["distribution"] for cell in STUDY.cells("paper")} == {
        "gaussian",
        "laplace",
    }
    # The paper's histogram is over as many.
    assert {cell.n_draws for cell in STUDY.cells("paper")} == {100}


def test_measure():
    parameters = {"distribution": "gaussian", "sizes": [1000, 30_000]}
    measured = STUDY.measure(parameters, np.random.default_rng(1))
    assert measured["entries"].shape == (PAIRS,)
    assert measured["found"].shape == (len(METHODS), 2, PAIRS)
    assert measured["found"].dtype == bool
    eig, trace, score, fisher, holm = (
        measured["found"][METHODS.index(m)]
        for m in ("eig", "trace", "score + Holm", "fisher", "fisher + Holm")
    )
    # What the trace finds, with its larger threshold, eig finds too; score finds far more.
    assert (eig | ~trace).all()
    assert score[1].sum() > eig[1].sum() > eig[0].sum()
    # A correction only takes away.
    assert (fisher | ~holm).all()
