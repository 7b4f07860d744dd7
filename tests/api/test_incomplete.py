"""Rows that lack values or have weights, in every question that takes them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError

pytestmark = [
    pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning"),
    pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning"),
]

PAIRWISE = {"missing": "pairwise"}
TAKING = ["score", "wald", "batch"]


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    X.flags.writeable = False
    return X


@pytest.fixture
def weighted_file(tmp_path, write_csv, gaps, weights):
    """Rows that lack values, with a column of weights in their midst."""
    X = np.column_stack([gaps[:, :2], weights, gaps[:, 2:]])
    return write_csv(tmp_path / "rows.csv", "abwcd", X)


class TestAccumulate:
    @pytest.mark.parametrize("how", [PAIRWISE, {"weights": "w"}, {"weights": "w", **PAIRWISE}])
    def test_then_test(
        self, weighted_file, write_csv, tmp_path, rows, gaps, weights, how, same_result
    ):
        X, path = gaps, weighted_file
        if "missing" not in how:
            X = rows
            table = np.column_stack([rows[:, :2], weights, rows[:, 2:]])
            path = write_csv(tmp_path / "whole.csv", "abwcd", table)
        more = {} if "weights" in how else {"exclude": "w"}
        state = ew.accumulate(path, n_batches=25, **more, **how)
        assert isinstance(state, ew.states.PairwiseMoments)
        assert state.feature_names == ("a", "b", "c", "d")
        asked = how | ({"weights": weights} if "weights" in how else {})
        expected = ew.edge_test(X, method=ew.methods.Batch(n_batches=25), **asked)
        same_result(ew.edge_test(state, method="batch", n_batches=25), expected, names="abcd")
        state.save(tmp_path / "x.ews")
        result = ew.edge_test(tmp_path / "x.ews", method=ew.methods.Batch(n_batches=25))
        same_result(result, expected, names="abcd")

    def test_refuses(self, gaps, weights, weighted_file, refuses):
        for how in (PAIRWISE, {"weights": weights}):
            refuses(
                lambda how=how: ew.accumulate(gaps, concordance=True, **how),
                ParameterError,
                "`concordance` and missing='pairwise' or sampling weights",
            )
        refuses(
            lambda: ew.accumulate(weighted_file, weights=weights, checkpoint="x"),
            ParameterError,
            "weights: expected the name of a column with checkpoint=..., got ndarray",
        )


class TestEstimator:
    @pytest.mark.parametrize("method", TAKING)
    def test_fit(self, gaps, weights, same_result, method):
        test = ew.EdgeTest(method, missing="pairwise").fit(gaps, sample_weight=weights)
        same_result(test.result_, ew.edge_test(gaps, method=method, weights=weights, **PAIRWISE))
        assert (test.n_features_in_, test.n_samples_seen_) == (4, 400)
        assert np.isfinite(test.location_).all()
        again = pickle.loads(pickle.dumps(test))
        np.testing.assert_array_equal(again.pvalues_, test.pvalues_)

    def test_refuses(self, rows, gaps, weights, refuses):
        for method in ("fisher", "trace"):
            refuses(
                lambda m=method: ew.EdgeTest(m).fit(rows, sample_weight=weights),
                ParameterError,
                "weights: sampling weights are not supported by method",
            )
            refuses(
                lambda m=method: ew.EdgeTest(m, missing="pairwise").fit(gaps),
                ParameterError,
                "missing: 'pairwise' is not supported by method",
            )
        refuses(
            lambda: ew.EdgeTest().fit(rows, sample_weight=weights, clusters=np.arange(400) // 8),
            ParameterError,
            "`weights` and `clusters` cannot be combined",
        )
        refuses(lambda: ew.EdgeTest(missing="some").fit(rows), ParameterError, "missing: expected")
