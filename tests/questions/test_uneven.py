"""Rows that lack values or have weights, in every question that takes them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import edgewise as ew
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.states import checkpoint as checkpoint_module

pytestmark = [
    pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning"),
    pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning"),
]

PAIRWISE = {"missing": "pairwise"}
FREQUENCY = {"weight_kind": "frequency"}
TAKING = ["score", "wald", "batch"]


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    X.flags.writeable = False
    return X


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(2).exponential(size=400) + 0.1


@pytest.fixture(scope="module")
def counts():
    return np.random.default_rng(3).integers(0, 4, 400)


@pytest.fixture
def weighted_file(tmp_path, write_csv, gaps, weights):
    """Rows that lack values, with a column of weights in their midst."""
    X = np.column_stack([gaps[:, :2], weights, gaps[:, 2:]])
    return write_csv(tmp_path / "rows.csv", "abwcd", X)


def same_state(a, b, tolerance=1e-12):
    assert type(a) is type(b)
    assert (a.n_samples, a.feature_names) == (b.n_samples, b.feature_names)
    np.testing.assert_array_equal(a.batch_counts(), b.batch_counts())
    np.testing.assert_array_equal(a.pair_rows(), b.pair_rows())
    np.testing.assert_allclose(a.covariance(), b.covariance(), rtol=tolerance, atol=tolerance)


class TestEdgeTest:
    @pytest.mark.parametrize("method", TAKING)
    def test_weights_of_one_are_none(self, rows, gaps, same_result, method):
        for X, how in ((rows, {}), (gaps, PAIRWISE)):
            plain = ew.edge_test(X, method=method, **how)
            for ones in (np.ones(400), [1] * 400, np.full(400, True)):
                result = ew.edge_test(X, method=method, weights=ones, **how)
                same_result(result, plain)
                assert result.options == plain.options

    @pytest.mark.parametrize(
        "method",
        ["score", "wald", "batch", "fisher", "trace", "kendall", "elliptical", "entrywise"],
    )
    def test_frequencies_are_repeated_rows(self, rows, counts, same_result, method):
        repeated = np.repeat(rows, counts, axis=0)
        result = ew.edge_test(rows, method=method, weights=counts, **FREQUENCY)
        same_result(result, ew.edge_test(repeated, method=method))

    def test_all_rows_are_used(self, gaps, rows):
        """More of them than without rows that lack values."""
        kept = ew.edge_test(gaps, **PAIRWISE)
        left = ew.edge_test(gaps, missing="drop")
        assert kept.n_samples == 400 > left.n_samples
        assert kept.pair_rows.min() > left.n_samples

    @pytest.mark.parametrize("method", TAKING)
    def test_given_and_pairs(self, gaps, weights, method):
        how = {"method": method, "weights": weights, **PAIRWISE}
        whole = ew.edge_test(gaps, **how)
        some = ew.edge_test(gaps, pairs=[("x0", "x1")], **how)
        np.testing.assert_array_equal(some.statistic[0, 1], whole.statistic[0, 1])
        assert some.adjusted_pvalue[0, 1] == whole.pvalue[0, 1]
        given = ew.edge_test(gaps, given=["x3"], **how)
        assert given.n_pairs == 3
        np.testing.assert_array_equal(given.pair_rows, whole.pair_rows)

    def test_maxt(self, gaps, weights):
        result = ew.edge_test(gaps, method="batch", correction="maxt", weights=weights, **PAIRWISE)
        assert (result.adjusted_pvalue >= result.pvalue)[np.triu_indices(4, k=1)].all()

    def test_intervals(self, gaps, weights):
        result = ew.edge_test(gaps, weights=weights, **PAIRWISE)
        low, high = result.confidence_interval(0.95, scale="partial_correlation")
        upper = np.triu_indices(4, k=1)
        inside = (low < result.partial_correlation) & (result.partial_correlation < high)
        assert inside[upper].all()

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


class TestPartialTest:
    @pytest.mark.parametrize("method", TAKING)
    def test_pairwise(self, gaps, method):
        pair = ew.partial_test(gaps, "x0", "x1", given=["x3"], method=method, **PAIRWISE)
        expected = ew.edge_test(gaps[:, [0, 1, 3]], method=method, correction=None, **PAIRWISE)
        assert pair.statistic == pytest.approx(expected.statistic[0, 1], rel=1e-9)
        assert pair.pvalue == pytest.approx(expected.pvalue[0, 1], rel=1e-9)

    def test_complete_columns(self, gaps, rows):
        """Values that other columns lack do not matter."""
        X = np.column_stack([rows[:, :2], gaps[:, 2:]])
        found = ew.partial_test(X, "x0", "x1", **PAIRWISE)
        assert found.statistic == ew.partial_test(rows, "x0", "x1").statistic

    def test_refuses(self, gaps, refuses):
        refuses(
            lambda: ew.partial_test(gaps, "x0", "x1", method="fisher", **PAIRWISE),
            ParameterError,
            "missing: expected 'raise' or 'drop' with this method",
        )
        X = np.array(gaps)
        X[:, 0] = np.nan
        refuses(
            lambda: ew.partial_test(X, "x0", "x1", **PAIRWISE), DataError, "none in column 'x0'"
        )


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
        assert isinstance(state, ew.PairwiseMoments)
        assert state.feature_names == ("a", "b", "c", "d")
        asked = how | ({"weights": weights} if "weights" in how else {})
        expected = ew.edge_test(X, method=ew.Batch(n_batches=25), **asked)
        same_result(ew.edge_test(state, method="batch", n_batches=25), expected, names="abcd")
        state.save(tmp_path / "x.ews")
        result = ew.edge_test(tmp_path / "x.ews", method=ew.Batch(n_batches=25))
        same_result(result, expected, names="abcd")

    def test_a_stream(self, gaps, weights):
        blocks = (gaps[start : start + 70] for start in range(0, 400, 70))
        same_state(
            ew.accumulate(blocks, n_batches=25, **PAIRWISE), ew.PairwiseMoments(25).update(gaps)
        )
        own = ew.accumulate(gaps, weights=weights, **PAIRWISE)
        assert (own.n_batches, own.weighted) == (100, True)
        same_state(own, ew.PairwiseMoments().update(gaps, weights=weights))

    def test_frequencies_need_no_state_of_their_own(self, rows, counts, same_result):
        repeated = np.repeat(rows, counts, axis=0)
        for more, method in (({}, "fisher"), ({"n_batches": 20}, "batch")):
            state = ew.accumulate(rows, weights=counts, **FREQUENCY, **more)
            expected = ew.accumulate(repeated, **more)
            assert type(state) is type(expected)
            same_result(ew.edge_test(state, method=method), ew.edge_test(expected, method=method))

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
                "concordance: expected False with missing='pairwise' or sampling weights",
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
        from edgewise.rows import table

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

    @pytest.mark.parametrize("after", [1, 3, 20])
    @pytest.mark.parametrize("how", [PAIRWISE, {"weights": "w", **PAIRWISE}])
    def test_uneven_rows(self, weighted_file, small_blocks, interrupted, after, how):
        how = {"n_batches": 25, **how, **({} if "weights" in how else {"exclude": "w"})}
        found = interrupted(weighted_file, after, **how)
        same_state(found, ew.accumulate(weighted_file, **how))

    @pytest.mark.parametrize("after", [1, 2, 3, 7, 20])
    @pytest.mark.parametrize("kind", ["sampling", "frequency"])
    def test_rows_that_are_there_several_times_or_not_at_all(
        self, small_blocks, interrupted, write_csv, tmp_path, rows, after, kind
    ):
        """Blocks of copies are shorter than what they are copies of."""
        counts = np.random.default_rng(6).integers(0, 9, 400)
        path = write_csv(tmp_path / "r.csv", "abcdw", np.column_stack([rows, counts]))
        how = {"weights": "w", "weight_kind": kind, "n_batches": 25}
        found, whole = interrupted(path, after, **how), ew.accumulate(path, **how)
        n = counts.sum() if kind == "frequency" else (counts > 0).sum()
        assert found.n_samples == whole.n_samples == n
        np.testing.assert_allclose(found.covariance(), whole.covariance(), rtol=1e-12)

    def test_another_way_of_reading(self, weighted_file, tmp_path, refuses):
        kept = {"checkpoint": tmp_path / "x.checkpoint", "every": 1e-9}
        ew.accumulate(weighted_file, weights="w", **PAIRWISE, **kept)
        for how in ({"exclude": "w", **PAIRWISE}, {"weights": "d", **PAIRWISE}):
            refuses(
                lambda how=how: ew.accumulate(weighted_file, resume=True, **how, **kept),
                StateFileError,
                "does not fit",
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

    @pytest.mark.parametrize("method", ["score", "wald", "batch", "fisher", "trace", "kendall"])
    def test_frequencies(self, rows, counts, same_result, method):
        repeated = np.repeat(rows, counts, axis=0)
        test = ew.EdgeTest(method, **FREQUENCY).fit(rows, sample_weight=counts)
        same_result(test.result_, ew.EdgeTest(method).fit(repeated).result_)
        plain = ew.EdgeTest(method, **FREQUENCY).fit(repeated, sample_weight=None)
        same_result(plain.result_, test.result_)

    @pytest.mark.parametrize("method", TAKING)
    def test_weights_of_one_are_none(self, rows, same_result, method):
        test = ew.EdgeTest(method).fit(rows, sample_weight=np.ones(400))
        same_result(test.result_, ew.EdgeTest(method).fit(rows).result_)
        assert test.score(rows) == pytest.approx(ew.EdgeTest(method).fit(rows).score(rows))

    def test_files(self, weighted_file, gaps, weights, same_result):
        test = ew.EdgeTest(missing="pairwise").fit(weighted_file, sample_weight="w")
        assert list(test.feature_names_in_) == list("abcd")
        expected = ew.edge_test(gaps, weights=weights, **PAIRWISE)
        same_result(test.result_, expected, names="abcd")

    def test_dropping(self, gaps, same_result):
        test = ew.EdgeTest(missing="drop").fit(gaps)
        same_result(test.result_, ew.edge_test(gaps, missing="drop"))

    def test_partial_fit(self, gaps, weights, same_result):
        how = {"missing": "pairwise", "n_batches": 20}
        stream = ew.EdgeTest("batch", **how)
        for some in np.split(np.arange(400), [1, 3, 350]):
            stream.partial_fit(gaps[some], sample_weight=weights[some])
        assert isinstance(stream.moments_, ew.PairwiseMoments)
        whole = ew.PairwiseMoments(20).update(gaps, weights=weights)
        same_result(stream.result_, ew.edge_test(whole, method="batch"))
        assert stream.n_samples_seen_ == 400
        again = ew.EdgeTest("batch").fit_moments(whole)
        same_result(again.result_, stream.result_)

    def test_partial_fit_of_frequencies(self, rows, counts, same_result):
        stream = ew.EdgeTest("fisher", **FREQUENCY)
        for some in np.split(np.arange(400), [7, 350]):
            stream.partial_fit(rows[some], sample_weight=counts[some])
        repeated = np.repeat(rows, counts, axis=0)
        same_result(stream.result_, ew.edge_test(repeated, method="fisher"))

    def test_weights_in_some_calls_only(self, rows, weights, refuses):
        for first, then in ((weights, None), (None, weights)):
            test = ew.EdgeTest("batch").partial_fit(rows, sample_weight=first)
            refuses(
                lambda test=test, then=then: test.partial_fit(rows, sample_weight=then),
                ParameterError,
                "sample_weight: expected in every call of partial_fit or in none",
            )
            assert test.n_samples_seen_ == 400
        uneven = ew.EdgeTest("batch", missing="pairwise").partial_fit(rows, sample_weight=weights)
        refuses(lambda: uneven.partial_fit(rows), ParameterError, "for all rows or for none")

    def test_refuses(self, rows, gaps, weights, refuses):
        for method in ("fisher", "trace"):
            for fit in ("fit", "partial_fit"):
                test = ew.EdgeTest(method)
                refuses(
                    lambda test=test, fit=fit: getattr(test, fit)(rows, sample_weight=weights),
                    ParameterError,
                    "weights: expected none with this method",
                )
                lacking = ew.EdgeTest(method, missing="pairwise")
                refuses(
                    lambda test=lacking, fit=fit: getattr(test, fit)(gaps),
                    ParameterError,
                    "missing: expected 'raise' or 'drop' with this method",
                )
        refuses(
            lambda: ew.EdgeTest().fit(rows, sample_weight=weights, groups=np.arange(400) // 8),
            ParameterError,
            "weights: expected without groups",
        )
        refuses(lambda: ew.EdgeTest(missing="some").fit(rows), ParameterError, "missing: expected")
        refuses(lambda: ew.EdgeTest(weight_kind="x").fit(rows), ParameterError, "weight_kind: ")

    def test_what_scikit_learn_is_told(self):
        test = ew.EdgeTest(missing="pairwise", weight_kind="frequency")
        assert clone(test).get_params()["missing"] == "pairwise"
        assert test.__sklearn_tags__().input_tags.allow_nan
        assert not ew.EdgeTest().__sklearn_tags__().input_tags.allow_nan


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
        assert f"{result.n_missing[0]} ({100 * result.n_missing[0] / 400:.2g} %)" in page
        assert "whose values are missing completely at random" in page
        assert "missing=&#39;pairwise&#39;" in page

    def test_of_rows_that_were_dropped(self, page_of, gaps):
        page = page_of(ew.edge_test(gaps, missing="drop"), data=gaps)
        assert page.count('class="bar"') == 4
        assert "rows with missing values were left out; left out because of one column" in page
        assert "missing=&#39;drop&#39;" in page

    def test_no_bars(self, page_of, rows):
        assert "Missing values of each variable" not in page_of(ew.edge_test(rows))

    @pytest.mark.parametrize("column", [True, False])
    def test_weights(self, page_of, rows, weights, column):
        data = np.column_stack([rows, weights]) if column else rows
        result = ew.edge_test(data, weights="x4" if column else weights)
        page = page_of(result, data=data)
        assert "rows of equal weight" in page
        call = "weights=&#39;x4&#39;)" if column else "weights=weights)"
        assert call in page

    @pytest.mark.parametrize("how", ["missing", "weights"])
    def test_other_methods_are_not_compared(self, page_of, gaps, rows, weights, how, refuses):
        result = (
            ew.edge_test(rows, weights=weights)
            if how == "weights"
            else ew.edge_test(gaps, **PAIRWISE)
        )
        refuses(
            lambda: page_of(result, data=rows, compare=True),
            ParameterError,
            f"compare: expected without {how}",
        )

    def test_many_columns(self, page_of):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((300, 33))
        X[rng.random(X.shape) < 0.02] = np.nan
        page = page_of(ew.edge_test(X, **PAIRWISE))
        assert page.count('class="bar"') == 30
        assert "… and 3 more." in page
