"""What is said of thresholds, for curves whose slope is known."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.studies.growth import BOUNDS
from edgewise.studies.study import Cell
from edgewise.studies.threshold_claims import overshoot
from edgewise.studies.thresholds import ThresholdStudy

STUDY = ThresholdStudy()
SIZES = [10_000, 20_000, 40_000, 80_000, 160_000]
DRAWS = 20
EVEN = np.linspace(-1, 1, DRAWS)
HEIGHT = {"eig": 1.0, "trace": 3.0, "spectral": 2.0, "whitened": 0.5}
EIG, TRACE, WHITENED = (BOUNDS.index(name) for name in ("eig", "trace", "whitened"))
CELLS = [
    Cell({"distribution": distribution, "p": p, "sizes": SIZES}, DRAWS)
    for distribution in ("gaussian", "laplace")
    for p in (4, 6)
]


def curves(slope, bend=0.0, spread=0.002):
    """Of every draw: this slope in log n at the middle, which changes by `bend` over the sizes."""
    log_n = np.log(np.array(SIZES) / SIZES[2])
    of_draw = slope + spread * EVEN
    bent = np.broadcast_to(bend, DRAWS)[:, np.newaxis] * log_n**2 / np.ptp(log_n) / 2
    falling = np.exp(of_draw[:, np.newaxis] * log_n + bent)
    return np.stack([height * falling for height in HEIGHT.values()], axis=1)


@pytest.fixture
def results():
    """Everything as the paper says; each test spoils one thing."""
    return [
        (
            cell,
            {
                "threshold": curves(-0.53, bend=0.02),
                "radius": curves(-0.5),
                "least_overshoot": np.full((DRAWS, len(SIZES)), 4.0),
            },
        )
        for cell in CELLS
    ]


FALLS, LIMIT, RADIUS = "t_{} = O(n", "√n·t_{} tends", "log ε_{} falls"


def test_all_holds(results, records):
    findings = STUDY.findings(results)
    assert [claim.verdict for claim in findings.claims] == ["supported"] * 9
    rows = records(findings, 4 * 4 * 5)
    (row,) = [
        row
        for row in rows
        if (row["distribution"], row["p"], row["method"], row["n"])
        == ("laplace", 6, "trace", 40_000)
    ]
    for column in ("median_threshold", "lower_quartile", "upper_quartile", "median_radius"):
        assert row[column] == pytest.approx(3.0)
    assert row["share_finite"] == 1
    assert row["median_overshoot"] == pytest.approx(9.0)
    assert row["median_least_overshoot"] == 4.0


@pytest.mark.parametrize(
    ("slope", "expected"), [(-0.7, "supported"), (-0.5, "not refuted"), (-0.49, "refuted")]
)
@pytest.mark.parametrize("method", ["Eig", "Trace"])
def test_slopes_of_thresholds(results, verdict, method, slope, expected):
    """In one cell of many, of one method: that claim changes, and only that. Steeper is fine."""
    row = BOUNDS.index(method.lower())
    results[2][1]["threshold"][:, row] = curves(slope, bend=0.02)[:, row]
    findings = STUDY.findings(results)
    other = "Trace" if method == "Eig" else "Eig"
    assert verdict(findings, FALLS.format(method)) == expected
    assert verdict(findings, FALLS.format(other)) == "supported"


@pytest.mark.parametrize(
    ("bend", "expected"),
    [(0.02, "supported"), (0.02 * EVEN, "not refuted"), (-0.02, "refuted")],
    ids=["to", "neither", "from"],
)
@pytest.mark.parametrize("method", ["Eig", "Trace"])
def test_slopes_that_come_nearer(results, verdict, method, bend, expected):
    row = BOUNDS.index(method.lower())
    results[1][1]["threshold"][:, row] = curves(-0.53, bend)[:, row]
    assert verdict(STUDY.findings(results), LIMIT.format(method)) == expected


@pytest.mark.parametrize(
    ("slope", "expected"),
    [(-0.508, "supported"), (-0.492, "supported"), (-0.51, "not refuted"), (-0.512, "refuted")],
)
@pytest.mark.parametrize("method", ["Eig", "Trace"])
def test_slopes_of_radii(results, verdict, method, slope, expected):
    row = BOUNDS.index(method.lower())
    results[3][1]["radius"][:, row] = curves(slope)[:, row]
    assert verdict(STUDY.findings(results), RADIUS.format(method)) == expected


def test_slopes_that_differ_between_draws_have_an_error(results, verdict):
    """−0.48 is above −½ where all draws agree, but not where they are far apart."""
    for spread, expected in ((0.002, "refuted"), (0.2, "not refuted")):
        results[0][1]["threshold"][:, TRACE] = curves(-0.48, spread=spread)[:, TRACE]
        assert verdict(STUDY.findings(results), FALLS.format("Trace")) == expected


def test_infinite_thresholds_are_skipped(results, verdict, records, can_be_drawn):
    """Small samples have none; the slope is that of the others."""
    for _, measured in results:
        measured["threshold"][:, [EIG, TRACE], :2] = np.inf
    findings = STUDY.findings(results)
    for method in ("Eig", "Trace"):
        assert verdict(findings, FALLS.format(method)) == "supported"
    # Two infinite thresholds are not in the wrong order.
    assert verdict(findings, "t_Eig lies below t_Trace") == "supported"
    assert verdict(findings, "whitened") == "supported"
    rows = records(findings, 4 * 4 * 5)
    for row in rows:
        infinite = row["method"] in ("eig", "trace") and row["n"] <= 20_000
        assert row["share_finite"] == (not infinite)
        assert np.isinf(row["median_threshold"]) == infinite
    assert can_be_drawn(findings)


def test_no_finite_threshold_at_all(results, verdict):
    for _, measured in results:
        measured["threshold"][:, TRACE] = np.inf
    findings = STUDY.findings(results)
    assert verdict(findings, FALLS.format("Trace")) == "not refuted"
    assert verdict(findings, "t_Eig lies below t_Trace") == "supported"


def test_median_with_some_infinite_thresholds(results):
    """Two of three draws have a threshold: the median is the larger of the two."""
    for measured in (results[0][1],):
        for name in measured:
            measured[name] = measured[name][:3]
        measured["threshold"][:, TRACE, 0] = [np.inf, 2.0, 4.0]
    first = next(row for row in STUDY.findings(results).table.rows if row[2] == "trace")
    assert first[3] == 10_000
    assert first[4] == 4.0
    assert first[7] == pytest.approx(2 / 3)


@pytest.mark.parametrize("value", [1.2, np.inf])
@pytest.mark.parametrize(
    ("row", "sentence"), [(EIG, "t_Eig lies below t_Trace"), (WHITENED, "whitened")]
)
def test_not_below_trace(results, verdict, row, sentence, value):
    """At one size of one cell: in one draw that may be an accident, in all it is not."""
    threshold = results[3][1]["threshold"]
    threshold[1, row, 4] = value * threshold[1, TRACE, 4]
    findings = STUDY.findings(results)
    assert verdict(findings, sentence) != "refuted"
    (claim,) = [claim for claim in findings.claims if sentence in claim.says]
    assert "in 399 of 400 comparisons" in claim.measured
    threshold[:, row, 4] = value * threshold[:, TRACE, 4]
    assert verdict(STUDY.findings(results), sentence) == "refuted"


def test_an_overshoot_below_the_bound(results, verdict):
    sentence = "Tr C/λ_max is at least"
    results[0][1]["least_overshoot"][:, 0] = 9.0 * np.linspace(0.99, 1.01, DRAWS)
    assert verdict(STUDY.findings(results), sentence) == "not refuted"
    results[0][1]["least_overshoot"][:, 0] = 9.5
    assert verdict(STUDY.findings(results), sentence) == "refuted"


class TestScales:
    def test_the_paper_has_101_sizes(self):
        cells = STUDY.cells("paper")
        for cell in cells:
            sizes = cell.parameters["sizes"]
            assert len(sizes) == 101
            assert (sizes[0], sizes[-1]) == (10_000, 1_010_000)
            assert set(np.diff(sizes)) == {10_000}
        settings = {(cell.parameters["distribution"], cell.parameters["p"]) for cell in cells}
        assert settings == {(d, p) for d in ("gaussian", "laplace") for p in (4, 6, 8, 10, 12, 14)}

    def test_quick_draws_are_the_first_of_the_papers(self):
        """The same settings: going on from quick to paper makes nothing twice."""
        quick, paper = STUDY.cells("quick"), STUDY.cells("paper")
        assert [c.key("fig1") for c in quick] == [c.key("fig1") for c in paper]
        for few, many in zip(quick, paper, strict=True):
            assert few.n_draws < many.n_draws
            assert few.together == many.together
            assert few.n_draws % few.together == 0


def test_measure():
    """One draw: four methods, every size, and radii that fall as they must."""
    parameters = {"distribution": "laplace", "p": 3, "sizes": [4000, 16_000], "factors": 30}
    measured = STUDY.measure(parameters, np.random.default_rng(1))
    assert measured["threshold"].shape == measured["radius"].shape == (4, 2)
    np.testing.assert_allclose(measured["radius"][:, 0] / measured["radius"][:, 1], 2, rtol=0.2)
    assert (measured["threshold"][EIG] < measured["threshold"][TRACE]).all()
    # λ_max + (d − 1) λ_min ≤ Tr ≤ d λ_max, d = 6.
    (ratio,) = overshoot({"radius": measured["radius"][np.newaxis]})
    assert (measured["least_overshoot"] > 1).all()
    assert (measured["least_overshoot"] < ratio).all()
    assert (ratio < 6).all()


def test_the_overshoot_of_a_known_spectrum():
    """Gaussian rows with Σ = I: variances 2 on the diagonal and 1 off it, so that Tr/λ_max is
    (2p + p(p − 1)/2)/2, and the bound 1 + (p² − C(p, 2) − 1)/2."""
    parameters = {"distribution": "gaussian", "p": 4, "sizes": [400_000], "factors": 10**5}
    measured = STUDY.measure(parameters, np.random.default_rng(3))
    (ratio,) = overshoot({"radius": measured["radius"][np.newaxis]})
    np.testing.assert_allclose(ratio, 7.0, rtol=0.03)
    np.testing.assert_allclose(measured["least_overshoot"], 1 + 9 / 2, rtol=0.03)
