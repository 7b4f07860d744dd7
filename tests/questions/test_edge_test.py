"""`edge_test` and `accumulate`: whatever the data come in, and what a state can serve."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.assumptions import Assumes
from edgewise.methods.registry import METHODS
from edgewise.rows.table import LocalTable

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

SUPPORT = [(-60, 60)] * 4


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


@pytest.mark.parametrize("method", ["trace", "spectral", "fisher"])
def test_a_state_gives_what_the_rows_give(rows, same_result, method):
    expected = ew.edge_test(rows, method=method)
    same_result(ew.edge_test(ew.accumulate(rows), method=method), expected)
    halves = ew.accumulate(rows[:3]) + ew.accumulate(rows[3:])
    same_result(ew.edge_test(halves, method=method), expected)


def test_a_state_of_batches_serves_batch_and_fisher(rows, same_result):
    state = ew.accumulate(rows, n_batches=20)
    same_result(ew.edge_test(state, method="batch"), ew.edge_test(rows, method="batch"))
    same_result(ew.edge_test(state, method="fisher"), ew.edge_test(rows, method="fisher"))
    named = ew.edge_test(state, method="batch", correction="maxt", feature_names=list("abcd"))
    assert named.feature_names == tuple("abcd")
    assert named.options["n_batches"] == 25  # 400 rows in batches of 16


@pytest.mark.parametrize("n_batches", [None, 20])
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("score", {}),
        ("wald", {}),
        ("eig", {}),
        ("elliptical", {}),
        ("whitened", {}),
        ("whitened", {"radius": "chi2"}),
        ("spectral", {"radius": "chi2"}),
        ("spectral", {"radius": "hoeffding", "support": SUPPORT}),
        ("spectral", {"standardize": True}),
        ("trace", {"standardize": True}),
    ],
    ids=str,
)
def test_what_needs_the_rows_says_so(rows, refuses, method, options, n_batches):
    state = ew.accumulate(rows, n_batches=n_batches)
    refuses(
        lambda: ew.edge_test(state, method=method, **options),
        ew.DataError,
        repr(method),
        "reads the rows twice",
        "pass the rows",
        "'batch' with a BatchMoments state",
    )


def test_moments_without_batches_cannot_serve_batch(rows, refuses):
    state = ew.accumulate(rows)
    refuses(
        lambda: ew.edge_test(state, method="batch"),
        ew.DataError,
        "'batch'",
        "accumulate a BatchMoments state",
        "pass the rows",
    )


@pytest.mark.parametrize("method", ["trace", "spectral"])
@pytest.mark.parametrize("options", [{"order": 2}, {"n_batches": 20}], ids=str)
def test_sums_of_second_order_cannot_serve_the_bounds(rows, refuses, method, options):
    state = ew.accumulate(rows, **options)
    refuses(lambda: ew.edge_test(state, method=method), ew.DataError, "fourth-order", "(order=4)")


def test_an_unknown_order_of_sums(rows, refuses):
    refuses(lambda: ew.accumulate(rows, order=3), ew.ParameterError, "order", "2, 4", "got 3")


def test_an_empty_state_is_refused(refuses):
    refuses(lambda: ew.edge_test(ew.Moments(), method="fisher"), ew.DataError, "0 sample")
    refuses(lambda: ew.edge_test(ew.BatchMoments(), method="batch"), ew.DataError, "got 0", "row")


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


def test_feature_names_take_the_place_of_those_that_came(rows, csv_file, require, same_result):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    for data in (rows, frame, csv_file):
        result = ew.edge_test(data, feature_names=["w", "x", "y", "z"])
        same_result(result, ew.edge_test(rows), names="wxyz")
        assert result.edges()[0].source in "wxyz"
    state = ew.accumulate(rows)
    named = ew.edge_test(state, method="fisher", feature_names=np.array(list("wxyz")))
    assert named.feature_names == tuple("wxyz")


@pytest.mark.parametrize("as_state", [False, True])
def test_feature_names_must_fit(rows, refuses, as_state):
    data = ew.accumulate(rows) if as_state else rows
    refuses(
        lambda: ew.edge_test(data, method="fisher", feature_names=list("abc")),
        ew.ParameterError,
        "feature_names: expected 4 names",
        "got 3",
    )
    refuses(
        lambda: ew.edge_test(data, method="fisher", feature_names=list("abca")),
        ew.DataError,
        "'a' more than once",
    )


@pytest.mark.parametrize("method", list(METHODS))
def test_a_minimal_effect_leaves_out_the_small_ones(rows, method):
    options = {"radius": "chi2"} if method in ("whitened", "spectral") else {}
    options |= {"method": method, "effect_scale": "partial_correlation", "correction": None}
    found = [
        ew.edge_test(rows, min_effect=value, **options).reject for value in (0.0, 0.1, 0.3, 0.9)
    ]
    for weaker, stronger in pairwise(found):
        assert not (stronger & ~weaker).any()
    assert not found[-1].any()


def test_what_a_result_records_of_the_minimal_effect(rows):
    assert "min_effect" not in ew.edge_test(rows).options
    for method, scale in {"score": "partial_correlation", "trace": "precision"}.items():
        result = ew.edge_test(rows, method=method, min_effect=0.1)
        recorded = {"min_effect": 0.1, "effect_scale": scale}
        assert recorded.items() <= result.options.items()


@pytest.mark.parametrize("value", [-0.1, 1, 1.5, np.nan, "0.1", None, True])
def test_a_minimal_effect_outside_its_range(rows, refuses, value):
    refuses(
        lambda: ew.edge_test(rows, min_effect=value),
        ew.ParameterError,
        "min_effect: expected a number between 0 and 1",
        f"got {value!r}",
    )


def test_precision_entries_may_be_large_partial_correlations_may_not(rows, refuses):
    assert ew.edge_test(rows, min_effect=3, effect_scale="precision").n_edges == 0
    refuses(
        lambda: ew.edge_test(rows, min_effect=0.1, effect_scale="rho"),
        ew.ParameterError,
        "effect_scale",
        "'rho'",
        "'precision'",
    )


@pytest.mark.exactness
def test_maxt_is_sharper_than_bonferroni(rows):
    options = {"method": "batch", "alpha": 0.2}
    maxt = ew.edge_test(rows, correction="maxt", **options)
    bonferroni = ew.edge_test(rows, correction="bonferroni", **options)
    assert maxt.correction == "maxt"
    np.testing.assert_array_equal(maxt.statistic, bonferroni.statistic)
    off = ~np.eye(4, dtype=bool)
    assert (maxt.threshold[off] < bonferroni.threshold[off]).all()
    assert not (bonferroni.reject & ~maxt.reject).any()
    np.testing.assert_array_equal(maxt.reject[off], maxt.adjusted_pvalue[off] <= 0.2)


@pytest.mark.parametrize("method", ["score", "wald", "sequential", "fisher", "elliptical"])
def test_maxt_needs_batches(rows, refuses, method):
    refuses(
        lambda: ew.edge_test(rows, method=method, correction="maxt"),
        ew.ParameterError,
        "'maxt' resamples batches",
        repr(method),
        "method='batch'",
    )


def test_maxt_has_no_minimal_effect(rows, refuses):
    refuses(
        lambda: ew.edge_test(rows, method="batch", correction="maxt", min_effect=0.1),
        ew.EdgewiseError,
        "min_effect",
        "'maxt'",
        "correction='holm'",
    )


class TestMoreColumnsThanRows:
    """Refused at once: the shape is known, or soon found, before p² numbers are made."""

    @pytest.fixture(autouse=True)
    def no_first_pass(self, monkeypatch):
        def fail(*arguments, **options):
            raise AssertionError("rows were summed")

        monkeypatch.setattr("edgewise.states.moments.power_sums", fail)
        monkeypatch.setattr("edgewise.states.batches.power_sums", fail)
        monkeypatch.setattr("edgewise.states.batches.sums_of_batches", fail)

    @pytest.mark.parametrize("method", ["score", "batch", "trace"])
    @pytest.mark.parametrize("options", [{}, {"drop_missing": True}], ids=str)
    def test_in_an_array_and_its_file(self, tmp_path, refuses, method, options):
        X = np.random.default_rng(0).standard_normal((100, 20_000))
        np.save(tmp_path / "wide.npy", X)
        for data in (X, tmp_path / "wide.npy"):
            call = lambda d=data: ew.edge_test(d, method=method, **options)  # noqa: E731
            refuses(call, ew.DataError, "got 100 rows and 20000 columns")

    def test_in_csv(self, tmp_path, refuses):
        line = ",".join(str(j % 97) for j in range(10_000))
        header = ",".join(f"c{j}" for j in range(10_000))
        (tmp_path / "wide.csv").write_text("\n".join([header, *[line] * 50]) + "\n")
        call = lambda: ew.edge_test(tmp_path / "wide.csv")  # noqa: E731
        refuses(call, ew.DataError, "got 50 rows and 10000 columns")


class TestSequence:
    """A confidence sequence has a test of its own, which holds at every look."""

    @pytest.fixture
    def sequence(self, rows):
        return ew.ConfidenceSequence(0.1, tuned_for=500, n_batches=20).update(rows)

    def test_is_its_own_result_but_for_the_correction(self, sequence, same_result):
        expected = sequence.result()
        found = ew.edge_test(sequence, method="sequential", alpha=0.1)
        assert (found.correction, expected.correction) == ("holm", "bonferroni")
        for field in ("statistic", "log_pvalue", "precision", "standard_error"):
            np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
        assert found.options == expected.options
        same = ew.edge_test(sequence, method="sequential", alpha=0.1, correction="bonferroni")
        assert same.to_json() == expected.to_json()

    @pytest.mark.parametrize("method", [ew.Sequential(), ew.Sequential(tuned_for=9)])
    def test_its_own_tuning_counts(self, sequence, method):
        found = ew.edge_test(sequence, method=method, alpha=0.1, correction="bonferroni")
        assert found.to_json() == sequence.result().to_json()

    def test_of_a_file(self, sequence, tmp_path):
        sequence.save(tmp_path / "x.state")
        found = ew.edge_test(tmp_path / "x.state", method="sequential", alpha=0.1)
        assert found.to_json() == ew.edge_test(sequence, method="sequential", alpha=0.1).to_json()

    @pytest.mark.parametrize("method", [name for name in METHODS if name != "sequential"])
    def test_another_method_is_refused(self, sequence, method, refuses):
        for chosen in (method, METHODS[method]()):
            refuses(
                lambda chosen=chosen: ew.edge_test(sequence, method=chosen),
                ew.ParameterError,
                f"method: expected 'sequential' for a ConfidenceSequence, got {method!r}",
                "pass its .state",
            )

    def test_its_state_is_tested_at_a_fixed_number_of_rows(self, sequence):
        result = ew.edge_test(sequence.state, method="batch")
        assert (result.method, result.n_samples) == ("batch", 400)

    def test_rows_are_tested_as_a_sequence_of_them_is(self, rows, same_result):
        found = ew.edge_test(
            rows,
            method=ew.Sequential(tuned_for=500, tuned_level=0.1, n_batches=20),
            alpha=0.1,
            correction="bonferroni",
        )
        sequence = ew.ConfidenceSequence(0.1, tuned_for=500, n_batches=20)
        same_result(found, sequence.update(rows).result())


@pytest.fixture(scope="module")
def dependent():
    X = np.random.default_rng(0).standard_normal((1000, 4))
    for t in range(1, 1000):
        X[t] += 0.7 * X[t - 1]
    return X


class TestCautions:
    """What the data say against the method travels with the result."""

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
    def test_what_breaks_the_guarantee_is_a_warning(self, dependent, method):
        assumed = Assumes.INDEPENDENT_ROWS in METHODS[method].assumes
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = ew.edge_test(dependent, method=method)
        broken = [one for one in caught if issubclass(one.category, ew.BrokenAssumptionWarning)]
        assert len(broken) == assumed == ("independent rows" in " ".join(result.cautions))
        for one in broken:
            assert str(one.message) == result.cautions[0]
            assert one.filename == __file__

    def test_the_estimator_warns_too(self, dependent):
        with pytest.warns(ew.BrokenAssumptionWarning, match="assumes independent rows"):
            ew.EdgeTest().fit(dependent)

    def test_other_cautions_are_no_warnings(self):
        X = np.random.default_rng(1).integers(0, 3, (2000, 3)).astype(float)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = ew.edge_test(X)
        (told,) = result.cautions
        assert told.startswith("Columns 'x0', 'x1', 'x2' have at most 7 different values")

    def test_ordinary_rows_have_none(self, rows):
        assert ew.edge_test(rows).cautions == ()

    def test_a_budget_and_a_standardised_bound_have_them(self, dependent):
        for options in ({"budget": 30.0}, {"method": "trace", "standardize": True}):
            with pytest.warns(ew.EdgewiseWarning, match="assumes independent rows"):
                result = ew.edge_test(np.tile(dependent, (3, 1)), **options)
            assert "depend on the rows before them" in result.cautions[0]

    @pytest.mark.parametrize("method", ["batch", "fisher"])
    @pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning")
    def test_a_state_tells_only_of_few_rows(self, dependent, method):
        state = ew.BatchMoments(10).update(dependent)
        assert ew.edge_test(state, method=method).cautions == ()
        few = ew.edge_test(ew.BatchMoments(10).update(dependent[:19]), method=method)
        assert "19 rows are few for 4 columns" in few.cautions[0]

    def test_a_stream_is_looked_at_in_its_only_pass(self, dependent):
        walks = dependent.cumsum(axis=0)
        with pytest.warns(ew.BrokenAssumptionWarning, match="look like levels"):
            ew.edge_test(iter([walks[:400], walks[400:]]), method="batch")

    def test_the_rows_are_not_read_once_more(self, dependent):
        class Counting(LocalTable):
            feature_names, named, rescannable = ("a", "b", "c", "d"), False, True
            passes = 0

            def blocks(self):
                self.passes += 1
                yield dependent

        for method, passes in (("score", 2), ("batch", 1), ("fisher", 1)):
            table = Counting()
            ew.edge_test(table, method=method)
            assert table.passes == passes

    def test_rows_are_counted_over_parts(self, require):
        X = np.random.default_rng(2).standard_normal((900, 3))
        X[811, 1] = 1e4
        frame = require("dask.array").from_array(X, chunks=(100, 3))
        for data in (X, frame):
            (told,) = ew.edge_test(data).cautions
            assert told.startswith("Row 812, column 'x1' (value 1e+04), carries 100 % of")
