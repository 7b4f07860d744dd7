"""Every kind of page opens, works and asks for nothing."""

from __future__ import annotations

import pytest
from tests.report.browser.shown import (
    FAMILIES,
    NARROW,
    REPORTS,
    chain,
)

import edgewise as ew
from edgewise.questions.compare_methods import all_variants

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


def maxt_only_for_what_was_resampled(shown):
    page, offered = shown.page, shown.page.locator("#correction option")
    assert page.input_value("#correction") == "maxt"
    page.select_option("#effect", label="0.1")
    assert page.input_value("#correction") == "holm"
    assert offered.count() == 5
    page.select_option("#effect", label="0: any")
    assert offered.count() == 6


def no_correction_of_a_bound(shown):
    assert shown.page.is_disabled("#correction")
    assert "none needed" in shown.text("#correction option")


def all_that_a_file_holds(shown):
    """Intervals and effects too: a result keeps what they are made from."""
    assert not shown.page.is_disabled("#effect")
    assert "95 % interval for all pairs at once" in shown.all("#headings button")


def only_tested_columns(shown):
    assert shown.all("#nodes text") == ["x1", "x2", "x3", "x4", "x5"]
    assert "given the others, x0 and x6?" in shown.text(".question")
    adjusted = "Adjusted for, but not tested: x0, x6. Tested and corrected for: 10 pairs."
    assert shown.text("#adjusted") == adjusted
    facts = dict(zip(shown.all("dt"), shown.all("dd"), strict=True))
    assert facts["adjusted for"] == "x0, x6"
    assert facts["pairs tested"] == "10"
    assert "95 % interval for all tested pairs at once" in shown.all("#headings button")
    every_method_on_the_same_pairs(shown, "given")


def only_chosen_pairs(shown):
    assert shown.all("#nodes text") == ["x0", "x1", "x2", "x3", "x4"]
    assert "Which of 5 chosen pairs are connected, given all" in shown.text(".question")
    assert shown.text("#adjusted").endswith("corrected for: 5 pairs that were chosen.")
    assert "pairs=[('x0', 'x1'), ('x0', 'x3'), ('x1', 'x2'), " in shown.text("pre")
    every_method_on_the_same_pairs(shown, "chosen")


def every_method_on_the_same_pairs(shown, family):
    ladder = ladder_of(shown)
    for method in ("score", "batch", "fisher", "entrywise"):
        expected = ew.edge_test(chain(p=7), method=method, **FAMILIES[family])
        assert ladder[method] == str(expected.n_edges)


#: What one kind of page alone has to show.
SPECIAL = {
    "sp500": facts_and_ladder,
    "infinite": rows_that_are_too_few,
    "maxt": maxt_only_for_what_was_resampled,
    "whitened": no_correction_of_a_bound,
    "from a file": all_that_a_file_holds,
    "given": only_tested_columns,
    "chosen": only_chosen_pairs,
}


@pytest.mark.parametrize("kind", sorted(REPORTS.keys() - {"score", "fisher"}))
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


@pytest.mark.parametrize(("kind", "before"), [("sp500", 58_674), ("sachs", 50_069)])
def test_a_page_is_half_as_large_again_at_most(written, kind, before):
    """`before` is what the first version of the report wrote for the same data, in bytes."""
    path, _ = written(kind)
    # A few bytes of slack: versions of packages are in the page.
    assert path.stat().st_size <= 1.5 * before + 200


def test_the_first_screen_has_the_whole_story(show):
    """At 1280 × 720, without scrolling: three tiles, the badge, three sentences, the graph."""
    page = show("sp500", viewport={"width": 1280, "height": 720}).page
    for part, number in ((".tile", 3), (".badge summary", 1), (".sentences p", 3), ("#stage", 1)):
        found = page.locator(part)
        assert found.count() == number
        for k in range(number):
            box = found.nth(k).bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 720
