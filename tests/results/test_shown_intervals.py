"""The same intervals, with the same label, wherever a result shows them."""

from __future__ import annotations

import base64
import csv
import dataclasses
import json
import math
import re
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise import EdgeTestResult
from edgewise.errors import EdgewiseWarning
from edgewise.paper.radii import TRACE_MAX_ALPHA
from edgewise.plots.export import write_graph
from edgewise.plots.plots import plot_forest
from edgewise.report.page import Context, report_html

ALL, EACH = "all pairs", "pointwise"
#: Method, correction, and the family that its intervals are for.
ASKED = {
    "score, holm": ("score", "holm", ALL),
    "score, bonferroni": ("score", "bonferroni", ALL),
    "score, bh": ("score", "bh", EACH),
    "score, by": ("score", "by", EACH),
    "score, none": ("score", None, EACH),
    "wald, holm": ("wald", "holm", ALL),
    "fisher, none": ("fisher", None, EACH),
    "batch, maxt": ("batch", "maxt", ALL),
    "sequential": ("sequential", "holm", ALL),
    "whitened": ("whitened", None, ALL),
    "trace, infinite": ("trace", None, ALL),
}
every_result = pytest.mark.parametrize("asked", ASKED)


def sample(n=2000, p=5):
    rng = np.random.default_rng(17)
    return ew.simulate.sample("laplace", ew.simulate.make_chain_precision(p), n, rng=rng)


def ask(asked, alpha=0.05, **options):
    method, correction, _ = ASKED[asked]
    given = {} if asked in ("whitened", "trace, infinite") else {"correction": correction}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        n = 40_000 if asked == "whitened" else 2000
        return ew.edge_test(sample(n), method=method, alpha=alpha, **given, **options)


@pytest.fixture(scope="module")
def results():
    return {asked: ask(asked) for asked in ASKED}


def ends_of(result):
    """By the names of a pair."""
    return {pair[:2]: (pair.interval_low, pair.interval_high) for pair in result.pairs()}


@every_result
def test_the_family_follows_from_the_correction(results, asked):
    result = results[asked]
    assert result.interval_family == ASKED[asked][2]
    assert result.interval_level == 1 - result.alpha
    wanted = {ALL: "95 % interval for all pairs at once", EACH: "95 % interval, pointwise"}
    assert result.interval_label == wanted[result.interval_family]


@every_result
def test_the_intervals_are_those_of_the_family(results, asked):
    result = results[asked]
    wanted = result.confidence_interval(0.95, "partial_correlation", ASKED[asked][2] == ALL)
    for shown, end in zip(result.shown_interval(), wanted, strict=True):
        np.testing.assert_array_equal(shown, end)
        assert not shown.flags.writeable
    assert result.shown_interval() is result.shown_interval()
    place = {name: i for i, name in enumerate(result.feature_names)}
    for (source, target), ends in ends_of(result).items():
        at = place[source], place[target]
        assert ends == (wanted.low[at], wanted.high[at])
        assert ends[0] <= result.partial_correlation[at] <= ends[1]


@every_result
def test_standard_errors_are_of_partial_correlations(results, asked):
    result = results[asked]
    errors = result.partial_correlation_standard_error
    place = {name: i for i, name in enumerate(result.feature_names)}
    for pair in result.pairs():
        if errors is None:
            assert math.isnan(pair.standard_error)
        else:
            assert pair.standard_error == errors[place[pair.source], place[pair.target]]
    assert (errors is None) == (asked in ("whitened", "trace, infinite"))


@pytest.mark.parametrize("method", ["score", "wald", "fisher", "batch"])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_intervals_leave_zero_as_their_family_decides(method, alpha):
    X = sample(300, 8)
    for correction in (None, "bonferroni"):
        result = ew.edge_test(X, method=method, correction=correction, alpha=alpha)
        assert 0 < result.n_edges < len(result.pairs())
        for pair in result.pairs():
            assert (pair.interval_low > 0 or pair.interval_high < 0) == pair.reject
    holm = ew.edge_test(X, method=method, correction="holm", alpha=alpha)
    assert ends_of(holm) == ends_of(result)


def test_an_edge_of_holm_alone_has_an_interval_with_zero():
    """As the documentation says: Holm decides in steps, and the intervals are Bonferroni's."""
    for seed in range(60):
        X = ew.simulate.sample("gaussian", ew.simulate.make_chain_precision(8), 160, rng=seed)
        holm, bonferroni = (ew.edge_test(X, correction=c) for c in ("holm", "bonferroni"))
        found = {edge[:2] for edge in bonferroni.edges()}
        further = [edge for edge in holm.edges() if edge[:2] not in found]
        for edge in further:
            assert edge.interval_low <= 0 <= edge.interval_high
        if further:
            return
    pytest.fail("no data set has such an edge")


