"""The page on the architecture shows the layers that import-linter holds, and all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

import edgewise
from edgewise.methods.registry import registered

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


# The pages name files, functions and methods that exist.


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


# The table of methods names every method.


def test_every_method_is_in_the_table():
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    assert [name for name in registered() if f'| `"{name}"`' not in text] == []


# The page of verdicts has every numbered item of the paper, each with what supports it.


PACKAGE = ROOT / "src" / "edgewise"
PAGE = (ROOT / "docs" / "theory" / "verdicts.md").read_text(encoding="utf-8")
ITEMS = {
    *(f"Theorem {k}" for k in range(1, 9)),
    *(f"Lemma {k}" for k in (1, 2)),
    *(f"Corollary {k}" for k in (1, 2)),
    "Remark 1",
    *(f"Figure {k}" for k in range(1, 5)),
    "Algorithm 1",
}
VERDICTS = {"holds", "holds after repair", "false"}


def table() -> list[dict[str, str]]:
    """The rows of the first table, by the names of its columns."""
    lines = re.search(r"^\| item .*\n(?:\|.*\n)+", PAGE, re.M)[0].splitlines()
    names, _, *rows = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return [dict(zip(names, row, strict=True)) for row in rows]


def sections() -> dict[str, str]:
    """The text below each heading, by the anchor that links use."""
    parts = re.split(r"^## (.*)\n", PAGE, flags=re.M)
    anchors = (re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in parts[1::2])
    return dict(zip(anchors, parts[2::2], strict=True))


def test_every_numbered_item_has_one_row():
    items = [row["item"] for row in table()]
    assert len(items) == len(set(items))
    assert set(items) >= ITEMS
    others = set(items) - ITEMS
    assert all(re.match(r"Definition|claim: ", item) for item in others), others


def test_every_row_has_a_verdict_and_names_what_supports_it():
    """Files that exist, tests, and blocks that run; a counterexample for what is not so."""
    below, wrong = sections(), []
    for row in table():
        files = re.findall(r"`([^`]+)`", row["where"])
        homes = [ROOT if file.startswith("reproduction/") else PACKAGE for file in files]
        tests = re.findall(r"`([^`]+)`", row["check"])
        anchors = re.findall(r"\[block\]\(#([^)]+)\)", row["check"])
        fine = (
            row["what it says"],
            row["verdict"].strip("*") in VERDICTS,
            files and all((home / file).is_file() for home, file in zip(homes, files, strict=True)),
            tests or anchors,
            all(test.startswith("tests/") and (ROOT / test).is_file() for test in tests),
            all("```python\n>>> " in below[anchor] for anchor in anchors),
            row["verdict"] == "holds" or anchors,
        )
        wrong += [] if all(fine) else [(row["item"], fine)]
    assert wrong == []


# The tables of howto/causal_discovery.md are those of the numbers, and the numbers are as said.


@pytest.fixture(scope="module")
def tables(script):
    return script("integrations_tables.py")


def test_the_page_has_the_tables_of_the_numbers(tables):
    page = tables.PAGE.read_text(encoding="utf-8")
    assert tables.filled(page, tables.read()) == page


@pytest.mark.parametrize(
    ("law", "most"),
    [("t5", 40), ("contaminated", 40), ("exponential", 40), ("lognormal", 40), ("counts", 50)],
)
def test_pc_makes_few_false_edges_whatever_the_law(tables, law, most):
    runs, false, *_ = tables.read()[f"pc-{law}", "edgewise"]
    assert 100 * false / runs <= most


# The page on the command line has the help of every command, as the program prints it.


@pytest.fixture(scope="module")
def command_line(script):
    return script("command_line.py")


@pytest.fixture(scope="module")
def page(command_line):
    return command_line.markdown()


def printed(*arguments):
    """What the program prints on a terminal of 80 columns."""
    return subprocess.run(
        [sys.executable, "-m", "edgewise", *arguments],
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout


def test_the_help_of_every_command_is_there(page):
    root = printed("--help")
    commands = re.findall(r"^  (\w+) ", root.partition("Commands:")[2].partition("\n\n")[0], re.M)
    assert "accumulate" in commands
    assert re.findall(r"^## edgewise (\w+)$", page, re.M) == commands
    for command in commands:
        manual, examples = printed(command, "--help").split("\nExamples:\n")
        assert manual.strip() in page
        for line in examples.splitlines():
            assert line.strip() in page


# Every picture is on a page, with words for those who do not see it.


DOCS = Path(__file__).parents[2] / "docs"
MADE_BY_SPHINX = {"_build", "auto_examples", "generated"}
PICTURES_PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if not MADE_BY_SPHINX & set(path.parts)
}


@pytest.fixture(scope="module")
def drawing():
    """The package beside the pages, as Sphinx imports it."""
    pytest.importorskip("matplotlib")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        import drawing

        yield drawing
        for name in [name for name in sys.modules if name.partition(".")[0] == "drawing"]:
            patch.delitem(sys.modules, name)


def test_every_picture_is_shown_and_has_words_for_those_who_do_not_see_it(drawing):
    shown = {
        found: (name, rest)
        for name, text in PICTURES_PAGES.items()
        for found, rest in re.findall(r"/_build/pictures/([\w-]+)\.svg\n(.*)", text)
    }
    assert shown.keys() == drawing.PICTURES.keys()
    assert [where for where, rest in shown.values() if not rest.startswith(":alt: ")] == []


def test_every_plot_has_a_picture(drawing):
    from edgewise.plots import plots

    names = {name.replace("_", "-") for name in plots.__all__ if name.startswith("plot_")}
    names |= {f"plot-{kind}" for kind in plots.KINDS}
    pictures = {name.rpartition("-")[0] for name in drawing.gallery.PICTURES}
    assert pictures == names


def test_the_screenshots_are_there_and_small():
    shown = {
        name
        for text in PICTURES_PAGES.values()
        for name in re.findall(r"/images/report/(\S+)\n", text)
    }
    files = {path.name: path.stat().st_size for path in (DOCS / "images/report").iterdir()}
    assert shown == files.keys()
    assert max(files.values()) < 150_000
    assert sum(files.values()) < 1_200_000


def test_a_picture_is_the_same_from_run_to_run_and_has_no_white_on_a_dark_page(drawing, tmp_path):
    for name in ("one", "two"):
        drawing.draw("false-edges", tmp_path / f"{name}.svg")
        drawing.style.save_dark(tmp_path / f"{name}.svg")
    for kind in ("", "-dark"):
        one, two = (tmp_path / f"{name}{kind}.svg" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    dark = two.read_text(encoding="utf-8")
    assert "fill: #ffffff" not in dark
    assert drawing.style.BLUE.lower() not in dark
