"""Draws layers.svg: the layers of `pyproject.toml`, which import-linter holds.

Run it when they change (`python docs/developing/draw_layers.py`); a test compares the two.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).with_name("layers.svg")

WIDTH, MARGIN, ROW, GAP, LETTER = 540, 46, 30, 8, 7.3


def layers() -> list[list[str]]:
    """The rooms of each layer, the highest first; a folder ends in a slash."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (
        contract
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    return [
        [
            _room(name.strip().removeprefix("edgewise."))
            for name in re.split("[|:]", layer)
        ]
        for layer in contract["layers"]
    ]


def _room(name: str) -> str:
    return f"{name}/" if (ROOT / "src" / "edgewise" / name).is_dir() else f"{name}.py"


def draw(rooms: Sequence[Sequence[str]]) -> str:
    """One row of boxes for each layer."""
    height = len(rooms) * (ROW + GAP) + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="monospace" font-size="12">',
        "<title>The layers of edgewise, from the command line down to the errors</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<path d="M 22 {GAP} V {height - 2 * GAP} m -6 -9 l 6 9 l 6 -9" '
        'fill="none" stroke="#555555" stroke-width="1.5"/>',
        f'<text x="15" y="{height / 2:g}" text-anchor="middle" fill="#555555" '
        f'font-family="sans-serif" transform="rotate(-90 15 {height / 2:g})">may import</text>',
    ]
    for row, names in enumerate(rooms):
        y = GAP + row * (ROW + GAP)
        lines.append(
            f'<rect x="{MARGIN}" y="{y}" width="{WIDTH - MARGIN - GAP}" height="{ROW}" '
            'rx="4" fill="#eef2f6"/>'
        )
        x = float(MARGIN + GAP)
        for name in names:
            width = LETTER * len(name) + 2 * GAP
            lines.append(
                f'<rect x="{x:g}" y="{y + 4}" width="{width:g}" height="{ROW - 8}" rx="3" '
                'fill="#ffffff" stroke="#7a8ea3"/>'
            )
            lines.append(
                f'<text x="{x + width / 2:g}" y="{y + ROW / 2 + 4:g}" text-anchor="middle" '
                f'fill="#1b2733">{escape(name)}</text>'
            )
            x += width + GAP
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(layers()), encoding="utf-8")
