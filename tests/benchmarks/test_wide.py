"""What is measured with more columns than rows."""

from __future__ import annotations

from benchmarks import wide


def test_small_sizes():
    found = wide.measure(((30, 40, 60.0),), ("gaussian",), (30, 40)).lines
    assert [line.name for line in found] == ["nodewise, 30 × 40, gaussian"] * 2 + [
        "30 × 40, gaussian"
    ]
    seconds, megabytes, ratio = (line.value for line in found)
    assert 0 < seconds < 60
    assert 50 < megabytes < wide.MOST_MB
    assert ratio > 0
