"""Lines know whether they meet their targets, and sections survive the files."""

from dataclasses import replace

import pytest
from benchmarks.report import Curve, Line, Section, markdown, read, write


@pytest.fixture
def sections():
    line = Line("Times", "score", 1.25, at_most=2, low=1, high=3, beside={"all threads": 0.5})
    curve = Curve("time-n", "score", (10, 100), (1.0, 10.0), 1.0, 10)
    facts = {"CPU": "one", "load": "0.1"}
    stopped = Line("Peers", "slow", None, beside={"p-values": "yes", "9 × 9": "did not finish"})
    done = replace(stopped, name="fast", beside={"p-values": "no", "9 × 9": 0.5})
    return [
        Section("timings", facts, [line], [curve]),
        Section("peers", facts | {"load": "0.2"}, [stopped, done], []),
    ]


def test_sections_come_back_from_the_files(sections, tmp_path):
    write(sections, tmp_path)
    assert list(read(tmp_path).values()) == sections
    assert (tmp_path / "benchmarks.md").read_text(encoding="utf-8") == markdown(sections)


def test_the_report_has_a_table_a_group_with_the_columns_it_needs(sections):
    text = markdown(sections)
    assert "| score | 1.25 | 1 – 3 | ≤ 2 | yes | 0.5 |" in text
    assert "| | p-values | 9 × 9 |\n|---|---|---:|\n| slow | yes | did not finish |" in text
    assert "![Time against rows](time-n.png)" in text
