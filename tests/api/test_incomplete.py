"""Rows that lack values or have weights, in every question that takes them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.sums import accumulate as checkpoint_module

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


def same_state(a, b, tolerance=1e-12):
    assert type(a) is type(b)
    assert (a.n_samples, a.feature_names) == (b.n_samples, b.feature_names)
    np.testing.assert_array_equal(a.batch_counts(), b.batch_counts())
    np.testing.assert_array_equal(a.pooled().pair_rows, b.pooled().pair_rows)
    np.testing.assert_allclose(a.covariance(), b.covariance(), rtol=tolerance, atol=tolerance)


class TestEdgeTest:
    @pytest.mark.parametrize(
        "method",
        ["score", "wald", "batch", "fisher", "trace", "kendall", "elliptical", "entrywise"],
    )
    def test_frequencies_are_repeated_rows(self, rows, counts, same_result, method):
        repeated = np.repeat(rows, counts, axis=0)
        # Rows beside their copies look dependent, which asks for longer batches.
        options = {"n_batches": 20} if method == "batch" else {}
        counted = ew.open_table(rows, weight_kind="frequency")
        result = ew.edge_test(counted, method=method, weights=counts, **options)
        same_result(result, ew.edge_test(repeated, method=method, **options))

    def test_all_rows_are_used(self, gaps, rows):
        """More of them than without rows that lack values."""
        kept = ew.edge_test(gaps, **PAIRWISE)
        left = ew.edge_test(gaps, missing="drop")
        assert kept.n_samples == 400 > left.n_samples
        assert kept.provenance.pair_rows.min() > left.n_samples

    def test_weights_undo_a_selection(self):
        """Rows kept with a probability that depends on a column: weights give back the whole."""
        rng = np.random.default_rng(4)
        X = rng.standard_normal((20_000, 3))
        X[:, 2] += X[:, 0] + X[:, 1]
        kept_with = np.where(X[:, 2] > 0, 0.9, 0.1)
        kept = rng.random(len(X)) < kept_with
        true = np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 3]])
        found = ew.edge_test(X[kept], method="batch", weights=1 / kept_with[kept])
        np.testing.assert_allclose(found.covariance, true, atol=0.15)
        assert np.abs(ew.edge_test(X[kept]).covariance - true).max() > 0.5


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

    def test_merging(self, weighted_file, write_csv, tmp_path, gaps, weights):
        halves = []
        for number, some in enumerate((slice(0, 200), slice(200, 400))):
            table = np.column_stack([weights[some], gaps[some][:, ::-1]])
            path = write_csv(tmp_path / f"{number}.csv", "wdcba", table)
            halves.append(ew.accumulate(path, n_batches=25, weights="w", **PAIRWISE))
        whole = ew.accumulate(weighted_file, n_batches=25, weights="w", **PAIRWISE)
        merged = halves[0] + halves[1]
        assert merged.feature_names == ("d", "c", "b", "a")
        np.testing.assert_allclose(
            merged.covariance()[::-1, ::-1], whole.covariance(), rtol=1e-11, atol=1e-12
        )

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


class TestCheckpoints:
    """Reading that is interrupted after any block, and continued, is reading once."""

    @pytest.fixture
    def small_blocks(self, monkeypatch):
        from edgewise.tables import table

        monkeypatch.setattr(table, "_MOST_BATCH_ROWS", 16)
        monkeypatch.setattr(table, "_FEWEST_BATCH_ROWS", 16)

    @pytest.fixture
    def interrupted(self, monkeypatch, tmp_path):
        """``interrupted(path, blocks, **how)``: stop after so many blocks, then go on."""

        class StoppedError(Exception):
            pass

        read = checkpoint_module.read_into

        def run(path, blocks, **how):
            seen = 0

            def stopping(state, table, *, after):
                def counted(so_far, part):
                    nonlocal seen
                    after(so_far, part)
                    seen += 1
                    if seen == blocks:
                        raise StoppedError

                return read(state, table, after=counted)

            kept = {"checkpoint": tmp_path / f"{blocks}.checkpoint", "every": 1e-9}
            monkeypatch.setattr(checkpoint_module, "read_into", stopping)
            with pytest.raises(StoppedError):
                ew.accumulate(path, **kept, **how)
            monkeypatch.setattr(checkpoint_module, "read_into", read)
            return ew.accumulate(path, resume=True, **kept, **how)

        return run

    @pytest.mark.parametrize("after", [1, 20])
    @pytest.mark.parametrize("how", [PAIRWISE, {"weights": "w", **PAIRWISE}])
    def test_uneven_rows(self, weighted_file, small_blocks, interrupted, after, how):
        how = {"n_batches": 25, **how, **({} if "weights" in how else {"exclude": "w"})}
        found = interrupted(weighted_file, after, **how)
        same_state(found, ew.accumulate(weighted_file, **how))


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
            for fit in ("fit", "partial_fit"):
                test = ew.EdgeTest(method)
                refuses(
                    lambda test=test, fit=fit: getattr(test, fit)(rows, sample_weight=weights),
                    ParameterError,
                    "weights: sampling weights are not supported by method",
                )
                lacking = ew.EdgeTest(method, missing="pairwise")
                refuses(
                    lambda test=lacking, fit=fit: getattr(test, fit)(gaps),
                    ParameterError,
                    "missing: 'pairwise' is not supported by method",
                )
        refuses(
            lambda: ew.EdgeTest().fit(rows, sample_weight=weights, clusters=np.arange(400) // 8),
            ParameterError,
            "weights: expected without clusters",
        )
        refuses(lambda: ew.EdgeTest(missing="some").fit(rows), ParameterError, "missing: expected")


class TestReports:
    @pytest.fixture
    def page_of(self, require, tmp_path):
        require("jinja2")

        def write(result, **more):
            result.report(tmp_path / "r.html", **more)
            return (tmp_path / "r.html").read_text(encoding="utf-8")

        return write

    def test_bars(self, page_of, gaps):
        names = ["<script>alert(1)</script>", "b & c", "c", "d"]
        result = ew.edge_test(gaps, feature_names=names, **PAIRWISE)
        page = page_of(result)
        assert "Missing values of each variable" in page
        assert page.count('class="bar"') == 4
        assert names[0] not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;</th>" in page
        assert "b &amp; c</th>" in page
        assert (
            f"{result.provenance.n_missing[0]} ({100 * result.provenance.n_missing[0] / 400:.2g} %)"
            in page
        )
        assert "whose values are missing completely at random" in page
        assert "missing=&#39;pairwise&#39;" in page
