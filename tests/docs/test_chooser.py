"""The questions of the page "Which test?" always end in a line of code that runs."""

from __future__ import annotations

import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew

STATIC = Path(__file__).parents[2] / "docs" / "_static"
PAGE = '<div id="chooser"></div><details class="cases" open>the table</details><script>{}</script>'


@pytest.fixture(scope="module")
def page(require, tmp_path_factory):
    playwright, chromium = require("playwright.sync_api"), require("chromium")
    path = tmp_path_factory.mktemp("page") / "choosing.html"
    script = (STATIC / "chooser.js").read_text(encoding="utf-8")
    path.write_text(PAGE.format(script), encoding="utf-8")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page()
        shown.goto(path.as_uri())
        yield shown
        browser.close()


@pytest.fixture(scope="module")
def answers(page):
    """What is shown for every way to answer, by the four answers."""
    names = page.evaluate("[...new FormData(document.querySelector('form')).keys()]")
    values = [
        page.evaluate(f"[...document.querySelectorAll('[name={name}]')].map(one => one.value)")
        for name in names
    ]
    shown = {}
    for ways in product(*values):
        shown[ways] = page.evaluate(
            """ways => {
              for (const way of ways) document.querySelector(`[value=${way}]`).click();
              return document.querySelector(".chosen").innerText;
            }""",
            list(ways),
        )
    return shown


@pytest.mark.parametrize(
    ("ways", "line"),
    [
        (("independent", "many", "numbers", "none"), "ew.edge_test(data)"),
        (("time", "many", "numbers", "none"), 'ew.edge_test(data, method="batch")'),
        (("clusters", "many", "numbers", "some"), 'clusters="person", correction="bh")'),
        (("independent", "few", "numbers", "none"), 'method="nodewise")'),
        (("independent", "many", "wild", "none"), 'method="kendall")'),
        (("independent", "many", "missing", "none"), 'missing="pairwise")'),
        (("time", "stream", "numbers", "again"), "ew.ConfidenceSequence("),
    ],
)
def test_what_the_table_says(answers, ways, line):
    assert line in answers[ways]


def test_every_line_runs(answers):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, 4))
    holes = np.where(rng.random(rows.shape) < 0.02, np.nan, rows)
    person = np.repeat(np.arange(40), 10)
    lines = {
        re.search(r"^(result|sequence) = .*", text, re.M | re.S)[0] for text in answers.values()
    }
    codes = {re.split(r"\n(?!result)", text)[0] for text in lines}
    assert len(codes) > 10
    for code in codes:
        data = holes if "missing" in code else rows
        code = code.replace('"person"', "person")
        names = {"ew": ew, "data": data, "rows": rows, "person": person}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)
            exec(code, names)
        assert names["result"].n_features == 4
