"""The pages name files, functions and methods that exist."""

from __future__ import annotations

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import edgewise

ROOT = Path(__file__).parents[2]
SRC = Path(edgewise.__file__).parent
PAGES = ROOT / "docs" / "developing"
#: Pages whose files a reader is asked to make.
NOT_YET = {"adding-a-method.md", "adding-a-question.md"}
FOLDERS = ("developing", "theory", ".")


def test_every_file_that_a_page_names_exists():
    for page in (page for name in FOLDERS for page in (ROOT / "docs" / name).glob("*.md")):
        named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?|_\w+\.py)`", page.read_text("utf-8")))
        named -= {"dist/"}  # what `make dist-check` builds
        missing = {path for path in named if not ((SRC / path).exists() or (ROOT / path).exists())}
        assert not missing or page.name in NOT_YET, (page.name, missing)


def test_every_name_of_the_walk_is_in_its_file():
    rows = re.findall(r"^\| \d+ \|.*$", (PAGES / "walk.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 10
    for row in rows:
        for path, name in re.findall(r"`([\w/]+\.py)` `([\w.]+)`", row):
            module = import_module("edgewise." + path.removesuffix(".py").replace("/", "."))
            assert callable(reduce(getattr, name.split("."), module)), row
