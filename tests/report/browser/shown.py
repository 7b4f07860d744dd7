"""Reports to look at in a real browser, and what a test does with one."""

from __future__ import annotations

import base64
import csv
import io
import warnings

import numpy as np

import edgewise as ew
from edgewise.errors import TooFewRowsWarning

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

SAVED = """async (selector) => {
  const [click, make] = [HTMLAnchorElement.prototype.click, URL.createObjectURL];
  const saved = new Promise((done) => {
    let last;
    URL.createObjectURL = (blob) => make.call(URL, (last = blob));
    HTMLAnchorElement.prototype.click = function () { done([last, this.download]); };
  });
  document.querySelector(selector).click();
  const [blob, name] = await saved;
  [HTMLAnchorElement.prototype.click, URL.createObjectURL] = [click, make];
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return [btoa(text), name];
}"""


def quiet_test(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
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
    "sp500": lambda: with_data(ew.datasets.load_sp500_returns(), method="score"),
    "sachs": lambda: with_data(ew.datasets.load_sachs(), method="score"),
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

    def __init__(self, context, path, result, *, scripted=True):
        self.result, self.path = result, path
        self.requests, self.complaints = [], []
        self.page = page = context.new_page()
        page.set_default_timeout(0)  # however busy the machine is
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("popup", lambda other: self.complaints.append(f"popup {other.url}"))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.goto(path.as_uri())
        if scripted:
            page.wait_for_selector("html[data-update-ms]", state="attached")

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
        content, name = self.saved("#download")
        assert name == "edges.csv"
        return lines_of(content.decode("utf-8"))

    def set_level(self, alpha):
        self.page.fill("#alpha-number", str(alpha))
        self.page.press("#alpha-number", "Enter")

    def lines(self):
        """The ends of the drawn edges, weakest first."""
        ends = r"""e => {
          const all = e.getAttribute('d').match(/-?[\d.]+/g).map(Number);
          return [...all.slice(0, 2), ...all.slice(-2)];
        }"""
        return self.all("#edges path.edge", ends)

    def places(self):
        """Where the variables stand, in pixels of the picture."""
        moved = r"e => e.getAttribute('transform').match(/-?[\d.]+/g).map(Number)"
        return self.all("#nodes g.node", moved)

    def node(self, name):
        """Where a variable stands, in pixels of the picture and of the page."""
        index = self.result.feature_names.index(name)
        place = self.places()[index]
        box = self.page.locator("#nodes g.node circle").nth(index).bounding_box()
        return place, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def zoom(self):
        return self.page.evaluate("document.getElementById('stage').view.k")

    def chosen(self):
        """The variables that are selected."""
        pressed = self.all("#nodes g.node", "e => e.getAttribute('aria-pressed')")
        return [k for k, value in enumerate(pressed) if value == "true"]

    def saved(self, selector):
        """The bytes of the file that a button saves, and its name.

        Taken where the page hands it to the browser, which drops a file that soon follows another.
        """
        text, name = self.page.evaluate(SAVED, selector)
        return base64.b64decode(text), name


def lines_of(text):
    """As a reader of CSV takes them, without any options."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def signed(value):
    return f"{value:+.3f}".replace("-", "−")
