"""The benchmark of reading: every line is measured, on small files here."""

from benchmarks import reading


def test_every_line_is_measured():
    found = reading.measure(500, 3, 1).lines
    assert len(found) == 3
    assert all(line.value > 0 for line in found)
    small = found[-1]
    assert small.name == "3 CSV files of 20 × 5"
    assert small.beside["ms per file"] > 0
