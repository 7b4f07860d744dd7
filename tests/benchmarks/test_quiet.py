"""A busy machine is refused, and measurements beside others are dropped and repeated."""

import os
from time import process_time

import pytest
from benchmarks import quiet, rounds
from benchmarks.quiet import Noise, NotQuietError, Watch, refuse_if_busy

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


def test_later_the_load_is_our_own(machine):
    machine(load=2.3)
    assert refuse_if_busy(first=False, rest=0) == "load 2.3, others 0.01 cores"


def test_neighbours_are_refused_at_any_time(machine):
    machine(foreign=(BUSY,))
    with pytest.raises(NotQuietError, match=r"other programs use 1\.00 cores"):
        refuse_if_busy(first=False, rest=0)


def test_anyway_is_said(machine, monkeypatch):
    machine(load=2.3)
    monkeypatch.setenv("ANYWAY", "1")
    assert "**measured all the same (ANYWAY=1): the load" in refuse_if_busy(first=True, rest=0)


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


def test_a_machine_that_never_calms_down(machine):
    machine(foreign=[BUSY] * 100)
    with pytest.raises(NotQuietError, match="stopped: in 8 rounds fewer than 2 measurements of a"):
        rounds.rounds({"a": lambda number: number}, Noise(), 2)


def test_anyway_keeps_what_is_disturbed(machine, monkeypatch):
    machine(foreign=[BUSY] * 2)
    monkeypatch.setenv("ANYWAY", "1")
    noise = Noise()
    assert rounds.rounds({"a": lambda number: number}, noise, 2) == {"a": [0, 1]}
    assert "**2 above it kept (ANYWAY=1)**" in noise.facts()["others beside the measurements"]


def test_a_system_that_does_not_tell(machine, tmp_path, monkeypatch):
    monkeypatch.setattr(quiet, "_SYSTEM", tmp_path / "nowhere")
    assert Watch().foreign() is None
    noise = Noise()
    assert noise.accepts(None)
    assert noise.facts() == {"others beside the measurements": "not known on this system"}


def test_our_own_work_is_not_that_of_others(monkeypatch, tmp_path):
    # A machine whose only work is ours: the cores gave what this process took.
    ticks = os.sysconf("SC_CLK_TCK")
    stat = tmp_path / "stat"
    monkeypatch.setattr(quiet, "_SYSTEM", stat)

    def write(others):
        total = round((quiet.own_seconds() + others) * ticks)
        stat.write_text(f"cpu  {total} 0 0 5 5 0 0 0 0 0\ncpu0 …\n", encoding="utf-8")

    write(0.0)
    watch = Watch()
    start = process_time()
    while process_time() < start + 0.1:
        pass
    write(0.0)
    assert watch.foreign() <= 0.25  # the clock of the system ticks a hundred times a second
    write(10.0)
    assert watch.foreign() > 1
