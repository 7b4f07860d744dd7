"""What a result says, in every form it can be had."""

import dataclasses
import json
import math
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError, TooFewRowsWarning
from edgewise.results.base import probabilities
from edgewise.results.frames import Edge

METHODS = ["score", "fisher", "trace", "eig"]
every_method = pytest.mark.parametrize("method", METHODS)
NAMES = ("alpha", "béta", "γ", "x,y")


def result_of(method="score", n=2000, p=4, **options):
    """A result on a chain of `p` variables; infinite thresholds do not warn here."""
    rng = np.random.default_rng(0)
    X = ew.simulate.sample("laplace", ew.simulate.make_chain_precision(p), n, rng=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        result = ew.edge_test(X, method=method, **options)
    names = NAMES if p == 4 else result.feature_names
    return dataclasses.replace(result, feature_names=names)


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@every_method
def test_attributes_are_frozen(method):
    result = result_of(method)
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)


@every_method
def test_arrays_are_frozen(method):
    result = result_of(method)
    values = [getattr(result, field.name) for field in dataclasses.fields(result)]
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    assert len(arrays) >= 8
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0, 1] = 0


@every_method
def test_shapes_and_diagonals(method):
    result = result_of(method)
    for field in ("statistic", "pvalue", "adjusted_pvalue", "log_pvalue", "reject"):
        matrix = getattr(result, field)
        assert matrix.shape == (4, 4)
        np.testing.assert_allclose(matrix, matrix.T, rtol=1e-14)
        if field == "reject":
            assert matrix.dtype == bool
            assert not matrix.diagonal().any()
        else:
            assert np.isnan(matrix.diagonal()).all()
    assert (result.n_samples, result.n_features, result.method) == (2000, 4, method)


def test_edges_are_the_rejected_pairs_strongest_first():
    result = result_of()
    strengths = [abs(edge.partial_correlation) for edge in result.pairs()]
    assert strengths == sorted(strengths, reverse=True)
    assert len(result.pairs()) == 6
    assert result.edges() == [pair for pair in result.pairs() if pair.reject]
    assert result.n_edges == len(result.edges()) == np.count_nonzero(result.reject) / 2 > 0


def test_records_are_the_matrices_entries():
    result = result_of()
    for edge in result.pairs():
        i, j = NAMES.index(edge.source), NAMES.index(edge.target)
        assert i < j
        matrices = {
            "standard_error": result.partial_correlation_standard_error,
            "interval_low": result.shown_interval().low,
            "interval_high": result.shown_interval().high,
        }
        for field in edge._fields[2:]:
            value = getattr(edge, field)
            if field == "n_samples":
                assert value == 2000
                continue
            matrix = matrices[field] if field in matrices else getattr(result, field)
            assert value == matrix[i, j]
            assert type(value) in (float, bool)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(backend, require):
    require(backend)
    result = result_of()
    frame = result.to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    columns = frame.to_pydict() if backend == "pyarrow" else frame.to_dict(**_as_lists(backend))
    expected = {field: [getattr(e, field) for e in result.pairs()] for field in Edge._fields}
    assert {name: list(values) for name, values in columns.items()} == expected


def _as_lists(backend):
    return {"orient": "list"} if backend == "pandas" else {"as_series": False}


def test_frame_by_default_is_pandas_where_it_is_installed(require):
    require("pandas")
    assert type(result_of().to_frame()).__module__.startswith("pandas")


def test_unknown_frame():
    with pytest.raises(ParameterError, match="backend: expected one of 'pandas'"):
        result_of().to_frame("excel")


