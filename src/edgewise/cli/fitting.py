"""Tables that fit the terminal: no word is broken, and what matters least leaves first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.cli.plain_text import plain
from edgewise.view.safe_names import distinct_texts, printable, shortened_inside

_FRAME = 3  # around each column: a line and two spaces
_COMFORT = 16  # the width below which sentences and names look squeezed
_SHORTEST_NAME = 3

#: A text, perhaps with a style; or the names of a pair, which a dash joins.
Cell = str | Text | tuple[str, str]


class Column(NamedTuple):
    """A column of a table, and what may happen to it where room is short.

    "Pairs" of names can be shortened, "words" can go on in the next line, and what is "fixed" stays
    as it is. A "sentence" can go on in the next line too, but columns of less worth leave before it
    must. The column of the least worth is left out first; those of infinite worth always stay.
    """

    heading: str
    kind: Literal["fixed", "words", "sentence", "pairs"] = "fixed"
    worth: float = math.inf
    justify: Literal["left", "right"] = "right"


class _Measured:
    """A column with its cells, and how wide it wants to be."""

    def __init__(self, column: Column, cells: Sequence[Cell], encoding: str) -> None:
        self.column = column
        self.cells = cells
        self.encoding = encoding
        self.heading = self._shown(column.heading)
        texts = [cell.plain for cell in self.rendered(None)]
        word = _longest_word([self.heading])
        #: With one line for each cell; and for the heading too.
        self.widest = widest = max(map(cell_len, texts), default=0)
        self.natural = max(widest, cell_len(self.heading))
        #: Without breaking a word.
        self.least = max(word, widest)
        if column.kind in ("words", "sentence"):
            self.least = max(word, _longest_word(texts))
        elif column.kind == "pairs":
            self.least = max(word, min(widest, 2 * _SHORTEST_NAME + len(self._dash)))
        self.comfortable = self.least_comfortable = max(self.least, min(widest, _COMFORT))
        if column.kind == "sentence":
            self.comfortable = max(self.least, widest)

    @property
    def _dash(self) -> str:
        return self._shown(" – ")

    def _shown(self, text: str) -> str:
        return plain(printable(text), self.encoding)

    def rendered(self, width: int | None) -> list[Text]:
        """The cells; names are shortened until they fit the width."""
        pairs = [cell for cell in self.cells if isinstance(cell, tuple)]
        if pairs:
            return [Text(text) for text in self._joined(pairs, width)]
        texts = [cell if isinstance(cell, Text) else Text(str(cell)) for cell in self.cells]
        return [Text(self._shown(text.plain), style=text.style) for text in texts]

    def _joined(self, pairs: Sequence[tuple[str, str]], width: int | None) -> list[str]:
        names = sorted({name for pair in pairs for name in pair})
        longest = max(map(len, names))
        texts: list[str] = []
        start = max(min(longest, width or longest), _SHORTEST_NAME)
        for most in range(start, _SHORTEST_NAME - 1, -1):
            short = distinct_texts(names, partial(self._short, most=most))
            texts = [self._dash.join(short[name] for name in pair) for pair in pairs]
            if width is None or all(cell_len(text) <= width for text in texts):
                break
        return texts

    def _short(self, name: str, most: int) -> str:
        return plain(shortened_inside(name, most), self.encoding)


def fitted(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], out: Console
) -> Table:
    """A table that is at most as wide as the console.

    A line below it says which columns were left out. What goes to a pipe or a file may be read by a
    program: there nothing is left out or shortened, and names that are too long are folded.
    """
    measured = [
        _Measured(column, [row[j] for row in rows], out.encoding)
        for j, column in enumerate(columns)
    ]
    kept = list(measured)
    while out.is_terminal and _total(one.comfortable for one in kept) > out.width:
        first = min(kept, key=lambda one: one.column.worth)
        if first.comfortable > first.least_comfortable:
            first.comfortable = first.least_comfortable
        elif math.isinf(first.column.worth):
            break
        else:
            kept.remove(first)
    left_out = [one.heading for one in measured if one not in kept]
    table = Table(
        title=plain(printable(title), out.encoding),
        caption=f"No room for: {', '.join(left_out)}." if left_out else None,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
    )
    shown = []
    for one, width in zip(kept, _widths(kept, out.width), strict=True):
        heading, justify = Text(one.heading), one.column.justify
        table.add_column(heading, justify=justify, width=width, overflow="fold")
        shown.append(one.rendered(width if out.is_terminal else None))
    for row in zip(*shown, strict=True):
        table.add_row(*row)
    return table


def _widths(columns: Sequence[_Measured], room: int) -> list[int]:
    """The width of each column: what it needs, and then what it wants while there is room."""
    widths = [one.comfortable for one in columns]
    if _total(widths) > room:
        widths = [one.least for one in columns]
    # Cells before headings: there are more of them.
    for wanted in ([one.widest for one in columns], [one.natural for one in columns]):
        for _ in range(room - _total(widths)):
            wants = [want - width for want, width in zip(wanted, widths, strict=True)]
            neediest = wants.index(max(wants))
            widths[neediest] += wants[neediest] > 0
    return widths


def _total(widths: Iterable[int]) -> int:
    return 1 + sum(_FRAME + width for width in widths)


def _longest_word(texts: Iterable[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=1)
