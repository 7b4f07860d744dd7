"""`EdgeTest` keeps scikit-learn's contract and says what `edge_test` says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.covariance import EmpiricalCovariance
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

import edgewise as ew
from edgewise import EdgeTest
from edgewise.errors import DataError, EdgewiseError, EdgewiseWarning
from edgewise.methods.registry import registered

# scikit-learn's checks bring a few dozen rows, for which bounds and batches rightly warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning"),
    pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning"),
]

ONE_PASS = ["trace", "spectral", "fisher", "eig", "batch"]
TWO_PASSES = ["score", "wald", "whitened", "elliptical"]
# Its rows, each as often as its weight says, are 27 of 30 columns: too few for a covariance matrix.
TOO_FEW_ROWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "fewer rows than columns"
    for kind in ("dense", "sparse")
} | {"check_estimators_pickle": "so many values are missing that pairwise covariances do not fit"}
EXPECTED = {**TOO_FEW_ROWS, "check_no_attributes_set_in_init": "options are in no signature"}


# The array API check skips without SCIPY_ARRAY_API=1; with it, its rows are collinear by
# construction (make_classification's redundant columns), which EdgeTest must refuse.
@parametrize_with_checks(
    [EdgeTest(), EdgeTest("batch", n_batches=10)],
    expected_failed_checks=lambda estimator: (
        EXPECTED if estimator.method == "batch" else TOO_FEW_ROWS
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.exactness
def test_it_says_what_edge_test_says(rows, same_result):
    for method in (*ONE_PASS, *TWO_PASSES, "sequential"):
        correction = None if registered()[method].simultaneous else "bonferroni"
        estimator = EdgeTest(method, alpha=0.01, correction=correction)
        assert estimator.fit(rows) is estimator
        expected = ew.edge_test(rows, method=method, alpha=0.01, correction=correction)
        same_result(estimator.result_, expected)
        assert estimator.result_.alpha == 0.01
        np.testing.assert_array_equal(estimator.pvalues_, expected.adjusted_pvalue)
        np.testing.assert_array_equal(estimator.adjacency_, expected.reject)
        np.testing.assert_array_equal(estimator.threshold_, expected.threshold)
        assert (estimator.n_samples_seen_, estimator.n_features_in_) == (400, 4)
        assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_effect": 0.2},
        {"given": "x0"},
        {"pairs": [("x0", "x3"), ("x2", "x1")]},
        {"columns": ["x2", "x0", "x3"]},
        {"method": "whitened", "radius": "hoeffding", "support": (-60, 60)},
        {"method": "spectral", "radius": "hoeffding", "support": np.tile([-60.0, 60.0], (4, 1))},
        {"method": "eig", "solver": "matrix-free"},
        {"method": "batch", "n_batches": 13},
        {"method": "batch", "correction": "maxt", "random_state": 4},
        {"method": ew.methods.Batch(n_batches=13)},
        {"method": ew.methods.Spectral(radius="chi2", standardize=True)},
    ],
    ids=str,
)
def test_parameters_and_options_of_the_method(rows, same_result, parameters):
    expected = ew.edge_test(rows, **parameters)
    made = (EdgeTest(**parameters), EdgeTest().set_params(**parameters))
    for estimator in made:
        assert parameters.items() <= {**clone(estimator).get_params(), **parameters}.items()
        assert set(clone(estimator).get_params()) == set(EdgeTest().get_params()) | set(parameters)
        fitted = pickle.loads(pickle.dumps(clone(estimator).fit(rows)))
        same_result(fitted.result_, expected)
        assert fitted.result_.options == expected.options
        assert f"{next(iter(parameters))}=" in repr(estimator)


@pytest.mark.parametrize(
    ("parameters", "fragments"),
    [
        ({"method": "nope"}, ["method", "'nope'"]),
        ({"mu": 2.0}, ["mu", "'auto'"]),
        ({"method": "batch", "n_batches": 401}, ["n_batches", "400 rows", "got 401"]),
        ({"method": ew.methods.Batch(), "n_batches": 20}, ["n_batches", "Batch(n_batches=...)"]),
        ({"groups": "who"}, ["EdgeTest has no such argument (did you mean clusters?)"]),
        ({"given": ["y"]}, ["given: the table has no column 'y'"]),
    ],
    ids=str,
)
def test_bad_parameters_fail_in_fit(rows, refuses, parameters, fragments):
    estimator = EdgeTest(**parameters)  # the constructor only stores
    refuses(lambda: estimator.fit(rows), EdgewiseError, *fragments)


def test_a_state_is_fitted_as_its_rows(rows, same_result):
    state = ew.accumulate(rows, n_batches=20)
    fitted = EdgeTest("batch", given="x0").fit(state)
    same_result(fitted.result_, ew.edge_test(state, method="batch", given="x0"))
    assert (fitted.n_samples_seen_, fitted.n_features_in_) == (400, 4)
    assert EdgeTest("trace").fit(rows[:, :3]).fit(rows).n_features_in_ == 4


@pytest.fixture(scope="module")
def other():
    """Rows that nothing was fitted to, with another mean and covariance."""
    X = np.random.default_rng(5).standard_normal((50, 4)) + np.array([0, 1, -2, 0.5])
    X[:, 2] += 0.7 * X[:, 0]
    return X


def reference(rows):
    """scikit-learn's estimator, with the unbiased covariance in place of its own."""
    fitted = EmpiricalCovariance().fit(rows)
    fitted._set_covariance(np.cov(rows, rowvar=False))
    return fitted


