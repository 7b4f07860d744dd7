"""The page decides as Python does."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.browser.shown import (
    CORRECTIONS,
    FAMILIES,
    chain,
    lines_of,
)

import edgewise as ew

# What the button would save, for every choice of the controls: the same code, without the disk.
EVERY_CHOICE = """async (levels) => {
  const $ = (id) => document.getElementById(id);
  const tell = (id, kind) => $(id).dispatchEvent(new Event(kind, { bubbles: true }));
  let blob;
  URL.createObjectURL = (made) => { blob = made; return "#"; };
  HTMLAnchorElement.prototype.click = () => {};
  const seen = [];
  for (const effect of [...$("effect").options].map((o) => o.value)) {
    $("effect").value = effect; tell("effect", "change");
    for (const correction of [...$("correction").options].map((o) => o.value)) {
      $("correction").value = correction; tell("correction", "change");
      for (const [id, kind, level] of levels) {
        $(id).value = level; tell(id, kind);
        $("download").click();
        seen.push({ effect: Number(effect), correction, alpha: Number($("alpha-number").value),
          count: $("count").textContent, csv: await blob.text() });
      }
    }
  }
  return seen;
}"""
LEVELS = [
    ("alpha-number", "change", "0.05"),
    ("alpha-number", "change", "1e-9"),
    ("alpha", "input", "500"),
    ("alpha", "input", "730"),
    ("alpha", "input", "1000"),
]


@pytest.mark.parametrize("kind", ["score", "maxt", "fisher", "whitened", "min_effect", *FAMILIES])
def test_decides_as_python_does(show, kind):
    """Five levels, every correction, every minimal effect: the same edges and adjusted p-values.

    The page of "maxt" is of method "batch", and offers its other corrections too. With some of the
    pairs, all corrections count these.
    """
    shown = show(kind)
    result, names = shown.result, shown.result.feature_names
    X = chain(p=len(names))
    values = [0.0, 0.05, 0.1, 0.2, 0.3]
    if kind == "min_effect":
        values = sorted([*values, 0.15])
    own = result.options.get("min_effect", 0.0)
    saved = [(line["source"], line["target"]) for line in shown.download()]
    assert saved == [edge[:2] for edge in result.edges()]
    shown.page.check("#all")
    family = {k: v for k, v in FAMILIES.get(kind, {}).items() if k in ("given", "pairs")}
    levels = LEVELS[:2] if family or kind == "min_effect" else LEVELS
    everything = shown.page.evaluate(EVERY_CHOICE, levels)
    offered = ["none"] if kind == "whitened" else list(CORRECTIONS)
    extra = len(levels) if result.correction == "maxt" else 0
    assert len(everything) == len(levels) * len(values) * len(offered) + extra
    assert len({seen["alpha"] for seen in everything}) == len(levels)
    edge_sets = set()
    for seen in everything:
        expected = ew.edge_test(
            X,
            method=result.method,
            alpha=seen["alpha"],
            correction=CORRECTIONS.get(seen["correction"], "maxt"),
            min_effect=values[seen["effect"]],
            **family,
        )
        found = {(line["source"], line["target"]): line for line in lines_of(seen["csv"])}
        edges = set()
        for i, j in zip(*result.tested_pairs(), strict=True):
            a, b = names[i], names[j]
            line = found.pop((a, b))
            assert (line["edge"] == "true") == expected.reject[i, j], (seen["alpha"], a, b)
            for column, matrix in (
                ("pvalue", expected.pvalue),
                ("adjusted_pvalue", expected.adjusted_pvalue),
            ):
                # p-values for effects that were not tested are held in single precision.
                rel = 1e-9 if values[seen["effect"]] == own else 1e-4
                assert float(line[column]) == pytest.approx(matrix[i, j], rel=rel), column
            assert float(line["partial_correlation"]) == pytest.approx(
                expected.partial_correlation[i, j], rel=1e-6
            )
            edges |= {(i, j)} if expected.reject[i, j] else set()
        assert found == {}
        assert seen["count"].startswith(f"{len(edges)} of {result.n_pairs} ")
        edge_sets.add(frozenset(edges))
    assert len(edge_sets) >= 4  # the choices do make a difference


def test_an_effect_is_named(show):
    shown = show("score")
    for label, words in (("0.1", " with |partial correlation| above 0.1"), ("0: any", "")):
        shown.page.select_option("#effect", label=label)
        assert f" are edges{words} at α = 0.05" in shown.text("#count")
        assert f" pairs are connected{words}. The rule finds any" in shown.text("#answer")


def test_p_values_below_every_float(show, tmp_path):
    x = np.random.default_rng(0).standard_normal((5000, 3))
    x[:, 1] = x[:, 0] + 1e-2 * x[:, 1]
    result = ew.edge_test(x, method="fisher")
    assert result.log_pvalue[0, 1] < -2000
    result.report(tmp_path / "x.html")
    shown = show((tmp_path / "x.html", result))
    exponent = int(result.log_pvalue[0, 1] // np.log(10))
    assert shown.table()[0][-2].endswith(f"e{exponent}")
    (line,) = shown.download()
    assert (float(line["pvalue"]), float(line["adjusted_pvalue"])) == (0, 0)
    # Only such a file has logarithms too.
    assert float(line["log_pvalue"]) == result.log_pvalue[0, 1]
    expected = result.log_pvalue[0, 1] + np.log(3)
    assert float(line["log_adjusted_pvalue"]) == pytest.approx(expected, rel=1e-12)


def test_levels(show):
    """What is no level is not taken, and the page says why."""
    shown = show("score")
    page = shown.page
    before = shown.text("#count")
    for wrong in ("0", "-1", "0.9", "", "1e400"):
        shown.set_level(wrong)
        (why,) = shown.all("#alpha-number", "e => e.validationMessage")
        # What is no number at all, the browser itself explains.
        assert why == "Choose a level above 0, up to 0.2." or (wrong == "1e400" and why)
        assert shown.text("#count") == before
    shown.set_level(0.012345)
    assert shown.text("#count").endswith("α = 0.0123")
    # The box and the slider go together.
    page.focus("#alpha")
    page.keyboard.press("Home")
    assert float(page.input_value("#alpha-number")) == pytest.approx(1e-6)
    page.keyboard.press("End")
    assert float(page.input_value("#alpha-number")) == pytest.approx(0.2)
    page.keyboard.press("ArrowLeft")
    assert 0.19 < float(page.input_value("#alpha-number")) < 0.2
    shown.set_level(0.2)
    assert page.input_value("#alpha") == "1000"
    shown.set_level(1e-9)
    assert page.input_value("#alpha") == "0"
