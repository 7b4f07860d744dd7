"""What a result says, in every form it can be had."""

from __future__ import annotations

import copy
import csv
import dataclasses
import json
import math
import pickle
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError, TooFewRowsWarning
from edgewise.inference.question import Question
from edgewise.inference.sample import open_sample
from edgewise.methods.registry import method_of, registered
from edgewise.results.base import equivalent_z
from edgewise.results.result import Edge, EdgeTestResult, decide

SOME = ["score", "fisher", "trace", "eig"]
NAMES = ("alpha", "béta", "γ", "x,y")
MATRICES = (
    *("covariance", "precision", "partial_correlation", "statistic", "pvalue", "adjusted_pvalue"),
    *("log_pvalue", "reject", "threshold", "standard_error", "partial_correlation_standard_error"),
)
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


def result_of(method="score", n=2000, p=4, **options):
    """A result on a chain of `p` variables."""
    rng = np.random.default_rng(0)
    X = ew.simulate.sample("laplace", ew.simulate.make_chain_precision(p), n, rng=rng)
    names = NAMES if p == 4 else None
    return ew.edge_test(X, method=method, feature_names=names, **options)


@pytest.fixture(scope="module", params=SOME)
def result(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return result_of(request.param)


@pytest.fixture(scope="module")
def scored():
    return result_of()


def test_it_is_frozen_and_symmetric(result):
    for name in ("question", "measurement", "decision", "notes", "alpha", "pvalue", "threshold"):
        with pytest.raises(AttributeError):
            setattr(result, name, None)
    for name in MATRICES:
        matrix = getattr(result, name)
        if matrix is None or isinstance(matrix, float):
            continue
        assert matrix.shape == (4, 4)
        np.testing.assert_allclose(matrix, matrix.T, rtol=1e-14)
        assert getattr(result, name) is matrix
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 1] = 0
        if name in ("statistic", "pvalue", "adjusted_pvalue", "log_pvalue"):
            assert np.isnan(matrix.diagonal()).all()
    assert not result.reject.diagonal().any()
    assert (result.n_samples, result.n_features, result.feature_names) == (2000, 4, NAMES)


def test_edges_are_the_rejected_pairs_strongest_first(scored):
    strengths = [abs(edge.partial_correlation) for edge in scored.pairs()]
    assert strengths == sorted(strengths, reverse=True)
    assert len(scored.pairs()) == 6
    assert scored.edges() == [pair for pair in scored.pairs() if pair.reject]
    assert scored.n_edges == len(scored.edges()) == np.count_nonzero(scored.reject) / 2 > 0


def test_an_edge_has_the_entries_of_the_matrices(scored):
    matrices = {
        "standard_error": scored.partial_correlation_standard_error,
        "statistic": equivalent_z(scored.log_pvalue, scored.partial_correlation),
        "interval_low": scored.shown_interval.low,
        "interval_high": scored.shown_interval.high,
    }
    for edge in scored.pairs():
        i, j = NAMES.index(edge.source), NAMES.index(edge.target)
        assert i < j
        assert (edge.n_samples, edge.n_adjusted_for) == (2000, 2)
        for field in edge._fields[2:-2]:
            value = getattr(edge, field)
            matrix = matrices[field] if field in matrices else getattr(scored, field)
            assert value == matrix[i, j]
            assert type(value) in (float, bool)
        assert scored.pair(edge.target, edge.source) == scored.pair(*edge[:2]) == edge


def test_a_pair_that_was_not_tested(refuses):
    result = result_of(given=["γ"])
    for pair in (("alpha", "γ"), ("alpha", "alpha"), ("alpha", "nope")):
        refuses(lambda pair=pair: result.pair(*pair), ParameterError, "no tested pair")


