"""The gate: what counts as slower, what is measured again, and against whom."""

from __future__ import annotations

import os

import pytest
from benchmarks import check, conditional, quiet, reading, rounds, wide
from benchmarks.check import Check, Costs, compare
from benchmarks.machine import ROOT
from benchmarks.quiet import Noise, NotQuietError, refuse_if_busy
from benchmarks.quote import PAGES, quoted, up
from benchmarks.report import read
from benchmarks.timing import Spread
from benchmarks.worker import Ask, Call


def lines(*names):
    return [Check(name, Ask((Call("X.T @ X"), Call("score")))) for name in names]


class Script:
    """Costs by the number of the measurement, and what was asked for."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, of, count):
        self.asked.append(([line.name for line in of], count))
        found = self.answers.pop(0)
        return {line.name: found[line.name] for line in of}


def test_a_line_that_stays_slower_fails():
    script = Script(
        {"a": Costs([1.0, 1.1], [1.3]), "b": Costs([1.0], [1.1])}, {"a": Costs([1.05], [1.25])}
    )
    slow, fine = compare(lines("a", "b"), script, min)
    assert (slow.old, slow.new, slow.slower) == (1.0, 1.25, True)
    assert not fine.slower
    assert script.asked == [(["a", "b"], check.FIRST_ROUNDS), (["a"], check.MORE_ROUNDS)]


def test_a_line_that_was_disturbed_passes_at_the_second_look():
    script = Script({"a": Costs([1.0], [1.3])}, {"a": Costs([1.0], [1.02])})
    (verdict,) = compare(lines("a"), script, min)
    assert verdict.times == pytest.approx(1.02)
    assert not verdict.slower


# A busy machine is refused, and measurements beside others are dropped and repeated.


BUSY, CALM = 1.0, 0.01


@pytest.fixture
def machine(monkeypatch):
    """Says what load and neighbours there are; without ANYWAY."""
    monkeypatch.delenv("ANYWAY", raising=False)

    def say(load=0.2, foreign=(CALM,)):
        seen = iter(foreign)
        monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
        for module in (quiet, rounds):
            monkeypatch.setattr(module, "Watch", lambda: FixedWatch(next(seen)))

    return say


class FixedWatch:
    def __init__(self, value):
        self.foreign = lambda: value


def test_a_load_is_refused_in_one_sentence(machine):
    machine(load=2.3)
    with pytest.raises(NotQuietError, match=r"the load of this machine is 2\.3, above 1\.5; wait"):
        refuse_if_busy(first=True, rest=0)


def test_disturbed_visits_are_repeated_in_a_later_round(machine):
    machine(foreign=(CALM, BUSY, CALM, CALM, CALM))
    noise, seen = Noise(), []
    visits = {key: lambda number, key=key: seen.append((number, key)) or number for key in "ab"}
    found = rounds.rounds(visits, noise, 2)
    assert found == {"a": [0, 1], "b": [1, 2]}
    assert seen == [(0, "a"), (0, "b"), (1, "a"), (1, "b"), (2, "b")]
    (words,) = noise.facts().values()
    assert words == (
        "median 0.01, at most 0.01 cores; 1 of 5 measurements dropped and repeated (above 0.2)"
    )


# Pages quote the worse end of what was measured, and are in step with results/.


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_what_results_say(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- bench: " in text
    assert quoted(text, read()) == text, "run `python -m benchmarks.quote`"


@pytest.mark.parametrize(
    ("value", "text"), [(4.02, "4.1"), (4.0, "4"), (0.901, "0.91"), (251.0, "260")]
)
def test_rounded_to_the_worse_side(value, text):
    assert up(value) == text


# What the sections make of the answers of processes; here the answers are given.


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
