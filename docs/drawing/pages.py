"""Numbers that a page shows in a table, for the picture beside that table.

Where no file has the numbers, the table of the page is the one place that has them, and the
picture cannot say anything else.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
_NUMBER = re.compile(r"-?\d*\.?\d+")


def table(page: str, first: str) -> list[list[str]]:
    """The cells of a table of a page, its head first; `first` begins its first line."""
    text = (DOCS / page).read_text(encoding="utf-8")
    start = text.index(f"\n{first}") + 1
    lines = re.match(r"(?:\|.*\n)+", text[start:])[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [cells[0], *cells[2:]]


def percent(cell: str) -> tuple[float, ...]:
    """ "**17.4** (14.2–21.0)" as rates: 0.174 and, if there are any, the ends of its band."""
    numbers = _NUMBER.findall(cell.replace("–", " "))
    return tuple(float(number) / 100 for number in numbers[:3])


def plain(cell: str) -> str:
    """A cell without the marks of Markdown."""
    cell = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell)
    return cell.replace("`", "").replace("*", "")


def rows_of(name: str) -> list[dict[str, str]]:
    """The lines of a file of numbers beside the pages."""
    with (DOCS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