class TestOtherRows:
    def test_every_method_scores_them_as_scikit_learn_does(self, rows, other):
        expected = reference(np.asarray(rows))
        for method, kind in registered().items():
            if "latent variables" in kind.supports:
                continue
            # With a small penalty, every column is chosen, and Θ̂ is the inverse of the covariance.
            options = {"penalty": 1e-6, "max_neighbours": 3} if method == "nodewise" else {}
            options |= {"standardize": True} if method == "trace" else {}
            fitted = EdgeTest(method, **options).fit(rows)
            np.testing.assert_allclose(fitted.location_, expected.location_, rtol=1e-12, atol=1e-14)
            assert fitted.score(other) == pytest.approx(expected.score(other), rel=1e-12)
            np.testing.assert_allclose(
                fitted.mahalanobis(other), expected.mahalanobis(other), rtol=1e-10
            )
            np.testing.assert_array_equal(fitted.get_precision(), fitted.precision_)
        truth = np.eye(4) + 0.3
        assert EdgeTest().fit(rows).error_norm(truth) == pytest.approx(expected.error_norm(truth))

    def test_rows_in_files_and_elsewhere(self, rows, other, csv_file, write_csv, tmp_path, require):
        fitted = EdgeTest().fit(rows)
        there = require("dask.array").from_array(other, chunks=((20, 30), 4))
        named = EdgeTest().fit(str(csv_file))
        file = write_csv(tmp_path / "other.csv", "abcd", other)
        for one, data in ((fitted, there), (named, str(file))):
            assert one.score(data) == pytest.approx(fitted.score(other), rel=1e-12)
            np.testing.assert_allclose(one.mahalanobis(data), fitted.mahalanobis(other), rtol=1e-10)

    def test_model_selection(self, rows):
        search = GridSearchCV(EdgeTest("batch"), {"n_batches": [20, 30], "alpha": [0.05, 0.01]})
        with pytest.warns(EdgewiseWarning, match="does not depend on alpha"):
            scores = search.fit(np.asarray(rows)).cv_results_["mean_test_score"]
        # The same rows have the same covariance, whatever is decided about it.
        np.testing.assert_allclose(scores, scores[0], rtol=1e-12)
        labels = np.repeat(np.arange(100), 4)
        with sklearn.config_context(enable_metadata_routing=True):
            routed = EdgeTest().set_fit_request(clusters=True)
            done = cross_validate(routed, rows, cv=KFold(2), params={"clusters": labels})
        expected = reference(rows[200:]).score(rows[:200])
        assert done["test_score"][0] == pytest.approx(expected, rel=1e-12)

    def test_refused(self, rows, refuses, csv_file, write_csv, tmp_path, require):
        with pytest.raises((NotFittedError, AttributeError)):
            EdgeTest().score(rows)
        with pytest.raises((NotFittedError, AttributeError)):
            EdgeTest().location_  # noqa: B018
        fitted, named = EdgeTest().fit(rows), EdgeTest().fit(str(csv_file))
        frame = require("pandas").DataFrame(np.asarray(rows), columns=list("abdc"))
        three = write_csv(tmp_path / "three.csv", "abc", rows[:, :3])
        swapped = write_csv(tmp_path / "swapped.csv", "abdc", rows)
        holes = np.array(rows)
        holes[3, 1] = np.nan
        for use in ("score", "mahalanobis"):
            with pytest.raises(ValueError, match="X has 3 features, but EdgeTest is expecting 4"):
                getattr(fitted, use)(rows[:, :3])
            with pytest.raises(ValueError, match="same order"):
                getattr(EdgeTest().fit(frame), use)(frame[list("abcd")])
            for one, data, words in (
                (fitted, str(three), "X: expected 4 columns, got 3: 'a', 'b', 'c'"),
                (named, str(swapped), "X: expected the columns 'a', 'b', 'c', 'd', got"),
                (fitted, holes, "'x1' (1)"),
                (fitted, rows[:0], "at least one row"),
            ):
                refuses(
                    lambda one=one, use=use, data=data: getattr(one, use)(data), DataError, words
                )


def test_nilearn_takes_it_as_a_covariance_estimator(require):
    connectome = require("nilearn.connectome")
    subjects = [np.random.default_rng(seed).standard_normal((80, 5)) for seed in range(3)]
    measure = connectome.ConnectivityMeasure(
        cov_estimator=EdgeTest(), kind="partial correlation", standardize=False
    )
    for matrix, X in zip(measure.fit_transform(subjects), subjects, strict=True):
        np.testing.assert_allclose(matrix, ew.edge_test(X).partial_correlation, atol=1e-12)
