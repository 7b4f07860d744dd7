"""The heat map, centralities, the agreement of methods, and what the rows could have shown."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest
from tests.report.browser.shown import NARROW


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


DATA = re.compile(r'( id="data">)(.*?)(</script>)', re.DOTALL)


CURVE = {
    "rows": [50, 100, 200, 400, 800, 1600],
    "effects": [0.6, 0.42, 0.3, 0.21, 0.15, 0.1],
    "ownRows": 200,
    "ownEffect": 0.3,
    "power": 0.8,
}


@pytest.fixture
def changed(written, tmp_path):
    """A page of that kind whose data hold something else."""

    def change(kind, **data):
        path, result = written(kind)
        html = path.read_text(encoding="utf-8")
        told = json.loads(DATA.search(html)[2]) | data
        new = tmp_path / "changed.html"
        new.write_text(
            DATA.sub(lambda found: found[1] + json.dumps(told) + found[3], html),
            encoding="utf-8",
        )
        return new, result

    return change


@pytest.mark.browser
def test_centralities_are_ordered_and_linked(show):
    shown = show("sp500")
    page, result = shown.page, shown.result
    page.locator("#centrality-title").scroll_into_view_if_needed()
    page.wait_for_selector("#centrality tr[data-node]")
    size = np.where(result.reject, np.abs(result.partial_correlation), 0.0)
    np.fill_diagonal(size, 0.0)
    strength, degree = size.sum(axis=0), (size > 0).sum(axis=0)
    order = [int(one) for one in shown.all("#centrality tr[data-node]", "e => e.dataset.node")]
    assert np.all(np.diff(strength[order]) <= 1e-6)
    cells = "e => [...e.querySelectorAll('td .number')].map(n => Number(n.textContent))"
    for i, (shown_degree, shown_strength, bridge) in zip(
        order, shown.all("#centrality tr[data-node]", cells), strict=True
    ):
        assert shown_degree == degree[i]
        assert shown_strength == pytest.approx(strength[i], abs=0.006)
        assert bridge <= shown_strength
    page.click(f'#centrality tr[data-node="{order[2]}"] button')
    page.wait_for_url(re.compile(f"select=node.{order[2]}$"))
    assert page.locator(f'#centrality tr[data-node="{order[2]}"].lit').count() == 1


@pytest.mark.browser
def test_agreement_of_methods(show, changed):
    told = {"methods": ["score", "batch", "eig"], "pairs": [3, 0, 4], "more": 0}
    told["found"] = ["111", "110", "000"]
    shown = show(changed("sachs", agreement=told))
    page = shown.page
    assert shown.text("#agreement-first") == (
        "Of the 3 pairs that some method calls an edge, 2 are found by all 2 methods that find "
        "any, and 1 by only one. One method finds no edge in these data."
    )
    rows = shown.all("#agreement tbody tr", "e => [...e.cells].map(c => c.className)")
    assert [row[1:] for row in rows] == [["yes", "yes", "no"]] * 2 + [["yes", "no", "no"]]
    assert shown.all("#agreement tfoot td") == ["3", "2", "0"]
    assert shown.all("#agreement thead .own") == ["score"]
    page.hover("#agreement tbody tr:nth-child(2)")
    assert page.locator("#agreement tr.lit").count() == 1
    page.click("#agreement tbody tr:nth-child(2) button")
    page.wait_for_url(re.compile("select=pair.0$"))


@pytest.mark.browser
def test_what_the_rows_could_have_shown(show, changed):
    assert not show("sachs").page.locator("#detectable-section").is_visible()
    for viewport in ({"width": 1000, "height": 700}, NARROW):
        shown = show(changed("no edges", detectable=CURVE), viewport=viewport)
        page = shown.page
        page.locator("#detectable-title").scroll_into_view_if_needed()
        page.wait_for_selector(".curve")
        assert shown.text(".curve text.here") == "You are here: 200 rows see 0.30"
        inside = """e => { const b = e.getBoundingClientRect();
            return b.left >= 0 && b.right <= innerWidth; }"""
        assert all(shown.all(".curve text", inside))
        assert "0.8" in shown.text("#detectable-power")
        assert "no edge" in shown.text("#centrality")