EDGE = Edge("KO", "PEP", 0.331, 0.01, 0.252, 0.399, -1.0, 9.0, 1e-9, 1e-8, True, 100, 18)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "KO and PEP still move together, 0.33 (0.25 to 0.40), after accounting for the 18 "
             "others."),
        ({"n_adjusted_for": 1}, "KO and PEP still move together, 0.33 (0.25 to 0.40), after "
                                "accounting for the other one."),
        ({"n_adjusted_for": 0}, "KO and PEP move together, 0.33 (0.25 to 0.40)."),
        ({"partial_correlation": -0.331, "interval_low": -0.4, "interval_high": -0.001},
         "KO and PEP still move in opposite directions, −0.33 (−0.40 to 0.00), after accounting "
         "for the 18 others."),
        ({"reject": False}, "No association of KO and PEP is clear, 0.33 (0.25 to 0.40), after "
                            "accounting for the 18 others."),
        ({"interval_low": math.nan}, "KO and PEP still move together, 0.33, after accounting for "
                                     "the 18 others."),
    ],
)  # fmt: skip
def test_an_edge_in_words(changes, sentence):
    assert EDGE._replace(**changes).sentence() == sentence


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(scored, backend, require):
    require(backend)
    frame = scored.to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    lists = {"orient": "list"} if backend == "pandas" else {"as_series": False}
    columns = frame.to_pydict() if backend == "pyarrow" else frame.to_dict(**lists)
    expected = {field: [getattr(e, field) for e in scored.pairs()] for field in Edge._fields}
    assert {name: list(values) for name, values in columns.items()} == expected


def test_other_frames(scored, require, refuses):
    pandas = require("pandas")
    assert isinstance(scored.to_frame(), pandas.DataFrame)
    assert list(scored.adjacency.index) == list(scored.adjacency.columns) == list(NAMES)
    np.testing.assert_array_equal(scored.adjacency.to_numpy(), scored.reject.astype(int))
    assert scored.adjacency.loc["alpha", "béta"] == 1
    refuses(lambda: scored.to_frame("excel"), ParameterError, "backend: expected one of 'pandas'")


def test_networkx(scored):
    graph = scored.to_networkx()
    assert tuple(graph.nodes) == NAMES
    assert graph.graph == {
        "method": "score",
        "alpha": 0.05,
        "n_samples": 2000,
        "intervals": "95 % interval for all pairs at once",
    }
    assert graph.number_of_edges() == scored.n_edges
    for edge in scored.edges():
        attributes = graph.edges[edge.source, edge.target]
        assert attributes["weight"] == abs(edge.partial_correlation)
        assert attributes["distance"] == pytest.approx(1 / attributes["weight"], rel=1e-15)
        for field in edge._fields[2:-3]:
            assert attributes[field] == getattr(edge, field)
    empty = result_of("trace", n=20).to_networkx()
    assert (len(empty), empty.number_of_edges()) == (4, 0)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
@pytest.mark.parametrize("method", ["score", "whitened"])
def test_csv_is_read_back_without_any_options(method, backend, tmp_path, require):
    result = result_of(method).with_measured(feature_names=("#a", "b # c", 'd"#', "e,\n=f"))
    result.to_csv(tmp_path / "x.csv")
    frame = require(backend).read_csv(tmp_path / "x.csv")
    assert tuple(frame.columns) == Edge._fields
    for name in Edge._fields:
        expected, column = [getattr(pair, name) for pair in result.pairs()], frame[name].to_list()
        if type(expected[0]) is float:
            np.testing.assert_allclose(np.array(column, dtype=float), expected, rtol=1e-14)
        else:
            assert column == expected
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        assert len([*csv.reader(file)]) == 7


@pytest.mark.parametrize("kind", ["csv", "json", "html", "png", "svg", "graphml", "gexf", "cyjs"])
def test_save_by_the_ending(scored, tmp_path, kind, require):
    require("networkx")
    scored.save(tmp_path / f"x.{kind}")
    starts = {"csv": b"source,", "png": b"\x89PNG", "html": b"<!doctype html>"}
    starts |= dict.fromkeys(("json", "cyjs"), b"{") | dict.fromkeys(
        ("svg", "graphml", "gexf"), b"<"
    )
    assert (tmp_path / f"x.{kind}").read_bytes().startswith(starts[kind])


