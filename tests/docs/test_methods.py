"""The table of methods names every method."""

from __future__ import annotations

from pathlib import Path

from edgewise.methods.registry import METHODS

ROOT = Path(__file__).parents[2]


def test_every_method_is_in_the_table():
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    assert [name for name in METHODS if f'| `"{name}"`' not in text] == []
