"""A fitted `EdgeTest` scores and measures other rows as scikit-learn's covariance estimators do."""

import numpy as np
import pytest
import sklearn
from sklearn.covariance import EmpiricalCovariance
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

import edgewise as ew
from edgewise import EdgeTest
from edgewise.methods.registry import METHODS

pytestmark = [
    pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning"),
    pytest.mark.filterwarnings("ignore::edgewise.errors.ShortBatchesWarning"),
]


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


def check(fitted, rows, other):
    expected = reference(np.asarray(rows))
    np.testing.assert_allclose(fitted.location_, expected.location_, rtol=1e-12, atol=1e-14)
    assert fitted.score(other) == pytest.approx(expected.score(other), rel=1e-12)
    np.testing.assert_allclose(fitted.mahalanobis(other), expected.mahalanobis(other), rtol=1e-10)


@pytest.mark.parametrize(
    "method", [name for name in METHODS if "latent variables" not in METHODS[name].supports]
)
def test_every_method(rows, other, method):
    # With a small penalty, every column is chosen, and Θ̂ is the inverse of the covariance.
    options = {"penalty": 1e-6, "max_neighbours": 3} if method == "nodewise" else {}
    fitted = EdgeTest(method, **options).fit(rows)
    check(fitted, rows, other)
    np.testing.assert_array_equal(fitted.get_precision(), fitted.precision_)
    assert fitted.location_.flags.writeable is False


@pytest.mark.parametrize("method", ["score", "batch"])
def test_rows_that_are_not_here(rows, other, method, csv_file, write_csv, tmp_path, require):
    dask = require("dask.array")
    cut = dask.from_array(np.asarray(rows), chunks=((1, 0, 149, 250), 4))
    fitted = EdgeTest(method).fit(cut)
    check(fitted, rows, other)
    there = dask.from_array(other, chunks=((20, 30), 4))
    np.testing.assert_allclose(fitted.mahalanobis(there), fitted.mahalanobis(other), rtol=1e-12)
    assert fitted.score(there) == pytest.approx(fitted.score(other), rel=1e-12)
    file = write_csv(tmp_path / "other.csv", "abcd", other)
    named = EdgeTest(method).fit(str(csv_file))
    assert named.score(str(file)) == pytest.approx(fitted.score(other), rel=1e-12)
    np.testing.assert_allclose(named.mahalanobis(file), fitted.mahalanobis(other), rtol=1e-10)


@pytest.mark.parametrize("norm", ["frobenius", "spectral"])
@pytest.mark.parametrize("scaling", [True, False])
@pytest.mark.parametrize("squared", [True, False])
def test_error_norm(rows, norm, scaling, squared):
    truth = np.eye(4) + 0.3
    found = EdgeTest().fit(rows).error_norm(truth, norm=norm, scaling=scaling, squared=squared)
    expected = reference(rows).error_norm(truth, norm=norm, scaling=scaling, squared=squared)
    assert found == pytest.approx(expected, rel=1e-12)


class TestModelSelection:
    def test_cross_validation(self, rows):
        found = cross_val_score(EdgeTest(), rows, cv=4)
        expected = [
            reference(rows[train]).score(rows[test]) for train, test in KFold(4).split(rows)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_grid_search(self, rows):
        search = GridSearchCV(EdgeTest(), {"method": ["score", "batch"], "alpha": [0.05, 0.01]})
        search.fit(np.asarray(rows))
        scores = search.cv_results_["mean_test_score"]
        # The same rows have the same covariance, whatever is decided about it.
        np.testing.assert_allclose(scores, scores[0], rtol=1e-12)
        assert search.score(rows) == search.best_estimator_.score(rows)

    def test_groups_are_routed(self, rows):
        labels = np.repeat(np.arange(100), 4)
        with sklearn.config_context(enable_metadata_routing=True):
            routed = EdgeTest().set_fit_request(clusters=True)
            done = cross_validate(routed, rows, cv=KFold(2), params={"clusters": labels})
        expected = [reference(rows[200:]).score(rows[:200])]
        np.testing.assert_allclose(done["test_score"][:1], expected, rtol=1e-12)


class TestRefused:
    def test_before_fit(self, rows):
        for use in (
            lambda: EdgeTest().score(rows),
            lambda: EdgeTest().mahalanobis(rows),
            lambda: EdgeTest().error_norm(np.eye(4)),
            lambda: EdgeTest().get_precision(),
            lambda: EdgeTest().location_,
        ):
            with pytest.raises((NotFittedError, AttributeError)):
                use()

    @pytest.mark.parametrize("use", ["score", "mahalanobis"])
    def test_other_columns(self, rows, use, csv_file, write_csv, tmp_path, require):
        fitted = EdgeTest().fit(rows)
        with pytest.raises(ValueError, match="X has 3 features, but EdgeTest is expecting 4"):
            getattr(fitted, use)(rows[:, :3])
        file = write_csv(tmp_path / "three.csv", "abc", rows[:, :3])
        with pytest.raises(
            ew.errors.DataError, match="X: expected 4 columns, got 3: 'a', 'b', 'c'"
        ):
            getattr(fitted, use)(str(file))
        frame = require("pandas").DataFrame(np.asarray(rows), columns=list("abdc"))
        with pytest.raises(ValueError, match="same order"):
            getattr(EdgeTest().fit(frame), use)(frame[list("abcd")])
        swapped = write_csv(tmp_path / "swapped.csv", "abdc", rows)
        with pytest.raises(
            ew.errors.DataError, match="X: expected the columns 'a', 'b', 'c', 'd', got"
        ):
            getattr(EdgeTest().fit(str(csv_file)), use)(str(swapped))

    @pytest.mark.parametrize("use", ["score", "mahalanobis"])
    def test_missing_values(self, rows, use):
        holes = np.array(rows)
        holes[3, 1] = np.nan
        with pytest.raises(ew.errors.NonFiniteError, match=r"'x1' \(1\)"):
            getattr(EdgeTest().fit(rows), use)(holes)

    def test_no_rows(self, rows, refuses):
        refuses(
            lambda: EdgeTest().fit(rows).score(rows[:0]), ew.errors.DataError, "at least one row"
        )


def test_nilearn_takes_it_as_a_covariance_estimator(require):
    connectome = require("nilearn.connectome")
    subjects = [np.random.default_rng(seed).standard_normal((80, 5)) for seed in range(3)]
    measure = connectome.ConnectivityMeasure(
        cov_estimator=EdgeTest(), kind="partial correlation", standardize=False
    )
    found = measure.fit_transform(subjects)
    for matrix, X in zip(found, subjects, strict=True):
        expected = ew.edge_test(X).partial_correlation
        np.testing.assert_allclose(matrix, expected, atol=1e-12)
