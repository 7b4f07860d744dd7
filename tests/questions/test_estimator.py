"""`EdgeTest` keeps scikit-learn's contract and says what `edge_test` says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import edgewise as ew
from edgewise import EdgeTest
from edgewise.methods.registry import METHODS

# scikit-learn's checks bring a few dozen rows, for which bounds and batches rightly warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning"),
    pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning"),
]

ONE_PASS = ["trace", "spectral", "fisher"]
TWO_PASSES = ["score", "wald", "eig", "whitened", "elliptical"]


# Its rows, each as often as its weight says, are 27 of 30 columns: too few for a covariance matrix.
# tests/questions/test_uneven.py compares weights with repeated rows where there are enough.
TOO_FEW_ROWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "fewer rows than columns"
    for kind in ("dense", "sparse")
}


# The array API check skips without SCIPY_ARRAY_API=1; with it, its rows are collinear by
# construction (make_classification's redundant columns), which EdgeTest must refuse.
# Sampling weights are for the methods that allow for them, frequencies for all.
@parametrize_with_checks(
    [
        EdgeTest(),
        EdgeTest(weight_kind="frequency"),
        EdgeTest("batch"),
        *(
            EdgeTest(method, weight_kind="frequency")
            for method in ("trace", "fisher", "whitened", "spectral")
        ),
    ],
    expected_failed_checks=lambda estimator: TOO_FEW_ROWS,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.exactness
@pytest.mark.parametrize("method", [*ONE_PASS, *TWO_PASSES, "batch", "sequential"])
def test_fitted_attributes(rows, method):
    correction = None if METHODS[method].simultaneous else "bonferroni"
    estimator = EdgeTest(method, alpha=0.01, correction=correction)
    assert estimator.fit(rows) is estimator
    expected = ew.edge_test(rows, method=method, alpha=0.01, correction=correction)
    for attribute, field in {
        "covariance_": "covariance",
        "precision_": "precision",
        "partial_correlation_": "partial_correlation",
        "pvalues_": "adjusted_pvalue",
        "adjacency_": "reject",
        "threshold_": "threshold",
    }.items():
        np.testing.assert_array_equal(getattr(estimator, attribute), getattr(expected, field))
    assert estimator.result_.alpha == 0.01
    assert estimator.n_samples_seen_ == 400
    assert estimator.n_features_in_ == 4
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize("method", ONE_PASS)
@pytest.mark.parametrize("cuts", [[200], [1, 3, 350], range(2, 400, 2)], ids=["2", "4", "200"])
def test_batches_equal_one_fit(rows, same_result, method, cuts):
    estimator = EdgeTest(method)
    for batch in np.split(rows, list(cuts)):
        estimator.partial_fit(batch)
    same_result(estimator.result_, EdgeTest(method).fit(rows).result_)
    assert estimator.n_samples_seen_ == 400


@pytest.mark.parametrize("n_batches", [None, 20])
def test_partial_fit_makes_batches(rows, same_result, n_batches):
    """Of one stream, however it is cut; their number is K, and 100 unless told."""
    whole = EdgeTest("batch", n_batches=n_batches).partial_fit(rows)
    pieces = EdgeTest("batch", n_batches=n_batches)
    for piece in np.split(rows, [1, 3, 350]):
        pieces.partial_fit(piece)
    same_result(pieces.result_, whole.result_)
    stream = ew.BatchMoments(n_batches or 100).update(rows)
    same_result(whole.result_, ew.edge_test(stream, method="batch"))
    assert pieces.n_samples_seen_ == 400
    assert isinstance(pieces.moments_, ew.BatchMoments)


def test_the_test_waits_for_enough_rows(rows, refuses):
    estimator = EdgeTest("fisher").partial_fit(rows[:2])
    assert estimator.n_samples_seen_ == 2
    refuses(lambda: estimator.result_, ew.DataError, "at least 3 rows", "n_samples=2")
    estimator.partial_fit(rows[2:4])
    refuses(lambda: estimator.adjacency_, ew.DataError, "more rows than columns")
    assert estimator.partial_fit(rows[4:]).result_.n_samples == 400


@pytest.mark.parametrize("method", TWO_PASSES)
def test_methods_that_read_twice_have_no_partial_fit(method):
    estimator = EdgeTest(method)
    assert not hasattr(estimator, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as caught:
        estimator.partial_fit  # noqa: B018
    why = f"{caught.value} {caught.value.__cause__}"
    assert repr(method) in why
    assert "reads the rows twice" in why
    assert "trace" in why


def test_options_that_read_twice_have_no_partial_fit():
    for method in (*ONE_PASS, "batch"):
        assert hasattr(EdgeTest(method), "partial_fit")
    for method in ("trace", "spectral"):
        assert not hasattr(EdgeTest(method, standardize=True), "partial_fit")
    for radius in ("chi2", "eig"):
        assert not hasattr(EdgeTest("spectral", radius=radius), "partial_fit")
    bounded = EdgeTest("spectral", radius="hoeffding", support=(-60, 60))
    assert not hasattr(bounded, "partial_fit")


def test_fit_forgets_what_partial_fit_saw(rows, same_result):
    estimator = EdgeTest("trace").partial_fit(rows[:, :3]).partial_fit(rows[:, 1:])
    estimator.fit(rows[:100])
    same_result(estimator.result_, ew.edge_test(rows[:100], method="trace"))
    assert (estimator.n_samples_seen_, estimator.n_features_in_) == (100, 4)


@pytest.mark.parametrize("method", ONE_PASS)
def test_fit_moments(rows, same_result, method):
    state = ew.accumulate(rows[:70]) + ew.accumulate(rows[70:])
    estimator = EdgeTest(method).fit_moments(state)
    same_result(estimator.result_, ew.edge_test(rows, method=method))
    assert (estimator.n_samples_seen_, estimator.n_features_in_) == (400, 4)


def test_fit_moments_of_batches(rows, same_result):
    state = ew.accumulate(rows, n_batches=20)
    for method in ("batch", "fisher"):
        expected = ew.edge_test(rows, method=method)
        same_result(EdgeTest(method).fit_moments(state).result_, expected)


def test_fit_moments_of_the_wrong_state(rows, refuses):
    moments, batches = ew.accumulate(rows), ew.accumulate(rows, n_batches=20)
    refuses(lambda: EdgeTest("batch").fit_moments(moments), ew.DataError, "a BatchMoments state")
    refuses(lambda: EdgeTest("trace").fit_moments(batches), ew.DataError, "(order=4)")
    refuses(lambda: EdgeTest("trace").fit_moments(rows), ew.ParameterError, "state", "use fit")


def test_fit_moments_cannot_serve_what_needs_the_rows(rows, refuses):
    state = ew.accumulate(rows)
    refuses(lambda: EdgeTest().fit_moments(state), ew.DataError, "'score'", "pass the rows")


def test_feature_names(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    for data in (frame, require("polars").from_pandas(frame), require("pyarrow").table(frame)):
        for fitted in (EdgeTest().fit(data), EdgeTest("fisher").partial_fit(data)):
            assert list(fitted.feature_names_in_) == list("abcd")
            assert fitted.n_features_in_ == 4
    assert EdgeTest().fit(frame).result_.feature_names == tuple("abcd")


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_feature_names_of_other_frames(rows, require, kind):
    columns = dict(zip("abcd", np.asarray(rows).T, strict=True))
    package = require(kind)
    frame = package.table(columns) if kind == "pyarrow" else package.DataFrame(columns)
    fitted = EdgeTest().fit(frame)
    assert list(fitted.feature_names_in_) == list("abcd")
    assert fitted.score(frame) == pytest.approx(EdgeTest().fit(rows).score(rows), rel=1e-12)
    with pytest.raises(ew.DataError, match="expected the columns 'a', 'b', 'c', 'd', got 4: 'b'"):
        fitted.score(frame.select(list("bacd")))


def test_files(csv_file, rows, same_result):
    estimator = EdgeTest().fit(csv_file)
    assert list(estimator.feature_names_in_) == list("abcd")
    same_result(estimator.result_, ew.edge_test(rows), names="abcd")


def test_other_columns_are_refused_and_change_nothing(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    estimator = EdgeTest("fisher").partial_fit(frame)
    for other in (frame[list("abdc")], frame.rename(columns={"d": "z"}), frame[list("abc")]):
        with pytest.raises(ValueError, match="feature"):
            estimator.partial_fit(other)
    with pytest.raises(ew.NonFiniteError):
        estimator.partial_fit(frame * np.nan)
    assert estimator.n_samples_seen_ == estimator.result_.n_samples == 400
    assert estimator.partial_fit(frame).n_samples_seen_ == 800


def test_fewer_columns_are_refused(rows):
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        EdgeTest("fisher").partial_fit(rows).partial_fit(rows[:, :3])


def test_parameters(rows):
    estimator = EdgeTest("trace", 0.1, None, mu=2.0, standardize=True)
    wanted = {"method": "trace", "alpha": 0.1, "correction": None, "mu": 2.0, "standardize": True}
    assert wanted.items() <= estimator.get_params().items()
    copy = clone(estimator.fit(rows))
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "n_features_in_")
    estimator.set_params(method="fisher", mu=1.0, standardize=False, alpha=0.5)
    assert estimator.fit(rows).result_.method == "fisher"
    assert "method='trace'" in repr(copy)


def test_options_reach_the_method(rows, same_result):
    fitted = EdgeTest("eig", mu=0.5, standardize=True).fit(rows)
    same_result(fitted.result_, ew.edge_test(rows, method="eig", mu=0.5, standardize=True))


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_effect": 0.2},
        {"min_effect": 0.1, "effect_scale": "precision", "method": "wald"},
        {"method": "whitened", "radius": "chi2"},
        {"method": "whitened", "radius": "hoeffding", "support": (-60, 60)},
        {"method": "spectral", "radius": "eig", "standardize": True},
        {"method": "spectral", "radius": "hoeffding", "support": np.tile([-60.0, 60.0], (4, 1))},
        {"method": "eig", "solver": "matrix-free"},
        {"method": "spectral", "radius": "eig", "solver": "matrix-free"},
        {"method": "whitened", "radius": "chi2", "solver": "matrix-free"},
        {"method": "batch", "n_batches": 13},
        {"method": "batch", "correction": "maxt", "random_state": 4},
    ],
    ids=lambda parameters: " ".join(map(str, parameters)),
)
def test_every_parameter_reaches_the_test(rows, same_result, parameters):
    expected = ew.edge_test(rows, **parameters)
    fitted = clone(EdgeTest(**parameters)).fit(rows)
    same_result(fitted.result_, expected)
    assert fitted.result_.options == expected.options


@pytest.mark.parametrize(
    "method",
    [
        *(ew.Score(), ew.Trace(mu=0.5), ew.Spectral(radius="chi2", standardize=True)),
        *(ew.Batch(n_batches=13), ew.Sequential(tuned_for=400), ew.Eig(solver="matrix-free")),
        ew.Whitened(radius="hoeffding", support=np.tile([-60.0, 60.0], (4, 1))),
    ],
    ids=repr,
)
def test_a_method_object(rows, same_result, method):
    estimator = EdgeTest(method)
    assert clone(estimator).get_params() == estimator.get_params()
    fitted = clone(estimator).fit(rows)
    expected = ew.edge_test(rows, method=method)
    same_result(fitted.result_, expected)
    assert fitted.result_.options == expected.options
    again = pickle.loads(pickle.dumps(fitted))
    assert again.method == method
    assert hasattr(estimator, "partial_fit") == (not method.needs.reads_again)
    assert type(method).__name__ in repr(estimator)


def test_a_method_object_learns_from_batches(rows, same_result):
    estimator = EdgeTest(ew.Batch(n_batches=20))
    for piece in np.split(rows, [1, 3, 350]):
        estimator.partial_fit(piece)
    same_result(estimator.result_, EdgeTest("batch", n_batches=20).partial_fit(rows).result_)


def test_random_state_decides_the_bootstrap(rows):
    def pvalues(**parameters):
        return EdgeTest("batch", correction="maxt", **parameters).fit(rows).pvalues_

    np.testing.assert_array_equal(pvalues(random_state=3), pvalues(random_state=3))
    np.testing.assert_array_equal(pvalues(), pvalues(random_state=0))
    assert not np.array_equal(pvalues(random_state=3), pvalues(random_state=4), equal_nan=True)
    np.testing.assert_allclose(pvalues(random_state=3), pvalues(random_state=4), atol=0.02)


def test_random_state_is_no_matter_to_methods_that_draw_nothing(rows, same_result):
    for method in ("score", "trace", "batch"):
        fitted = EdgeTest(method, random_state=7).fit(rows)
        same_result(fitted.result_, EdgeTest(method).fit(rows).result_)


@pytest.mark.parametrize(
    ("parameters", "fragments"),
    [
        ({"method": "nope"}, ["method", "'nope'"]),
        ({"alpha": 2}, ["alpha", "got 2"]),
        ({"correction": "nope"}, ["correction", "'nope'"]),
        ({"mu": 2.0}, ["mu", "'score'"]),
        ({"method": "trace", "mu": -1.0}, ["mu", "above 0"]),
        ({"min_effect": -0.1}, ["min_effect", "between 0 and 1", "got -0.1"]),
        ({"min_effect": 0.1, "effect_scale": "nope"}, ["effect_scale", "'nope'"]),
        ({"radius": "chi2"}, ["radius", "'score'"]),
        ({"method": "whitened", "radius": "nope"}, ["radius", "'nope'", "'chi2'"]),
        ({"method": "whitened", "support": (0, 1)}, ["support", "radius='hoeffding'"]),
        ({"method": "whitened", "alpha": 0.3}, ["alpha", "0.2151", "radius='chi2'"]),
        ({"solver": "full"}, ["solver", "'score'"]),
        ({"method": "eig", "solver": "nope"}, ["solver", "'nope'", "'matrix-free'"]),
        ({"n_batches": 20}, ["n_batches", "'score'"]),
        ({"method": "batch", "n_batches": 1}, ["n_batches", "from 2 on", "got 1"]),
        ({"method": "batch", "n_batches": 401}, ["n_batches", "400 rows", "got 401"]),
        ({"correction": "maxt"}, ["correction", "'maxt'", "method='batch'"]),
        ({"method": "trace", "correction": "bh"}, ["correction", "'trace'", "needs none"]),
        ({"method": 3}, ["method", "'score'", "got 3"]),
        ({"method": ew.Batch}, ["method", "got the class", "Batch(...)"]),
        ({"method": ew.Batch(), "n_batches": 20}, ["n_batches", "Batch(n_batches=...)"]),
    ],
    ids=str,
)
def test_bad_parameters_fail_in_fit(rows, refuses, parameters, fragments):
    estimator = EdgeTest(**parameters)  # the constructor only stores
    refuses(lambda: estimator.fit(rows), ew.ParameterError, *fragments)


def test_an_unknown_method_is_partial_fits_own_error(rows, refuses):
    refuses(lambda: EdgeTest("nope").partial_fit(rows), ew.ParameterError, "method", "'nope'")


def test_nothing_is_there_before_fit():
    for attribute in ("result_", "adjacency_", "pvalues_"):
        with pytest.raises(NotFittedError):
            getattr(EdgeTest(), attribute)


def test_in_a_pipeline(rows, require):
    pipeline = make_pipeline(StandardScaler(), EdgeTest()).fit(rows)
    scaled = StandardScaler().fit_transform(rows)
    np.testing.assert_array_equal(pipeline[-1].adjacency_, ew.edge_test(scaled).reject)
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    named = make_pipeline(StandardScaler().set_output(transform="pandas"), EdgeTest()).fit(frame)
    assert named[-1].result_.feature_names == tuple("abcd")


def test_pickle(rows, same_result):
    for fitted in (EdgeTest().fit(rows), EdgeTest("fisher").partial_fit(rows)):
        again = pickle.loads(pickle.dumps(fitted))
        same_result(again.result_, fitted.result_)


class TestRowsElsewhere:
    """Arrays and frames of Dask are read where they are; the estimator is the same."""

    @pytest.fixture
    def array(self, require, rows):
        return require("dask.array").from_array(np.asarray(rows), chunks=((1, 0, 149, 250), 4))

    @pytest.fixture
    def frame(self, require, rows):
        frame = require("pandas").DataFrame(np.asarray(rows), columns=list("abcd"))
        return require("dask.dataframe").from_pandas(frame, npartitions=3)

    @pytest.mark.parametrize("method", [*ONE_PASS, *TWO_PASSES, "batch"])
    def test_fit(self, array, frame, rows, same_result, method):
        expected = EdgeTest(method).fit(rows)
        fitted = EdgeTest(method).fit(array)
        same_result(fitted.result_, expected.result_)
        np.testing.assert_array_equal(fitted.adjacency_, expected.adjacency_)
        assert (fitted.n_samples_seen_, fitted.n_features_in_) == (400, 4)
        assert not hasattr(fitted, "feature_names_in_")
        named = EdgeTest(method).fit(frame)
        same_result(named.result_, expected.result_, names="abcd")
        assert list(named.feature_names_in_) == list("abcd")

    def test_parameters_reach_the_test(self, array, rows, same_result):
        options = {"method": "batch", "n_batches": 13, "correction": "maxt", "random_state": 4}
        same_result(EdgeTest(**options).fit(array).result_, EdgeTest(**options).fit(rows).result_)

    @pytest.mark.parametrize("method", [*ONE_PASS, "batch"])
    def test_partial_fit(self, array, rows, same_result, method):
        once = EdgeTest(method).partial_fit(array)
        same_result(once.result_, EdgeTest(method).partial_fit(rows).result_)
        # Rows here and elsewhere, in turn.
        pieces = EdgeTest(method).partial_fit(array[:100]).partial_fit(rows[100:200])
        pieces.partial_fit(array[200:])
        assert pieces.n_samples_seen_ == pieces.result_.n_samples == 400
        np.testing.assert_allclose(pieces.covariance_, once.covariance_, rtol=1e-12)
        if method != "batch":
            same_result(pieces.result_, once.result_)

    def test_an_error_leaves_what_was_learnt(self, array, frame, refuses):
        estimator = EdgeTest("fisher").partial_fit(frame)
        refuses(lambda: estimator.partial_fit(frame[list("abdc")]), ew.DataError, "X: expected")
        refuses(lambda: estimator.partial_fit(frame * np.nan), ew.NonFiniteError, "partition ")
        assert estimator.n_samples_seen_ == estimator.result_.n_samples == 400
        assert estimator.partial_fit(frame).n_samples_seen_ == 800
        estimator = EdgeTest("fisher").partial_fit(array)
        refuses(lambda: estimator.partial_fit(array[:, :3]), ew.EdgewiseError, "4", "3", "columns")
        assert estimator.n_samples_seen_ == estimator.result_.n_samples == 400

    def test_fit_starts_anew(self, array, rows, same_result):
        estimator = EdgeTest("trace").partial_fit(rows[:, :3]).fit(array)
        same_result(estimator.result_, EdgeTest("trace").fit(rows).result_)
        assert estimator.n_features_in_ == 4
        assert EdgeTest("fisher").fit(array).partial_fit(array).n_samples_seen_ == 400

    def test_the_rows_are_not_in_a_pickle(self, require, array, rows, same_result):
        many = require("dask.array").concatenate([array] * 20).rechunk((2000, 4))
        fitted = EdgeTest("fisher").fit(many)
        content = pickle.dumps(fitted)
        assert len(content) < 20 * 400 * 4 * 8 / 5
        same_result(pickle.loads(content).result_, fitted.result_)
        assert clone(fitted).get_params() == fitted.get_params()

    def test_what_cannot_be_tested(self, array, refuses):
        refuses(lambda: EdgeTest().fit(array[:, 0]), ew.DataError, "2D")
        refuses(lambda: EdgeTest().fit(array * np.nan), ew.NonFiniteError, "chunk ")
        refuses(lambda: EdgeTest("fisher").partial_fit(array[:, 0]), ew.DataError, "2D")


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_file_is_opened_once(csv_file, monkeypatch, method):
    from edgewise.rows.readers import files

    opened, plain = [], files.open_file
    monkeypatch.setattr(
        files, "open_file", lambda path, *how: opened.append(path) or plain(path, *how)
    )
    getattr(EdgeTest("fisher"), method)(csv_file)
    assert opened == [csv_file]


class TestFamily:
    """`given` and `pairs` are stored as they come, and used by every way to fit."""

    @pytest.mark.parametrize("family", [{"given": "x0"}, {"pairs": [("x0", "x3"), ("x2", "x1")]}])
    def test_reaches_the_test(self, rows, family):
        expected = ew.edge_test(rows, method="batch", **family)
        state = EdgeTest(method="batch").partial_fit(rows).moments_
        made = (
            EdgeTest(method="batch", **family).fit(rows),
            EdgeTest(method="batch", **family).partial_fit(rows[:150]).partial_fit(rows[150:]),
            EdgeTest(method="batch", **family).fit_moments(state),
        )
        for estimator in made:
            assert estimator.result_.n_pairs == expected.n_pairs
            np.testing.assert_allclose(
                estimator.pvalues_, expected.adjusted_pvalue, rtol=1e-9, atol=1e-12
            )
            assert (estimator.n_features_in_, estimator.adjacency_.shape) == (4, (4, 4))

    def test_names_of_a_frame(self, rows, require):
        frame = require("pandas").DataFrame(rows, columns=list("abcd"))
        for fit in ("fit", "partial_fit"):
            estimator = getattr(EdgeTest(method="batch", given=["d"]), fit)(frame)
            assert estimator.result_.given == ("d",)

    def test_is_kept_as_it_came(self):
        given, pairs = ["x0"], [("x1", "x2")]
        estimator = EdgeTest(given=given, pairs=pairs)
        assert estimator.get_params()["given"] is given
        assert clone(estimator).get_params()["pairs"] == pairs

    @pytest.mark.parametrize("fit", ["fit", "partial_fit"])
    def test_a_wrong_name_is_told_at_once(self, rows, refuses, fit):
        estimator = EdgeTest(method="batch", given=["y"])
        refuses(lambda: getattr(estimator, fit)(rows), ew.DataError, "given: the table has no col")
        assert not hasattr(estimator, "moments_")
