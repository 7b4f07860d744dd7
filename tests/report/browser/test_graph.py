"""The graph: choosing, moving, zooming."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.browser.shown import (
    signed,
)


def test_a_click_shows_the_neighbours(show):
    shown = show("sp500")
    page, result = shown.page, shown.result
    name = "JNJ"
    edges = [edge for edge in result.edges() if name in edge[:2]]
    near = [edge.target if edge.source == name else edge.source for edge in edges]
    assert 2 < len(near) < 18
    index = result.feature_names.index(name)
    page.locator("#nodes g.node circle").nth(index).click()
    assert shown.text("#side h3") == name
    assert shown.text("#side p") == (
        f"{len(near)} neighbours, by strength, with 95 % interval for all pairs at once"
    )
    assert shown.all("#side li button") == near
    assert shown.all("#side li span") == [signed(edge.partial_correlation) for edge in edges]
    assert shown.all("#side li small") == [
        f"{signed(edge.interval_low)} to {signed(edge.interval_high)}" for edge in edges
    ]
    classes = shown.all("#nodes g.node", "e => [...e.classList]")
    for other, kinds in zip(result.feature_names, classes, strict=True):
        assert ("faded" in kinds) == (other not in {*near, name})
        assert ("chosen" in kinds) == (other == name)
    assert page.locator("#edges line:not(.faded)").count() == len(near)
    assert page.locator("#edges line.faded").count() == result.n_edges - len(near)
    pressed = shown.all("#nodes g.node", "e => e.getAttribute('aria-pressed')")
    assert [k for k, value in enumerate(pressed) if value == "true"] == [index]
    # A neighbour leads on, a change of level keeps the choice, a click beside it ends it.
    page.locator("#side li button").first.click()
    assert shown.text("#side h3") == near[0]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(near[0])
    shown.set_level(1e-6)
    assert shown.text("#side h3") == near[0]
    box = page.locator("#graph").bounding_box()
    page.locator("#graph").click(position={"x": 8, "y": box["height"] - 8})
    assert shown.text("#side h3") == "Choose a variable"
    assert page.locator(".faded").count() == 0


def _corner(page):
    box = page.locator("#graph").bounding_box()
    return box["x"] + 8, box["y"] + 8


def test_by_keyboard(show):
    shown = show("score")
    page, names = shown.page, shown.result.feature_names
    nodes = page.locator("#nodes g.node")
    for key in ("Enter", " "):
        nodes.nth(3).focus()
        page.keyboard.press(key)
        assert shown.text("#side h3") == names[3]
        page.keyboard.press("Escape")
        assert shown.text("#side h3") == "Choose a variable"
        page.keyboard.press("Escape")
        assert shown.text("#side h3") == "Choose a variable"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert shown.text("#side h3") == names[4]
    # Enter once more gives it up.
    page.keyboard.press("Enter")
    assert shown.text("#side h3") == "Choose a variable"
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
    assert place != before[moved][0]
    # A drag is no click, and nothing else moved.
    assert shown.text("#side h3") == "Choose a variable"
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
    place, (x, y) = shown.node(name)
    left, top = _corner(page)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + 50, top + 30, steps=2)
    page.mouse.up()
    assert shown.node(name)[0] == place
    assert shown.node(name)[1] == pytest.approx((x + 50, y + 30), abs=1)
    # The other button opens a menu, and holds nothing.
    page.mouse.move(left + 50, top + 30)
    page.mouse.down(button="right")
    page.mouse.move(left + 90, top + 90)
    assert shown.node(name)[1] == pytest.approx((x + 50, y + 30), abs=1)
    page.mouse.up(button="right")


def test_zoom(show):
    shown = show("score")
    page, name = shown.page, shown.result.feature_names[0]
    _, start = shown.node(name)
    size = page.locator("#nodes g.node circle").first.bounding_box()["width"]
    page.click("#zoom-in")
    assert shown.zoom() == pytest.approx(1.4)
    page.click("#zoom-out")
    assert shown.zoom() == pytest.approx(1)
    # The buttons are below the graph, and may have been out of sight.
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.mouse.move(*start)
    page.mouse.wheel(0, -200)
    page.wait_for_function("document.getElementById('view').getCTM().a > 1")
    assert shown.zoom() == pytest.approx(np.exp(0.5), rel=1e-3)
    # What the mouse points at stays under it, and nodes keep their size.
    assert shown.node(name)[1] == pytest.approx(start, abs=1)
    after = page.locator("#nodes g.node circle").first.bounding_box()["width"]
    assert after == pytest.approx(size, rel=0.02)
    assert page.evaluate("scrollY") == 0
    page.click("#zoom-reset")
    assert shown.zoom() == 1
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
        assert shown.text("#side h3") == "Choose a variable"
    assert shown.zoom() > 1.5


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
    page.mouse.move(2, 2)
    assert not page.is_visible("#tip")
