"""The tables of howto/causal_discovery.md are those of the numbers, and the numbers are as said."""

from __future__ import annotations

import pytest


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
