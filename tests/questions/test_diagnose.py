"""`diagnose`: what the data are like, and the test that speaks for."""

from __future__ import annotations

import warnings
from dataclasses import astuple, replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.methods.method import Assumes
from edgewise.methods.registry import METHODS
from edgewise.questions.diagnose import (
    Diagnosis,
    caution,
    dependence_pvalue,
    diagnose,
    tail_index,
)
from edgewise.rows.opening import open_table
from edgewise.rows.views import FiniteRows
from edgewise.simulate import make_chain_precision, sample

INDEPENDENT = ("gaussian", "laplace", "t5", "exponential", "lognormal")


def draw(distribution, n_samples=4000, n_features=4, seed=1):
    rng = np.random.default_rng(seed)
    return sample(distribution, make_chain_precision(n_features), n_samples, rng=rng)


def multivariate_t(df, n_samples, n_features, seed):
    rng = np.random.default_rng(seed)
    scale = np.sqrt(rng.chisquare(df, (n_samples, 1)) / df)
    return rng.standard_normal((n_samples, n_features)) / scale


def diagnosis_of(data):
    return diagnose(open_table(data))


def with_facts(**facts):
    usual = {
        "n_samples": 1000,
        "n_features": 5,
        "kurtosis_ratio": 1.0,
        "dependence_pvalue": 0.5,
        "scale_ratio": 1.0,
    }
    return Diagnosis(**usual | facts)


def test_the_facts_of_gaussian_rows():
    found = diagnosis_of(draw("gaussian", 20_000))
    assert (found.n_samples, found.n_features) == (20_000, 4)
    assert found.kurtosis_ratio == pytest.approx(1, abs=0.03)
    assert found.scale_ratio == pytest.approx(1, abs=0.05)
    assert not found.dependent


@pytest.mark.parametrize(
    ("distribution", "at_least"), [("laplace", 1.2), ("t5", 1.5), ("exponential", 1.5)]
)
def test_the_kurtosis_ratio_sees_heavy_tails(distribution, at_least):
    assert diagnosis_of(draw(distribution, 20_000)).kurtosis_ratio > at_least


def test_mardias_kurtosis_by_hand():
    X = draw("t5", 300, 3)
    centred = X - X.mean(axis=0)
    squared = np.einsum("ni,ij,nj->n", centred, np.linalg.inv(np.cov(X, rowvar=False)), centred)
    expected = np.mean(squared**2) / (3 * 5)
    assert diagnosis_of(X).kurtosis_ratio == pytest.approx(expected, rel=1e-10)


def test_the_kurtosis_ratio_has_no_units():
    X = draw("t5")
    A = np.array([[1, 2, 0, 0], [0, 3, 1, 0], [0, 0, 1e3, 5], [0, 0, 0, 1e-3]])
    assert diagnosis_of(X @ A + 7).kurtosis_ratio == pytest.approx(
        diagnosis_of(X).kurtosis_ratio, rel=1e-8
    )


def test_the_ratio_of_scales():
    X = draw("gaussian")
    scale = X.std(axis=0)
    found = diagnosis_of(X / scale * [1, 1000, 0.5, 1])
    assert found.scale_ratio == pytest.approx(2000, rel=1e-10)


def test_rows_that_depend_on_the_rows_before_them():
    X = draw("gaussian")
    for t in range(1, len(X)):
        X[t] += 0.5 * X[t - 1]
    found = diagnosis_of(X)
    assert found.dependent
    assert found.advice().startswith("Use method 'batch': rows depend on the rows before them")
    shuffled = np.random.default_rng(0).permutation(X)
    assert not diagnosis_of(shuffled).dependent


@pytest.mark.parametrize("distribution", INDEPENDENT)
def test_independent_rows_are_not_called_dependent(distribution):
    """At the level 0.001, none of 40 tables."""
    for seed in range(40):
        assert not diagnosis_of(draw(distribution, 1000, 4, seed)).dependent


def test_the_dependence_test_holds_its_level():
    """Bonferroni over pairs: at most 5 % of 400 tables below 0.05, within three errors."""
    rng = np.random.default_rng(3)
    below = [dependence_pvalue(rng.standard_normal((3, 500))) < 0.05 for _ in range(400)]
    assert np.mean(below) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize("df", [1, 2, 3])
