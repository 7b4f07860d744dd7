"""The page of two groups, which has no script."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.report.browser.shown import NARROW, WIDE

import edgewise as ew

OVERLAPS = """graph => {
  const boxes = [...graph.querySelectorAll("text")].map(one => one.getBoundingClientRect());
  // A line of text has room above and below its letters.
  const beside = (a, b) => a.left >= b.right || b.left >= a.right;
  const below = (a, b) => a.top + 2 >= b.bottom || b.top + 2 >= a.bottom;
  const meet = (a, b) => !beside(a, b) && !below(a, b);
  return boxes.flatMap((a, i) => boxes.slice(0, i).filter(b => meet(a, b))).length;
}"""


@pytest.fixture(scope="module")
def page_of_groups(tmp_path_factory):
    a, b = np.random.default_rng(4).standard_normal((2, 500, 12))
    b[:, 3] += b[:, 2]
    names = [f"Adjusted close of share {k} in New York" for k in range(12)]
    groups = ("before", "after the change of all rules")
    path = tmp_path_factory.mktemp("groups") / "groups.html"
    result = ew.compare_groups(a, b, feature_names=names, group_names=groups)
    result.report(path, title="Two groups")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_everyone_can_read_it(page_of_groups, browser, require, viewport, scheme):
    """Nothing is asked for, cut off or overlaps, and axe-core finds nothing serious."""
    axe = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    asked, said = [], []
    # axe itself is a script, which the policy of the page forbids.
    with browser.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(page_of_groups.as_uri())
        assert page.locator("h1").text_content() == "Two groups"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.eval_on_selector_all(".scroll", cut) == 0
        graphs = page.locator(".stage svg")
        assert graphs.count() == 3
        assert graphs.first.evaluate(OVERLAPS) == 0
        page.evaluate(axe.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == []
    assert asked == [page_of_groups.as_uri()]
    assert said == []
