"""The heat map."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.report.browser.shown import NARROW, signed


class Heat:
    """The heat map of a page: where its squares lie, and their colours."""

    def __init__(self, shown):
        self.page, self.canvas = shown.page, shown.page.locator("#heat")
        self.canvas.scroll_into_view_if_needed()
        shown.page.wait_for_selector("#heat[data-ms]")
        self.read()

    def read(self):
        told = self.page.evaluate("({ ...document.getElementById('heat').dataset })")
        self.left, self.cell, self.dots, self.most = (
            float(told[name]) for name in ("left", "cell", "dots", "most")
        )
        self.order = [int(one) for one in told["order"].split()]
        self.bar = [float(one) for one in told["bar"].split()]
        wide, high, text = self.page.evaluate(
            """() => { const c = document.getElementById("heat");
            const copy = document.createElement("canvas");
            [copy.width, copy.height] = [c.width, c.height];
            copy.getContext("2d").drawImage(c, 0, 0);
            const { data } = copy.getContext("2d").getImageData(0, 0, c.width, c.height);
            let text = "";
            for (let at = 0; at < data.length; at += 8192)
              text += String.fromCharCode(...data.subarray(at, at + 8192));
            return [c.width, c.height, btoa(text)]; }"""
        )
        seen = np.frombuffer(base64.b64decode(text), np.uint8).reshape(high, wide, 4)
        self.pixels = seen[..., :3].astype(int)
        ground = self.page.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--heat-0')"
        )
        self.ground = np.array([*bytes.fromhex(ground.strip()[1:])])

    def at(self, row, column, share=0.5):
        """A place in a square, in pixels of the page."""
        return tuple(self.left + (place + share) * self.cell for place in (column, row))

    def colour(self, x, y):
        return self.pixels[int(y * self.dots), int(x * self.dots)]

    def bar_colours(self, value):
        """The colours of the bar just below, at and just above a value."""
        x, y, width, height = self.bar
        middle = x + width * (value / self.most + 1) / 2
        columns = np.clip([middle - 1, middle, middle + 1], x, x + width - 1)
        return np.array([self.colour(one, y + height / 2) for one in columns])

    def hover(self, x, y):
        self.canvas.hover(position={"x": x, "y": y})


def test_every_square_has_the_colour_that_the_bar_has_at_its_value(show):
    shown = show("sachs")
    heat, result = Heat(shown), shown.result
    rho, edge = (
        matrix[np.ix_(heat.order, heat.order)]
        for matrix in (result.partial_correlation, result.reject)
    )
    for a, b in zip(*np.nonzero(~np.eye(len(rho), dtype=bool)), strict=True):
        square = heat.colour(*heat.at(a, b))
        on_bar = heat.bar_colours(rho[a, b])
        assert np.all(square >= on_bar.min(axis=0) - 2), (a, b)
        assert np.all(square <= on_bar.max(axis=0) + 2), (a, b)
        # Only an edge fills its square.
        corner = heat.colour(*heat.at(a, b, 0.1))
        if edge[a, b]:
            np.testing.assert_array_equal(corner, square)
        else:
            np.testing.assert_array_equal(corner, heat.ground)
    assert heat.most >= np.abs(rho[~np.eye(len(rho), dtype=bool)]).max()
    # Communities stand together.
    communities = shown.page.evaluate(
        "JSON.parse(document.getElementById('data').textContent).communities"
    )
    along = [communities[i] for i in heat.order]
    assert along == sorted(along)
    shown.page.uncheck("#heat-all")
    heat.read()
    a, b = next(zip(*np.nonzero(~edge & ~np.eye(len(rho), dtype=bool)), strict=True))
    np.testing.assert_array_equal(heat.colour(*heat.at(a, b)), heat.ground)


def test_pointing_and_clicking_light_up_other_views(show):
    shown = show("sachs")
    heat, page, result = Heat(shown), shown.page, shown.result
    heat.hover(*heat.at(1, 3))
    i, j = sorted((heat.order[1], heat.order[3]))
    names = result.feature_names
    told = shown.text("#tip")
    assert told.startswith(f"{names[i]} – {names[j]}: {signed(result.partial_correlation[i, j])}")
    assert told.endswith(", an edge") == bool(result.reject[i, j])
    assert told.endswith(", not an edge") != bool(result.reject[i, j])
    lit = "rows => rows.filter(r => r.matches('.lit')).map(r => Number(r.dataset.node)).sort()"
    rows = "#centrality tr[data-node]"
    assert page.eval_on_selector_all(rows, lit) == sorted((i, j), key=str)
    x, y = heat.at(1, 3)
    heat.hover(heat.left - 5, y)
    assert shown.text("#tip").startswith("community ")
    heat.canvas.click(position={"x": x, "y": y})
    page.wait_for_url(re.compile("select=pair"))


def test_untested_pairs_look_different_and_say_so(show):
    shown = show("chosen")
    heat = Heat(shown)
    p = len(heat.order)
    tested = shown.result.tested
    assert tested is not None
    columns = shown.result.tested_columns()
    a, b = next(
        (a, b)
        for a in range(p)
        for b in range(a)
        if not tested[columns[heat.order[a]], columns[heat.order[b]]]
    )
    heat.hover(*heat.at(a, b))
    assert shown.text("#tip").endswith(": not tested")
    colours = {tuple(heat.colour(*heat.at(a, b, share))) for share in (0.2, 0.35, 0.5, 0.65, 0.8)}
    assert tuple(heat.ground) not in colours


def test_dark_is_dark(show):
    heat = Heat(show("sachs", color_scheme="dark"))
    squares = heat.pixels[int(heat.left * heat.dots) :, int(heat.left * heat.dots) :]
    assert np.median(squares.sum(axis=2)) < 3 * 60
    assert np.all(heat.colour(*heat.at(0, 0)) < 100)  # the diagonal too


def test_on_a_phone_it_fits_and_has_names(show):
    shown = show("sp500", viewport=NARROW, device_scale_factor=2)
    heat = Heat(shown)
    box = heat.canvas.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= NARROW["width"]
    assert heat.cell >= 9
    assert heat.left > 20  # room for names
    assert shown.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_files(show, kind):
    shown = show("sachs", viewport=NARROW, accept_downloads=True)
    Heat(shown)
    with shown.page.expect_download() as started:
        shown.page.click(f"#heat-{kind}")
    assert started.value.suggested_filename == f"partial-correlations.{kind}"
    content = Path(started.value.path()).read_bytes()
    if kind == "png":
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") == 3 * 704
        return
    root = ET.fromstring(content)
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(shown.result.feature_names) <= set(texts)
    assert "partial correlation" in texts
