"""Pages of many variables."""

from __future__ import annotations

import statistics

import numpy as np

import edgewise as ew

MOVES = """async (places) => {
  const frames = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
  const slider = document.getElementById("alpha");
  const seen = [];
  for (const at of places) {
    await frames();
    const began = performance.now();
    slider.value = String(at);
    slider.dispatchEvent(new Event("input"));
    await frames();
    seen.push([Number(document.documentElement.dataset.updateMs), performance.now() - began]);
  }
  return seen;
}"""


def measure_moves(shown, record_property, label, places):
    """For the record: how long a move takes depends on what else the machine does."""
    times = shown.page.evaluate(MOVES, places)
    update, wall = (statistics.median(column) for column in zip(*times, strict=True))
    record_property(f"{label}_update_ms", update)
    record_property(f"{label}_wall_ms", wall)
    print(f"\n{label}: a move of the slider takes {update:.0f} ms, {wall:.0f} ms with two frames")


def test_two_hundred_variables(show, tmp_path, record_property):
    theta = ew.simulate.make_sparse_precision(200, 2000, rng=0)
    result = ew.edge_test(ew.simulate.sample("t5", theta, 10_000, rng=1))
    assert 1200 < result.n_edges < 3000
    path = tmp_path / "x.html"
    result.report(path)
    assert path.stat().st_size <= 2_000_000
    shown = show((path, result))
    assert shown.page.locator("#edges line").count() == result.n_edges
    assert shown.page.is_hidden("#drawn")
    measure_moves(shown, record_property, "p200", [100, 300, 500, 650, 700, 800, 850, 900, 950])
    shown.set_level(0.05)
    assert shown.text("#count").startswith(f"{result.n_edges:,} of 19,900 pairs")


def test_a_thousand_variables(show, tmp_path, record_property):
    X = np.random.default_rng(2).standard_normal((1500, 1000))
    X[:, 1:300] += 0.8 * X[:, :299]
    result = ew.edge_test(X, method="fisher", alpha=0.01, correction=None)
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result))
    page = shown.page
    assert shown.text("#count").startswith(f"{result.n_edges:,} of 499,500 pairs are edges")
    assert shown.text("#page") == f"1–50 of {result.n_edges:,}"
    assert result.n_edges > 3000 == page.locator("#edges line").count()
    assert shown.text("#drawn") == (
        f"The 3,000 strongest of {result.n_edges:,} edges are drawn; the table has them all."
    )
    strength = np.abs(np.triu(result.partial_correlation, k=1))
    strongest = np.argsort(-strength, axis=None)[:50]
    ends = np.column_stack(np.unravel_index(strongest, strength.shape)).tolist()
    assert [row[:2] for row in shown.table()] == [[f"x{i}", f"x{j}"] for i, j in ends]
    # The strongest lies on top.
    places = shown.places()
    assert shown.lines()[-1] == [*places[ends[0][0]], *places[ends[0][1]]]
    page.check("#all")
    assert shown.text("#page") == "1–50 of 499,500"
    page.locator("#headings button").first.click()  # in a moment, not in a minute
    assert [row[0] for row in shown.table()] == ["x0"] * 50
    page.uncheck("#all")
    shown.set_level(1e-10)
    assert page.is_hidden("#drawn")
    measure_moves(shown, record_property, "p1000", [500, 700, 900])
