"""The table of edges, and the file that it is saved to."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.report.browser.shown import (
    HOSTILE,
    signed,
)

from edgewise.view.safe_names import printable


def test_the_table_has_the_numbers_of_the_result(show):
    shown = show("sp500")
    assert shown.all("#headings button")[3] == "95 % interval for all pairs at once"
    low, high = shown.result.confidence_interval(0.95, "partial_correlation", simultaneous=True)
    place = {name: i for i, name in enumerate(shown.result.feature_names)}
    rows = shown.table()
    assert len(rows) == 50 < shown.result.n_edges
    for row, edge in zip(rows, shown.result.edges(), strict=False):
        i, j = place[edge.source], place[edge.target]
        assert row[:4] == [
            edge.source,
            edge.target,
            signed(edge.partial_correlation),
            f"{signed(low[i, j])} to {signed(high[i, j])}",
        ]
        assert float(row[4]) == pytest.approx(edge.pvalue, rel=0.06)
        assert float(row[5]) == pytest.approx(edge.adjusted_pvalue, rel=0.06)


def test_sorting(show):
    """By every column, both ways; what is saved comes in the same order."""
    shown = show("sp500")
    page, result = shown.page, shown.result
    low, high = result.shown_interval()
    place = {name: i for i, name in enumerate(result.feature_names)}

    def width(line):
        at = place[line["source"]], place[line["target"]]
        return np.float32(high[at]) - np.float32(low[at])

    keys = [
        lambda line: line["source"],
        lambda line: line["target"],
        lambda line: abs(float(line["partial_correlation"])),
        width,
        lambda line: float(line["pvalue"]),
        lambda line: float(line["adjusted_pvalue"]),
    ]
    page.check("#all")
    shown.set_level(1e-3)
    sorted_as = "e => e.getAttribute('aria-sort')"
    assert shown.all("#headings th", sorted_as) == ["none", "none", "descending", *["none"] * 3]
    for column, key in enumerate(keys):
        if column == 2:  # elsewhere first; the strongest come first here
            assert shown.all("#headings th", sorted_as)[column] == "none"
        for way in ("descending", "ascending") if column == 2 else ("ascending", "descending"):
            page.locator("#headings button").nth(column).click()
            expected = ["none"] * 6
            expected[column] = way
            assert shown.all("#headings th", sorted_as) == expected
            assert ("↓" in shown.all("#headings th")[column]) == (way == "descending")
            lines = shown.download()
            values = [key(line) for line in lines]
            assert len(values) == 190
            assert values == sorted(values, reverse=way == "descending")
            assert [row[:2] for row in shown.table()] == [
                [line["source"], line["target"]] for line in lines[:50]
            ]


def test_pages(show):
    shown = show("sp500")
    page = shown.page
    n = shown.result.n_edges
    assert shown.text("#page") == f"1–50 of {n}"
    assert page.is_disabled("#previous")
    page.click("#next")
    assert shown.text("#page") == f"51–{n} of {n}"
    assert page.is_disabled("#next")
    page.check("#all")
    assert shown.text("#page") == "1–50 of 190"
    seen = [row[:2] for row in shown.table()]
    while page.is_enabled("#next"):
        page.click("#next")
        seen += [row[:2] for row in shown.table()]
    assert seen == [list(pair[:2]) for pair in shown.result.pairs()]
    page.click("#previous")
    assert shown.text("#page") == "101–150 of 190"
    # What is no edge is paler.
    assert page.locator("#rows tr.no").count() == 50
    shown.set_level(1e-6)
    page.uncheck("#all")
    assert shown.text("#page").startswith("1–")


def test_search(show):
    shown = show("sp500")
    page = shown.page
    n = shown.result.n_edges
    assert shown.text("#download") == f"Download all {n} edges as CSV"
    page.check("#all")
    assert shown.text("#download") == "Download all 190 pairs as CSV"
    page.fill("#search", "xom")
    assert shown.text("#download") == "Download these 19 rows as CSV"
    assert shown.text("#page") == "1–19 of 19"
    assert page.is_hidden("#next")
    assert all("XOM" in row for row in shown.table())
    assert [line["source"] for line in shown.download()] == [row[0] for row in shown.table()]
    page.uncheck("#all")
    edges = [list(edge[:2]) for edge in shown.result.edges() if "XOM" in edge]
    assert [row[:2] for row in shown.table()] == edges
    page.fill("#search", "no such name")
    assert shown.text("#nothing") == "No edge has “no such name” in one of its names."
    assert shown.table() == []
    assert page.is_hidden("#table")
    assert page.is_disabled("#download")
    page.fill("#search", "")
    shown.set_level(1e-200)
    assert shown.text("#nothing") == "No pair is an edge at this level."
    shown.set_level(0.05)
    assert page.is_hidden("#nothing")
    assert len(shown.table()) == 50


def test_the_view_is_in_the_address(show):
    shown = show("sp500")
    page = shown.page
    page.check("#all")
    page.fill("#search", "ko")
    page.locator("#headings button").first.click()
    page.wait_for_url("**#*sort=source.up*")
    before = shown.table()
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector("html[data-update-ms]", state="attached")
    assert shown.table() == before
    assert (page.input_value("#search"), page.is_checked("#all")) == ("ko", True)
    shown.requests.clear()
    shown.requests.append(shown.path.as_uri())


def _lit(shown):
    return shown.all("#rows tr.lit", "e => [...e.cells].slice(0, 2).map(c => c.textContent)")


def test_rows_are_linked_with_everything(show):
    """What is pointed at is lit; a click shows its card; the keyboard does the same."""
    shown = show("sp500")
    page, edges = shown.page, [list(edge[:2]) for edge in shown.result.edges()]
    rows = page.locator("#rows tr")
    rows.nth(2).hover()
    assert _lit(shown) == [edges[2]]
    rows.nth(2).click()
    assert shown.text("#side h3") == " – ".join(edges[2])
    assert rows.nth(2).get_attribute("aria-current") == "true"
    page.keyboard.press("ArrowDown")
    assert _lit(shown) == [edges[3]]
    page.keyboard.press("Enter")
    assert shown.text("#side h3") == " – ".join(edges[3])
    page.keyboard.press("Enter")
    assert page.locator("#side.empty").count() == 1
    # One stop of the Tab key for all rows.
    assert page.locator("#rows tr[tabindex='0']").count() == 1
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    page.locator("#side li button", has_text="JNJ").first.click()
    of_node = [edge for edge in edges if "JNJ" in edge]
    page.mouse.move(0, 0)
    assert _lit(shown) == of_node[: len(_lit(shown))] != []


def test_a_pair_selected_elsewhere_comes_into_view(show):
    """The table turns and scrolls; the page does not move."""
    shown = show("sp500")
    page, last = shown.page, list(shown.result.edges()[-1][:2])
    height = page.evaluate("document.documentElement.scrollHeight")
    page.evaluate(f"location.hash = 'select=pair.{_number(shown.result, last)}'")
    page.wait_for_selector("#rows tr[aria-current]")
    assert shown.table()[0][:2] == last
    assert shown.text("#page") == "51–51 of 51"
    assert page.evaluate("[scrollY, document.documentElement.scrollHeight]") == [0, height]
    down = list(shown.result.edges()[45][:2])
    page.evaluate(f"location.hash = 'select=pair.{_number(shown.result, down)}'")
    page.wait_for_function("document.querySelectorAll('#rows tr').length === 50")
    inside = page.evaluate(
        """() => { const [row, box] = [document.querySelector("#rows tr[aria-current]"),
        document.querySelector(".rows")].map((e) => e.getBoundingClientRect());
        return box.top <= row.top && row.bottom <= box.bottom + 1; }"""
    )
    assert inside
    assert page.evaluate("scrollY") == 0


def _number(result, pair):
    """The number of a pair along the upper triangle."""
    i, j = (result.feature_names.index(name) for name in pair)
    return list(combinations(range(result.n_features), 2)).index((i, j))


def test_hostile_names_in_the_download(show):
    """A spreadsheet runs none of them, and a reader of CSV gets each back."""
    shown = show("hostile")
    shown.page.check("#all")
    names = [printable(name) or "(unnamed)" for name in HOSTILE]
    names = [f"'{name}" if name.startswith(("=", "＝")) else name for name in names]
    lines = shown.download()
    assert len(lines) == 66
    assert {line["source"] for line in lines} | {line["target"] for line in lines} == set(names)
    pairs = list(combinations(names, 2))
    assert sorted((line["source"], line["target"]) for line in lines) == sorted(pairs)
    assert {line["edge"] for line in lines} == {"true", "false"}
