"""The tables of methods name every method."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgewise.edges.registry import METHODS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/choosing.md"])
def test_every_method_is_in_the_table(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in METHODS if f'| `"{name}"`' not in text] == []
