"""Pages of many variables: a canvas, communities as nodes, and how long a move takes."""

from __future__ import annotations

import statistics
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.report.browser.test_graph import SVG, overlapping

import edgewise as ew

# From the move of the slider to the frame that shows it: a message that is posted in a frame is
# handled after that frame was painted.
MOVES = """async (places) => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done();
    channel.port2.postMessage(0);
  }));
  const slider = document.getElementById("alpha");
  const seen = [];
  for (const at of places) {
    await painted();
    await painted();
    const began = performance.now();
    slider.value = String(at);
    slider.dispatchEvent(new Event("input"));
    await painted();
    seen.push([Number(document.documentElement.dataset.updateMs), performance.now() - began]);
  }
  return seen;
}"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
NAMES = """() => document.getElementById("stage").labelBoxes
  .map((box) => [box.left, box.top, box.right, box.bottom])"""


def measure_moves(shown, record_property, label, places):
    """For the record: how long a move takes depends on what else the machine does."""
    times = shown.page.evaluate(MOVES, places)
    update, painted = (statistics.median(column) for column in zip(*times, strict=True))
    record_property(f"{label}_update_ms", update)
    record_property(f"{label}_painted_ms", painted)
    print(f"\n{label}: a move of the slider takes {update:.0f} ms, {painted:.0f} ms to be painted")


def names_on(shown):
    shown.page.evaluate(FRAME)
    return shown.page.evaluate(NAMES)


def hubs(n=2000, p=100):
    X = np.random.default_rng(0).standard_normal((n, p))
    for j in range(p):
        if j % 10:
            X[:, j] += (0.45 if j % 3 else -0.45) * X[:, j // 10 * 10]
    return X


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    path, result = tmp_path_factory.mktemp("hundred") / "x.html", ew.edge_test(hubs())
    result.report(path)
    return path, result


def test_a_hundred_variables(show, hundred):
    shown = show(hundred, viewport={"width": 1280, "height": 720})
    page, result = shown.page, shown.result
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


def test_a_pointer_finds_things_on_a_canvas(show, hundred):
    shown = show(hundred)
    page = shown.page
    content, _ = shown.saved("#save-svg")
    circles = list(ET.fromstring(content).iter(f"{SVG}circle"))
    x, y = (float(circles[20].get(axis)) for axis in ("cx", "cy"))
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    assert shown.text("#tip").startswith("x20: ")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => location.hash === '#select=node.20'")
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 40, box["y"] + y + 30, steps=2)
    page.mouse.up()
    content, _ = shown.saved("#save-svg")
    moved = list(ET.fromstring(content).iter(f"{SVG}circle"))[20]
    assert float(moved.get("cx")) == pytest.approx(x + 40, abs=1)
    assert float(moved.get("cy")) == pytest.approx(y + 30, abs=1)


def test_on_paper_a_canvas_is_light(show, hundred):
    shown = show(hundred, color_scheme="dark")

    def seen():
        shown.page.evaluate(FRAME)
        return shown.page.evaluate("() => document.getElementById('canvas').toDataURL()")

    dark = seen()
    shown.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    paper = seen()
    shown.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert seen() == dark
    shown.page.click("#theme")
    shown.page.mouse.move(2, 2)
    assert seen() == paper != dark


def test_two_hundred_variables(show, tmp_path, record_property):
    theta = ew.simulate.make_sparse_precision(200, 2000, rng=0)
    result = ew.edge_test(ew.simulate.sample("t5", theta, 10_000, rng=1))
    assert 1200 < result.n_edges < 3000
    path = tmp_path / "x.html"
    result.report(path)
    assert path.stat().st_size <= 2_000_000
    shown = show((path, result))
    page = shown.page
    assert page.is_checked("#collapse")
    assert "as nodes: click one to open it" in shown.text("#drawn")
    page.uncheck("#collapse")
    told = f"The strongest 600 of {result.n_edges:,} edges drawn; the table has all."
    assert shown.text("#drawn") == told
    page.select_option("#top", "all")
    assert shown.text("#drawn") == f"All {result.n_edges:,} edges are drawn."
    assert overlapping(names_on(shown)) == 0
    measure_moves(shown, record_property, "p200", [100, 300, 500, 650, 700, 800, 850, 900, 950])
    shown.set_level(0.05)
    assert shown.text("#count").startswith(f"{result.n_edges:,} of 19,900 pairs")


def test_names_on_a_grid_of_three_hundred(show, tmp_path):
    rows, columns = 15, 20
    theta = np.eye(rows * columns)
    at = np.arange(rows * columns).reshape(rows, columns)
    for a, b in ((at[:, :-1], at[:, 1:]), (at[:-1], at[1:])):
        theta[a.ravel(), b.ravel()] = theta[b.ravel(), a.ravel()] = -0.22
    result = ew.edge_test(ew.simulate.sample("gaussian", theta, 3000, rng=0), method="fisher")
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result), viewport={"width": 1280, "height": 720})
    names = names_on(shown)
    assert 5 < len(names) < 40  # of communities
    assert overlapping(names) == 0
    shown.page.uncheck("#collapse")
    names = names_on(shown)
    assert len(names) > 60
    assert overlapping(names) == 0


def test_a_thousand_variables(show, tmp_path, record_property):
    X = np.random.default_rng(2).standard_normal((1500, 1000))
    X[:, 1:300] += 0.8 * X[:, :299]
    result = ew.edge_test(X, method="fisher", alpha=0.01, correction=None)
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result))
    page = shown.page
    assert shown.text("#count").startswith(f"{result.n_edges:,} of 499,500 pairs are edges")
    assert overlapping(names_on(shown)) == 0
    measure_moves(shown, record_property, "p1000, communities", [500, 700, 900])
    shown.set_level(0.01)
    page.uncheck("#collapse")
    told = f"The strongest 600 of {result.n_edges:,} edges drawn; the table has all."
    assert shown.text("#drawn") == told
    assert overlapping(names_on(shown)) == 0
    measure_moves(shown, record_property, "p1000", [500, 700, 900])
