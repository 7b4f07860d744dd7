"""Names are text, and nothing but the page's own script runs."""

from __future__ import annotations

from tests.report.browser.shown import (
    HOSTILE,
    NARROW,
)

from edgewise.view.safe_names import printable
from edgewise.view.short_names import short_names

EVERY_NODE = """() => [...document.querySelectorAll("#nodes g.node")].map((node) => {
  const $ = (id) => document.getElementById(id);
  node.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  const box = node.querySelector("circle").getBoundingClientRect();
  const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  $("picture").dispatchEvent(new PointerEvent("pointermove", at));
  const side = $("side").querySelector("h3").textContent;
  $("search").value = side;
  $("search").dispatchEvent(new Event("input"));
  const found = $("rows").childElementCount;
  return { side, found, tip: $("tip").textContent, label: node.getAttribute("aria-label") };
})"""


def test_hostile_names_are_text(show):
    """`show` would see a dialog, a request or an error."""
    shown = show("hostile")
    page, names = shown.page, [printable(name) or "(unnamed)" for name in HOSTILE]
    page.check("#all")
    assert {name for row in shown.table() for name in row[:2]} <= set(names)
    assert shown.all("#nodes text") == [
        name or "(unnamed)" for name in short_names([printable(name) for name in HOSTILE], 14)
    ]
    for name, seen in zip(names, page.evaluate(EVERY_NODE), strict=True):
        assert seen["side"] == name
        assert all(text.startswith(f"{name}: ") for text in (seen["label"], seen["tip"]))
        assert seen["found"] >= 11
    assert shown.text("h1") == HOSTILE[1]
    assert page.title() == f"{HOSTILE[1]} – edgewise"
    assert page.locator("script").count() == 4
    for tag in ("img", "b", "iframe", "object", "a:not(.skip, .tile)"):
        assert page.locator(tag).count() == 0
    assert "49" not in shown.all("#nodes text")
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # Nor does a name stick out of the drawing.
    ends = "e => { const box = e.getBoundingClientRect(); return [box.left, box.right]; }"
    ((left, right),) = shown.all("#graph", ends)
    assert all(left <= a < b <= right for a, b in shown.all("#nodes text", ends))


def test_a_policy_stops_every_other_script(show):
    shown = show("score")
    page = shown.page
    ran = page.evaluate(
        """async () => {
          window.ran = [];
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
          await new Promise((done) => setTimeout(() => {
            try { eval("window.ran.push('eval')"); } catch (error) { window.ran.push(error.name); }
            done();
          }));
          await new Promise((done) => setTimeout(done, 100));
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
