"""A busy machine is refused, and measurements beside others are dropped and repeated."""

import os

import pytest
from benchmarks import quiet, rounds
from benchmarks.quiet import Noise, NotQuietError, refuse_if_busy

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
