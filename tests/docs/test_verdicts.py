"""The page of verdicts has every numbered item of the paper, each with what supports it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory" / "verdicts.md").read_text(encoding="utf-8")
ITEMS = {
    *(f"Theorem {k}" for k in range(1, 9)),
    *(f"Lemma {k}" for k in (1, 2)),
    *(f"Corollary {k}" for k in (1, 2)),
    "Remark 1",
    *(f"Figure {k}" for k in range(1, 5)),
    "Algorithm 1",
}
VERDICTS = {"holds", "holds after repair", "false"}


def table() -> list[dict[str, str]]:
    """The rows of the first table, by the names of its columns."""
    lines = re.search(r"^\| item .*\n(?:\|.*\n)+", PAGE, re.M)[0].splitlines()
    names, _, *rows = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return [dict(zip(names, row, strict=True)) for row in rows]


def sections() -> dict[str, str]:
    """The text below each heading, by the anchor that links use."""
    parts = re.split(r"^## (.*)\n", PAGE, flags=re.M)
    anchors = (re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in parts[1::2])
    return dict(zip(anchors, parts[2::2], strict=True))


ROWS = table()
SECTIONS = sections()
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["item"] for row in ROWS])


def test_every_numbered_item_has_one_row():
    items = [row["item"] for row in ROWS]
    assert len(items) == len(set(items))
    assert set(items) >= ITEMS
    others = set(items) - ITEMS
    assert all(re.match(r"Definition|claim: ", item) for item in others), others


@each_row
def test_verdict_is_one_of_three(row):
    assert row["what it says"]
    assert row["verdict"].strip("*") in VERDICTS


@each_row
def test_where_names_files_that_exist(row):
    files = re.findall(r"`([^`]+)`", row["where"])
    assert files
    for file in files:
        home = ROOT if file.startswith("reproduction/") else ROOT / "src" / "edgewise"
        assert (home / file).is_file(), file


@each_row
def test_check_is_a_test_or_a_block_that_runs(row):
    tests = re.findall(r"`([^`]+)`", row["check"])
    anchors = re.findall(r"\[block\]\(#([^)]+)\)", row["check"])
    assert tests or anchors
    for test in tests:
        assert test.startswith("tests/")
        assert (ROOT / test).is_file(), test
    for anchor in anchors:
        assert "```python\n>>> " in SECTIONS[anchor], anchor


@each_row
def test_what_does_not_simply_hold_has_a_section_with_its_counterexample(row):
    if row["verdict"] != "holds":
        assert "[block](#" in row["check"]
