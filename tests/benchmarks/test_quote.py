"""Pages quote the worse end of what was measured, and are in step with results/."""

import pytest
from benchmarks.machine import ROOT
from benchmarks.quote import PAGES, anchor, quoted, up, worst
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


def test_the_other_blocks(sections):
    text = quoted("<!-- bench: authors -->\n<!-- /bench -->\n", sections)
    assert "about 600 times as fast**" in text
    assert "611 to 613 times" in text
    text = quoted("<!-- bench: files -->\n<!-- /bench -->\n", sections)
    assert "(2.2 GB) is tested in 260 MB" in text


def test_a_block_without_numbers_stays():
    page = "<!-- bench: timings -->\nold\n<!-- /bench -->\n"
    assert quoted(page, {}) == page


def test_questions_link_to_the_tables_there_are():
    found = quoted(
        "<!-- bench: questions -->\n<!-- /bench -->\n",
        section("files", ("Files, peak resident MB", "a", 1.0)),
    )
    assert "| How much memory? | [files](#files-peak-resident-mb) |" in found
    assert "clusters" not in found


@pytest.mark.parametrize(
    ("value", "text"), [(4.02, "4.1"), (4.0, "4"), (0.901, "0.91"), (251.0, "260")]
)
def test_rounded_to_the_worse_side(value, text):
    assert up(value) == text


def test_anchors_are_those_of_sphinx():
    heading = "Time against n, slope in log–log from n = 1,000,000, Arrow's"
    assert anchor(heading) == "time-against-n-slope-in-loglog-from-n-1-000-000-arrow-s"
