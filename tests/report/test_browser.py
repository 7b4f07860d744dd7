"""The report in a real browser: it decides as Python does, runs nothing else, and can be used."""

from __future__ import annotations

import csv
import io
import re
import statistics
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.questions.compare_methods import all_variants
from edgewise.view.safe_names import printable

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "bh", "by": "by", "none": None}
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}}",
    "=cmd",
    "＝full width",
    "long" * 60,
    "שלום עולם",
    "\u202eevil",
    "a\x1b[31m\x00\nb",
    'x,"y"\'z',
    "&amp;&lt;b&gt;",
    "",
)


def quiet_test(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.TooFewRowsWarning)
        return ew.edge_test(X, **options)


def chain(n=3000, p=5, seed=1):
    """Partial correlations from weak to strong, of both signs, with heavy tails."""
    X = np.random.default_rng(seed).standard_t(6, (n, p))
    for j in range(1, p):
        X[:, j] += (-1) ** j * 0.9 * j / p * X[:, j - 1]
    return X


def with_data(X, **options):
    return quiet_test(X, **options), {"data": X}


CHOSEN = [("x4", "x3"), ("x0", "x1"), ("x1", "x2"), ("x2", "x3"), ("x0", "x3")]
#: Tests of some of the pairs of seven columns.
FAMILIES = {
    "given": {"given": ["x6", "x0"]},
    "chosen": {"pairs": CHOSEN},
    "chosen, maxt": {"pairs": CHOSEN, "method": "batch", "correction": "maxt"},
}
#: Every kind of page: the result, and what `report` is given beside it.
REPORTS = {
    "sp500": lambda: with_data(ew.datasets.load_sp500_returns()),
    "sachs": lambda: with_data(ew.datasets.load_sachs()),
    "score": lambda: (ew.edge_test(chain()), {}),
    "fisher": lambda: (ew.edge_test(chain(), method="fisher"), {}),
    "whitened": lambda: with_data(chain(), method="whitened"),
    "no edges": lambda: with_data(np.random.default_rng(0).standard_normal((200, 5)), alpha=1e-6),
    "two variables": lambda: with_data(chain()[:, 3:]),
    "infinite": lambda: with_data(chain()[:100], method="trace"),
    "maxt": lambda: with_data(chain(), method="batch", correction="maxt"),
    "min_effect": lambda: with_data(chain(), min_effect=0.15, correction="bh"),
    "given": lambda: with_data(chain(p=7), **FAMILIES["given"]),
    "chosen": lambda: with_data(chain(p=7), **FAMILIES["chosen"]),
    "chosen, maxt": lambda: with_data(chain(p=7), **FAMILIES["chosen, maxt"]),
    "from a file": lambda: (ew.EdgeTestResult.from_json(ew.edge_test(chain()).to_json()), {}),
    "hostile": lambda: (
        ew.edge_test(chain(2000, len(HOSTILE)), feature_names=HOSTILE),
        {"title": HOSTILE[1]},
    ),
}


