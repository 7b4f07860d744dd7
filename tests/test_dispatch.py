"""`edge_test` and `accumulate`: whatever the data come in, and what a state can serve."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.edges.registry import METHODS

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


def test_the_known_methods_are_registered():
    assert {"score", "fisher", "trace", "eig"} <= set(METHODS)


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_fills_the_whole_result(rows, method):
    result = ew.edge_test(rows, method=method)
    off = ~np.eye(4, dtype=bool)
    assert (result.method, result.n_samples, result.n_features) == (method, 400, 4)
    assert result.feature_names == ("x0", "x1", "x2", "x3")
    for field in ("covariance", "precision", "partial_correlation"):
        assert np.isfinite(getattr(result, field)).all()
    for field in ("pvalue", "adjusted_pvalue"):
        p = getattr(result, field)
        assert ((p[off] > 0) & (p[off] <= 1)).all()
        assert np.isnan(p.diagonal()).all()
    assert not result.reject.diagonal().any()
    np.testing.assert_array_equal(result.reject, result.reject.T)
    assert len(result.edges()) == result.n_edges
    assert np.ndim(result.threshold) in (0, 2)
    if METHODS[method].simultaneous:
        assert result.correction is None


@pytest.mark.parametrize("method", ["trace", "fisher"])
def test_a_state_gives_what_the_rows_give(rows, same_result, method):
    expected = ew.edge_test(rows, method=method)
    same_result(ew.edge_test(ew.accumulate(rows), method=method), expected)
    halves = ew.accumulate(rows[:3]) + ew.accumulate(rows[3:])
    same_result(ew.edge_test(halves, method=method), expected)


@pytest.mark.parametrize(
    ("method", "options"), [("score", {}), ("eig", {}), ("trace", {"standardize": True})]
)
def test_what_needs_the_rows_says_so(rows, refuses, method, options):
    state = ew.accumulate(rows)
    refuses(
        lambda: ew.edge_test(state, method=method, **options),
        ew.DataError,
        repr(method),
        "reads the rows twice",
        "pass the rows",
    )


def test_a_state_of_order_two_cannot_serve_trace(rows, refuses):
    state = ew.accumulate(rows, order=2)
    refuses(
        lambda: ew.edge_test(state, method="trace"), ew.ParameterError, "order 4", "got order 2"
    )
    refuses(lambda: ew.accumulate(rows, order=3), ew.ParameterError, "order", "2, 4", "got 3")


def test_an_empty_state_is_refused(refuses):
    refuses(lambda: ew.edge_test(ew.Moments(), method="fisher"), ew.DataError, "0 sample")


def test_missing_values_are_counted_over_all_batches(require, refuses):
    pa = require("pyarrow")
    X = np.random.default_rng(0).standard_normal((70_000, 2))  # the 65 537th row starts batch two
    X[[100, 69_998], 0] = np.nan, np.inf
    X[69_999, 1] = -np.inf
    refuses(lambda: ew.accumulate(X), ew.NonFiniteError, "'x0' (2)", "'x1' (1)")
    table = pa.table({"first": X[:, 0], "second": X[:, 1]})
    error = refuses(lambda: ew.accumulate(table), ew.NonFiniteError, "'first' (2)", "'second' (1)")
    assert error.counts.tolist() == [2, 1]


@pytest.mark.parametrize("method", ["score", "fisher", "trace", "eig"])
def test_drop_missing_leaves_out_rows_and_counts_them(rows, same_result, method):
    X = rows.copy()
    X[[0, 7], 1] = np.nan, np.inf
    X[7, 2] = -np.inf
    result = ew.edge_test(X, method=method, drop_missing=True)
    same_result(result, ew.edge_test(np.delete(rows, [0, 7], axis=0), method=method))
    assert result.n_dropped == 2
    assert "2 rows" in result.summary()


def test_drop_missing_of_everything_is_an_error(refuses):
    X = np.full((10, 3), np.nan)
    refuses(lambda: ew.edge_test(X, drop_missing=True), ew.DataError, "0 sample")


def test_drop_missing_of_complete_rows_drops_nothing(rows, same_result):
    result = ew.edge_test(rows, drop_missing=True)
    same_result(result, ew.edge_test(rows))
    assert result.n_dropped == 0


def test_corrections_go_from_strict_to_none(rows):
    found = {
        correction: set(ew.edge_test(rows, correction=correction, alpha=0.3).edges())
        for correction in ("bonferroni", "holm", "bh", None)
    }
    pairs = {name: {edge[:2] for edge in edges} for name, edges in found.items()}
    assert pairs["bonferroni"] <= pairs["holm"] <= pairs["bh"] <= pairs[None]


@pytest.mark.parametrize("method", ["trace", "eig"])
def test_bounds_ignore_the_correction(rows, same_result, method):
    plain = ew.edge_test(rows, method=method, correction=None)
    same_result(ew.edge_test(rows, method=method, correction="bonferroni"), plain)


def test_too_few_rows_is_a_warning_that_says_how_many_would_do(rows):
    with pytest.warns(
        ew.TooFewRowsWarning, match=r"infinite threshold with 400 rows.*about [\d,]+ rows"
    ):
        result = ew.edge_test(rows, method="trace")
    assert result.threshold == np.inf
    assert result.rows_needed > 400
    assert result.n_edges == 0
    assert f"{result.rows_needed:,} rows" in result.summary()


def test_the_rows_are_not_changed(rows):
    X = rows.copy()
    for method in METHODS:
        ew.edge_test(X, method=method)
    np.testing.assert_array_equal(X, rows)


def test_a_result_cannot_be_changed(rows):
    result = ew.edge_test(rows)
    with pytest.raises(AttributeError):
        result.alpha = 0.5
    with pytest.raises(ValueError, match="read-only"):
        result.reject[0, 1] = True
