"""What the sections make of the answers of processes; here the answers are given."""

import pytest
from benchmarks import conditional, ratios, reading, wide
from benchmarks.cases import Case
from benchmarks.timing import Spread
from benchmarks.worker import Answer


@pytest.fixture(autouse=True)
def _anyway(monkeypatch):
    """Nothing is measured here that a neighbour could change."""
    monkeypatch.setenv("ANYWAY", "1")


def test_a_spread_is_judged_by_its_worse_quartile():
    spread = Spread.of([1.0, 2.0, 3.0, 4.0, 9.0])
    assert spread == Spread(3.0, 1.0, 9.0, 2.0, 4.0)
    assert spread.line("group", "name", 4.0).met
    assert not spread.line("group", "name", 3.9).met
    assert spread.line("group", "name", at_least=2.0).met
    assert not spread.line("group", "name", at_least=2.1).met


def answered(by_call, *, faster=1.0, rise=0.0, options=None):
    """Seconds by the name of a call; on all cores so many times faster."""

    def ask(ask):
        share = faster if ask.cores is None else 1.0
        seconds = tuple(by_call(call.name, ask) / share for call in ask.calls)
        return Answer(seconds, seconds, rise, 200.0, options or {}, "")

    return ask


SECONDS = {"X.T @ X": 0.1, "numpy.cov": 0.2, "a DGEMM": 0.02, "score": 0.4, "eig + trace": 2.0}


class TestTimings:
    def test_units_targets_and_cores(self):
        cases = (
            Case("numpy.cov", (1000, 10)),
            Case("score", (1000, 10), 5, faster=1.7),
            Case("eig + trace", (1000, 10), cov_target=9, all_cores=False),
        )
        ask = answered(lambda name, _: SECONDS[name], faster=1.6)
        unit, cov, score, both, in_covs, cores, authors = ratios.measure(cases, 2, ask).lines
        assert unit.name == "X.T @ X itself, ms, 1,000 × 10"
        assert unit.value == pytest.approx(100)
        assert unit.beside["all cores"] == pytest.approx(62.5)
        assert cov.value == pytest.approx(2)
        assert score.value == pytest.approx(4)
        assert score.met
        # 6 n p² flops in 0.4 s beside 2·10⁹ in 0.02 s.
        assert score.beside["% of DGEMM"] == pytest.approx(100 * (6e5 / 0.4) / (2e9 / 0.02))
        assert "all cores" not in both.beside
        assert (in_covs.group, in_covs.value, in_covs.met) == (
            ratios.COVS,
            pytest.approx(10),
            False,
        )
        assert (cores.group, cores.value, cores.met) == (ratios.FASTER, pytest.approx(1.6), False)
        assert authors.value == pytest.approx(470)


@pytest.mark.validity
def test_every_line_is_measured(require):
    """On small data."""
    require("causallearn")
    found = [
        *reading.measure(500, 3, 1).lines,
        *conditional.measure((200, 400), questions=2, columns=8).lines,
        *wide.measure(((30, 40, 60.0),), ("gaussian",), (30, 40)).lines,
    ]
    assert len(found) == 3 + 10 + 3
    assert all(line.value > 0 for line in found)