@every_result
def test_the_same_numbers_everywhere(results, asked, tmp_path, require):
    """In the frame, the CSV, the JSON, the graph, the report and the forest plot."""
    result = results[asked]
    ends = ends_of(result)
    frame = result.to_frame("pyarrow").to_pylist()
    assert {(r["source"], r["target"]): (r["interval_low"], r["interval_high"]) for r in frame} == (
        ends
    )
    result.to_csv(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        low, high = ends[line["source"], line["target"]]
        assert (float(line["interval_low"]), float(line["interval_high"])) == (low, high)
    document = json.loads(result.to_json())
    assert document["interval_level"] == 0.95
    assert document["interval_family"] == result.interval_family
    assert len(document["edges"]) == result.n_edges
    for edge in document["edges"]:
        assert (edge["interval_low"], edge["interval_high"]) == ends[edge["source"], edge["target"]]
    graph = result.to_networkx()
    assert graph.graph["intervals"] == result.interval_label
    for source, target, numbers in graph.edges(data=True):
        assert (numbers["interval_low"], numbers["interval_high"]) == ends[source, target]
    page = report_html(result, Context())
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    data = json.loads(data)["tests"][0]
    assert data["intervalLabel"] == result.interval_label
    upper = np.triu_indices(result.n_features, k=1)
    for name, end in zip(("low", "high"), result.shown_interval(), strict=True):
        found = np.frombuffer(base64.b64decode(data[name]), dtype="<f4")
        np.testing.assert_array_equal(found, end[upper].astype("f4"))
    require("matplotlib")
    axes = plot_forest(result)
    # Pointwise intervals are too narrow for pairs that were chosen, and a second line says so.
    label = axes.get_xlabel().partition("\n")[0]
    assert label == f"partial correlation with {result.interval_label}"
    bars = [line for line in axes.lines if line.get_marker() == "None" and line.get_zorder() == 2]
    for bar, pair in zip(bars, result.pairs(), strict=True):
        assert tuple(bar.get_xdata()) == ends[pair[:2]]


@every_result
def test_the_same_label_in_a_notebook(results, asked):
    result = results[asked]
    cells = [f"{e.interval_low:+.3f} to {e.interval_high:+.3f}" for e in result.edges()]
    if result.n_edges:
        html = result._repr_html_()
        assert f"<th>{result.interval_label}</th>" in html
        for cell in cells[:8]:
            assert f'<td style="text-align:right">{cell}</td>' in html


def test_graphml_says_what_the_intervals_are(results, tmp_path):
    import networkx as nx

    write_graph(results["score, bh"], tmp_path / "x.graphml")
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert graph.graph["intervals"] == "95 % interval, pointwise"
    assert all(numbers["interval_low"] < 1 for _, _, numbers in graph.edges(data=True))


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (0.95, "95"),
        (1 - 1 / 3, "66.67"),
        (0.999, "99.9"),
        (1 - 1e-6, "99.9999"),
        (1 - 1.23e-5, "99.99877"),
        (math.nextafter(1, 0), "100"),
    ],
)
def test_percent(level, text):
    result = ask("score, none", alpha=1 - level)
    assert result.interval_label == f"{text} % interval, pointwise"


@pytest.mark.parametrize("alpha", [1e-300, 1e-17, 1e-9, 0.5, 0.999])
@pytest.mark.parametrize("asked", ["score, holm", "wald, holm", "fisher, none", "batch, maxt"])
def test_any_level_has_intervals(asked, alpha):
    result = ask(asked, alpha=alpha)
    assert 0 < result.interval_level < 1
    for pair in result.pairs():
        assert -1 <= pair.interval_low <= pair.partial_correlation <= pair.interval_high <= 1
    assert EdgeTestResult.from_json(result.to_json()).pairs() == result.pairs()


def test_the_largest_level_of_the_trace_has_intervals():
    result = ask("trace, infinite", alpha=TRACE_MAX_ALPHA)
    assert set(ends_of(result).values()) == {(-1.0, 1.0)}


def test_another_alpha_is_another_interval(results):
    """What was computed once belongs to one result only."""
    result = results["score, holm"]
    result.shown_interval()
    question = dataclasses.replace(result.question, alpha=0.001)
    wider = dataclasses.replace(result, question=question)
    upper = np.triu_indices(result.n_features, k=1)
    assert (wider.shown_interval().low[upper] < result.shown_interval().low[upper]).all()
    assert wider.interval_label == "99.9 % interval for all pairs at once"
