"""The tables of howto/causal_discovery.md are those of the numbers, and the numbers are as said."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def tables(script):
    return script("integrations_tables.py")


def test_the_page_has_the_tables_of_the_numbers(tables):
    page = tables.PAGE.read_text(encoding="utf-8")
    assert tables.filled(page, tables.read()) == page


def test_every_row_was_measured(tables):
    asked = {(name, test) for name, row in tables.ALL_ROWS.items() for test in row.tests}
    assert tables.read().keys() == asked


@pytest.mark.parametrize(
    ("law", "most"),
    [("t5", 40), ("contaminated", 40), ("exponential", 40), ("lognormal", 40), ("counts", 50)],
)
def test_pc_makes_few_false_edges_whatever_the_law(tables, law, most):
    runs, false, *_ = tables.read()[f"pc-{law}", "edgewise"]
    assert 100 * false / runs <= most


@pytest.mark.parametrize("row", ["pc-gaussian", "pc-gaussian-weak", "pcmci-gaussian"])
def test_on_gaussian_rows_no_more_than_the_usual_test(tables, row):
    usual, ours = (tables.read()[row, test] for test in tables.ALL_ROWS[row].tests)
    assert ours[1] <= usual[1] + 3 * usual[2]


def test_pcmci_makes_few_false_links_where_the_scale_wanders(tables):
    usual, ours = (tables.read()["pcmci-volatile", test] for test in tables.TIGRAMITE)
    assert usual[1] / usual[3] > 0.05
    assert ours[1] / ours[3] <= tables.LEVEL + 3 * ours[2] / ours[3]


@pytest.mark.parametrize("row", ["pc-counts", "pcmci-volatile", "pcmciplus-t5"])
def test_a_row_can_be_measured_again(tables, row, require):
    require("causallearn" if row.startswith("pc-") else "tigramite")
    cells = tables.measured(row, 3)
    for (_, test), (runs, false, error, null, found, edges, seconds) in cells.items():
        assert test in tables.ALL_ROWS[row].tests
        assert runs == 3
        assert 0 <= false <= null
        assert 0 <= found <= edges
        assert error >= 0
        assert seconds > 0