class Shown:
    """A report in a tab of the browser, and whatever the browser has to say about it."""

    def __init__(self, context, path, result):
        self.result, self.path = result, path
        self.requests, self.complaints = [], []
        self.page = page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("popup", lambda other: self.complaints.append(f"popup {other.url}"))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.goto(path.as_uri())

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def text(self, selector):
        return self.page.locator(selector).text_content()

    def all(self, selector, what="e => e.textContent"):
        return self.page.eval_on_selector_all(selector, f"all => all.map({what})")

    def table(self):
        return self.page.eval_on_selector_all(
            "#rows tr", "rows => rows.map(r => [...r.cells].map(c => c.textContent))"
        )

    def download(self):
        """The lines of the CSV that a reader gets."""
        from playwright.sync_api import TimeoutError as TooLongError

        try:
            with self.page.expect_download(timeout=5000) as started:
                self.page.click("#download")
        except TooLongError:
            # On a busy machine Chromium drops a download that follows another one at once.
            with self.page.expect_download() as started:
                self.page.click("#download")
        assert started.value.suggested_filename == "edges.csv"
        return lines_of(Path(started.value.path()).read_bytes().decode("utf-8"))

    def set_level(self, alpha):
        self.page.fill("#alpha-number", str(alpha))
        self.page.press("#alpha-number", "Enter")

    def lines(self):
        """The ends of the drawn edges, weakest first."""
        corners = "e => ['x1', 'y1', 'x2', 'y2'].map(name => Number(e.getAttribute(name)))"
        return self.all("#edges line", corners)

    def places(self):
        """Where the variables stand, in the coordinates of the drawing."""
        moved = r"e => e.getAttribute('transform').match(/[-\d.e]+/g).slice(1, 3).map(Number)"
        return self.all("#nodes g.node", moved)

    def node(self, name):
        """Where a variable stands, in the coordinates of the drawing and on the screen."""
        index = self.result.feature_names.index(name)
        place = self.places()[index]
        box = self.page.locator("#nodes g.node circle").nth(index).bounding_box()
        return place, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def zoom(self):
        return self.page.evaluate(
            "document.getElementById('view').transform.baseVal.consolidate().matrix.a"
        )


def lines_of(text):
    """Without the remarks at the head: what the intervals are, what was adjusted for."""
    remark, _, table = text.partition("\r\n")
    if table.startswith("# adjusted for: x"):
        table = table.partition("\r\n")[2]
    assert re.fullmatch(r"# interval_low and interval_high: \d+ % interval( for|, point).*", remark)
    return list(csv.DictReader(io.StringIO(table, newline="")))


def signed(value):
    return f"{value:+.3f}".replace("-", "−")


