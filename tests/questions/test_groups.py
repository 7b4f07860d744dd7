"""`groups=`: rows that belong together, from the call to the result and back from JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.statistical.grouped_laws import group_sizes, grouped_rows

import edgewise as ew
from edgewise.errors import BrokenAssumptionWarning, DataError, ParameterError
from edgewise.methods.registry import METHODS
from edgewise.simulate import make_chain_precision

UPPER = np.triu_indices(5, k=1)


@pytest.fixture(scope="module")
def data():
    """40 subjects of 20 rows each, shuffled."""
    rng = np.random.default_rng(3)
    return grouped_rows("intercepts", make_chain_precision(5), group_sizes(40, 20, "equal"), rng)


@pytest.fixture(params=["score", "wald"])
def method(request):
    return request.param


def test_the_result_says_rows_and_groups(data, method):
    result = ew.edge_test(data[0], method=method, groups=data[1])
    assert result.options == {"n_groups": 40}
    assert "among 5 variables, from 800 rows in 40 groups (method" in result.headline()
    assert result.headline() in result.summary()
    assert "in 40 groups" in result._repr_html_()


def test_without_groups_nothing_is_said(data):
    assert "groups" not in ew.edge_test(data[0], method="fisher").headline()


def test_standard_errors_are_larger_than_without(data, method):
    together = ew.edge_test(data[0], method=method, groups=data[1])
    alone = ew.edge_test(data[0], method=method)
    for name in ("standard_error", "partial_correlation_standard_error"):
        ratio = getattr(together, name)[UPPER] / getattr(alone, name)[UPPER]
        assert np.median(ratio) > 1.5


def test_any_order_of_rows(data, method, same_result):
    X, labels = data
    order = np.argsort(labels, kind="stable")
    expected = ew.edge_test(X, method=method, groups=labels)
    same_result(ew.edge_test(X[order], method=method, groups=labels[order]), expected)
    same_result(ew.edge_test(X[::-1], method=method, groups=labels[::-1]), expected)


def test_other_names_of_the_same_groups(data, method, same_result):
    X, labels = data
    named = [f"{label}th" for label in labels]
    expected = ew.edge_test(X, method=method, groups=labels)
    same_result(ew.edge_test(X, method=method, groups=named), expected)


def test_intervals_leave_zero_where_the_test_rejects(data, method):
    result = ew.edge_test(data[0], method=method, groups=data[1], correction=None)
    low, high = result.confidence_interval(0.95, scale="partial_correlation")
    np.testing.assert_array_equal(((low > 0) | (high < 0))[UPPER], (result.pvalue <= 0.05)[UPPER])


def test_minimal_effects(data, method):
    plain = ew.edge_test(data[0], method=method, groups=data[1])
    least = ew.edge_test(data[0], method=method, groups=data[1], min_effect=0.1)
    assert (least.pvalue[UPPER] >= plain.pvalue[UPPER]).all()
    assert least.options["min_effect"] == 0.1


def test_intervals_survive_json(data, method):
    result = ew.edge_test(data[0], method=method, groups=data[1])
    text = result.to_json()
    again = ew.EdgeTestResult.from_json(text)
    assert again.to_json() == text
    assert again.headline() == result.headline()
    for scale in ("partial_correlation", "precision"):
        for one, other in zip(
            again.confidence_interval(0.9, scale=scale),
            result.confidence_interval(0.9, scale=scale),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_json_follows_the_schema(data, method, require):
    jsonschema = require("jsonschema")
    document = json.loads(ew.edge_test(data[0], method=method, groups=data[1]).to_json())
    jsonschema.validate(document, ew.EdgeTestResult.json_schema())


@pytest.mark.parametrize("degrees", [0.5, None, "x"])
def test_damaged_degrees_are_refused(data, refuses, degrees):
    document = json.loads(ew.edge_test(data[0], groups=data[1]).to_json())
    document["uncertainty"]["degrees"][0][1] = degrees
    refuses(lambda: ew.EdgeTestResult.from_json(json.dumps(document)), DataError, "'degrees'")


class TestCautions:
    def test_dependence_within_groups_is_allowed(self, data):
        X, labels = data
        order = np.argsort(labels)
        with pytest.warns(BrokenAssumptionWarning, match="depend on the rows before"):
            assert ew.edge_test(X[order]).cautions
        assert ew.edge_test(X[order], groups=labels[order]).cautions == ()

    def test_few_groups(self, data, method):
        X, labels = data
        few = labels < 19
        with pytest.warns(BrokenAssumptionWarning, match="only 19 groups of rows, .* needs 20"):
            result = ew.edge_test(X[few], method=method, groups=labels[few])
        assert "some of its edges may be false" in result.cautions[0]
        enough = labels < 20
        assert ew.edge_test(X[enough], method=method, groups=labels[enough]).cautions == ()

    def test_unequal_groups(self, data):
        X, labels = data
        result = ew.edge_test(X, groups=np.where(labels < 20, 0, labels))
        assert "The 21 groups are worth only 3.8 of equal length" in result.cautions[0]
        assert "the largest has 50 % of the rows" in result.cautions[0]


class TestEstimator:
    def test_groups_are_given_to_fit(self, data, method):
        X, labels = data
        fitted = ew.EdgeTest(method=method).fit(X, groups=labels)
        expected = ew.edge_test(X, method=method, groups=labels)
        np.testing.assert_array_equal(fitted.pvalues_, expected.adjusted_pvalue)
        assert fitted.result_.options == {"n_groups": 40}
        assert (fitted.n_features_in_, fitted.n_samples_seen_) == (5, 800)

    def test_a_column_of_a_frame(self, require, data):
        X, labels = data
        frame = require("pandas").DataFrame(X, columns=list("abcde")).assign(who=labels)
        fitted = ew.EdgeTest().fit(frame, groups="who")
        assert fitted.result_.feature_names == tuple("abcde")
        assert fitted.n_features_in_ == 5
        assert list(fitted.feature_names_in_) == list("abcde")


class TestRefuses:
    @pytest.mark.parametrize("name", [name for name in METHODS if name not in ("score", "wald")])
    def test_other_methods(self, refuses, data, name):
        refuses(
            lambda: ew.edge_test(data[0], method=name, groups=data[1]),
            ParameterError,
            f"groups: expected with method 'score' or 'wald', got {name!r}",
        )

    def test_a_budget(self, refuses, data):
        refuses(
            lambda: ew.edge_test(data[0], method="trace", budget=1.0, groups=data[1]),
            ParameterError,
            "budget: expected without groups",
        )

    @pytest.mark.parametrize("state", [ew.Moments(), ew.BatchMoments(10)])
    def test_a_state(self, refuses, data, state):
        refuses(
            lambda: ew.edge_test(state.copy().update(data[0]), method="wald", groups=data[1]),
            ParameterError,
            "groups",
            "got a state",
        )

    def test_one_group(self, refuses, data):
        refuses(
            lambda: ew.edge_test(data[0], groups=np.zeros(800, dtype=int)),
            DataError,
            "groups: expected at least 2 groups of rows, got 1",
        )
        constant = np.column_stack([data[0], np.ones(800)])
        refuses(lambda: ew.edge_test(constant, groups="x5"), DataError, "got 1 in column 'x5'")

    def test_maxt(self, refuses, data):
        refuses(
            lambda: ew.edge_test(data[0], groups=data[1], correction="maxt"),
            ParameterError,
            "correction: 'maxt'",
        )

    def test_all_methods_in_a_report(self, refuses, data, tmp_path):
        result = ew.edge_test(data[0], groups=data[1])
        refuses(
            lambda: result.report(tmp_path / "r.html", data=data[0], compare=True),
            ParameterError,
            "compare: expected without groups",
        )


def test_a_report_says_groups(data, tmp_path):
    result = ew.edge_test(data[0], groups=data[1])
    result.report(tmp_path / "r.html", data=data[0])
    assert "800 in 40 groups" in (tmp_path / "r.html").read_text(encoding="utf-8")