def test_tails_without_fourth_moments_are_not_taken_for_dependence(df):
    """Rows of Student's t, down to Cauchy's: at the level 0.001, none of 30 tables."""
    for seed in range(30):
        found = diagnosis_of(multivariate_t(df, 5000, 8, seed))
        assert not found.dependent
        assert found.tail_index == pytest.approx(df, rel=0.6)


def test_the_advice_where_fourth_moments_may_be_infinite():
    advice = diagnosis_of(multivariate_t(1.5, 5000, 6, 0)).advice()
    assert advice.startswith("Use method 'score', ")
    assert "(tail index 1." in advice
    assert "ranks or logarithms" in advice
    # Dependence, and few rows, do not hide it, nor it them.
    everything = with_facts(n_samples=90, dependence_pvalue=0, tail_index=2, farther_tail_index=2)
    for words in ("Use method 'batch'", "tail index 2", "90 rows are few for 5 columns"):
        assert words in everything.advice()


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "t5", "exponential"])
@pytest.mark.parametrize(("n", "p"), [(500, 3), (1000, 3), (5000, 10)])
def test_tails_with_fourth_moments_are_believed(distribution, n, p):
    told = [
        diagnosis_of(draw(distribution, n, p, seed)).without_fourth_moments for seed in range(20)
    ]
    assert sum(told) <= 1


def test_outliers_are_mostly_not_taken_for_a_tail():
    """Of few rows nobody can tell; the advice names both."""
    told = [
        diagnosis_of(draw("contaminated", n, p, seed)).without_fourth_moments
        for n, p in ((1000, 3), (5000, 10))
        for seed in range(20)
    ]
    assert sum(told) <= 4


def test_the_tail_index_of_pareto_radii():
    radii = np.random.default_rng(0).pareto(2.5, 50_000) + 1
    assert tail_index(radii, 1000) == pytest.approx(2.5, abs=3 * 2.5 / np.sqrt(1000))
    assert tail_index(radii * 1e9, 1000) == pytest.approx(tail_index(radii, 1000))


def test_the_tail_index_of_rows_that_are_all_as_far_out():
    assert tail_index(np.ones(500), 20) == np.inf
    assert tail_index(np.zeros(500), 20) == np.inf
    assert tail_index(np.arange(1.0, 50), 7) == np.inf


def test_columns_that_are_mostly_zero_keep_their_clip():
    rng = np.random.default_rng(2)
    residuals = rng.standard_normal((2, 2000)) * (rng.random((2, 2000)) < 0.3)
    assert dependence_pvalue(residuals) > 0.001


def test_too_few_rows_for_any_lag_say_nothing_about_dependence():
    assert dependence_pvalue(np.random.default_rng(0).standard_normal((3, 9))) == 1.0


@pytest.mark.parametrize(
    ("facts", "start", "fragments"),
    [
        ({}, "Use method 'score': ", ["tails look Gaussian", "agrees with 'fisher'"]),
        (
            {"kurtosis_ratio": 2.5},
            "Use method 'score', or 'whitened'",
            ["tails are heavy", "2.5 times the Gaussian kurtosis", "'fisher' finds false edges"],
        ),
        ({"n_samples": 99}, "Use method 'score': ", ["99 rows are few for 5 columns"]),
        (
            {"n_samples": 99, "kurtosis_ratio": 9.0},
            "Use method 'score', ",
            ["are few", "9 times the Gaussian kurtosis"],
        ),
        (
            {"dependence_pvalue": 1e-5},
            "Use method 'batch': ",
            ["depend on the rows before them", "p 1e-05"],
        ),
        ({"dependence_pvalue": 0.0}, "Use method 'batch': ", ["p below 1e-300"]),
        ({"scale_ratio": 500.0}, "Use method 'score': ", ["standardize=True", "scales differ"]),
    ],
    ids=str,
)
def test_the_advice_is_a_sentence(facts, start, fragments):
    advice = with_facts(**facts).advice()
    assert advice.startswith(start)
    assert advice.endswith(".")
    assert "\n" not in advice
    for fragment in fragments:
        assert fragment in advice


