"""`EdgeTest` keeps scikit-learn's contract and says what `edge_test` says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
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
# tests/api/test_uneven.py compares weights with repeated rows where there are enough.
TOO_FEW_ROWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "fewer rows than columns"
    for kind in ("dense", "sparse")
}


# The array API check skips without SCIPY_ARRAY_API=1; with it, its rows are collinear by
# construction (make_classification's redundant columns), which EdgeTest must refuse.
# Sampling weights are for the methods that allow for them, frequencies for all.
@parametrize_with_checks(
    [EdgeTest(), EdgeTest("batch"), EdgeTest("trace", weight_kind="frequency")],
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


def test_feature_names(rows, require):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    for data in (frame, require("polars").from_pandas(frame), require("pyarrow").table(frame)):
        for fitted in (EdgeTest().fit(data), EdgeTest("fisher").partial_fit(data)):
            assert list(fitted.feature_names_in_) == list("abcd")
            assert fitted.n_features_in_ == 4
    assert EdgeTest().fit(frame).result_.feature_names == tuple("abcd")


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
        *(
            ew.methods.Score(),
            ew.methods.Trace(mu=0.5),
            ew.methods.Spectral(radius="chi2", standardize=True),
        ),
        *(
            ew.methods.Batch(n_batches=13),
            ew.methods.Sequential(tuned_for=400),
            ew.methods.Eig(solver="matrix-free"),
        ),
        ew.methods.Whitened(radius="hoeffding", support=np.tile([-60.0, 60.0], (4, 1))),
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
        ({"correction": "maxt"}, ["correction", "'maxt'", "use method 'batch'"]),
        ({"method": "trace", "correction": "bh"}, ["correction", "'trace'", "needs none"]),
        ({"method": 3}, ["method", "'score'", "got 3"]),
        ({"method": ew.methods.Batch}, ["method", "got the class", "Batch(...)"]),
        ({"method": ew.methods.Batch(), "n_batches": 20}, ["n_batches", "Batch(n_batches=...)"]),
    ],
    ids=str,
)
def test_bad_parameters_fail_in_fit(rows, refuses, parameters, fragments):
    estimator = EdgeTest(**parameters)  # the constructor only stores
    refuses(lambda: estimator.fit(rows), ew.errors.ParameterError, *fragments)


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
        refuses(
            lambda: estimator.partial_fit(frame[list("abdc")]), ew.errors.DataError, "X: expected"
        )
        refuses(
            lambda: estimator.partial_fit(frame * np.nan), ew.errors.NonFiniteError, "partition "
        )
        assert estimator.n_samples_seen_ == estimator.result_.n_samples == 400
        assert estimator.partial_fit(frame).n_samples_seen_ == 800
        estimator = EdgeTest("fisher").partial_fit(array)
        refuses(
            lambda: estimator.partial_fit(array[:, :3]),
            ew.errors.EdgewiseError,
            "4",
            "3",
            "columns",
        )
        assert estimator.n_samples_seen_ == estimator.result_.n_samples == 400


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

    @pytest.mark.parametrize("fit", ["fit", "partial_fit"])
    def test_a_wrong_name_is_told_at_once(self, rows, refuses, fit):
        estimator = EdgeTest(method="batch", given=["y"])
        refuses(
            lambda: getattr(estimator, fit)(rows),
            ew.errors.DataError,
            "given: the table has no col",
        )
        assert not hasattr(estimator, "moments_")
