"""Quotes that are not closed: they make one cell of many lines, and so swallow rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from edgewise.errors import DataError
from edgewise.rows.readers.sniffing import TextFormat
from edgewise.rows.readers.splitting import BLANKS, long_cells

_LONGEST_CELL = 1 << 24


def refuse_open_quotes(
    lines: Iterator[str], form: TextFormat, where: str, *, whole: bool = True
) -> None:
    """Refuse a cell that goes over several lines and is not quoted properly.

    A quote that is never closed ends at the next quote, which begins a cell in another line: what
    follows is then neither a separator nor the end of a line.

    Parameters
    ----------
    lines : iterator of str
        The lines of the text, from the first one on.
    form : TextFormat
        Its form.
    where : str
        The file, for messages.
    whole : bool
        Whether the lines are all there are; else the last cell may be cut off.
    """
    if form.sep == BLANKS:
        return
    kept: list[str] = []

    def fed() -> Iterator[str]:
        for line in lines:
            kept.append(line)
            yield line

    start = 1
    with long_cells(_LONGEST_CELL):
        try:
            for _ in csv.reader(fed(), delimiter=form.sep, quotechar=form.quote):
                if len(kept) > 1 and not _is_proper(kept, form):
                    break
                start += len(kept)
                kept.clear()
            else:
                return
        except csv.Error:
            pass
    if whole or next(lines, None) is not None:
        raise DataError(
            f"data: line {start} of {where} cannot be read: a quote begins there that is not "
            "closed in the same cell; correct it."
        )


def _is_proper(lines: list[str], form: TextFormat) -> bool:
    reader = csv.reader(lines, delimiter=form.sep, quotechar=form.quote, strict=True)
    try:
        return len(list(reader)) == 1
    except csv.Error:
        return False


class QuoteWatch(io.RawIOBase):
    """A stream that notices lines with an odd number of quotes.

    Attributes
    ----------
    odd : bool
        Whether there was one.
    """

    def __init__(self, stream: Any, quote: str) -> None:
        super().__init__()
        self._stream, self._quote = stream, quote.encode()
        self._rest = b""
        self.odd = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self._stream.read(size)
        if not self.odd and (self._quote in chunk or self._rest or not chunk):
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            ends = [*whole, self._rest] if not chunk else whole
            self.odd = any(line.count(self._quote) % 2 for line in ends)
        elif not self.odd:
            self._rest = chunk[chunk.rfind(b"\n") + 1 :] if b"\n" in chunk else b""
        return chunk
