"""The page on the architecture shows the layers that import-linter holds, and all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "developing"


@pytest.fixture(scope="module")
def draw_layers(script):
    return script("developing/draw_layers.py")


@pytest.fixture(scope="module")
def rooms(draw_layers):
    return [room for layer in draw_layers.layers() for room in layer]


def test_the_picture_is_as_new_as_the_layers(draw_layers):
    drawn = draw_layers.draw(draw_layers.layers())
    assert draw_layers.PICTURE.read_text(encoding="utf-8") == drawn, (
        "pyproject.toml has other layers: run docs/developing/draw_layers.py"
    )


def test_every_room_has_a_paragraph_and_only_those(rooms):
    page = (FOLDER / "architecture.md").read_text(encoding="utf-8")
    terms = re.findall(r"^(`.*`)\n: ", page, re.MULTILINE)
    named = [name for term in terms for name in re.findall(r"`([^`]+)`", term)]
    assert sorted(named) == sorted(rooms)


def test_every_part_of_the_package_is_in_a_layer(rooms):
    package = ROOT / "src" / "edgewise"
    parts = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    # The doors: what `import edgewise` and `python -m edgewise` open.
    doors = {"__init__.py", "__main__.py"}
    parts |= {path.name for path in package.glob("*.py")} - doors
    assert parts == set(rooms)
