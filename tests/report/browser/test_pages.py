"""Every kind of page opens, works, asks for nothing, and is for everyone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.report.browser.shown import FAMILIES, HOSTILE, NARROW, REPORTS, WIDE, chain

import edgewise as ew
from edgewise.api.compare_methods import all_variants
from edgewise.plots.safe_names import printable, short_names

#: The others open and work in `make browser`.
FIRST = ("sp500", "given")
TOUCH_EVERYTHING = """() => {
  const tell = (node, event) => node.dispatchEvent(event);
  const pointer = (kind) => new PointerEvent(kind, { clientX: 5, clientY: 200 });
  for (const node of document.querySelectorAll("#nodes g, #edges path, #heat")) {
    tell(node, pointer("pointerenter")); tell(node, pointer("pointermove"));
    if (node.closest("#nodes")) tell(node, new KeyboardEvent("keydown", { key: "Enter" }));
  }
  const saves = "#download, #save-svg, #save-png, [id^=heat-]";
  for (const button of document.querySelectorAll(`button:not(${saves}, :disabled)`))
    button.click();
  document.querySelector("#all").click();
  for (const select of document.querySelectorAll("select"))
    for (const option of [...select.options]) {
      select.value = option.value;
      tell(select, new Event("change"));
    }
  const slider = document.querySelector("#alpha");
  for (const level of [0, 500, 1000]) { slider.value = level; tell(slider, new Event("input")); }
}"""


def ladder_of(shown):
    """How many edges each method finds."""
    rows = "#ladder tbody tr"
    names, edges = (shown.all(f"{rows} {cell}") for cell in ("th", "td:last-child"))
    return dict(zip(names, edges, strict=True))


def facts_and_ladder(shown):
    facts = dict(zip(shown.all("dt"), shown.all("dd"), strict=True))
    assert facts["rows"] == "8,312"
    assert facts.keys() >= {"tails", "dependence between rows", "scales"}
    assert "Method 'batch' allows for dependence." in shown.text(".caution")
    ladder = ladder_of(shown)
    assert ladder["score"] == str(shown.result.n_edges)
    assert len(ladder) == len(all_variants())


def rows_that_are_too_few(shown):
    assert f"About {shown.result.rows_needed:,} rows" in shown.text(".caution")
    shown.set_level(0.2)
    assert shown.text("#count").startswith("0 of 10 pairs")


def only_tested_columns(shown):
    assert shown.all("#nodes text") == ["x1", "x2", "x3", "x4", "x5"]
    assert "given the others, x0 and x6?" in shown.text(".question")
    adjusted = "Adjusted for, but not tested: x0, x6. Tested and corrected for: 10 pairs."
    assert shown.text("#adjusted") == adjusted
    facts = dict(zip(shown.all("dt"), shown.all("dd"), strict=True))
    assert facts["adjusted for"] == "x0, x6"
    assert facts["pairs tested"] == "10"
    assert "95 % interval for all tested pairs at once" in shown.all("#headings button")
    ladder = ladder_of(shown)
    for method in ("score", "batch", "entrywise"):
        expected = ew.edge_test(chain(p=7), method=method, **FAMILIES["given"])
        assert ladder[method] == str(expected.n_edges)


#: What one kind of page alone has to show.
SPECIAL = {
    "sp500": facts_and_ladder,
    "infinite": rows_that_are_too_few,
    "given": only_tested_columns,
}


@pytest.mark.parametrize(
    "kind",
    [
        *FIRST,
        *(pytest.param(kind, marks=pytest.mark.browser) for kind in REPORTS if kind not in FIRST),
    ],
)
def test_a_page_opens_and_works_in_silence(show, kind):
    """`show` looks at errors, warnings, dialogs and requests."""
    shown = show(kind)
    page, result = shown.page, shown.result
    pairs = result.n_pairs
    assert shown.text("#count").startswith(f"{result.n_edges:,} of {pairs:,} pair")
    assert shown.text("#answer").startswith(f"{result.n_edges:,} of {pairs:,} pair")
    assert page.locator("#edges path.edge").count() == result.n_edges
    assert page.locator("#nodes g.node").count() == len(result.tested_columns())
    assert len(shown.table()) == min(result.n_edges, 50)
    SPECIAL.get(kind, lambda shown: None)(shown)
    page.evaluate(TOUCH_EVERYTHING)
    assert shown.text("#page").endswith(f" of {pairs:,}")
    shown.page.set_viewport_size(NARROW)
    seen = page.inner_text("body")
    assert "NaN" not in seen
    assert "undefined" not in seen
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (WIDE, "light"),
        pytest.param(WIDE, "dark", marks=pytest.mark.browser),
        pytest.param(NARROW, "light", marks=pytest.mark.browser),
    ],
)
def test_accessible(show, require, size, scheme):
    """axe-core finds nothing serious while everything is in use."""
    shown = show("whitened", viewport=size, color_scheme=scheme)
    page = shown.page
    axe = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    page.evaluate(axe.read_text(encoding="utf-8"))
    page.check("#all")
    page.locator("#headings button").first.click()
    # An overview, the card of an edge, a variable.
    for step in (None, "#rows tr", "#side .ends button"):
        if step:
            page.locator(step).first.click()
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert len(found["passes"]) > 20
        assert [
            (problem["impact"], problem["id"], problem["nodes"][0]["html"])
            for problem in found["violations"]
            if problem["impact"] in ("serious", "critical")
        ] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


@pytest.mark.browser
def test_every_edge_is_on_paper(show, tmp_path):
    """On few pages, whatever the screen shows; afterwards the screen shows it again."""
    shown = show("sp500")
    page, result = shown.page, shown.result
    page.fill("#search", result.feature_names[0])
    before = shown.table()
    page.evaluate(
        """addEventListener("beforeprint", () => {
        const names = [...document.querySelectorAll("#rows td:is(.source, .target)")];
        window.printed = [document.querySelector("#headings").cells.length,
          names.map((cell) => cell.textContent)]; })"""
    )
    printed = page.pdf(format="A4", path=tmp_path / "report.pdf")
    columns, names = page.evaluate("window.printed")
    assert columns == 10  # two pairs beside each other
    assert names == [name for edge in result.edges() for name in edge[:2]]
    assert 2 <= len(re.findall(rb"/Type /Page\b", printed)) <= 4
    assert shown.table() == before


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


def test_hostile_names_are_text(show):
    """`show` would see a dialog, a request or an error."""
    shown = show("hostile")
    page, names = shown.page, [printable(name) or "(unnamed)" for name in HOSTILE]
    page.check("#all")
    assert {name for row in shown.table() for name in row[:2]} <= set(names)
    assert shown.all("#nodes text") == [
        name or "(unnamed)" for name in short_names([printable(name) for name in HOSTILE], 14)
    ]
    assert shown.text("h1") == HOSTILE[1]
    assert page.title() == f"{HOSTILE[1]} – edgewise"
    assert page.locator("script").count() == 2
    for tag in ("img", "b", "iframe", "object", "a:not(.skip, .tile)"):
        assert page.locator(tag).count() == 0
    assert "49" not in shown.all("#nodes text")
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_policy_stops_every_other_script(show):
    shown = show("score")
    page = shown.page
    ran = page.evaluate(
        """async () => {
          window.ran = [];
          const refused = [];
          addEventListener("securitypolicyviolation", (event) => refused.push(event));
          const script = document.createElement("script");
          script.textContent = "window.ran.push('inline')";
          document.body.append(script);
          const image = document.createElement("div");
          image.innerHTML = "<img src=x onerror=\\"window.ran.push('handler')\\">";
          document.body.append(image);
          const remote = document.createElement("script");
          remote.src = "data:text/javascript,window.ran.push('data')";
          document.body.append(remote);
          // Later, since what the tests evaluate may itself evaluate.
          setTimeout(() => {
            try { eval("window.ran.push('eval')"); } catch (error) { window.ran.push(error.name); }
          });
          while (refused.length < 4) await new Promise((done) => setTimeout(done));
          return window.ran;
        }"""
    )
    assert ran == ["EvalError"]
    asked = page.evaluate("fetch('https://example.org/').then(() => 'answered', () => 'refused')")
    assert asked == "refused"
    assert all("Content Security Policy" in complaint for complaint in shown.complaints)
    assert len(shown.complaints) >= 4
    # The browser tells of what it refused.
    assert shown.requests == [shown.path.as_uri(), shown.path.with_name("x").as_uri()]
    shown.complaints.clear()
    shown.requests.pop()


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
    path = tmp_path_factory.mktemp("clusters") / "groups.html"
    result = ew.compare_groups(a, b, feature_names=names, group_names=groups)
    result.report(path, title="Two groups")
    return path


@pytest.mark.parametrize(
    "viewport", [WIDE, pytest.param(NARROW, marks=pytest.mark.browser)], ids=["wide", "narrow"]
)
def test_everyone_can_read_a_page_of_groups(page_of_groups, browser, require, viewport):
    """Nothing is asked for, cut off or overlaps, and axe-core finds nothing serious."""
    axe = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    asked, said = [], []
    # axe itself is a script, which the policy of the page forbids.
    with browser.new_context(viewport=viewport, bypass_csp=True) as context:
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
