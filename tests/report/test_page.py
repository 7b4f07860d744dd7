"""The report without a browser: what is in the file, and that nothing in it can run or leak."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import warnings
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import TooFewRowsWarning
from edgewise.methods.registry import registered
from edgewise.plots import style
from edgewise.plots.safe_names import printable
from edgewise.report import page as parts
from edgewise.report.page import Context, report_html
from edgewise.report.payload import EFFECTS

#: What would run text, fetch something, or leave something behind.
FORBIDDEN = (
    *("eval(", "Function(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"),
    *("fetch(", "XMLHttpRequest", "WebSocket", "import(", "sendBeacon"),
    *("localStorage", "document.cookie"),
)
KINDS = ("wald", "score", "whitened")


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text of each kind of element."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.texts, self._open = [], {}, []
        self.html = html
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.texts[self._open[-1]][-1] += data

    @property
    def data(self):
        return json.loads(self.texts["script"][0])

    @property
    def test(self):
        """The test that was asked for."""
        return self.data["tests"][0]

    @property
    def script(self):
        return self.texts["script"][1]

    @property
    def facts(self):
        return dict(zip(self.texts["dt"], self.texts["dd"], strict=True))

    def attributes(self, **wanted):
        (found,) = [a for _, a in self.elements if wanted.items() <= a.items()]
        return found


def page_of(result, **context):
    return Page(report_html(result, Context(**context)))


def numbers(text, dtype="<f8"):
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


def upper(matrix):
    return np.asarray(matrix)[np.triu_indices(len(matrix), k=1)]


def quiet_test(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, **options)


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows)


@pytest.fixture(scope="module")
def many_rows():
    """Enough rows for every bound to be finite; one partial correlation is negative."""
    theta = ew.simulate.make_chain_precision(4)
    return ew.simulate.sample("laplace", theta, 60_000, rng=5) * [1, -1, 1, 1]


class TestNumbers:
    @pytest.mark.parametrize("method", KINDS)
    def test_are_those_of_the_result(self, many_rows, method):
        result = ew.edge_test(many_rows, method=method, alpha=0.01)
        page, data = page_of(result), page_of(result).test
        assert page.data["names"] == page.data["short"] == list(result.feature_names)
        assert (page.data["alpha"], data["bound"]) == (0.01, registered()[method].simultaneous)
        np.testing.assert_array_equal(
            numbers(data["rho"], "<f4"), upper(result.partial_correlation).astype("f4")
        )
        chosen = data["effects"][data["effect"]]
        assert chosen["value"] == 0
        np.testing.assert_array_equal(numbers(chosen["logp"]), upper(result.log_pvalue))
        # Both Holm's correction and a bound speak of all pairs.
        interval = result.confidence_interval(0.99, "partial_correlation", simultaneous=True)
        for name, end in zip(("low", "high"), interval, strict=True):
            np.testing.assert_array_equal(numbers(data[name], "<f4"), upper(end).astype("f4"))
        assert data["intervalLabel"] == "99 % interval for all pairs at once"

    @pytest.mark.parametrize("method", KINDS)
    def test_every_offered_effect_is_what_a_test_of_it_gives(self, many_rows, method):
        data = page_of(ew.edge_test(many_rows, method=method)).test
        own = page_of(ew.edge_test(many_rows, method=method, min_effect=0.15)).test
        assert [e["value"] for e in data["effects"]] == list(EFFECTS)
        assert [e["value"] for e in own["effects"]] == sorted([*EFFECTS, 0.15])
        assert own["effects"][own["effect"]]["value"] == 0.15
        assert [e["label"] for e in data["effects"]] == ["0: any", "0.05", "0.1", "0.2", "0.3"]
        for effect in [*data["effects"], *own["effects"]]:
            expected = ew.edge_test(many_rows, method=method, min_effect=effect["value"])
            if effect["single"]:
                logp = numbers(effect["logp"], "<f4")
                np.testing.assert_allclose(logp, upper(expected.log_pvalue), rtol=1e-6, atol=1e-12)
            else:
                logp = numbers(effect["logp"])
                np.testing.assert_allclose(logp, upper(expected.log_pvalue), rtol=1e-12, atol=1e-14)

    def test_of_a_result_from_a_file(self, rows):
        result = ew.edge_test(rows, min_effect=0.1)
        found = ew.EdgeTestResult.from_json(result.to_json())
        assert page_of(found).html == page_of(result).html

    def test_of_many_variables_are_only_those_tested(self):
        X = np.random.default_rng(0).standard_normal((400, 301))
        data = page_of(ew.edge_test(X, method="fisher")).test
        assert len(data["effects"]) == 1
        assert data["low"] is None
        assert len(numbers(data["rho"], "<f4")) == 301 * 300 // 2

    def test_an_infinite_threshold(self, rows):
        result = quiet_test(rows, method="trace")
        assert result.threshold == np.inf
        page = page_of(result)
        assert page.test["bound"]
        assert f"About {result.rows_needed:,} rows would make it finite" in page.html
        np.testing.assert_array_equal(numbers(page.test["low"], "<f4"), -1)
        page = page_of(result.with_measured(cautions=("One.", "Two.")))
        notes = re.findall(r'<p class="caution" role="note">(.*?)</p>', page.html)
        assert notes[0].startswith("The rows are too few for this method")
        assert notes[1:] == ["One.", "Two."]
        assert page.html.index("Two.") < page.html.index('id="answer"')


class TestSafety:
    def test_data_cannot_end_their_element(self, hostile_rows, hostile_names):
        names = [*hostile_names[:-3], "</script><script>alert(1)</script>", "<!--", "]]>&amp;"]
        page = page_of(ew.edge_test(hostile_rows, feature_names=names))
        assert page.data["names"] == [printable(name) for name in names]
        block = page.texts["script"][0]
        assert not set("<>&'\n\u2028\u2029") & set(block)
        assert block.isascii()
        assert [tag for tag, _ in page.elements].count("script") == 2

    def test_text_stays_text(self, result):
        evil = "<b onclick=alert(1)>&{{7*7}}\x1b\x00"
        shown = "<b onclick=alert(1)>&{{7*7}}\ufffd\ufffd"
        page = page_of(
            result.with_measured(cautions=(evil[:-2],)),
            title=evil,
            facts=[("tails", evil)],
            advice=evil[:-2],
            methods=[(evil[:-2],) * 4],
            command=evil,
        )
        tags = {tag for tag, _ in page.elements}
        assert "b" not in tags
        assert all(not name.startswith("on") for _, a in page.elements for name in a)
        assert page.texts["title"] == [f"{shown} – edgewise"]
        assert page.texts["h1"] == page.texts["pre"] == [shown]
        assert page.facts["tails"] == shown
        assert page.html.count(escape(evil[:-2])) == 10
        assert "\x1b" not in page.html
        assert "49" not in page.texts["h1"][0]

    def test_the_policy_names_the_style_and_the_script(self, result):
        page = page_of(result)
        policy = page.attributes(**{"http-equiv": "Content-Security-Policy"})["content"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        for rule, text in (("style-src", page.texts["style"][0]), ("script-src", page.script)):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in rules[rule].split()
        assert len(rules["script-src"].split()) == 1
        assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
        assert "unsafe" not in policy
        # The policy comes before whatever it is to hold for.
        heads = [tag for tag, _ in page.elements]
        assert heads.index("meta") < heads.index("style")
        assert page.html.index("Content-Security-Policy") < page.html.index("<title>")

    def test_nothing_comes_from_elsewhere(self, result):
        page = page_of(result)
        for tag, attributes in page.elements:
            assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
            assert not {"src", "srcset", "style", "action"} & set(attributes)
            assert attributes.get("href", "#").startswith("#")
        for text, words in (
            (page.texts["style"][0], ["url(", "@import"]),
            (page.script, FORBIDDEN),
        ):
            assert [word for word in words if word in text] == []
        addresses = set(re.findall(r"https?://[^\s\"']+", page.html))
        assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which nothing fetches

    def test_names_that_no_file_can_hold(self, rows):
        names = ["\ud800", "a\nb", "", "\u202e"]
        page = page_of(ew.edge_test(rows, feature_names=names), title="\udfff", command="\ud800")
        page.html.encode("utf-8")
        # Two names that would look alike stay apart.
        assert page.data["names"] == ["\ufffd", "a\ufffdb", "", "\ufffd\u2032"]


class TestText:
    @pytest.mark.parametrize(
        "correction", ["holm", "bonferroni", "maxt", "bh", "by", None, "bound"]
    )
    def test_the_answer(self, many_rows, correction):
        family_wise = "If the assumptions hold, the chance of even one false edge is at most 2 %."
        share = "If the assumptions hold, on average at most 2 % of the edges are false."
        each = "Each pair is tested by itself: a pair without an edge is called an edge with"
        promise = {"bh": share, "by": share, None: each}.get(correction, family_wise)
        method = {"maxt": "batch", "bound": "whitened"}.get(correction, "score")
        options = {} if correction == "bound" else {"correction": correction}
        result = ew.edge_test(many_rows, method=method, alpha=0.02, **options)
        page = page_of(result)
        answer = page.html.split('<p id="answer">')[1].split("</p>")[0]
        assert answer.startswith(f"{result.n_edges} of 6 pairs are connected. {promise}")
        assert "Which of these 4 variables are connected" in page.html
        correct = f", {options['correction']}" if options.get("correction") else ""
        assert page.facts["tested with"].startswith(f"{method}, α = 0.02{correct}")

    def test_every_method_says_when_it_holds(self, result):
        for method, kind in registered().items():
            assert kind.condition[0].islower()
            assert not kind.condition.endswith(".")
            page = page_of(result.with_measured(method=method))
            wanted = f"Tested by method “{method}”. It assumes {kind.condition}."
            assert wanted in page.texts["p"]

    def test_facts(self, rows):
        X = rows.copy()
        X[0, 0] = np.nan
        result = ew.edge_test(X, method="batch", missing="drop", n_batches=20)
        facts = page_of(result, facts=[("tails", "2 times")]).facts
        assert facts == {
            "rows": "399",
            "variables": "4",
            "missing values and weights": "1 row with missing values was left out; left out "
            "because of one column alone: x0 (1).",
            "tested with": f"batch, α = 0.05, holm, n_batches {result.options['n_batches']}",
            "tails": "2 times",
        }

    @pytest.mark.parametrize(
        "options",
        [
            {"min_effect": 0.1},
            {"method": "whitened", "radius": "chi2"},
            {"method": "trace", "standardize": True},
        ],
    )
    def test_the_call_makes_the_result_again(self, many_rows, options):
        result = quiet_test(many_rows, **options)
        (call,) = page_of(result).texts["pre"]
        again = eval(call, {"edgewise": ew, "data": many_rows})
        assert again.options == result.options
        np.testing.assert_array_equal(again.log_pvalue, result.log_pvalue)


def test_size():
    """The script is 120 kB; of 200 variables there are 19,900 pairs."""
    for p, most in ((2, 200_000), (200, 2_000_000)):
        X = np.random.default_rng(2).standard_normal((600, p))
        assert len(report_html(ew.edge_test(X), Context()).encode()) <= most


def test_pages_and_plots_have_the_same_colours_of_communities():
    found = re.findall(r"--c\d: (#\w+);", parts.own_file("style/base.css"))
    assert [colour.lower() for colour in style.COMMUNITIES] == found[: len(style.COMMUNITIES)]
