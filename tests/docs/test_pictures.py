"""Every picture is on a page, with words for those who do not see it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MADE_BY_SPHINX = {"_build", "auto_examples", "generated"}
PAGES = {
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
        for name, text in PAGES.items()
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
        name for text in PAGES.values() for name in re.findall(r"/images/report/(\S+)\n", text)
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
