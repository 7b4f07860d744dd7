"""When the time left is told, and in which words; what `--verbose` says about memory."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from edgewise.cli.progress import left_text, peak_memory, rate_text, remaining


def steady(seconds, rate=100.0, step=0.1):
    return [(i * step, i * step * rate) for i in range(round(seconds / step) + 1)]


def test_nothing_in_the_first_seconds():
    assert remaining([(0.0, 0.0)], 1000) is None
    assert remaining(steady(2.9), 1000) is None
    assert remaining(steady(3.1), 1000) == pytest.approx(6.9)


def test_nothing_without_a_total():
    assert remaining(steady(9), None) is None


def test_not_before_the_rate_has_settled():
    """A second for opening the files, and then 1000 per second."""
    marks = [(0.0, 0.0), *((1 + i / 10, i * 100.0) for i in range(200))]
    told = {now: remaining(marks[: k + 1], 1e5) for k, (now, _) in enumerate(marks)}
    first = min(now for now, left in told.items() if left is not None)
    assert 5 < first < 7
    for now, left in told.items():
        assert (left is None) == (now < first)
        if left is not None:
            assert left == pytest.approx(101 - now, rel=0.12)


def test_a_rate_that_falls_or_stops():
    fast = steady(4, rate=1000)
    assert remaining([*fast, (8.0, 4100.0)], 1e5) is None
    assert remaining([*fast, (20.0, 4000.0)], 1e5) is None


def test_more_than_there_was_to_do():
    assert remaining(steady(10), 500) == 0


def test_the_first_of_unequal_steps_say_little():
    assert remaining(steady(10), 10_000, early=0.2) is None
    assert remaining(steady(21), 10_000, early=0.2) == pytest.approx(79)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0, "0"), (0.6459, "0.646"), (99.96, "100"), (20_939, "20,900"), (3.2e9, "3,200,000,000")],
)
def test_a_rate_without_powers_of_ten(rate, text):
    assert rate_text(rate) == text


def test_nothing_done():
    assert remaining([(0.0, 0.0), (5.0, 0.0)], 500) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0, "0:00:00 left"), (59.6, "0:01:00 left"), (3 * 3600 + 61, "3:01:01 left")],
)
def test_words(seconds, text):
    assert left_text(seconds) == text


# Linux counts in KiB, macOS in bytes; Windows has no such module.
@pytest.mark.parametrize(("system", "most"), [("linux", 300 * 1024), ("darwin", 300 * 2**20)])
def test_the_unit_of_the_system(monkeypatch, system, most):
    usage = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: SimpleNamespace(ru_maxrss=most))
    monkeypatch.setitem(sys.modules, "resource", usage)
    monkeypatch.setattr(sys, "platform", system)
    assert peak_memory() == "peak memory 300 MB"


def test_where_nothing_tells(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() == "peak memory unknown"


def test_this_system(require):
    require("resource")
    assert 10 < float(peak_memory().removeprefix("peak memory ").split()[0].replace(",", "")) < 1e5
