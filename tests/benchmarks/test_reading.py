"""The benchmark of reading: every line is measured, on small files here."""

from benchmarks import reading


def test_every_line_is_measured():
    found = reading.measure(500, 3, 1, starts=False).lines
    assert len(found) == 3
    assert all(line.value > 0 for line in found)
    small = found[-1]
    assert small.name == "3 CSV files of 20 × 5"
    assert small.beside["ms per file"] > 0


def test_the_first_call_is_measured_against_imports(monkeypatch):
    monkeypatch.setattr(reading, "start_ratios", lambda cases: [reading.Spread(2.0, 1.0, 3.0)])
    line = reading.measure(500, 1, 1).lines[-1]
    assert (line.value, line.low, line.high) == (2.0, 1.0, 3.0)
    assert line.name.endswith("/ `import numpy, scipy.linalg`")
