"""What each study says of measurements made up by hand, and one real draw of each."""

from __future__ import annotations

import csv
import pickle
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reproduction import fig1, fig2, fig3, fig4, lemma1, theorem8
from reproduction.__main__ import STUDIES, main
from reproduction.fig3 import KINDS, LEVELS, NULL_METHODS, VIOLATION_METHODS
from reproduction.fig4 import METHODS
from reproduction.growth import BOUNDS
from reproduction.lemma1 import EVENTS
from reproduction.study import SCALES, SEED, Cell, Unit, make_draws
from scipy import stats

from edgewise.simulate import make_chain_precision, make_gram_covariance, sample

RESULTS = Path(fig1.__file__).parent / "results"
YES, OPEN, NO = "supported", "not refuted", "refuted"


def verdict(findings, *fragments):
    """Of the one claim that says this."""
    (claim,) = [c for c in findings.claims if all(part in c.says for part in fragments)]
    assert claim.measured
    return claim.verdict


def records(findings, n_rows):
    """The rows of the table by their columns."""
    assert len(findings.rows) == n_rows
    return [dict(zip(findings.columns.split(), row, strict=True)) for row in findings.rows]


def results(measured, *, draws, **parameters):
    """The same measurements for rows of either law."""
    cells = [Cell({"distribution": law, **parameters}, draws) for law in ("gaussian", "laplace")]
    return [(cell, {name: of.copy() for name, of in measured.items()}) for cell in cells]


def measure(study, **cell):
    return study.measure(cell, np.random.default_rng(1))


def draw(findings):
    """Warnings are errors here."""
    findings.draw().draw_without_rendering()


SIZES = [10_000, 20_000, 40_000, 80_000, 160_000]


def curves(slope, bend=0.0):
    """Of twenty draws: this slope in log n, which changes by `bend` over the sizes."""
    log_n = np.log(np.array(SIZES) / SIZES[2])
    of_draw = slope + 0.002 * np.linspace(-1, 1, 20)[:, np.newaxis]
    falling = np.exp(of_draw * log_n + bend * log_n**2 / np.ptp(log_n) / 2)
    return falling[:, np.newaxis] * np.array([1.0, 3.0, 2.0, 0.5])[:, np.newaxis]


def test_thresholds():
    measured = {
        "threshold": curves(-0.53, bend=0.02),
        "radius": curves(-0.5),
        "least_overshoot": np.full((20, 5), 4.0),
    }
    made = results(measured, draws=20, p=4, sizes=SIZES)
    trace = BOUNDS.index("trace")
    # One p says nothing about growth with p.
    assert [claim.verdict for claim in fig1.findings(made).claims] == [YES] * 8 + [OPEN] * 2 + [YES]
    wider = results(
        {**measured, "threshold": 2 * measured["threshold"]}, draws=20, p=6, sizes=SIZES
    )
    for more, expected in ((wider, YES), (made, NO)):
        pairs = [made[0], more[0], made[1], more[1]] if more is wider else [wider[0], made[0]]
        assert verdict(fig1.findings(pairs), "t_Eig grows with") == expected
    threshold = made[1][1]["threshold"]
    for slope, expected in ((-0.7, YES), (-0.5, OPEN), (-0.49, NO)):
        threshold[:, trace] = curves(slope, 0.02)[:, trace]
        assert verdict(fig1.findings(made), "t_Trace = O(n") == expected
    threshold[:, trace] = curves(-0.53, -0.02)[:, trace]
    assert verdict(fig1.findings(made), "√n·t_Trace tends") == NO
    made[1][1]["radius"][:, trace] = curves(-0.512)[:, trace]
    # Infinite thresholds are skipped.
    threshold[:, :2, :2] = np.inf
    findings = fig1.findings(made)
    assert verdict(findings, "log ε_Trace falls") == NO
    assert verdict(findings, "t_Eig lies below t_Trace") == YES
    draw(findings)
    rows = records(findings, 2 * 4 * 5)
    assert sum(row["share_finite"] == 0 for row in rows) == 4