@pytest.fixture(scope="module")
def browser(require):
    playwright, chromium = require("playwright.sync_api"), require("chromium")
    with playwright.sync_playwright() as engine:
        started = engine.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A page of that kind, written once: its path and its result."""
    folder, made = tmp_path_factory.mktemp("reports"), {}

    def write(kind):
        if kind not in made:
            result, options = REPORTS[kind]()
            path = folder / f"{kind.replace(' ', '-')}.html"
            result.report(path, **options)
            made[kind] = path, result
        return made[kind]

    return write


@pytest.fixture(scope="module")
def usual(browser):
    with browser.new_context(viewport=WIDE) as context:
        yield context


@pytest.fixture
def show(browser, usual, written):
    """Open a page of that kind; at the end it must have asked for nothing and said nothing."""
    shown = []

    def open_page(kind, **options):
        context = browser.new_context(**{"viewport": WIDE} | options) if options else usual
        path, result = kind if isinstance(kind, tuple) else written(kind)
        shown.append((Shown(context, path, result), context))
        return shown[-1][0]

    yield open_page
    for opened, context in shown:
        opened.page.close() if context is usual else context.close()
    for opened, _ in shown:
        assert opened.complaints == []
        others = [url for url in opened.requests if not url.startswith("blob:file:")]
        assert others == [opened.path.as_uri()]


# ---- every kind of page -------------------------------------------------------------------------

TOUCH_EVERYTHING = """() => {
  const tell = (node, event) => node.dispatchEvent(event);
  const pointer = (kind) => new PointerEvent(kind, { clientX: 5, clientY: 200 });
  for (const node of document.querySelectorAll("#nodes g, #edges line, #heat")) {
    tell(node, pointer("pointerenter")); tell(node, pointer("pointermove"));
    if (node.closest("#nodes")) tell(node, new KeyboardEvent("keydown", { key: "Enter" }));
  }
  for (const button of document.querySelectorAll("button:not(#download):not(:disabled)"))
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


def facts_and_ladder(shown):
    facts = dict(zip(shown.all("dt"), shown.all("dd"), strict=True))
    assert facts["rows"] == "8,312"
    assert facts.keys() >= {"tails", "dependence between rows", "scales"}
    assert "Method 'batch' allows for dependence." in shown.page.inner_text(".caution")
    ladder = dict(zip(shown.all("tbody th"), shown.all("tbody th ~ td:last-child"), strict=True))
    assert ladder["score"] == str(shown.result.n_edges)
    assert len(ladder) == len(all_variants())


def rows_that_are_too_few(shown):
    assert f"About {shown.result.rows_needed:,} rows" in shown.page.inner_text(".caution")
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
    assert "given the others, x0 and x6?" in shown.text(".answer")
    adjusted = "Adjusted for, but not tested: x0, x6. Tested and corrected for: 10 pairs."
    assert shown.text("#adjusted") == adjusted
    facts = dict(zip(shown.all("dt"), shown.all("dd"), strict=True))
    assert facts["adjusted for"] == "x0, x6"
    assert facts["pairs tested"] == "10"
    assert "95 % interval for all tested pairs at once" in shown.all("#headings button")
    every_method_on_the_same_pairs(shown, "given")


def only_chosen_pairs(shown):
    assert shown.all("#nodes text") == ["x0", "x1", "x2", "x3", "x4"]
    assert "Which of 5 chosen pairs are connected, given all" in shown.text(".answer")
    assert shown.text("#adjusted").endswith("corrected for: 5 pairs that were chosen.")
    assert "pairs that were not tested grey" in shown.text("main")
    assert "pairs=[('x0', 'x1'), ('x0', 'x3'), ('x1', 'x2'), " in shown.text("pre")
    every_method_on_the_same_pairs(shown, "chosen")


def every_method_on_the_same_pairs(shown, family):
    ladder = dict(zip(shown.all("tbody th"), shown.all("tbody th ~ td:last-child"), strict=True))
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
    assert page.locator("#edges line").count() == result.n_edges
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


# ---- decisions ----------------------------------------------------------------------------------

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
          count: $("count").textContent, drawn: $("edges").childElementCount,
          csv: await blob.text() });
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
            assert float(line["log_pvalue"]) == pytest.approx(
                expected.log_pvalue[i, j], rel=0, abs=1e-9
            )
            adjusted = np.log(expected.adjusted_pvalue[i, j])
            assert float(line["log_adjusted_pvalue"]) == pytest.approx(adjusted, rel=0, abs=1e-9)
            assert float(line["partial_correlation"]) == pytest.approx(
                expected.partial_correlation[i, j], rel=1e-6
            )
            edges |= {(i, j)} if expected.reject[i, j] else set()
        assert found == {}
        assert seen["count"].startswith(f"{len(edges)} of {result.n_pairs} ")
        assert seen["drawn"] == len(edges)
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
    assert float(line["log_pvalue"]) == result.log_pvalue[0, 1]


def test_levels(show):
    """What is no level is not taken."""
    shown = show("score")
    page = shown.page
    before = shown.text("#count")
    for wrong in ("0", "-1", "0.9", "", "1e400"):
        shown.set_level(wrong)
        assert shown.page.input_value("#alpha-number") == "0.05"
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


# ---- the table ----------------------------------------------------------------------------------


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


def test_sorting(show):
    """By every column, both ways; what is saved comes in the same order."""
    shown = show("sp500")
    page, result = shown.page, shown.result
    low, high = result.shown_interval()
    place = {name: i for i, name in enumerate(result.feature_names)}

    def width(line):
        at = place[line["source"]], place[line["target"]]
        return np.float32(high[at]) - np.float32(low[at])

    keys = [
        lambda line: line["source"],
        lambda line: line["target"],
        lambda line: abs(float(line["partial_correlation"])),
        width,
        lambda line: float(line["log_pvalue"]),
        lambda line: float(line["log_adjusted_pvalue"]),
    ]
    page.check("#all")
    shown.set_level(1e-3)
    sorted_as = "e => e.getAttribute('aria-sort')"
    assert shown.all("#headings th", sorted_as) == ["none", "none", "descending", *["none"] * 3]
    for column, key in enumerate(keys):
        if column == 2:  # elsewhere first; the strongest come first here
            assert shown.all("#headings th", sorted_as)[column] == "none"
        for way in ("descending", "ascending") if column == 2 else ("ascending", "descending"):
            page.locator("#headings button").nth(column).click()
            expected = ["none"] * 6
            expected[column] = way
            assert shown.all("#headings th", sorted_as) == expected
            assert ("↓" in shown.all("#headings th")[column]) == (way == "descending")
            lines = shown.download()
            values = [key(line) for line in lines]
            assert len(values) == 190
            assert values == sorted(values, reverse=way == "descending")
            assert [row[:2] for row in shown.table()] == [
                [line["source"], line["target"]] for line in lines[:50]
            ]


