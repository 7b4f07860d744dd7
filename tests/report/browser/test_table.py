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
        lambda line: float(line["log_pvalue"]),
        lambda line: float(line["log_adjusted_pvalue"]),
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
    page.check("#all")
    page.fill("#search", "xom")
    assert shown.text("#page") == "1–19 of 19"
    assert all("XOM" in row for row in shown.table())
    assert [line["source"] for line in shown.download()] == [row[0] for row in shown.table()]
    page.uncheck("#all")
    edges = [list(edge[:2]) for edge in shown.result.edges() if "XOM" in edge]
    assert [row[:2] for row in shown.table()] == edges
    page.fill("#search", "no such name")
    assert shown.text("#page") == "0–0 of 0"
    assert shown.table() == []
    assert page.is_disabled("#next")
    assert len(shown.download()) == 0
    page.fill("#search", "")
    assert len(shown.table()) == 50


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
