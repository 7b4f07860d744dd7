"""The table, the file that it is saved to, and that the page decides as Python does."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.report.browser.shown import CORRECTIONS, FAMILIES, HOSTILE, chain, lines_of, signed

import edgewise as ew
from edgewise.plots.safe_names import printable


def test_the_table_has_the_numbers_of_the_result(show):
    shown = show("sp500")
    assert shown.all("#headings button")[3] == "95 % interval for all pairs at once"
    low, high = shown.result.confidence_interval(0.95, "partial_correlation", simultaneous=True)
    place = {name: i for i, name in enumerate(shown.result.feature_names)}
    rows = shown.table()
    assert len(rows) == 50 < shown.result.n_edges
    for row, edge in zip(rows, shown.result.edges(), strict=False):
        i, j = place[edge.source], place[edge.target]
        assert row[:4] == [
            edge.source,
            edge.target,
            signed(edge.partial_correlation),
            f"{signed(low[i, j])} to {signed(high[i, j])}",
        ]
        assert float(row[4]) == pytest.approx(edge.pvalue, rel=0.06)
        assert float(row[5]) == pytest.approx(edge.adjusted_pvalue, rel=0.06)


@pytest.mark.browser
def test_sorting(show):
    """By every column, both ways; what is saved comes in the same order."""
    shown = show("sp500")
    page, result = shown.page, shown.result
    low, high = result.shown_interval
    place = {name: i for i, name in enumerate(result.feature_names)}

    def width(line):
        at = place[line["source"]], place[line["target"]]
        return np.float32(high[at]) - np.float32(low[at])

    keys = [
        lambda line: line["source"],
        lambda line: line["target"],
        lambda line: abs(float(line["partial_correlation"])),
        width,
        lambda line: float(line["pvalue"]),
        lambda line: float(line["adjusted_pvalue"]),
    ]
    page.check("#all")
    shown.set_level(1e-3)
    for column, key in enumerate(keys):
        for way in ("descending", "ascending") if column == 2 else ("ascending", "descending"):
            page.locator("#headings button").nth(column).click()
            assert shown.all("#headings th", "e => e.getAttribute('aria-sort')")[column] == way
            lines = shown.download()
            values = [key(line) for line in lines]
            assert len(values) == 190
            assert values == sorted(values, reverse=way == "descending")
            assert [row[:2] for row in shown.table()] == [
                [line["source"], line["target"]] for line in lines[:50]
            ]


def _lit(shown):
    return shown.all("#rows tr.lit", "e => [...e.cells].slice(0, 2).map(c => c.textContent)")


@pytest.mark.browser
def test_rows_are_linked_with_everything(show):
    """What is pointed at is lit; a click shows its card; the keyboard does the same."""
    shown = show("sp500")
    page, edges = shown.page, [list(edge[:2]) for edge in shown.result.edges()]
    rows = page.locator("#rows tr")
    rows.nth(2).hover()
    assert _lit(shown) == [edges[2]]
    rows.nth(2).click()
    assert shown.text("#side h3") == " – ".join(edges[2])
    assert rows.nth(2).get_attribute("aria-current") == "true"
    page.keyboard.press("ArrowDown")
    assert _lit(shown) == [edges[3]]
    page.keyboard.press("Enter")
    assert shown.text("#side h3") == " – ".join(edges[3])
    page.keyboard.press("Enter")
    assert page.locator("#side.empty").count() == 1


def test_hostile_names_in_the_download(show):
    """A spreadsheet runs none of them, and a reader of CSV gets each back."""
    shown = show("hostile")
    shown.page.check("#all")
    names = [printable(name) or "(unnamed)" for name in HOSTILE]
    names = [f"'{name}" if name.startswith(("=", "＝")) else name for name in names]
    lines = shown.download()
    assert len(lines) == 66
    assert {line["source"] for line in lines} | {line["target"] for line in lines} == set(names)
    pairs = list(combinations(names, 2))
    assert sorted((line["source"], line["target"]) for line in lines) == sorted(pairs)
    assert {line["reject"] for line in lines} == {"true", "false"}


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


@pytest.mark.parametrize(
    "kind",
    [
        *("maxt", "given"),
        *(
            pytest.param(kind, marks=pytest.mark.browser)
            for kind in ("score", "fisher", "whitened", "min_effect", "chosen", "chosen, maxt")
        ),
    ],
)
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
            assert (line["reject"] == "true") == expected.reject[i, j], (seen["alpha"], a, b)
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


@pytest.mark.browser
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