def test_pages(show):
    shown = show("sp500")
    page = shown.page
    n = shown.result.n_edges
    assert shown.text("#page") == f"1–50 of {n}"
    assert page.is_disabled("#previous")
    page.click("#next")
    assert shown.text("#page") == f"51–{n} of {n}"
    assert page.is_disabled("#next")
    page.check("#all")
    assert shown.text("#page") == "1–50 of 190"
    seen = [row[:2] for row in shown.table()]
    while page.is_enabled("#next"):
        page.click("#next")
        seen += [row[:2] for row in shown.table()]
    assert seen == [list(pair[:2]) for pair in shown.result.pairs()]
    page.click("#previous")
    assert shown.text("#page") == "101–150 of 190"
    # What is no edge is paler.
    assert page.locator("#rows tr.no").count() == 50
    shown.set_level(1e-6)
    page.uncheck("#all")
    assert shown.text("#page").startswith("1–")


def test_search(show):
    shown = show("sp500")
    page = shown.page
    page.check("#all")
    page.fill("#search", "xom")
    assert shown.text("#page") == "1–19 of 19"
    assert all("XOM" in row for row in shown.table())
    assert [line["source"] for line in shown.download()] == [row[0] for row in shown.table()]
    page.uncheck("#all")
    edges = [list(edge[:2]) for edge in shown.result.edges() if "XOM" in edge]
    assert [row[:2] for row in shown.table()] == edges
    page.fill("#search", "no such name")
    assert shown.text("#page") == "0–0 of 0"
    assert shown.table() == []
    assert page.is_disabled("#next")
    assert len(shown.download()) == 0
    page.fill("#search", "")
    assert len(shown.table()) == 50


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
    assert {line["edge"] for line in lines} == {"true", "false"}


# ---- the graph ----------------------------------------------------------------------------------


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


def test_the_heat_map_shows_every_pair(show):
    shown = show("sachs")
    page, result = shown.page, shown.result
    p = result.n_features
    seen = page.evaluate(
        """() => { const c = document.getElementById("heat");
        return [c.width, ...c.getContext("2d").getImageData(0, 0, c.width, c.height).data]; }"""
    )
    width, pixels = seen[0], np.array(seen[1:]).reshape(seen[0], seen[0], 4)
    assert width == p
    np.testing.assert_array_equal(pixels, pixels.transpose(1, 0, 2))
    # Blue for positive, red for negative; an edge is far from the grey of nothing.
    order = page.evaluate("JSON.parse(document.getElementById('data').textContent).order")
    rho, edge = (
        matrix[np.ix_(order, order)] for matrix in (result.partial_correlation, result.reject)
    )
    blue, red = pixels[..., 2].astype(int), pixels[..., 0].astype(int)
    strong = np.abs(rho) > 0.05
    off = ~np.eye(p, dtype=bool)
    assert np.all(blue[strong & off & (rho > 0)] > red[strong & off & (rho > 0)])
    assert np.all(blue[strong & off & (rho < 0)] < red[strong & off & (rho < 0)])
    contrast = np.abs(blue - red)
    assert contrast[edge].min() > contrast[~edge & off].max() / 2
    box = page.locator("#heat").bounding_box()
    step = box["width"] / p
    page.locator("#heat").hover(position={"x": 3.5 * step, "y": 1.5 * step})
    i, j = sorted((order[1], order[3]))
    names = result.feature_names
    wanted = f"{names[i]} – {names[j]}: {signed(result.partial_correlation[i, j])}"
    assert shown.text("#tip") == wanted + ", an edge" * bool(result.reject[i, j])


