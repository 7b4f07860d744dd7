"""What the sections make of the answers of processes; here the answers are given."""

import pytest
from benchmarks import conditional, reading, wide
from benchmarks.timing import Spread


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
