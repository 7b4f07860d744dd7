"""`edge_test` and `accumulate`: whatever the data come in, and what a state can serve."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import (
    BrokenAssumptionWarning,
    DataError,
    NonFiniteError,
    ParameterError,
    TooFewRowsWarning,
)
from edgewise.inference.cautions import Assumes
from edgewise.methods.registry import registered
from edgewise.tables.table import Table

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


@pytest.mark.parametrize("method", list(registered()))
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
    if registered()[method].simultaneous:
        assert result.correction is None


@pytest.mark.parametrize("method", ["trace", "spectral", "fisher"])
def test_a_state_gives_what_the_rows_give(rows, same_result, method):
    expected = ew.edge_test(rows, method=method)
    same_result(ew.edge_test(ew.accumulate(rows), method=method), expected)
    halves = ew.accumulate(rows[:3]) + ew.accumulate(rows[3:])
    same_result(ew.edge_test(halves, method=method), expected)


def test_missing_values_are_counted_over_all_batches(require, refuses):
    pa = require("pyarrow")
    X = np.random.default_rng(0).standard_normal((70_000, 2))  # the 65 537th row starts batch two
    X[[100, 69_998], 0] = np.nan, np.inf
    X[69_999, 1] = -np.inf
    refuses(lambda: ew.accumulate(X), NonFiniteError, "'x0' (2)", "'x1' (1)")
    table = pa.table({"first": X[:, 0], "second": X[:, 1]})
    error = refuses(lambda: ew.accumulate(table), NonFiniteError, "'first' (2)", "'second' (1)")
    assert error.counts.tolist() == [2, 1]


def test_too_few_rows_is_a_warning_that_says_how_many_would_do(rows):
    with pytest.warns(
        TooFewRowsWarning, match=r"infinite threshold with 400 rows.*about [\d,]+ rows"
    ):
        result = ew.edge_test(rows, method="trace")
    assert result.threshold == np.inf
    assert result.rows_needed > 400
    assert result.n_edges == 0
    assert f"{result.rows_needed:,} rows" in result.summary()


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
        ParameterError,
        "feature_names: expected 4 names",
        "got 3",
    )
    refuses(
        lambda: ew.edge_test(data, method="fisher", feature_names=list("abca")),
        DataError,
        "'a' more than once",
    )


@pytest.mark.parametrize("value", [-0.1, 1, 1.5, np.nan, "0.1", None, True])
def test_a_minimal_effect_outside_its_range(rows, refuses, value):
    refuses(
        lambda: ew.edge_test(rows, min_effect=value),
        ParameterError,
        "min_effect: expected a number between 0 and 1",
        f"got {value!r}",
    )


class TestMoreColumnsThanRows:
    """Refused at once: the shape is known, or soon found, before p² numbers are made."""

    @pytest.fixture(autouse=True)
    def no_first_pass(self, monkeypatch):
        def fail(*arguments, **options):
            raise AssertionError("rows were summed")

        monkeypatch.setattr("edgewise.sums.moments.power_sums", fail)
        monkeypatch.setattr("edgewise.sums.power.PowerSums.of_rows", fail)

    @pytest.mark.parametrize("method", ["score", "batch", "trace"])
    @pytest.mark.parametrize("options", [{}, {"missing": "drop"}], ids=str)
    def test_in_an_array_and_its_file(self, tmp_path, refuses, method, options):
        X = np.random.default_rng(0).standard_normal((100, 2_000))
        np.save(tmp_path / "wide.npy", X)
        for data in (X, tmp_path / "wide.npy"):
            call = lambda d=data: ew.edge_test(d, method=method, **options)  # noqa: E731
            refuses(call, DataError, "got 100 rows and 2000 columns")


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

    @pytest.mark.parametrize("method", [name for name in registered() if name != "sequential"])
    def test_another_method_is_refused(self, sequence, method, refuses):
        for chosen in (method, registered()[method]()):
            refuses(
                lambda chosen=chosen: ew.edge_test(sequence, method=chosen),
                ParameterError,
                f"method: expected 'sequential' for a ConfidenceSequence, got {method!r}",
                "pass its .state",
            )


@pytest.fixture(scope="module")
def dependent():
    X = np.random.default_rng(0).standard_normal((1000, 4))
    for t in range(1, 1000):
        X[t] += 0.7 * X[t - 1]
    return X


class TestCautions:
    """What the data say against the method travels with the result."""

    @pytest.mark.parametrize("method", registered())
    @pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
    def test_what_breaks_the_guarantee_is_a_warning(self, dependent, method):
        assumed = Assumes.INDEPENDENT_ROWS in registered()[method].assumes
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = ew.edge_test(dependent, method=method)
        broken = [one for one in caught if issubclass(one.category, BrokenAssumptionWarning)]
        assert len(broken) == assumed == ("independent rows" in " ".join(result.cautions))
        for one in broken:
            assert str(one.message) == result.cautions[0]
            assert one.filename == __file__

    def test_other_cautions_are_no_warnings(self):
        X = np.random.default_rng(1).integers(0, 3, (2000, 3)).astype(float)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = ew.edge_test(X)
        (told,) = result.cautions
        assert told.startswith("Columns 'x0', 'x1', 'x2' have at most 7 different values")

    @pytest.mark.parametrize("method", ["batch", "fisher"])
    @pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning")
    def test_a_state_tells_only_of_few_rows(self, dependent, method):
        state = ew.states.BatchMoments(10).update(dependent)
        assert ew.edge_test(state, method=method).cautions == ()
        few = ew.edge_test(ew.states.BatchMoments(10).update(dependent[:19]), method=method)
        assert "19 rows are few for 4 columns" in few.cautions[0]

    def test_the_rows_are_not_read_once_more(self, dependent):
        class Counting(Table):
            feature_names, named, rescannable = ("a", "b", "c", "d"), False, True
            passes = 0

            def blocks(self):
                self.passes += 1
                yield dependent

        for method, passes in (("score", 2), ("batch", 1), ("fisher", 1)):
            table = Counting()
            ew.edge_test(table, method=method)
            assert table.passes == passes
