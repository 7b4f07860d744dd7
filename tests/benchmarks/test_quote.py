"""Pages quote the worse end of what was measured, and are in step with results/."""

import pytest
from benchmarks.machine import ROOT
from benchmarks.quote import PAGES, quoted, up
from benchmarks.report import read


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
