"""Lines of text, split into cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

BLANKS = "whitespace"
_SPACES = re.compile(r"[ \t]+")


def cells_of(lines: Sequence[str], sep: str, quote: str) -> tuple[list[list[str]], list[int]]:
    """The cells of lines that are not blank, and after how many lines each of these rows ends."""
    if sep == BLANKS:
        lines, sep = [squeezed(line) for line in lines], " "
    rows, ends = [], []
    # What was read before something that cannot be read shows the form.
    with long_cells(sum(map(len, lines)) + 1), suppress(csv.Error):
        reader = csv.reader(lines, delimiter=sep, quotechar=quote)
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    return rows or [[""]], ends or [len(lines)]


@contextmanager
def long_cells(longest: int) -> Iterator[None]:
    """Let Python's reader of CSV take cells of this length; it refuses those over 128 kB."""
    before = csv.field_size_limit(longest)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def squeezed(line: str) -> str:
    """A line with one blank between cells and none around them."""
    return _SPACES.sub(" ", line.strip(" \t\r\n")) + "\n"
