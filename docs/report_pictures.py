"""The screenshots of docs/report.md: `python docs/report_pictures.py`, run by hand.

They are kept in the repository (docs/images/report), since not everyone who builds the pages
has a browser that a program can steer. Run it again when the report looks different; it needs
playwright, Chromium and pdftoppm.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from shutil import which

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

import edgewise as ew

DOCS = Path(__file__).parent
FOLDER = DOCS / "images" / "report"
SCREEN, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
#: Many points for each pixel, so that letters are sharp; few enough for a small file.
SCALE = 1.25


def write_pages(folder: Path) -> None:
    """The report of the tour, and one without an edge."""
    returns = ew.datasets.load_sp500_returns()
    title = "Daily returns of 20 S&P 500 companies, 1990–2022"
    ew.edge_test(returns, method="batch").report(
        folder / "returns.html", data=returns, title=title
    )
    noise = np.random.default_rng(5).standard_t(5, (400, 12))
    names = [f"marker {k}" for k in range(1, 13)]
    ew.edge_test(noise, feature_names=names).report(
        folder / "nothing.html", data=noise, title="Twelve markers of 400 patients"
    )


def first(page: Page) -> bytes:
    return page.screenshot()


def edge(page: Page) -> bytes:
    """As a reader would: a click on a row of the table lights the edge everywhere."""
    page.get_by_text("KO – PEP", exact=True).first.click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    page.evaluate("scrollTo(0, 0)")
    return page.screenshot()


def neighbourhood(page: Page) -> bytes:
    page.locator("#side").get_by_text("HD", exact=True).first.click()
    page.select_option("#hops", "1")
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    return around(page, page.locator(".first"))


def heat(page: Page) -> bytes:
    return part(page, "section:has(#heat-title)")


def agreement(page: Page) -> bytes:
    return part(page, "#agreement")


def curve(page: Page) -> bytes:
    return part(page, "#detectable-section")


def part(page: Page, selector: str) -> bytes:
    """A part of the page on a narrower screen; some are painted when they come into sight."""
    page.set_viewport_size({"width": 900, "height": 1800})
    shown = page.locator(selector)
    shown.scroll_into_view_if_needed()
    page.wait_for_timeout(400)
    return around(page, shown)


def around(page: Page, shown: Locator) -> bytes:
    """With a little room, as on the screen."""
    place = shown.bounding_box()
    clip = {"x": place["x"] - 12, "y": place["y"] - 12}
    return page.screenshot(
        clip={**clip, "width": place["width"] + 24, "height": place["height"] + 24}
    )


def printed(page: Page) -> bytes:
    """The first two sheets of paper beside each other."""
    with tempfile.TemporaryDirectory() as folder:
        sheets = Path(folder) / "sheets.pdf"
        page.pdf(path=sheets, prefer_css_page_size=True)
        command = [
            which("pdftoppm"),
            "-r",
            "75",
            "-l",
            "2",
            "-png",
            sheets,
            sheets.with_suffix(""),
        ]
        subprocess.run(command, check=True)  # noqa: S603  its name is above
        one, two = (Image.open(path) for path in sorted(Path(folder).glob("*.png")))
        both = Image.new("RGB", (one.width + two.width + 24, one.height), "#dddddd")
        both.paste(one, (0, 0))
        both.paste(two, (one.width + 24, 0))
        both.save(Path(folder) / "both.png")
        return (Path(folder) / "both.png").read_bytes()


#: Of each picture: the page, the size of the screen, light or dark, and what is done there.
PICTURES: dict[str, tuple[str, dict[str, int], str, Callable[[Page], bytes]]] = {
    "1-first-screen": ("returns", SCREEN, "light", first),
    "2-edge": ("returns", SCREEN, "light", edge),
    "3-neighbourhood": ("returns", SCREEN, "light", neighbourhood),
    "4-heat-map": ("returns", SCREEN, "light", heat),
    "5-agreement": ("returns", SCREEN, "light", agreement),
    "6-no-edges": ("nothing", SCREEN, "light", curve),
    "7-phone": ("returns", PHONE, "light", first),
    "8-paper": ("returns", SCREEN, "light", printed),
    "9-dark": ("returns", SCREEN, "dark", first),
}


def shoot(browser: Browser, folder: Path, name: str) -> None:
    page_name, screen, theme, act = PICTURES[name]
    context = browser.new_context(
        viewport=screen,
        color_scheme=theme,
        device_scale_factor=SCALE,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto((folder / f"{page_name}.html").as_uri())
    page.wait_for_selector("html[data-update-ms]", state="attached")
    page.wait_for_timeout(500)
    raw = folder / f"{name}.png"
    raw.write_bytes(act(page))
    target = FOLDER / f"{name}.webp"
    Image.open(raw).convert("RGB").save(target, quality=82, method=6)
    print(f"{target.relative_to(DOCS)}: {target.stat().st_size / 1000:.0f} kB")
    context.close()


def main(names: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as engine:
        folder = Path(place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
            write_pages(folder)
        browser = engine.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox"]
        )
        for name in names or PICTURES:
            shoot(browser, folder, name)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