def test_equal_scales_need_no_word():
    assert "standardize" not in with_facts(scale_ratio=99.0).advice()


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (draw("gaussian"), "tails look Gaussian"),
        (draw("t5"), "tails are heavy"),
        (draw("gaussian", 60), "60 rows are few for 4 columns"),
        (draw("gaussian") * [1, 1, 1, 1000], "standardize=True"),
    ],
    ids=["gaussian", "heavy", "few", "wide"],
)
def test_the_advice_from_rows(data, fragment):
    advice = diagnosis_of(data).advice()
    assert advice.startswith("Use method 'score'")
    assert fragment in advice


@pytest.mark.parametrize("load", [ew.datasets.load_sp500_returns, ew.datasets.load_sachs])
def test_both_bundled_data_sets_are_dependent(load):
    found = diagnosis_of(load())
    assert found.dependent
    assert found.kurtosis_ratio > 2
    assert found.advice().startswith("Use method 'batch'")


def test_only_the_complete_rows_count():
    X = draw("gaussian")
    X[[1, 5], 0] = np.nan
    assert diagnose(FiniteRows(open_table(X))).n_samples == 3998


def test_rows_that_cannot_be_diagnosed(refuses):
    refuses(lambda: diagnosis_of(draw("gaussian", 2)), ew.DataError, "n_samples=2")
    X = draw("gaussian")
    X[0, 0] = np.nan
    refuses(lambda: diagnosis_of(X), ew.NonFiniteError, "'x0' (1)")


CAUTIONS = {
    "dependent": ({"dependence_pvalue": 1e-9}, Assumes.INDEPENDENT_ROWS, "depend on the rows"),
    "heavy": ({"kurtosis_ratio": 3.0}, Assumes.GAUSSIAN_ROWS, "assumes Gaussian rows"),
}


@pytest.fixture(scope="module")
def results():
    X = draw("gaussian", 4000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.TooFewRowsWarning)
        return {name: ew.edge_test(X, method=name) for name in METHODS}


class TestCaution:
    """What the data say against the method that was used."""

    @pytest.mark.parametrize("fact", CAUTIONS)
    @pytest.mark.parametrize("method", METHODS)
    def test_concerns_the_methods_that_assume_otherwise(self, results, method, fact):
        facts, assumption, words = CAUTIONS[fact]
        told = caution(results[method], with_facts(**facts))
        assert (words in told) == (assumption in METHODS[method].assumes)

    @pytest.mark.parametrize("method", METHODS)
    def test_fourth_moments(self, results, method):
        told = caution(results[method], with_facts(tail_index=2, farther_tail_index=2))
        assert ("fourth moments" in told) == (Assumes.FOURTH_MOMENTS in METHODS[method].assumes)

    @pytest.mark.parametrize("method", METHODS)
    def test_nothing_speaks_against(self, results, method):
        assert caution(results[method], with_facts()) == caution(results[method]) == ""

    @pytest.mark.parametrize(
        ("method", "told"),
        [("score", True), ("wald", True), ("batch", True), ("fisher", False), ("trace", False)],
    )
    @pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
    def test_few_rows_are_known_without_a_diagnosis(self, method, told):
        few = ew.edge_test(draw("gaussian", 79), method=method)
        sentence = caution(few)
        assert bool(sentence) == told
        if told:
            assert sentence.startswith("But 79 rows are few for 4 columns. ")
        assert caution(ew.edge_test(draw("gaussian", 80), method=method)) == ""

    def test_a_method_that_is_not_known(self, results):
        unknown = replace(results["score"], method="of another program")
        assert caution(unknown, with_facts(dependence_pvalue=1e-9)) == ""

    def test_what_methods_assume(self):
        free = {name for name in METHODS if Assumes.INDEPENDENT_ROWS not in METHODS[name].assumes}
        assert free == {"batch", "sequential"}
        gaussian = {name for name in METHODS if Assumes.GAUSSIAN_ROWS in METHODS[name].assumes}
        assert gaussian == {"fisher"}


def test_rows_of_any_kind(csv_file, rows):
    expected = astuple(diagnose(open_table(rows)))
    for data in (rows, csv_file):
        assert astuple(diagnose(data)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("data", [iter([draw("gaussian")]), ew.accumulate(draw("gaussian"))])
def test_a_diagnosis_reads_the_rows_again(data, refuses):
    refuses(lambda: diagnose(data), ew.DataError, "data: a diagnosis reads the rows twice")
