"""The same intervals and the same statistic, with the same label, wherever a result shows them."""

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
    "kendall": ("kendall", "holm", ALL),
    "batch, maxt": ("batch", "maxt", ALL),
    "sequential": ("sequential", "holm", ALL),
    "whitened": ("whitened", None, ALL),
    "trace, infinite": ("trace", None, ALL),
}
every_result = pytest.mark.parametrize("asked", ASKED)


def sample(n=2000, p=5):
    rng = np.random.default_rng(17)
    return ew.simulate.sample("laplace", ew.simulate.make_chain_precision(p), n, rng=rng)


def ask(asked, alpha=0.05):
    method, correction, _ = ASKED[asked]
    given = {} if method in ("whitened", "trace") else {"correction": correction}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        n = 40_000 if asked == "whitened" else 2000
        return ew.edge_test(sample(n), method=method, alpha=alpha, **given)


@pytest.fixture(scope="module")
def results():
    return {asked: ask(asked) for asked in ASKED}


@pytest.fixture(scope="module")
def further():
    """A result with an edge that Holm finds and Bonferroni does not."""
    for seed in range(60):
        X = ew.simulate.sample("gaussian", ew.simulate.make_chain_precision(8), 160, rng=seed)
        holm, bonferroni = (ew.edge_test(X, correction=c) for c in ("holm", "bonferroni"))
        if holm.n_edges > bonferroni.n_edges:
            return holm
    return pytest.fail("no data set has such an edge")


def ends_of(result):
    """By the names of a pair."""
    return {pair[:2]: (pair.interval_low, pair.interval_high) for pair in result.pairs()}


@every_result
def test_the_intervals_and_errors_are_those_of_the_family(results, asked):
    result, family = results[asked], ASKED[asked][2]
    assert result.interval_family == family
    assert result.interval_level == 1 - result.alpha
    words = {ALL: "95 % interval for all pairs at once", EACH: "95 % interval, pointwise"}
    assert result.interval_label == words[family]
    wanted = result.confidence_interval(0.95, "partial_correlation", family == ALL)
    for shown, end in zip(result.shown_interval, wanted, strict=True):
        np.testing.assert_array_equal(shown, end)
        assert not shown.flags.writeable
    errors = result.partial_correlation_standard_error
    assert (errors is None) == (asked in ("whitened", "trace, infinite"))
    place = {name: i for i, name in enumerate(result.feature_names)}
    for pair in result.pairs():
        at = place[pair.source], place[pair.target]
        assert (pair.interval_low, pair.interval_high) == (wanted.low[at], wanted.high[at])
        assert pair.interval_low <= pair.partial_correlation <= pair.interval_high
        assert (
            math.isnan(pair.standard_error)
            if errors is None
            else (pair.standard_error == errors[at])
        )


@every_result
def test_a_larger_statistic_has_a_smaller_p_value(results, asked, require):
    """Of every method, with the sign of the effect, and |z| > 1.96 where p < 0.05."""
    require("pandas")
    frame = results[asked].to_frame("pandas").sort_values("pvalue")
    size = frame["statistic"].abs()
    assert (np.diff(size) <= 1e-12).all()
    moved = size > 0
    assert (np.sign(frame["statistic"]) == np.sign(frame["partial_correlation"]))[moved].all()
    assert ((size > 1.959964) == (frame["pvalue"] < 0.05)).all()


@pytest.mark.parametrize("method", ["score", "wald", "fisher", "batch"])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_intervals_leave_zero_as_their_family_decides(method, alpha):
    X = sample(300, 8)
    for correction in (None, "bonferroni"):
        result = ew.edge_test(X, method=method, correction=correction, alpha=alpha)
        assert 0 < result.n_edges < len(result.pairs())
        for pair in result.pairs():
            assert (pair.interval_low > 0 or pair.interval_high < 0) == pair.reject
        assert result.interval_note == ""
    holm = ew.edge_test(X, method=method, correction="holm", alpha=alpha)
    assert ends_of(holm) == ends_of(result)


def test_where_an_edge_has_an_interval_with_zero_it_is_said_why(further, tmp_path, require):
    """Holm decides in steps, and no intervals that go with its steps are known to cover."""
    touching = [edge for edge in further.edges() if edge.interval_low <= 0 <= edge.interval_high]
    assert touching
    assert not [pair for pair in further.pairs() if pair not in further.edges()
                and not pair.interval_low <= 0 <= pair.interval_high]  # fmt: skip
    assert "decides in steps" in further.interval_note
    page = report_html(further, Context())
    for text in (further._repr_html_(), page, plot_forest(further).get_xlabel()):
        assert "decides in steps" in re.sub(r"\s+", " ", text)


@every_result
def test_the_same_numbers_everywhere(results, asked, tmp_path, require):
    """In the frame, the CSV, the notebook, the report and the forest plot."""
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
    page = report_html(result, Context())
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    data = json.loads(data)["tests"][0]
    assert data["intervalLabel"] == result.interval_label
    upper = np.triu_indices(result.n_features, k=1)
    for name, end in zip(("low", "high"), result.shown_interval, strict=True):
        found = np.frombuffer(base64.b64decode(data[name]), dtype="<f4")
        np.testing.assert_array_equal(found, end[upper].astype("f4"))
    require("matplotlib")
    axes = plot_forest(result)
    assert f"partial correlation with {result.interval_label}" in axes.get_xlabel()
    bars = [line for line in axes.lines if line.get_marker() == "None" and line.get_zorder() == 2]
    for bar, pair in zip(bars, result.pairs(), strict=True):
        assert tuple(bar.get_xdata()) == ends[pair[:2]]
    html = result._repr_html_()
    assert (f"<th>{result.interval_label}</th>" in html) == bool(result.n_edges)
    for edge in result.edges()[:8]:
        cell = f"{edge.interval_low:+.3f} to {edge.interval_high:+.3f}"
        assert f'<td style="text-align:right">{cell}</td>' in html


@pytest.mark.parametrize(
    ("alpha", "text"),
    [(0.05, "95"), (1 / 3, "66.67"), (1e-6, "99.9999"), (1.23e-5, "99.99877"), (1e-17, "100")],
)
def test_percent(alpha, text):
    assert ask("score, none", alpha).interval_label == f"{text} % interval, pointwise"


@pytest.mark.parametrize("alpha", [1e-300, 1e-17, 1e-9, 0.5, 0.999])
@pytest.mark.parametrize("asked", ["score, holm", "wald, holm", "fisher, none", "batch, maxt"])
def test_any_level_has_intervals(asked, alpha):
    result = ask(asked, alpha)
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
    question = dataclasses.replace(result.question, alpha=0.001)
    wider = dataclasses.replace(result, question=question)
    upper = np.triu_indices(result.n_features, k=1)
    assert (wider.shown_interval.low[upper] < result.shown_interval.low[upper]).all()
    assert wider.interval_label == "99.9 % interval for all pairs at once"
