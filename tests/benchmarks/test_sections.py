"""What the sections make of the answers of processes; here the answers are given."""

import pytest
from benchmarks import columns, memory, ranks, ratios, scaling, small, starts, streams, timing
from benchmarks.cases import CASES, LONG, MIDDLE, WIDE, WIDEST, Case, StartCase, python
from benchmarks.columns import Wide
from benchmarks.ranks import RankCase
from benchmarks.scaling import Range
from benchmarks.streams import StreamCase
from benchmarks.timing import Spread
from benchmarks.worker import KENDALLTAU, SCAN, Answer

from edgewise.methods.registry import METHODS


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

    @pytest.mark.parametrize(
        ("name", "targets"),
        [
            ("score", {LONG: 5, WIDE: 3.5, WIDEST: 4}),
            ("trace", {LONG: 2.2, WIDE: 1.3, WIDEST: 1.3}),
            ("batch", {LONG: 4, WIDE: 2, WIDEST: 4}),
        ],
    )
    def test_targets(self, name, targets):
        found = {c.shape: c.target for c in CASES if c.name == name and c.target is not None}
        assert found == targets

    def test_targets_in_units_of_cov(self):
        found = {case.shape: case.cov_target for case in CASES if case.name == "eig"}
        assert (found[MIDDLE], found[WIDE]) == (25, 40)


def test_many_columns():
    ask = answered(lambda name, _: 2.0 if name == "score" else 1.0, rise=3 * 8 * 1e4 / 1e6)
    time, memory = columns.measure((Wide((500, 100), 1, 2),), ask).lines
    assert time.name == memory.name == "500 × 100, one core, 2 rounds"
    assert (time.value, time.met) == (2.0, True)
    assert memory.value == pytest.approx(3)  # matrices of 100 × 100 numbers
    assert memory.met


def test_memory():
    ask = answered(lambda *_: 1.0, rise=7.0)
    peak, growth = memory.measure({"score": 150}, (10, 20), (20, 3), ask).lines
    assert (peak.value, peak.met) == (7.0, True)
    assert growth.value == pytest.approx(0)


def test_small_data():
    ask = answered(lambda name, ask: 8e-4 if ask.data == "pandas" else 4e-4)
    found = small.measure(2, ask=ask).lines
    by_name = {(line.group[:20], line.name): line for line in found}
    assert by_name["Small data, microsec", "fisher"].value == pytest.approx(400)
    assert by_name["Small data, microsec", "fisher"].met
    frame = by_name["Small data, a pandas", "score"]
    assert (frame.value, frame.met) == (pytest.approx(2), False)


class TestScaling:
    def test_exponents(self):
        ask = answered(lambda name, ask: 1e-9 * ask.shape[0] * ask.shape[1] ** 2)
        span = Range((10, 20, 40), 7)
        found = scaling.measure({"score": span, "X.T @ X": span}, {"eig": span}, 2, ask)
        rows, unit, cols = found.lines
        assert rows.value == pytest.approx(1)
        assert rows.met
        assert unit.met is None
        assert cols.value == pytest.approx(2)
        assert (rows.beside["range of n"], rows.beside["p"]) == ("10 … 40", "7")
        assert found.curves[-1].y[-1] == pytest.approx(1e-6 * 7 * 40**2)

    def test_every_method_has_exponents(self):
        asked = []

        def by_call(name, ask):
            asked.append((name, ask.shape))
            return 1.0

        found = scaling.measure(count=1, ask=answered(by_call))
        assert {name for name, _ in asked} == {"X.T @ X", "numpy.cov", *METHODS}
        assert len(found.lines) == 2 * (2 + len(METHODS))


def test_files(monkeypatch):
    given = answered(lambda name, _: {SCAN: 1.0, "score": 2.0}[name])
    monkeypatch.setattr(streams, "answer", given)
    case = StreamCase("score", "parquet", 2.2, 300)
    time, peak, growth = streams.measure((case,), 50, 2, 1).lines
    assert time.name == "score, 100 × 14 parquet"
    assert (time.value, time.met) == (2.0, True)
    assert (peak.value, peak.met) == (200.0, True)
    assert growth.value == 0


def test_ranks(monkeypatch):
    seconds = {"numpy.cov": 1.0, "kendall": 2.0, KENDALLTAU: 30.0}
    monkeypatch.setattr(ranks, "answer", answered(lambda name, _: seconds.get(name, 1.0)))
    cases = (RankCase("kendall", (300, 4), 60), RankCase(KENDALLTAU, (300, 4)))
    kendall, scipy, faster, peak, *beside = ranks.measure(cases, 50, 1).lines
    assert (kendall.value, kendall.at_most) == (2.0, 60)
    assert scipy.value == 30.0
    assert (faster.value, faster.at_least) == (15.0, 10)
    assert peak.at_most == 500
    assert [line.met for line in beside] == [None, None]


def test_starts(monkeypatch):
    seconds = {"a": 0.3, "b": 0.2}
    monkeypatch.setattr(timing, "_process_seconds", lambda command: seconds[command[-1]])
    (line,) = starts.measure((StartCase("a", python("a"), python("b"), 1.6),), 2).lines
    assert line.name == "`a` / `b`"
    assert line.value == pytest.approx(1.5)
    assert line.met


def test_a_process_costs_cpu():
    assert timing._process_seconds(python("sum(range(10**6))")) > 0.005
