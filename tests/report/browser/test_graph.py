"""The graph: choosing, moving, zooming, what is drawn, and saving it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.report.browser.shown import HOSTILE, NARROW, signed

from edgewise.view.style import edge_width

FIRST_SCREEN = {"width": 1280, "height": 720}
SVG = "{http://www.w3.org/2000/svg}"
BOX = "e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }"
#: How near each drawn edge comes to a node that is not its end, beyond the rim of that node.
CLEARANCE = """() => [...document.querySelectorAll("#edges path.edge")].map((path) => {
  const length = path.getTotalLength();
  const ends = [path.getPointAtLength(0), path.getPointAtLength(length)];
  let least = Infinity;
  for (const node of document.querySelectorAll("#nodes g.node:not(.hidden)")) {
    const [x, y] = node.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
    if (ends.some((end) => Math.hypot(end.x - x, end.y - y) < 0.2)) continue;
    for (let at = 0; at <= length; at += 2) {
      const point = path.getPointAtLength(at);
      const rim = Number(node.firstChild.getAttribute("r"));
      least = Math.min(least, Math.hypot(point.x - x, point.y - y) - rim);
    }
  }
  return least;
})"""


def overlapping(boxes):
    """Pairs of boxes, each left, top, right, bottom, that share more than a hair."""
    left, top, right, bottom = np.transpose(boxes)[:, :, None]
    wide = np.minimum(right, right.T) - np.maximum(left, left.T)
    high = np.minimum(bottom, bottom.T) - np.maximum(top, top.T)
    return int(np.triu((wide > 0.5) & (high > 0.5), k=1).sum())


def test_a_click_lights_up_the_neighbours(show):
    shown = show("sp500")
    page, result = shown.page, shown.result
    name = "JNJ"
    edges = [edge for edge in result.edges() if name in edge[:2]]
    near = {edge.target if edge.source == name else edge.source for edge in edges}
    assert 2 < len(near) < 18
    index = result.feature_names.index(name)
    page.locator("#nodes g.node circle").nth(index).click()
    assert shown.chosen() == [index]
    page.mouse.move(2, 2)
    classes = shown.all("#nodes g.node", "e => [...e.classList]")
    for other, kinds in zip(result.feature_names, classes, strict=True):
        assert ("faded" in kinds) == (other not in {*near, name})
        assert ("chosen" in kinds) == (other == name)
    assert page.locator("#edges path.edge:not(.faded)").count() == len(near)
    assert page.locator("#edges path.edge.faded").count() == result.n_edges - len(near)
    # A change of level keeps the choice, a click beside it ends it.
    shown.set_level(1e-6)
    assert shown.chosen() == [index]
    page.mouse.click(*_corner(page))
    assert shown.chosen() == []
    page.mouse.move(2, 2)
    assert page.locator(".faded").count() == 0
    # An edge and a community light up too.
    page.locator("#legend button").first.click()
    assert page.locator("#legend button").first.get_attribute("aria-pressed") == "true"
    page.mouse.move(2, 2)
    assert 1 < page.locator("#nodes g.node:not(.faded)").count() < 20


def _corner(page):
    box = page.locator("#graph").bounding_box()
    return box["x"] + 8, box["y"] + 8


def test_by_keyboard(show):
    shown = show("score")
    page = shown.page
    nodes = page.locator("#nodes g.node")
    for key in ("Enter", " "):
        nodes.nth(3).focus()
        page.keyboard.press(key)
        assert shown.chosen() == [3]
        for _ in range(2):
            page.keyboard.press("Escape")
            assert shown.chosen() == []
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert shown.chosen() == [4]
    # Enter once more gives it up.
    page.keyboard.press("Enter")
    assert shown.chosen() == []
    # The first stop of the Tab key is the way past the controls.
    page.evaluate("document.activeElement.blur()")
    page.reload()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#table"
    shown.requests.pop()


def test_dragging_a_node_takes_its_edges_along(show):
    shown = show("score")
    page, names = shown.page, shown.result.feature_names
    before, lines = {name: shown.node(name) for name in names}, shown.lines()
    moved = names[3]
    touching = [line for line in lines if before[moved][0] in (line[:2], line[2:])]
    assert len(touching) == sum(moved in edge[:2] for edge in shown.result.edges()) > 0
    x, y = before[moved][1]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 10, steps=3)
    page.mouse.move(x - 60, y + 45, steps=3)
    page.mouse.up()
    place, at = shown.node(moved)
    assert at == pytest.approx((x - 60, y + 45), abs=1)
    # A drag is no click, and nothing else moved.
    assert shown.chosen() == []
    assert all(shown.node(name) == before[name] for name in names if name != moved)
    for old, new in zip(lines, shown.lines(), strict=True):
        for end in (slice(0, 2), slice(2, 4)):
            expected = place if old[end] == before[moved][0] else old[end]
            assert new[end] == pytest.approx(expected)
    shown.set_level(0.01)  # drawn again, it stays where it was put
    assert shown.node(moved)[0] == place


def test_dragging_the_ground_moves_the_view(show):
    shown = show("score")
    page, name = shown.page, shown.result.feature_names[0]
    _, (x, y) = shown.node(name)
    left, top = _corner(page)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + 50, top + 30, steps=2)
    page.mouse.up()
    assert shown.node(name)[1] == pytest.approx((x + 50, y + 30), abs=1)
    # The other button opens a menu, and holds nothing.
    page.mouse.move(left + 50, top + 30)
    page.mouse.down(button="right")
    page.mouse.move(left + 90, top + 90)
    assert shown.node(name)[1] == pytest.approx((x + 50, y + 30), abs=1)
    page.mouse.up(button="right")


def test_the_wheel_scrolls_the_page_and_zooms_when_asked(show):
    shown = show("score")
    page, name = shown.page, shown.result.feature_names[0]
    page.click("#zoom-in")
    assert shown.zoom() == pytest.approx(1.4)
    page.click("#zoom-out")
    assert shown.zoom() == pytest.approx(1)
    _, start = shown.node(name)
    page.mouse.move(*start)
    page.mouse.wheel(0, 60)
    page.wait_for_function("() => scrollY > 40")
    assert page.is_visible("#hint")
    assert shown.zoom() == 1
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.wait_for_function("() => scrollY === 0")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.wait_for_function("() => document.getElementById('stage').view.k > 1")
    page.keyboard.up("Control")
    assert shown.zoom() == pytest.approx(np.exp(0.5), rel=1e-3)
    # What the mouse points at stays under it.
    assert shown.node(name)[1] == pytest.approx(start, abs=1)
    page.click("#zoom-reset")
    # After a click into the graph the wheel is its own, until Escape.
    page.mouse.click(*_corner(page))
    page.mouse.wheel(0, -200)
    page.wait_for_function("() => document.getElementById('stage').view.k > 1")
    page.keyboard.press("Escape")
    page.mouse.wheel(0, 60)
    page.wait_for_function("() => scrollY > 40")
    page.evaluate("for (let k = 0; k < 40; k++) document.getElementById('zoom-in').click()")
    assert shown.zoom() == pytest.approx(20)


def test_two_fingers(show):
    """They zoom, and choose nothing when they leave."""
    shown = show("score", has_touch=True)
    page = shown.page
    _, (x, y) = shown.node(shown.result.feature_names[0])
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *places):
        points = [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    # The second lands on a node.
    fingers("touchStart", (x + 40, y))
    fingers("touchStart", (x + 40, y), (x, y))
    for far in (60, 80, 100):
        fingers("touchMove", (x + far, y), (x, y))
    for left in ([(x + 100, y)], []):
        fingers("touchEnd", *left)
        assert shown.chosen() == []
    assert shown.zoom() > 1.5
    # One finger scrolls the page; after a tap it moves the graph.
    style = "getComputedStyle(document.getElementById('picture')).touchAction"
    assert page.evaluate(style) == "pan-y"
    page.touchscreen.tap(*_corner(page))
    assert page.evaluate(style) == "none"


def test_tips(show):
    shown = show("score")
    page, result = shown.page, shown.result
    degree = result.reject[4].sum()
    page.locator("#nodes g.node circle").nth(4).hover()
    assert shown.text("#tip") == f"x4: {degree} {'edge' if degree == 1 else 'edges'}"
    edge = result.edges()[0]
    ends = [shown.node(name)[1] for name in edge[:2]]
    page.mouse.move(*np.mean(ends, axis=0))
    text = shown.text("#tip")
    interval = f"{signed(edge.interval_low)} to {signed(edge.interval_high)}"
    assert text.startswith(
        f"{edge.source} – {edge.target}: {signed(edge.partial_correlation)} ({interval}), "
    )
    assert float(text.rpartition(" ")[2]) == pytest.approx(edge.adjusted_pvalue, rel=0.06)
    assert page.locator("#edges path.edge:not(.faded)").count() == 1
    page.mouse.move(2, 2)
    assert not page.is_visible("#tip")


@pytest.mark.parametrize("kind", ["sp500", "sachs", "hostile"])
@pytest.mark.parametrize("size", [FIRST_SCREEN, NARROW], ids=["wide", "narrow"])
def test_names_never_overlap_and_all_is_seen_at_once(show, kind, size):
    shown = show(kind, viewport=size)
    names = shown.all("#nodes text:not(.hidden)", BOX)
    assert len(names) > 0.8 * shown.result.n_features
    assert overlapping(names) == 0
    ((left, top, right, bottom),) = shown.all("#picture", BOX)
    for box in names + shown.all("#nodes circle", BOX):
        assert left - 1 <= box[0] < box[2] <= right + 1
        assert top - 1 <= box[1] < box[3] <= bottom + 1
    if size is FIRST_SCREEN:
        assert shown.all("#stage", BOX)[0][3] <= size["height"]
    else:
        assert right - left == pytest.approx(bottom - top)


@pytest.mark.parametrize("kind", ["sp500", "sachs"])
def test_widths_are_absolute_and_no_edge_passes_a_node(show, kind):
    shown = show(kind)
    edges = shown.result.edges()[::-1]
    drawn = shown.all(
        "#edges path.edge",
        "e => ['stroke-width', 'stroke-dasharray'].map(name => e.getAttribute(name))",
    )
    for edge, (width, dash) in zip(edges, drawn, strict=True):
        expected = 1.25 * edge_width(edge.partial_correlation)
        assert float(width) == pytest.approx(expected, abs=0.01)
        assert (dash == "none") == (edge.partial_correlation > 0)
    key = shown.all("#key path", "e => Number(e.getAttribute('stroke-width'))")
    assert key[:4] == pytest.approx(1.25 * edge_width(np.array([0.05, 0.1, 0.3, 0.6])), abs=0.01)
    assert min(shown.page.evaluate(CLEARANCE)) > 1
    assert len({tuple(line) for line in shown.lines()}) == len(edges)


def test_less_of_it(show):
    shown = show("sp500")
    page, result = shown.page, shown.result
    lines = page.locator("#edges path.edge")
    strength = np.array([abs(edge.partial_correlation) for edge in result.edges()])
    assert shown.text("#drawn") == f"All {result.n_edges} edges are drawn."
    page.locator("#least").fill("0.1")
    assert lines.count() == (strength >= 0.1).sum()
    page.locator("#least").fill("0")
    page.select_option("#top", "50")
    assert lines.count() == 50
    assert shown.text("#drawn").startswith("The strongest 50 of 51 edges drawn")
    page.select_option("#top", "600")
    # The neighbourhood of what is selected.
    page.select_option("#hops", "1")
    assert shown.text("#drawn").startswith("Select a variable")
    index = int(result.reject.sum(axis=0).argmin())
    page.locator("#nodes g.node").nth(index).press("Enter")
    seen = page.locator("#nodes g.node:not(.hidden)")
    one = seen.count()
    assert one == result.reject[index].sum() + 1 < 20
    page.select_option("#hops", "2")
    near = result.reject[result.reject[index]].any(axis=0) | result.reject[index]
    near[index] = True
    assert one < seen.count() == near.sum()
    page.select_option("#hops", "0")
    page.keyboard.press("Escape")
    # Communities as nodes; selecting one opens it.
    page.mouse.click(*_corner(page))
    page.check("#collapse")
    groups = page.locator("#legend button").count()
    assert page.locator("#supers g.node:not(.hidden)").count() == groups
    assert seen.count() == 0
    assert lines.count() == page.locator("#edges path.link").count() > 0
    page.locator("#supers g.node").first.press("Enter")
    assert page.locator("#supers g.node:not(.hidden)").count() == groups - 1
    assert seen.count() > 1


def test_the_address_keeps_what_is_seen(show):
    shown = show("sp500")
    page = shown.page
    page.locator("#least").fill("0.05")
    page.select_option("#top", "50")
    page.check("#collapse")
    page.click("#zoom-in")
    page.wait_for_function("() => location.hash.includes('zoom')")
    kept = page.evaluate("location.hash")
    assert all(part in kept for part in ("least=0.05", "top=50", "collapsed=1", "zoom=1.400"))
    page.reload()
    page.wait_for_selector("html[data-update-ms]", state="attached")
    assert page.input_value("#least") == "0.05"
    assert page.input_value("#top") == "50"
    assert page.is_checked("#collapse")
    assert shown.zoom() == pytest.approx(1.4)
    # Anybody may write an address.
    page.evaluate("location.hash = 'least=x&top=9e9&hops=7&collapsed=5&zoom=1e9_NaN_0'")
    page.wait_for_timeout(50)
    assert shown.zoom() == pytest.approx(1.4)
    shown.requests[:] = shown.requests[:1]


def test_saving(show):
    """Standing alone: names are text, colours need no style sheet."""
    shown = show("hostile", color_scheme="dark")
    content, name = shown.saved("#save-svg")
    assert name == "graph.svg"
    root = ET.fromstring(content)
    texts = [one.text for one in root.iter(f"{SVG}text")]
    seen = shown.all("#nodes text:not(.hidden)")
    assert set(seen) <= set(texts)
    assert any(HOSTILE[2] in text for text in texts)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} == {
        *("svg", "rect", "clipPath", "g", "path", "circle", "text"),
    }
    assert b"var(" not in content
    assert root.find(f"{SVG}rect").get("fill") == "#171c23"  # dark, as it was seen
    size = [float(root.get(side)) for side in ("width", "height")]
    picture, name = shown.saved("#save-png")
    assert name == "graph.png"
    assert picture[:4] == b"\x89PNG"
    assert [int.from_bytes(picture[k : k + 4]) for k in (16, 20)] == [2 * side for side in size]
