"""`edgewise prove`: the seven classes, proven."""

from __future__ import annotations


def test_prove(run_edgewise):
    whole = run_edgewise("prove").stdout
    short = run_edgewise("prove", "--no-table").stdout
    for text in (whole, short):
        assert "7 classes" in text
        classes = [line for line in text.splitlines() if line[:2] == "│ " and line[2].isdigit()]
        assert [line.split()[1] for line in classes] == list("1234567")
        assert all("proven" in line for line in classes)
        assert "The seven formulas are proven." in text
        assert "FALSE" not in text
    assert whole.count(" → ") == 64 * 2 + 2  # every assignment, and the table's title
    assert short.count(" → ") == 0
