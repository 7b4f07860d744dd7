"""A small curve in text: dots of Braille, or stars where a terminal has only ASCII."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.cli.plain_text import plain

_BLANK = 0x2800
#: The bits of the eight dots of a character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_MARK = "●"


def effect_curve(
    rows: FloatArray,
    effects: FloatArray,
    own: tuple[float, float],
    *,
    width: int,
    height: int = 9,
    encoding: str = "utf-8",
) -> list[str]:
    """The partial correlation that is found, against the rows on a logarithmic scale.

    Parameters
    ----------
    rows, effects : ndarray
        The curve; rows rise. Effects that are NaN are left out.
    own : (float, float)
        The point to mark: rows, and the effect that they find.
    width, height : int
        Characters for the whole, and lines for the curve alone.
    encoding : str
        Of the terminal; decides whether the dots can be shown.

    Returns
    -------
    list of str
        Lines of at most `width` characters.
    """
    known = np.isfinite(effects)
    x, y = np.log(rows[known]), effects[known]
    margin = 6  # "0.123" and a line
    across = width - margin - 1
    most = float(y.max())
    at = np.interp(np.arange(2 * across), _scaled(x, 2 * across - 1), y)
    cells = np.zeros((height, across), dtype=int)
    lines = np.rint((1 - at / most) * (4 * height - 1)).astype(int)
    for k, (line, last) in enumerate(zip(lines, np.r_[lines[0], lines[:-1]], strict=True)):
        # A steep part is drawn as a column of dots, so that the curve has no holes.
        for dot in range(min(line, last + 1), line + 1):
            cells[dot // 4, k // 2] |= _DOTS[dot % 4][k % 2]
    shown = [[chr(_BLANK + cell) if cell else " " for cell in line] for line in cells]
    column = int(np.interp(np.log(own[0]), x, _scaled(x, across - 1)) + 0.5)
    line = min(int((1 - own[1] / most) * (4 * height - 1)) // 4, height - 1)
    shown[line][column] = _MARK
    labels = {0: f"{most:.2g}", height // 2: f"{most / 2:.2g}", height - 1: "0"}
    drawn = [f"{labels.get(k, ''):>5} │{''.join(cells)}" for k, cells in enumerate(shown)]
    drawn += _axis(rows[known], own, column, across)
    return [plain(text, encoding).rstrip() for text in drawn]


def _scaled(x: FloatArray, most: int) -> FloatArray:
    return np.asarray((x - x[0]) / (x[-1] - x[0]) * most)


def _axis(rows: FloatArray, own: tuple[float, float], column: int, across: int) -> list[str]:
    """The line below the curve, and the numbers of rows at its ends and at the mark."""
    text = [" "] * across
    first, last, mark = (f"{round(n):,}" for n in (rows[0], rows[-1], own[0]))
    last = f"{last} rows"
    start = min(max(column - len(mark) // 2, len(first) + 2), across - len(last) - 2 - len(mark))
    for at, label in ((0, first), (start, mark), (across - len(last), last)):
        text[at : at + len(label)] = label
    return [f"{'':>5} └{'─' * across}", f"{'':>7}{''.join(text)}"]