def test_one_draw_of_thresholds():
    """Gaussian rows with Σ = I: variances 2 on the diagonal and 1 off it, so that Tr/λ_max is
    (2p + p(p − 1)/2)/2, and the bound 1 + (p² − C(p, 2) − 1)/2."""
    cell = {"distribution": "gaussian", "p": 4, "sizes": [50_000, 400_000], "factors": 10**5}
    measured = fig1.measure(cell, np.random.default_rng(3))
    radius = measured["radius"]
    (ratio,) = fig1._overshoot({"radius": radius[np.newaxis]})
    assert ratio[-1] == pytest.approx(7.0, rel=0.03)
    assert measured["least_overshoot"][-1] == pytest.approx(1 + 9 / 2, rel=0.03)
    np.testing.assert_allclose(radius[:, 0] / radius[:, 1], np.sqrt(8), rtol=0.1)


def test_eigenvalues():
    truth = np.linalg.eigvalsh(make_gram_covariance(8, rng=np.random.default_rng([2016, 8])))

    def findings(missed, by, draws):
        """So many draws miss an eigenvalue, in one panel, by a multiple of ε_Eig."""
        measured = {
            "eigenvalues": np.tile(truth, (draws, 2, 1)) + 0.002,
            "radius": np.tile([[0.01, 0.03, 0.02], [0.01, 0.03, 0.02]], (draws, 1, 1))
            * np.array([[1.0], [0.999]]),
        }
        made = results(measured, draws=draws, p=8, sizes=[1000, 4000])
        made[1][1]["eigenvalues"][:missed, 1, 3] = truth[3] - by * 0.01
        return fig2.findings(made)

    # P(X ≥ 8) = 0.0007 and P(X ≥ 9) = 0.0002 for X ~ B(40, 0.05); 0.001/4 panels lies between.
    assert verdict(findings(8, 4, 40), "contain", "ε_Trace") == OPEN
    assert verdict(findings(9, 4, 40), "contain", "ε_Trace") == NO
    found = findings(9, 1.5, 40)
    assert (verdict(found, "contain", "ε_Eig"), verdict(found, "contain", "ε_chi²")) == (NO, OPEN)
    # 0.95^200 = 0.00004, while forty draws show nothing.
    found = findings(5, 1.5, 200)
    assert (verdict(found, "contain", "ε_Eig"), verdict(found, "contain", "ε_Trace")) == (OPEN, YES)
    assert verdict(found, "tighter", "ε_Eig") == YES
    draw(found)
    row = records(found, 2 * 8 * 200 * 2)[0]
    alpha = 1 / row["estimate"]
    expected = (1 / (alpha + 0.03), 1 / (alpha - 0.03))
    assert (row["lower_trace"], row["upper_trace"]) == pytest.approx(expected)
    measured = measure(fig2, distribution="gaussian", p=8, sizes=[2000, 8000])
    eig, trace, chi2 = measured["radius"].T
    assert ((eig < chi2) & (chi2 < trace)).all()
    assert (np.abs(measured["eigenvalues"] - truth) < trace[:, np.newaxis]).all()


def test_false_positives():
    """Levels as even as can be and in no order, so that every rate is just the level."""
    draws, pairs = 1000, 15
    levels = (np.arange(draws * pairs) + 0.5) / (draws * pairs)
    uniform = np.random.default_rng(0).permutation(levels).reshape(draws, pairs)
    score, fisher, eig = (NULL_METHODS.index(name) for name in ("score", "fisher", "eig"))
    null = np.zeros((draws, len(NULL_METHODS), pairs))
    null[:, [score, fisher]] = np.log(uniform)[:, np.newaxis]
    measured = {
        "is_null": np.tile(np.arange(pairs) < 8, (draws, 1)),
        "null": null,
        "violation": np.zeros((draws, len(VIOLATION_METHODS), 21)),
    }
    made = results(measured, draws=draws, n=1000)
    made[1][1]["null"][:, fisher] = np.log(uniform**2)  # heavy tails
    findings = fig3.findings(made)
    for claim in findings.claims:
        # An equality is never supported.
        assert claim.verdict == (OPEN if "on the diagonal" in claim.says else YES)
    draw(findings)
    asked = ("laplace", "fisher", KINDS[0], 0.25)
    (rate,) = [
        row["rate"]
        for row in records(findings, 2 * (5 + 2 * 4) * len(LEVELS))
        if tuple(row[key] for key in ("distribution", "method", "kind", "delta")) == asked
    ]
    assert rate == pytest.approx(0.5, abs=0.02)  # P(U² ≤ δ) = √δ
    made[0][1]["null"][:, eig] = made[0][1]["null"][:, score] = np.log(uniform**2)
    violation = made[0][1]["violation"][:, VIOLATION_METHODS.index("trace")]
    violation[:, :pairs] = np.log(uniform)
    findings = fig3.findings(made)
    assert verdict(findings, "edgeTest-eig", KINDS[0]) == NO
    assert verdict(findings, "the score test lies on the diagonal") == NO
    # Each entry alone is rarely violated; one of them often.
    assert verdict(findings, "edgeTest-tr", "at every δ", KINDS[1]) == YES
    assert verdict(findings, "edgeTest-tr", "at every δ", KINDS[2]) == NO
    measured = measure(fig3, distribution="laplace", n=4000)
    assert measured["is_null"].sum() == 8
    assert (measured["null"] <= 0).all()
    # Fisher's interval is for pairs only: the diagonal of six columns is missing.
    missing = np.isnan(measured["violation"])
    assert missing[VIOLATION_METHODS.index("fisher")].sum() == missing.sum() == 6


