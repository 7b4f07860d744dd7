"""For everyone: screen readers, telephones, dark rooms, paper, no script."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.report.browser.shown import (
    NARROW,
    WIDE,
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_accessible(show, require, size, scheme):
    """axe-core finds nothing serious while everything is in use."""
    shown = show("whitened", viewport=size, color_scheme=scheme)
    page = shown.page
    axe = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    page.evaluate(axe.read_text(encoding="utf-8"))
    page.check("#all")
    page.locator("#headings button").first.click()
    # An overview, the card of an edge, a variable.
    for step in (None, "#rows tr", "#side .ends button"):
        if step:
            page.locator(step).first.click()
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert len(found["passes"]) > 20
        assert [
            (problem["impact"], problem["id"], problem["nodes"][0]["html"])
            for problem in found["violations"]
            if problem["impact"] in ("serious", "critical")
        ] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_pictures_of_the_page(show, tmp_path):
    """For eyes: they stay in the folder of the test. On a telephone nothing sticks out."""
    shown = show("sp500")
    sizes = {}
    for scheme in ("light", "dark"):
        for size in (WIDE, NARROW):
            shown.page.set_viewport_size(size)
            shown.page.emulate_media(color_scheme=scheme)
            assert shown.page.evaluate("document.documentElement.scrollWidth") == size["width"]
            path = tmp_path / f"{scheme}-{size['width']}.png"
            shown.page.screenshot(path=path, full_page=True)
            sizes[path.name] = path.stat().st_size
    assert len(sizes) == 4
    assert min(sizes.values()) > 20_000


def test_dark_and_light(show):
    shown = show("score", color_scheme="dark")
    page = shown.page

    def ground():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark, light = "rgb(14, 17, 22)", "rgb(255, 255, 255)"
    assert ground() == dark
    page.click("#theme")
    assert ground() == light
    page.click("#theme")
    assert ground() == dark
    page.emulate_media(color_scheme="light")
    assert ground() == dark  # as chosen
    page.emulate_media(media="print")
    assert ground() == light  # paper is


def test_on_paper(show):
    shown = show("score")
    page = shown.page
    useless = [".controls", ".tools", ".theme", "#side"]
    assert all(page.is_visible(part) for part in useless)
    page.emulate_media(media="print")
    assert not any(page.is_visible(part) for part in [*useless, ".skip"])
    for part in ("#answer", "#table", "dl", "pre", ".badge .caution, .badge p"):
        assert page.locator(part).first.is_visible()
    page.emulate_media(media="screen")
    page.locator("#rows tr").first.click()
    page.emulate_media(media="print")
    assert page.is_visible("#side")  # it was asked for
    assert page.is_hidden("#side .back")


@pytest.mark.parametrize("kind", ["sp500", "sachs"])
def test_every_edge_is_on_paper(show, kind, tmp_path):
    """On few pages, whatever the screen shows; afterwards the screen shows it again."""
    shown = show(kind)
    page, result = shown.page, shown.result
    page.fill("#search", result.feature_names[0])
    before = shown.table()
    page.evaluate(
        """addEventListener("beforeprint", () => {
        const names = [...document.querySelectorAll("#rows td:is(.source, .target)")];
        window.printed = [document.querySelector("#headings").cells.length,
          names.map((cell) => cell.textContent)]; })"""
    )
    printed = page.pdf(format="A4", path=tmp_path / "report.pdf")
    columns, names = page.evaluate("window.printed")
    assert columns == 10  # two pairs beside each other
    assert names == [name for edge in result.edges() for name in edge[:2]]
    assert 2 <= len(re.findall(rb"/Type /Page\b", printed)) <= 4
    assert shown.table() == before


def test_a_row_on_a_telephone(show):
    """The main facts of a pair without scrolling sideways, the others in a second line."""
    shown = show("sp500", viewport=NARROW)
    places = shown.page.eval_on_selector_all(
        "#rows tr:first-child td",
        "cells => cells.map(c => c.getBoundingClientRect()).map(b => [b.left, b.right, b.top])",
    )
    left, right, top = (np.array(one) for one in zip(*places, strict=True))
    assert left.min() >= 0
    assert right.max() <= NARROW["width"]
    # Names, partial correlation and adjusted p are above the interval and p.
    assert len({*top[[0, 1, 2, 5]]}) == len({*top[[3, 4]]}) == 1
    assert top[3] > top[0]


def test_without_a_script(show):
    shown = show("sp500", java_script_enabled=False)
    page = shown.page
    assert (
        page.locator("#answer").inner_text().startswith(f"{shown.result.n_edges} of 190 pairs are")
    )
    assert "need JavaScript" in page.locator("noscript").inner_text()
    assert page.locator("dl").is_visible()
    assert page.locator("tbody th").first.inner_text() == "score"
    # Controls that would do nothing are not there.
    for part in ("#controls", "#theme", "#graph", "#table", "#heat"):
        assert page.locator(part).is_hidden()