def test_save_refuses_other_endings(scored, tmp_path, refuses):
    refuses(lambda: scored.save(tmp_path / "x.doc"), ParameterError, "x.doc", "graphml", "html")


def test_json_is_strict(result):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    document = json.loads(result.to_json(), parse_constant=refuse)
    assert document["feature_names"] == list(NAMES)
    assert (document["method"], document["alpha"]) == (result.method, 0.05)
    found = {field: [edge[field] for edge in document["edges"]] for field in Edge._fields}
    for field, values in found.items():
        expected = [getattr(edge, field) for edge in result.edges()]
        assert values == ["NaN" if x != x else x for x in expected]
    assert json.loads(result.to_json(indent=2)) == document


def test_summary(scored):
    lines = str(scored).splitlines()
    assert scored.summary() == str(scored)
    assert (
        lines[0]
        == scored.headline()
        == (
            f"{scored.n_edges} of 6 possible edges among 4 variables, from 2000 rows "
            "(method 'score', alpha 0.05, holm)."
        )
    )
    assert len(lines) == 1 + scored.n_edges
    strongest = scored.edges()[0]
    assert f"{strongest.source} – {strongest.target}" in lines[1]
    assert f"{strongest.partial_correlation:+.3f}" in lines[1]


def test_the_summary_ends_with_notes_and_cautions():
    result = result_of(p=20, n=5000)
    cautions = ("Rows are few.", "Row 7 is far out.")
    result = dataclasses.replace(
        result.with_measured(cautions=cautions, n_dropped=3, why="Rows are independent."),
        notes=("Column 'date' was left out.",),
    )
    assert result.n_edges > 15
    assert result.summary().splitlines()[16:] == [
        f"  … and {result.n_edges - 15} more",
        "Rows are independent.",
        "Column 'date' was left out.",
        "3 rows with missing values were left out.",
        "Caution: Rows are few.",
        "Caution: Row 7 is far out.",
    ]
    assert repr(result).endswith(f"edges={result.n_edges}, cautions=2)")


@pytest.mark.parametrize(
    ("method", "options", "family"),
    [
        ("score", {"correction": None}, "no correction"),
        ("score", {"correction": "by"}, "by"),
        ("trace", {}, "all entries at once"),
        ("eig", {"correction": None}, "each entry; for all at once a heuristic"),
    ],
)
def test_the_headline_names_the_family(method, options, family):
    assert f", {family})" in result_of(method, **options).headline()


def test_too_few_rows():
    result = result_of("trace", n=20)
    assert "0 of 6 possible edges" in result.summary()
    assert f"About {result.rows_needed:,} rows would make it finite." in result.summary()
    assert repr(result_of("trace")) == (
        "EdgeTestResult(method='trace', alpha=0.05, correction=None, n_samples=2000, "
        "n_features=4, edges=0)"
    )


class TestMethodsText:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({}, "corrected by Holm's method, which bounds the probability of any false edge by"),
            ({"correction": "bh"}, "Benjamini and Hochberg, which aims at a false discovery rate"),
            ({"correction": None}, "not corrected for the number of pairs"),
            ({"method": "trace"}, "One bound holds for all entries"),
            ({"min_effect": 0.1}, "The null hypothesis was a |partial correlation| of at most 0.1"),
            ({"given": ["γ"]}, "among 3 variables (adjusted for γ)"),
            ({"transform": "normal-scores"}, "of the normal scores of the columns"),
        ],
    )
    def test_it_says_what_a_paper_must(self, options, words):
        text = result_of(**options).methods_text()
        method = options.get("method", "score")
        assert words in text
        assert "from 2,000 rows" in text
        assert f"method “{method}” of edgewise {ew.__version__}" in text
        assert f"NumPy {np.__version__}" in text
        assert text.count("arXiv:1604.01733") == 1

    def test_only_what_breaks_the_guarantee_is_said_of_the_data(self, scored):
        caution = ew.inference.cautions.Caution
        data = caution("Rows depend.", "dependence", True), caution("Few rows.", "few rows")
        text = scored.with_measured(cautions=data).methods_text()
        assert "Rows depend." in text
        assert "Few rows." not in text


