"""`clusters=`: rows that belong together, from the call to the result and back from JSON."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.grouped_laws import group_sizes, grouped_rows

import edgewise as ew
from edgewise.errors import BrokenAssumptionWarning, DataError, ParameterError
from edgewise.methods.registry import registered
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
    result = ew.edge_test(data[0], method=method, clusters=data[1])
    assert result.options == {"n_clusters": 40}
    assert "among 5 variables, from 800 rows in 40 clusters (method" in result.headline()
    assert result.headline() in result.summary()
    assert "in 40 clusters" in result._repr_html_()


def test_standard_errors_are_larger_than_without(data, method):
    together = ew.edge_test(data[0], method=method, clusters=data[1])
    alone = ew.edge_test(data[0], method=method)
    for name in ("standard_error", "partial_correlation_standard_error"):
        ratio = getattr(together, name)[UPPER] / getattr(alone, name)[UPPER]
        assert np.median(ratio) > 1.5


class TestCautions:
    def test_dependence_within_groups_is_allowed(self, data):
        X, labels = data
        order = np.argsort(labels)
        with pytest.warns(BrokenAssumptionWarning, match="depend on the rows before"):
            assert ew.edge_test(X[order], method="score").cautions
        assert ew.edge_test(X[order], clusters=labels[order]).cautions == ()

    def test_few_groups(self, data, method):
        X, labels = data
        few = labels < 19
        with pytest.warns(BrokenAssumptionWarning, match="only 19 clusters of rows, .* needs 20"):
            result = ew.edge_test(X[few], method=method, clusters=labels[few])
        assert "some of its edges may be false" in result.cautions[0]
        enough = labels < 20
        assert ew.edge_test(X[enough], method=method, clusters=labels[enough]).cautions == ()


class TestEstimator:
    def test_groups_are_given_to_fit(self, data, method):
        X, labels = data
        fitted = ew.EdgeTest(method=method).fit(X, clusters=labels)
        expected = ew.edge_test(X, method=method, clusters=labels)
        np.testing.assert_array_equal(fitted.pvalues_, expected.adjusted_pvalue)
        assert fitted.result_.options == {"n_clusters": 40}
        assert (fitted.n_features_in_, fitted.n_samples_seen_) == (5, 800)

    def test_a_column_of_a_frame(self, require, data):
        X, labels = data
        frame = require("pandas").DataFrame(X, columns=list("abcde")).assign(who=labels)
        fitted = ew.EdgeTest().fit(frame, clusters="who")
        assert fitted.result_.feature_names == tuple("abcde")
        assert fitted.n_features_in_ == 5
        assert list(fitted.feature_names_in_) == list("abcde")


class TestRefuses:
    @pytest.mark.parametrize(
        "name", [name for name in registered() if name not in ("score", "wald")]
    )
    def test_other_methods(self, refuses, data, name):
        refuses(
            lambda: ew.edge_test(data[0], method=name, clusters=data[1]),
            ParameterError,
            f"clusters: rows in clusters are not supported by method {name!r}",
        )

    @pytest.mark.parametrize("state", [ew.states.Moments(), ew.states.BatchMoments(10)])
    def test_a_state(self, refuses, data, state):
        refuses(
            lambda: ew.edge_test(state.copy().update(data[0]), method="wald", clusters=data[1]),
            ParameterError,
            "clusters",
            "got a state",
        )

    def test_one_group(self, refuses, data):
        refuses(
            lambda: ew.edge_test(data[0], clusters=np.zeros(800, dtype=int)),
            DataError,
            "clusters: expected at least 2 clusters of rows, got 1",
        )
        constant = np.column_stack([data[0], np.ones(800)])
        refuses(lambda: ew.edge_test(constant, clusters="x5"), DataError, "got 1 in column 'x5'")
