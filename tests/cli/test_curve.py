"""A small curve in text."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.cli.curve import effect_curve

ROWS = np.geomspace(100, 6400, 30)
EFFECTS = np.tanh(4 / np.sqrt(ROWS))


@pytest.mark.parametrize("width", [40, 60, 78])
def test_it_falls_and_the_own_rows_are_marked(width):
    lines = effect_curve(ROWS, EFFECTS, (800, np.tanh(4 / np.sqrt(800))), width=width)
    assert max(map(len, lines)) <= width
    curve = lines[:-2]
    found = [{k for k, c in enumerate(line) if "\u2800" < c < "\u2900"} for line in curve]
    tops = [min(cells) for cells in found if cells]
    assert tops == sorted(tops)
    # Every column has a dot or the mark: the curve has no holes.
    (line,) = (k for k, text in enumerate(curve) if "●" in text)
    found[line].add(curve[line].index("●"))
    assert set().union(*found) == set(range(7, width))
    # Half of the logarithmic axis.
    assert curve[line].index("●") == pytest.approx(7 + (width - 8) / 2, abs=1)
    assert lines[-1].split() == ["100", "800", "6,400", "rows"]
    assert curve[0].split()[0] == f"{EFFECTS[0]:.2g}"
    assert curve[-1].split()[0] == "0"


def test_effects_that_are_not_known_and_plain_ascii():
    some = np.where(ROWS < 300, np.nan, EFFECTS)
    lines = effect_curve(ROWS, some, (800, 0.14), width=60, encoding="ascii")
    assert all(line.isascii() for line in lines)
    assert sum("@" in line for line in lines) == 1
    assert lines[-1].split()[0] == f"{round(ROWS[ROWS >= 300][0]):,}"