def test_networkx():
    result = result_of()
    graph = result.to_networkx()
    assert tuple(graph.nodes) == NAMES
    assert graph.graph == {
        "method": "score",
        "alpha": 0.05,
        "n_samples": 2000,
        "intervals": "95 % interval for all pairs at once",
    }
    assert graph.number_of_edges() == result.n_edges
    for edge in result.edges():
        attributes = graph.edges[edge.source, edge.target]
        assert attributes["weight"] == abs(edge.partial_correlation)
        assert attributes["distance"] == pytest.approx(1 / attributes["weight"], rel=1e-15)
        for field in edge._fields[2:-2]:
            assert attributes[field] == getattr(edge, field)


def test_networkx_without_edges_has_all_nodes():
    graph = result_of("trace", n=20).to_networkx()
    assert (len(graph), graph.number_of_edges()) == (4, 0)


@every_method
@pytest.mark.parametrize("n", [20, 2000])
def test_json_is_strict(method, n):
    result = result_of(method, n=n)
    document = strict(result.to_json())
    assert document["feature_names"] == list(NAMES)
    assert document["method"] == method
    assert document["edges"] == [edge._asdict() for edge in result.edges()]
    assert document["pvalue"][0][0] is None
    for field in ("covariance", "precision", "statistic", "log_pvalue", "reject"):
        matrix = np.array(document[field], dtype=float)
        np.testing.assert_array_equal(matrix, getattr(result, field).astype(float))
    assert strict(result.to_json(indent=2)) == document


def test_summary():
    result = result_of()
    lines = result.summary().splitlines()
    assert lines[0] == (
        f"{result.n_edges} of 6 possible edges among 4 variables, from 2000 rows "
        "(method 'score', alpha 0.05, holm)."
    )
    assert len(lines) == 1 + result.n_edges
    strongest = result.edges()[0]
    assert f"{strongest.source} – {strongest.target}" in lines[1]
    assert f"{strongest.partial_correlation:+.3f}" in lines[1]


@every_method
def test_the_headline_is_the_first_line_of_the_summary(method):
    result = result_of(method)
    assert result.headline() == result.summary().splitlines()[0]
    assert "\n" not in result.headline()


@pytest.mark.parametrize(
    ("method", "options", "family"),
    [
        ("score", {"correction": None}, "no correction"),
        ("score", {"correction": "by"}, "by"),
        ("trace", {}, "all entries at once"),
        ("eig", {"correction": None}, "all entries at once"),
    ],
)
def test_summary_names_the_family(method, options, family):
    assert f", {family})" in result_of(method, **options).summary()


def test_summary_of_too_few_rows():
    result = result_of("trace", n=20)
    assert "0 of 6 possible edges" in result.summary()
    assert f"About {result.rows_needed:,} rows would make it finite." in result.summary()


def test_summary_of_many_edges_and_dropped_rows():
    result = dataclasses.replace(result_of(p=14, n=5000), n_dropped=3)
    assert result.n_edges > 10
    assert "3 rows with missing values were left out." in result.summary()
    assert result.summary().endswith(f"  … and {result.n_edges - 10} more")


def test_repr_is_one_line():
    assert repr(result_of("trace")) == (
        "EdgeTestResult(method='trace', alpha=0.05, correction=None, n_samples=2000, "
        "n_features=4, edges=0)"
    )


def test_cautions_are_in_the_summary_and_counted_in_the_repr():
    result = dataclasses.replace(result_of(), cautions=("Rows are few.", "Row 7 is far out."))
    lines = result.summary().splitlines()
    assert lines[1:3] == ["Caution: Rows are few.", "Caution: Row 7 is far out."]
    assert repr(result).endswith(f"edges={result.n_edges}, cautions=2)")
    assert result_of().cautions == ()


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
    edge = strict(result.to_json())["edges"][0]
    assert edge["pvalue"] > 0
    assert edge["adjusted_pvalue"] > 0


def test_probabilities():
    found = probabilities(np.array([0.0, -1.0, -1e6, -np.inf, np.nan]))
    assert found[0] == 1
    assert found[1] == math.exp(-1)
    assert found[2] == found[3] == np.finfo(float).tiny
    assert np.isnan(found[4])