def test_power():
    """Five strong entries, ten weak; at the k-th size the 3k + 1 strongest are found, and by
    Fisher twelve of the fifteen."""
    found = np.zeros((20, len(METHODS), 4, 15), dtype=bool)
    for k in range(4):
        found[:, :, k, : 3 * k + 1] = True
    found[:, METHODS.index("fisher"), :, :12] = True
    entries = np.tile(np.r_[np.full(5, 0.8), np.full(10, 0.2)], (20, 1))
    made = results({"entries": entries, "found": found}, draws=20, sizes=SIZES[:4])
    findings = fig4.findings(made)
    assert [claim.verdict for claim in findings.claims] == [YES] * 6
    draw(findings)
    for row in records(findings, 2 * len(METHODS) * 2 * 4):
        times = 12 if row["method"] == "fisher" else 3 * SIZES.index(row["n"]) + 1
        strong = row["entries"] != "all entries"
        assert row["power"] == pytest.approx(min(times, 5) / 5 if strong else times / 15)
    eig = made[0][1]["found"][:, METHODS.index("eig")]
    eig[:, 2, 2:] = False  # between two sizes it falls
    trace = made[1][1]["found"][:, METHODS.index("trace")]
    trace[:] = trace[:, :, ::-1].copy()  # the weak are found first
    findings = fig4.findings(made)
    assert verdict(findings, "edgeTest-eig", "rises with n") == NO
    assert verdict(findings, "edgeTest-tr", "higher for |Θ_ij| > 0.5") == NO
    found = measure(fig4, distribution="gaussian", sizes=[1000, 30_000])["found"]
    eig, trace, score = (found[METHODS.index(m)] for m in ("eig", "trace", "score + Holm"))
    # What the trace finds, with its larger threshold, eig finds too; score finds far more.
    assert (eig | ~trace).all()
    assert score[1].sum() > eig[1].sum() > eig[0].sum()


def test_lemma1():
    def findings(draws, **happened):
        measured = {
            "events": np.zeros((draws, len(EVENTS)), dtype=bool),
            "norms": np.full((draws, 2), 0.05),
            "radii": np.full((draws, 3), 0.06),
        }
        made = results(measured, draws=draws, p=6, n=10_000)
        for event, times in happened.items():
            made[1][1]["events"][:times, list(EVENTS).index(event)] = True
        return lemma1.findings(made)

    # P(X ≥ 13) = 0.0015 and P(X ≥ 14) = 0.0005 for X ~ B(100, 0.05); 0.001/2 is between.
    found = findings(100, eig=13, trace=14)
    assert (verdict(found, "Lemma 1"), verdict(found, "Corollary 1")) == (OPEN, NO)
    assert verdict(findings(200), "Corollary 1") == YES  # 0.95^200 = 0.00004
    draw(found)
    (row,) = [row for row in records(found, 8) if row["rate"] == 0.14]
    interval = stats.binomtest(14, 100).proportion_ci(method="exact")
    assert (row["lower_95"], row["upper_95"]) == pytest.approx((interval.low, interval.high))
    measured = measure(lemma1, distribution="gaussian", p=3, n=2000)
    eig, trace, chi2 = measured["radii"]
    norm, frobenius = measured["norms"]
    assert measured["events"].tolist()[:3] == [norm > eig, norm > trace, frobenius > chi2]
    # With Σ = I and Gaussian rows λ_max = 2/n whatever p is.
    assert eig == pytest.approx(2 * 1.96 / np.sqrt(2000), rel=0.15)