# ---- safety -------------------------------------------------------------------------------------


EVERY_NODE = """() => [...document.querySelectorAll("#nodes g.node")].map((node) => {
  const $ = (id) => document.getElementById(id);
  node.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  node.dispatchEvent(new PointerEvent("pointermove", { clientX: 50, clientY: 50 }));
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
        name if len(name) <= 18 else f"{name[:17]}…" for name in names
    ]
    for name, seen in zip(names, page.evaluate(EVERY_NODE), strict=True):
        assert seen["side"] == name
        assert all(text.startswith(f"{name}: ") for text in (seen["label"], seen["tip"]))
        assert seen["found"] >= 11
    assert shown.text("h1") == HOSTILE[1]
    assert page.title() == f"{HOSTILE[1]} – edgewise"
    assert page.locator("script").count() == 2
    for tag in ("img", "b", "iframe", "object", "a:not(.skip)"):
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


# ---- many variables -----------------------------------------------------------------------------

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


# ---- for everyone -------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_accessible(show, require, size, scheme):
    """axe-core finds nothing serious while everything is in use."""
    shown = show("whitened", viewport=size, color_scheme=scheme)
    page = shown.page
    axe = Path(require("axe_playwright_python").__file__).with_name("axe.min.js")
    page.evaluate(axe.read_text(encoding="utf-8"))
    _use(shown)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert len(found["passes"]) > 20
    assert [
        (problem["impact"], problem["id"], problem["nodes"][0]["html"])
        for problem in found["violations"]
        if problem["impact"] in ("serious", "critical")
    ] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def _use(shown):
    shown.page.locator("#nodes g.node").nth(3).press("Enter")
    shown.page.check("#all")
    shown.page.locator("#headings button").first.click()
    shown.page.locator("#heat").hover(position={"x": 5, "y": 150})


def test_pictures_of_the_page(show, tmp_path):
    """For eyes: they stay in the folder of the test. On a telephone nothing sticks out."""
    shown = show("sp500")
    sizes = {}
    for scheme in ("light", "dark"):
        for size in (WIDE, NARROW):
            shown.page.set_viewport_size(size)
            shown.page.emulate_media(color_scheme=scheme)
            assert shown.page.evaluate("document.documentElement.scrollWidth") == size["width"]
            path = tmp_path / f"{scheme}-{size['width']}.png"
            shown.page.screenshot(path=path, full_page=True)
            sizes[path.name] = path.stat().st_size
    assert len(sizes) == 4
    assert min(sizes.values()) > 20_000


def test_dark_and_light(show):
    shown = show("score", color_scheme="dark")
    page = shown.page

    def ground():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark, light = "rgb(14, 17, 22)", "rgb(255, 255, 255)"
    assert ground() == dark
    page.click("#theme")
    assert ground() == light
    page.click("#theme")
    assert ground() == dark
    page.emulate_media(color_scheme="light")
    assert ground() == dark  # as chosen
    page.emulate_media(media="print")
    assert ground() == light  # paper is


def test_on_paper(show):
    shown = show("score")
    page = shown.page
    useless = [".zoom", ".tools", ".pages", ".theme", ".legend em", "#side"]
    assert all(page.is_visible(part) for part in useless)
    page.emulate_media(media="print")
    assert not any(page.is_visible(part) for part in [*useless, ".skip"])
    for part in ("#answer", "#count", "#graph", "#table", "#heat", ".legend", "dl", "pre"):
        assert page.is_visible(part)
    page.emulate_media(media="screen")
    page.locator("#nodes g.node").first.press("Enter")
    page.emulate_media(media="print")
    assert page.is_visible("#side")  # its neighbours were asked for


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
