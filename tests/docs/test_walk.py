"""The pages of docs/developing name files, functions and methods that exist."""

from __future__ import annotations

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import edgewise

SRC = Path(edgewise.__file__).parent
PAGES = Path(__file__).parents[2] / "docs" / "developing"


def test_every_file_of_the_architecture_and_the_walk_exists():
    for page in ("architecture.md", "walk.md"):
        text = (PAGES / page).read_text(encoding="utf-8")
        named = set(re.findall(r"`((?:\w+/)+\w+\.py|_\w+\.py)`", text))
        assert not [path for path in named if not (SRC / path).is_file()], page


def test_every_name_of_the_walk_is_in_its_file():
    rows = re.findall(r"^\| \d+ \|.*$", (PAGES / "walk.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 10
    for row in rows:
        for path, name in re.findall(r"`([\w/]+\.py)` `([\w.]+)`", row):
            module = import_module("edgewise." + path.removesuffix(".py").replace("/", "."))
            assert callable(reduce(getattr, name.split("."), module)), row