def test_theorem8():
    sizes = [1500 * 4**k for k in range(5)]
    steps = np.array(sizes) / sizes[0]

    def findings(linear=-0.5, pairs=-0.25, ratio=8.0, turn=0.0):
        """Straight lines of these slopes; at the first budget the linear test is so much worse."""
        lines = np.stack([0.2 * ratio * steps**linear, 0.2 * steps**pairs])
        budgets = np.array(theorem8._UNIFORM_BUDGETS) / 1000.0
        rates = np.array([-0.5, *(-1 / cost for cost in theorem8._COSTS)])
        end = budgets ** (rates + turn * np.array([0, 1, 0, 0]))[:, np.newaxis]
        measured = {
            "threshold": np.tile(lines, (12, 1, 1)),
            "uniform_end": np.tile(end, (12, 1, 1)),
        }
        return theorem8.findings(results(measured, draws=12, sizes=sizes))

    sentences = ("cost n²", "that of the linear", "Corollary 2", "within a factor of 3")
    for options, expected in (
        ({"ratio": 2.5}, [YES, YES, YES, YES]),
        # 8 = 4096^{1/4}: they cross at 4096 times the first budget, which is not reached.
        ({}, [YES, YES, NO, OPEN]),
        ({"ratio": 2.5, "pairs": -0.35}, [NO, YES, NO, OPEN]),
        ({"ratio": 2.0, "linear": -0.4}, [YES, NO, YES, YES]),
    ):
        assert [verdict(findings(**options), sentence) for sentence in sentences] == expected
    assert verdict(findings(), "r/s = −½") == YES
    assert verdict(findings(turn=0.2), "r/s = −½") == NO
    draw(findings())
    first = [row for row in records(findings(), 2 * 2 * 5) if row["budget"] == 27_000]
    assert {(row["test"], row["n"]) for row in first} == {("trace", 1500), ("kendall", 134)}
    measured = measure(theorem8, distribution="gaussian", sizes=[1500, 6000])["threshold"]
    assert measured[1, 0] / measured[1, 1] == pytest.approx(2**0.5, rel=0.15)


def test_kendall_by_another_way():
    """τ by SciPy; the standard error by leaving out each row in turn."""
    rows = sample("laplace", make_chain_precision(3), 150, rng=4)

    def precision(some):
        covariance = np.eye(3)
        for i, j in combinations(range(3), 2):
            tau = stats.kendalltau(some[:, i], some[:, j]).statistic
            covariance[i, j] = covariance[j, i] = np.sin(np.pi * tau / 2)
        return np.linalg.inv(covariance)[np.triu_indices(3, 1)]

    without = np.array([precision(np.delete(rows, k, axis=0)) for k in range(150)])
    error = np.sqrt(149 / 150 * np.sum((without - without.mean(axis=0)) ** 2, axis=0))
    expected = np.median(stats.norm.isf(0.05 / 6) * error)
    # The jackknife is the projection up to terms of order 1/n.
    assert theorem8.kendall_threshold(rows) == pytest.approx(expected, rel=0.05)


numbers = st.floats(0.1, 1e3)
tests = st.builds(theorem8.PricedTest, numbers, st.floats(1, 3), numbers, st.floats(-2, -0.25))


@given(tests, tests, st.floats(1.0, 1e12))
def test_what_a_budget_affords_and_where_tests_cross(one, other, budget):
    n = one.rows(budget)
    assert one.price * n**one.power == pytest.approx(budget)
    assert one.threshold(budget) == pytest.approx(one.scale * n**one.rate)
    # Theorem 8: the smaller r/s wins in the end.
    cheap, dear = sorted([one, other], key=lambda test: test.rate / test.power)
    assume(dear.rate / dear.power - cheap.rate / cheap.power > 0.05)
    assert theorem8.crossover_budget(dear, cheap) == np.inf
    at = theorem8.crossover_budget(cheap, dear)
    assume(1e-200 < at < 1e200)
    assert cheap.threshold(at) == pytest.approx(dear.threshold(at), rel=1e-6)
    assert cheap.threshold(4 * at) < dear.threshold(4 * at)


def test_tests_that_never_cross():
    trace, eig = theorem8.PricedTest(1.0, 1, 10.0), theorem8.PricedTest(30.0, 1, 1.0)
    assert theorem8.crossover_budget(eig, trace) == 0.0
    assert theorem8.crossover_budget(trace, eig) == np.inf


