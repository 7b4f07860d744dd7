"""How a notebook shows a result: as text and pictures, with nothing that runs."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import edgewise as ew
from edgewise.plots.safe_names import printable, short_names

ALLOWED = {
    *("div", "p", "strong", "span", "svg", "g", "line", "circle", "text", "title"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def count(self, tag):
        return sum(name == tag for name, _ in self.found)


def shown(result):
    """The HTML, checked for what must hold of any."""
    html = result._repr_html_()
    root = ET.fromstring(html)  # every element is closed, every character is allowed
    assert root.tag == "div"
    for tag, attributes in Elements(html).found:
        assert tag in ALLOWED
        assert not any(name.startswith("on") or name in ("href", "src") for name in attributes)
    assert "<script" not in html
    assert "javascript:" not in html
    assert "url(" not in html
    html.encode("utf-8")
    return html


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows, feature_names=list("abcd"))


def test_a_sentence_a_graph_and_a_table(result):
    html = shown(result)
    elements = Elements(html)
    assert escape(result.summary().splitlines()[0]) in html
    assert elements.count("line") == result.n_edges == 3
    assert elements.count("circle") == elements.count("text") == 4
    assert f'aria-label="Graph of {result.n_edges} edges"' in html
    for edge in result.edges():
        row = f"<td>{edge.source} – {edge.target}</td>"
        assert row in html
        assert f">{edge.partial_correlation:+.3f}</td>" in html
        assert f">{edge.adjusted_pvalue:.2g}</td>" in html
    # Neither black on black nor white on white.
    assert 'fill="currentColor"' in html
    assert "background" not in html


def test_the_sign_of_an_edge_is_seen(rows):
    result = ew.edge_test(rows * [1, -1, 1, 1])
    lines = [attributes for tag, attributes in Elements(shown(result)).found if tag == "line"]
    negative = [edge.partial_correlation < 0 for edge in reversed(result.edges())]
    assert ["stroke-dasharray" in line for line in lines] == negative
    assert sum(negative) == 2
    assert len({line["stroke"] for line in lines}) == 2
    # The weak ones first, so that the strong ones lie on top.
    widths = [float(line["stroke-width"]) for line in lines]
    assert widths == sorted(widths)


def test_hostile_names_are_text(hostile_rows, hostile_names):
    names = ["<img src=x onerror=alert(1)>", *hostile_names[1:-1], "</td>\ud800\"'&" + "long" * 60]
    result = ew.edge_test(hostile_rows, feature_names=names)
    assert result.n_edges >= 7
    html = shown(result)
    assert "\x1b" not in html
    elements = Elements(html)
    assert elements.count("text") == 8
    for name in short_names(names, 14):
        assert f">{escape(name)}</text>" in html
    cells = re.findall(r"<td>(.*?)</td>", html)
    assert cells == [
        f"{escape(printable(edge.source))} – {escape(printable(edge.target))}"
        for edge in result.edges()[:8]
    ]


def test_cautions_are_said_and_escaped(result):
    evil = "Column '<b>\x1b&' looks like a level."
    html = shown(result.with_measured(cautions=(evil, "Rows are few.")))
    assert Elements(html).count("strong") == 2
    assert f"{escape(printable(evil))}</p>" in html
    assert "Rows are few.</p>" in html


@pytest.mark.parametrize(("p", "pictures"), [(60, 1), (61, 0)])
def test_a_picture_of_few_variables_only(p, pictures):
    X = np.random.default_rng(1).standard_normal((1000, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    result = ew.edge_test(X)
    html = shown(result)
    assert Elements(html).count("svg") == pictures
    assert ("A graph of 61 variables has no room here" in html) == (not pictures)
    assert Elements(html).count("tr") == 1 + 8
    assert f"<p>… and {result.n_edges - 8} more</p>" in html
    assert len(html) < 60_000