def test_explore_is_the_report_in_a_frame(scored):
    html = scored.explore()._repr_html_()
    assert html.startswith("<iframe srcdoc=")
    assert "&lt;!doctype html&gt;" in html
    assert 'height="800"' in html
    assert html.count("<") == 2  # the page is text of an attribute


@pytest.mark.parametrize("method", ["score", "fisher"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", None])
def test_a_pvalue_is_never_zero(method, correction):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(20_000)
    X = np.column_stack([x, x + 0.01 * rng.standard_normal(20_000), rng.standard_normal(20_000)])
    result = ew.edge_test(X, method=method, correction=correction)
    assert np.nanmin(result.pvalue) > 0
    assert np.nanmin(result.adjusted_pvalue) > 0
    assert result.log_pvalue[0, 1] < -2000


@pytest.mark.parametrize("method", ["score", "wald", "fisher", "batch"])
def test_the_threshold_is_computed_when_it_is_used(method, rows):
    result = ew.edge_test(rows, method=method)
    result.summary(), result.edges(), result.to_frame()
    assert "threshold" not in vars(result)
    assert np.isnan(result.threshold.diagonal()).all()
    assert result.threshold is result.threshold
    # It separates the edges from the other pairs.
    pairs = result.tested_pairs()
    over = np.abs(result.precision[pairs]) > result.threshold[pairs]
    np.testing.assert_array_equal(over, result.reject[pairs])
    some = ew.edge_test(rows, method=method, given=["x1"])
    np.testing.assert_array_equal(np.isnan(some.threshold), ~some.tested)


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize(
    "again",
    [
        lambda result: pickle.loads(pickle.dumps(result)),
        copy.copy,
        copy.deepcopy,
        dataclasses.replace,
        lambda result: EdgeTestResult.from_json(result.to_json()),
    ],
)
def test_copies_are_the_same(again, used, rows):
    expected = ew.edge_test(rows, min_effect=0.05)
    result = ew.edge_test(rows, min_effect=0.05)
    assert not used or result.threshold.shape == (4, 4)
    np.testing.assert_array_equal(again(result).threshold, expected.threshold)
    assert again(result).summary() == expected.summary()


# A measurement and a question become a result, the same for every method.


UPPER = np.triu_indices(4, k=1)
every_method = pytest.mark.parametrize("method", list(registered()))


def measured(rows, method):
    chosen = method_of(method)
    return chosen.measure(open_sample(rows, chosen.needs, "a test"))


@every_method
def test_a_measurement_answers_many_questions(rows, method):
    """Nothing of a decision is left in it: each answer is that of a test made anew, to the bit."""
    measurement = measured(rows, method)
    bound = registered()[method].simultaneous
    for alpha, correction, effect in (
        (0.05, "holm", 0.0),
        (0.01, "bonferroni", 0.0),
        (0.2, "bh", 0.1),
        (0.05, None, 0.3),
    ):
        own = None if bound else correction
        scale = registered()[method].effect_scale
        found = decide(measurement, Question(alpha, own, effect, scale))
        expected = ew.edge_test(rows, method=method, alpha=alpha, correction=own, min_effect=effect)
        assert found.to_json() == expected.to_json()


def test_measuring_warns_of_nothing_about_levels(rows):
    """That the rows are too few is known only at a level."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measurement = measured(rows, "trace")
    with pytest.warns(TooFewRowsWarning, match="infinite threshold with 400 rows"):
        decide(measurement, Question(0.05, None))