def table_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_first_draws_are_those_of_the_results():
    """Whatever is rebuilt, the numbers in the repository can be made again."""
    cells = [Cell(cell.parameters, 1) for cell in fig2.cells("paper") if cell["p"] == 6]
    found, _ = make_draws(fig2, cells)
    table = table_of(RESULTS / "fig2.csv")
    expected = [[*row.values()] for row in table if (row["p"], row["draw"]) == ("6", "0")]
    for row, made in zip(expected, fig2.findings(found).rows, strict=True):
        assert row[0] == made[0]
        assert [*map(float, row[1:])] == pytest.approx(made[1:], rel=1e-5)


@pytest.mark.exactness
def test_draws_are_the_same_however_many_and_wherever():
    """That processes are used is tested with `calibrate`; here, that the work can be sent."""
    cells = [Cell({"distribution": "laplace", "p": p, "n": 300}, 7) for p in (2, 4)]
    results, _ = make_draws(lemma1, cells)
    for cell, measured in results:
        unit = Unit(lemma1.__name__, cell, SEED, range(2, 5))
        draws, _ = pickle.loads(pickle.dumps(unit))()
        for name in measured:
            assert len(measured[name]) == 7
            np.testing.assert_array_equal(
                measured[name][2:5], np.stack([draw[name] for draw in draws]), strict=True
            )
    assert len(np.unique(results[0][1]["norms"])) == 14


def test_scales_grow_and_say_where_they_differ():
    for study in STUDIES.values():
        draws = [sum(cell.n_draws for cell in study.cells(scale)) for scale in SCALES]
        assert draws == sorted(set(draws))
        assert len({study.design(study.cells(scale)) for scale in SCALES}) == 3
        here, there = (study.deviations(study.cells(scale)) for scale in ("smoke", "paper"))
        assert sum(row[1] == row[2] for row in here) <= sum(row[1] == row[2] for row in there)


LENGTHS = {
    "fig1": 2 * 2 * 4 * 6,  # distributions, p, methods, sizes
    "fig2": 2 * (6 + 8) * 2 * 10,  # distributions, eigenvalues, sizes, draws
    "fig3": 2 * (5 + 2 * 4) * 103,  # distributions, methods and kinds, levels
    "fig4": 2 * 7 * 2 * 6,  # distributions, methods, kinds of entries, sizes
    "theorem8": 2 * 2 * 5,  # distributions, tests, budgets
    "lemma1": 2 * 3 * 4,  # distributions, p, events
}


def check_run(folder, names, capsys):
    """Every study has its table, picture and page, whose links lead somewhere."""
    arguments = [*names, "--scale", "smoke", "--out", str(folder), "--jobs", "1"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    for name in names:
        study = STUDIES[name]
        assert len(table_of(folder / f"{name}.csv")) == LENGTHS[name]
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {study.TITLE}\n")
        assert study.design(study.cells("smoke")) in page
        assert {*re.findall(r"\]\(([^)]+)\)", page)} == {f"{name}.csv", f"{name}.svg"}
        assert (folder / f"{name}.svg").stat().st_size > 10_000
        assert study.TITLE in printed
    assert len([*folder.iterdir()]) == 3 * len(names)
    return printed


def test_one_study(tmp_path, capsys):
    check_run(tmp_path, ["theorem8"], capsys)


@pytest.mark.validity
def test_all_studies(tmp_path, capsys):
    """However few the draws are, only Lemma 1 is refuted."""
    printed = check_run(tmp_path, list(STUDIES), capsys)
    assert "0 supported, 37 not refuted, 1 refuted" in printed
    assert "**refuted**" in (tmp_path / "lemma1.md").read_text(encoding="utf-8")


def test_the_readme_counts_the_verdicts_of_the_results():
    found = Counter(
        verdict
        for page in RESULTS.glob("*.md")
        for verdict in re.findall(r"\| \*\*([a-z ]+)\*\* \(", page.read_text(encoding="utf-8"))
    )
    says = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{found[YES]} are supported, {found[OPEN]} are not refuted and {found[NO]} are" in says
    assert f"Of {found.total()} claims" in says


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "required: what"),
        (["fig9"], "invalid choice: 'fig9'"),
        (["fig2", "--scale", "huge"], "invalid choice: 'huge'"),
        (["fig2", "--seed", "-1"], "--seed: expected a whole number from 0 on, got -1"),
        (["fig2", "--jobs", "0"], "n_jobs: expected"),
        (["fig2", "--out", __file__], "File exists"),
    ],
)
def test_refusals(arguments, says, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert says in capsys.readouterr().err + str(caught.value)
