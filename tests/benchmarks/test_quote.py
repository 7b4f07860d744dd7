"""Pages quote the worse end of what was measured, and are in step with results/."""

import pytest
from benchmarks.machine import ROOT
from benchmarks.quote import PAGES, quoted, up, worst
from benchmarks.ratios import AUTHORS, COVS, UNITS
from benchmarks.report import Line, Section, read


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_what_results_say(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- bench: " in text
    assert quoted(text, read()) == text, "run `python -m benchmarks.quote`"


def section(name, *lines):
    return {name: Section(name, {}, [Line(g, n, v, lower=v - 1, upper=v + 1) for g, n, v in lines])}


@pytest.fixture
def sections():
    timings = section(
        "timings",
        (UNITS, "score, 1,000,000 × 14", 4.02),
        (UNITS, "score, 100,000 × 200", 2.0),
        (UNITS, "score, 20,000 × 500", 2.5),
        (COVS, "eig + trace, 100,000 × 14", 5.5),
        (AUTHORS, "eig + trace, 100,000 × 14, at 4,700", 612.0),
    )
    files = section(
        "files",
        *(("Files, in units of Arrow's scan", f"{m}, 20 × 14", 1.5) for m in ("score", "trace")),
        *(("Files, peak resident MB", f"{m}, 20 × 14", 250.0) for m in ("score", "trace", "batch")),
    )
    return timings | files


def test_the_worse_quartile_is_quoted(sections):
    assert worst(sections, "timings", UNITS, "score, 1,000,000") == 5.02
    text = quoted("Before.\n<!-- bench: timings -->\nold\n<!-- /bench -->\nAfter.\n", sections)
    assert text.startswith("Before.\n<!-- bench: timings -->\nOn one core, `score` takes up to 5.1")
    assert "old" not in text
    assert "260 MB of memory" in text
    assert text.endswith("<!-- /bench -->\nAfter.\n")


@pytest.mark.parametrize(
    ("value", "text"), [(4.02, "4.1"), (4.0, "4"), (0.901, "0.91"), (251.0, "260")]
)
def test_rounded_to_the_worse_side(value, text):
    assert up(value) == text
