"""For everyone: screen readers, telephones, dark rooms, paper, no script."""

from __future__ import annotations

from pathlib import Path

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
    _use(shown)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert len(found["passes"]) > 20
    assert [
        (problem["impact"], problem["id"], problem["nodes"][0]["html"])
        for problem in found["violations"]
        if problem["impact"] in ("serious", "critical")
    ] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def _use(shown):
    shown.page.locator("#nodes g.node").nth(3).press("Enter")
    shown.page.check("#all")
    shown.page.locator("#headings button").first.click()
    shown.page.locator("#heat").hover(position={"x": 5, "y": 150})


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
    useless = [".zoom", ".tools", ".pages", ".theme", ".legend em", "#side"]
    assert all(page.is_visible(part) for part in useless)
    page.emulate_media(media="print")
    assert not any(page.is_visible(part) for part in [*useless, ".skip"])
    for part in ("#answer", "#count", "#graph", "#table", "#heat", ".legend", "dl", "pre"):
        assert page.is_visible(part)
    page.emulate_media(media="screen")
    page.locator("#nodes g.node").first.press("Enter")
    page.emulate_media(media="print")
    assert page.is_visible("#side")  # its neighbours were asked for


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
