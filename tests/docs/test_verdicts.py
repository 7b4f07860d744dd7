"""The page of verdicts has every numbered item of the paper, each with what supports it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "edgewise"
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


def test_every_numbered_item_has_one_row():
    items = [row["item"] for row in table()]
    assert len(items) == len(set(items))
    assert set(items) >= ITEMS
    others = set(items) - ITEMS
    assert all(re.match(r"Definition|claim: ", item) for item in others), others


def test_every_row_has_a_verdict_and_names_what_supports_it():
    """Files that exist, tests, and blocks that run; a counterexample for what is not so."""
    below, wrong = sections(), []
    for row in table():
        files = re.findall(r"`([^`]+)`", row["where"])
        homes = [ROOT if file.startswith("reproduction/") else PACKAGE for file in files]
        tests = re.findall(r"`([^`]+)`", row["check"])
        anchors = re.findall(r"\[block\]\(#([^)]+)\)", row["check"])
        fine = (
            row["what it says"],
            row["verdict"].strip("*") in VERDICTS,
            files and all((home / file).is_file() for home, file in zip(homes, files, strict=True)),
            tests or anchors,
            all(test.startswith("tests/") and (ROOT / test).is_file() for test in tests),
            all("```python\n>>> " in below[anchor] for anchor in anchors),
            row["verdict"] == "holds" or anchors,
        )
        wrong += [] if all(fine) else [(row["item"], fine)]
    assert wrong == []
