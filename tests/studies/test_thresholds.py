"""What is said of thresholds, for curves whose slope is known."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.studies.growth import BOUNDS
from edgewise.studies.study import Cell
from edgewise.studies.thresholds import ThresholdStudy

STUDY = ThresholdStudy()
SIZES = [10_000, 20_000, 40_000, 80_000, 160_000]
HEIGHT = {"eig": 1.0, "trace": 3.0, "spectral": 2.0, "whitened": 0.5}
EIG, TRACE, WHITENED = (BOUNDS.index(name) for name in ("eig", "trace", "whitened"))
CELLS = [
    Cell({"distribution": distribution, "p": p, "sizes": SIZES}, 3)
    for distribution in ("gaussian", "laplace")
    for p in (4, 6)
]


def curves(slope):
    falling = (np.array(SIZES) / SIZES[0]) ** slope
    one_draw = np.array([height * falling for height in HEIGHT.values()])
    return np.stack([one_draw] * 3)


@pytest.fixture
def results():
    """Everything as the paper says; each test spoils one thing."""
    return [
        (
            cell,
            {
                "threshold": curves(-0.5),
                "radius": curves(-0.5),
                "far_slope": np.full((3, len(BOUNDS)), -0.5),
            },
        )
        for cell in CELLS
    ]


SLOPES = {
    "threshold": "log t_{} falls with slope −0.5 ± 0.01 in log n",
    "radius": "log ε_{} falls",
    "far_slope": "log t_{} falls with slope −0.5 ± 0.01 at 100 times the rows",
}


def test_all_holds(results, records):
    findings = STUDY.findings(results)
    assert [claim.holds for claim in findings.claims] == [True] * 8
    rows = records(findings, 4 * 4 * 5)
    (row,) = [
        row
        for row in rows
        if (row["distribution"], row["p"], row["method"], row["n"])
        == ("laplace", 6, "trace", 40_000)
    ]
    for column in ("median_threshold", "lower_quartile", "upper_quartile", "median_radius"):
        assert row[column] == pytest.approx(1.5)
    assert row["share_finite"] == 1


@pytest.mark.parametrize("slope", [-0.509, -0.491])
def test_slopes_within_the_tolerance(results, holds, slope):
    for _, measured in results:
        measured["threshold"] = curves(slope)
    assert holds(STUDY.findings(results), SLOPES["threshold"].format("Eig"))


@pytest.mark.parametrize("slope", [-0.6, -0.512, -0.488, -0.4])
@pytest.mark.parametrize("method", ["Eig", "Trace"])
@pytest.mark.parametrize("what", SLOPES)
def test_another_slope(results, holds, what, method, slope):
    """In one cell of many, of one method: that claim fails, and only that."""
    row, measured = BOUNDS.index(method.lower()), results[2][1]
    measured[what][:, row] = slope if what == "far_slope" else curves(slope)[:, row]
    findings = STUDY.findings(results)
    other = "Trace" if method == "Eig" else "Eig"
    assert not holds(findings, SLOPES[what].format(method))
    assert holds(findings, SLOPES[what].format(other))


def test_slopes_that_differ_between_draws_have_an_error(results, holds):
    """−0.53 and −0.47 are −0.5 as far as one can see, and −0.52 once all draws agree is not."""
    sentence = SLOPES["threshold"].format("Trace")
    spread = np.concatenate([curves(slope)[:1] for slope in (-0.50, -0.52, -0.54)])
    results[0][1]["threshold"] = spread
    assert holds(STUDY.findings(results), sentence)
    results[0][1]["threshold"] = curves(-0.52)
    assert not holds(STUDY.findings(results), sentence)


def test_infinite_thresholds_are_skipped(results, holds, records, can_be_drawn):
    """Small samples have none; the slope is that of the others."""
    for _, measured in results:
        measured["threshold"][:, [EIG, TRACE], :2] = np.inf
    findings = STUDY.findings(results)
    for method in ("Eig", "Trace"):
        assert holds(findings, SLOPES["threshold"].format(method))
    # Two infinite thresholds are not in the wrong order.
    assert holds(findings, "t_Eig < t_Trace everywhere")
    assert holds(findings, "whitened")
    rows = records(findings, 4 * 4 * 5)
    for row in rows:
        infinite = row["method"] in ("eig", "trace") and row["n"] <= 20_000
        assert row["share_finite"] == (not infinite)
        assert np.isinf(row["median_threshold"]) == infinite
    assert can_be_drawn(findings)


def test_median_with_some_infinite_thresholds(results):
    """Two of three draws have a threshold: the median is the larger of the two."""
    threshold = results[0][1]["threshold"]
    threshold[:, TRACE, 0] = [np.inf, 2.0, 4.0]
    first = next(row for row in STUDY.findings(results).table.rows if row[2] == "trace")
    assert first[3] == 10_000
    assert first[4] == 4.0
    assert first[7] == pytest.approx(2 / 3)


@pytest.mark.parametrize("value", [1.0, 1.2, np.inf])
def test_eig_not_below_trace_once(results, holds, value):
    threshold = results[3][1]["threshold"]
    threshold[1, EIG, 4] = value * threshold[1, TRACE, 4]
    assert not holds(STUDY.findings(results), "t_Eig < t_Trace everywhere")


def test_whitened_above_trace_once(results, holds):
    threshold = results[3][1]["threshold"]
    threshold[1, WHITENED, 4] = 1.2 * threshold[1, TRACE, 4]
    assert not holds(STUDY.findings(results), "whitened")


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
    assert measured["far_slope"].shape == (4,)
    np.testing.assert_allclose(measured["radius"][:, 0] / measured["radius"][:, 1], 2, rtol=0.2)
    assert (measured["threshold"][EIG] < measured["threshold"][TRACE]).all()
    assert (np.abs(measured["far_slope"] + 0.5) < 0.05).all()
