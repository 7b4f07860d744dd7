"""The graph and the panel beside it: choosing, moving, zooming, what is drawn, and saving it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.report.browser.shown import HOSTILE, NARROW, chain, signed

import edgewise as ew

SVG = "{http://www.w3.org/2000/svg}"


BOX = "e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }"


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


@pytest.mark.browser
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


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["sp500", "hostile"])
@pytest.mark.parametrize("size", [{"width": 1280, "height": 720}, NARROW], ids=["wide", "narrow"])
def test_names_never_overlap_and_all_is_seen_at_once(show, kind, size):
    shown = show(kind, viewport=size)
    names = shown.all("#nodes text:not(.hidden)", BOX)
    assert len(names) > 0.8 * shown.result.n_features
    assert overlapping(names) == 0
    ((left, top, right, bottom),) = shown.all("#picture", BOX)
    for box in names + shown.all("#nodes circle", BOX):
        assert left - 1 <= box[0] < box[2] <= right + 1
        assert top - 1 <= box[1] < box[3] <= bottom + 1


@pytest.mark.browser
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
    page.evaluate(
        """() => new Promise((done) => {
          addEventListener("hashchange", done, { once: true });
          location.hash = "least=x&top=9e9&hops=7&collapsed=5&zoom=1e9_NaN_0";
        })"""
    )
    assert shown.zoom() == pytest.approx(1.4)
    shown.requests[:] = shown.requests[:1]


@pytest.mark.browser
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


def _data(shown):
    return json.loads(shown.text("#data"))


@pytest.mark.browser
def test_the_panel_is_used_from_the_start(show):
    shown = show("sp500")
    names, reject = shown.result.feature_names, shown.result.reject
    strength = np.where(reject, np.abs(shown.result.partial_correlation), 0).sum(axis=0)
    degree = reject.sum(axis=0)
    hubs = sorted(range(20), key=lambda i: (-degree[i], -strength[i]))[:5]
    data = _data(shown)
    assert shown.all("#side h3") == ["Hubs", "Communities", "Strongest edges"]
    expected = [(names[i], str(degree[i])) for i in hubs]
    for c, name in enumerate(data["communityNames"]):
        expected.append((name, str(data["communities"].count(c))))
    for edge in shown.result.edges()[:5]:
        expected.append((f"{edge.source} – {edge.target}", signed(edge.partial_correlation)))
    texts = zip(shown.all("#side li button"), shown.all("#side li > span"), strict=True)
    assert list(texts) == expected
    # A weaker level has other hubs; without edges it says so.
    shown.set_level(1e-200)
    assert shown.text("#side p") == "No pair is an edge at this level."


@pytest.mark.browser
def test_the_card_of_an_edge(show):
    """Its numbers, what each method says, and points that are residuals of rows."""
    shown = show("maxt")
    X, result = chain(), shown.result
    shown.page.locator("#rows tr").first.click()
    edge = result.edges()[0]
    told = dict(zip(shown.all("#side dt"), shown.all("#side dd:not(.muted)"), strict=True))
    assert told["partial correlation"] == signed(edge.partial_correlation)
    assert told["interval"] == f"{signed(edge.interval_low)} to {signed(edge.interval_high)}"
    assert shown.text("#side dd.muted") == result.interval_label
    assert shown.text("#side .words") == edge.sentence()
    assert shown.all("#side button")[-1] == shown.text("#side .words + button") == "Copy"
    assert told["at α = 0.05"] == "an edge"
    i, j = (result.feature_names.index(name) for name in edge[:2])
    points = np.array(shown.all(".scatter circle", "e => [e.cx, e.cy].map(c => c.baseVal.value)"))
    rest = np.column_stack([np.ones(len(X)), np.delete(X, [i, j], axis=1)])
    left = X[:, [i, j]] - rest @ np.linalg.lstsq(rest, X[:, [i, j]], rcond=None)[0]
    left /= left.std(axis=0)
    end = int(shown.all(".scatter text")[4])
    shown_at = np.column_stack([points[:, 0] - 126, 94 - points[:, 1]]) * end / 90
    assert 490 <= len(points) <= 500
    # Each point is a row, up to the scale that the sample gives and the pixels of the page.
    near = np.abs(shown_at[:, None] - left[None]).max(axis=2).min(axis=1)
    assert near.max() < 0.3
    assert np.median(near) < 0.05
    assert f"the line has slope {signed(edge.partial_correlation)}." in shown.text(".scatter + p")


FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


NAMES = """() => document.getElementById("stage").labelBoxes
  .map((box) => [box.left, box.top, box.right, box.bottom])"""


def names_on(shown):
    shown.page.evaluate(FRAME)
    return shown.page.evaluate(NAMES)


def test_a_hundred_variables(show, tmp_path):
    X = np.random.default_rng(0).standard_normal((2000, 100))
    for j in range(100):
        if j % 10:
            X[:, j] += (0.45 if j % 3 else -0.45) * X[:, j // 10 * 10]
    result = ew.edge_test(X)
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result), viewport={"width": 1280, "height": 720})
    page = shown.page
    assert page.is_visible("#canvas")
    assert page.is_hidden("#graph")
    names = names_on(shown)
    assert len(names) >= 60
    assert overlapping(names) == 0
    # Found by its name, with the keyboard alone.
    page.fill("#find", "x20")
    page.press("#find", "Enter")
    page.wait_for_function("() => location.hash === '#select=node.20'")
    page.select_option("#hops", "1")
    near = result.reject[20].sum()
    assert shown.text("#drawn").startswith(f"{near + 1} variables within 1 step, {near} of ")
    page.select_option("#hops", "0")
    page.fill("#find", "")
    page.press("#find", "Enter")
    page.wait_for_function("() => location.hash === ''")
    # What is saved is what is drawn; every negative edge is dashed.
    content, _ = shown.saved("#save-svg")
    lines = [one for one in ET.fromstring(content).iter(f"{SVG}path") if one.get("stroke-opacity")]
    assert len(lines) == result.n_edges
    negative = sum(edge.partial_correlation < 0 for edge in result.edges())
    assert sum(one.get("stroke-dasharray") != "none" for one in lines) == negative > 9
    page.click("#zoom-in")
    assert overlapping(names_on(shown)) == 0
