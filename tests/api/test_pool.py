"""One result from those of imputed copies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import BrokenAssumptionWarning, ParameterError
from edgewise.inference.cautions import Caution
from edgewise.inference.references import Student
from edgewise.inference.uncertainty import PerEdge

METHODS = ("score", "nodewise", "wald", "batch", "kendall", "elliptical", "fisher")
PAIRS = np.triu_indices(4, k=1)


@pytest.fixture(scope="module")
def copies():
    """Six copies of 300 rows of a chain; 30 values of each column are drawn anew in each copy."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((300, 4))
    for j in range(1, 4):
        X[:, j] += 0.5 * X[:, j - 1]
    made = []
    for _ in range(6):
        copy = X.copy()
        for j in range(4):
            copy[30 * j : 30 * j + 30, j] += rng.standard_normal(30)
        made.append(copy)
    return made


@pytest.fixture(scope="module")
def results(copies):
    return [ew.edge_test(copy) for copy in copies]


@pytest.fixture(scope="module")
def pooled(results):
    return ew.pool(results)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_by_hand(copies, method):
    results = [ew.edge_test(copy, method=method) for copy in copies]
    pooled, m = ew.pool(results), len(results)
    for i, j in zip(*PAIRS, strict=True):
        rho = [one.partial_correlation[i, j] for one in results]
        z = [math.atanh(one) for one in rho]
        errors = [one.partial_correlation_standard_error[i, j] for one in results]
        within = sum((e / (1 - r**2)) ** 2 for e, r in zip(errors, rho, strict=True)) / m
        between = (1 + 1 / m) * float(np.var(z, ddof=1))
        total = within + between
        nu = pooled.uncertainty.reference.df[i, j]
        t = sum(z) / m / math.sqrt(total)
        np.testing.assert_allclose(pooled.partial_correlation[i, j], math.tanh(sum(z) / m))
        np.testing.assert_allclose(pooled.statistic[i, j], t)
        np.testing.assert_allclose(pooled.pvalue[i, j], 2 * stats.t.sf(abs(t), nu), rtol=1e-9)
        lost = pooled.provenance.missing_information[i, j]
        np.testing.assert_allclose(lost, between / total)
        assert nu <= (m - 1) / lost**2
        half = stats.t.ppf(0.975, nu) * math.sqrt(total)
        ends = pooled.confidence_interval(scale="partial_correlation")
        expected = [math.tanh(sum(z) / m - half), math.tanh(sum(z) / m + half)]
        np.testing.assert_allclose([end[i, j] for end in ends], expected)


def test_what_it_is_made_of(results, pooled):
    assert isinstance(pooled.uncertainty, PerEdge)
    assert isinstance(pooled.uncertainty.reference, Student)
    np.testing.assert_allclose(
        pooled.covariance, np.mean([one.covariance for one in results], axis=0)
    )
    np.testing.assert_allclose(
        pooled.precision.diagonal(), np.mean([one.precision.diagonal() for one in results], axis=0)
    )
    root = np.sqrt(pooled.precision.diagonal())
    np.testing.assert_allclose(
        pooled.partial_correlation[PAIRS], (-pooled.precision / np.outer(root, root))[PAIRS]
    )
    # The mean of Θ_ij would be nearly the same.
    mean = np.mean([one.precision for one in results], axis=0)
    np.testing.assert_allclose(pooled.precision[PAIRS], mean[PAIRS], atol=0.01)
    assert (pooled.standard_error > results[0].standard_error).mean() > 0.9
    assert np.isnan(pooled.statistic.diagonal()).all()


def test_decided_as_the_results(copies):
    asked = {"alpha": 0.01, "correction": "bh", "min_effect": 0.1}
    pooled = ew.pool([ew.edge_test(copy, **asked) for copy in copies])
    assert (pooled.alpha, pooled.correction) == (0.01, "bh")
    assert pooled.options["min_effect"] == 0.1
    again = ew.pool([ew.edge_test(copy) for copy in copies], **asked)
    np.testing.assert_array_equal(again.adjusted_pvalue, pooled.adjusted_pvalue)


def test_said_anew(copies, results):
    mixed = [ew.edge_test(copies[0], alpha=0.01, correction=None), *results[1:]]
    assert ew.pool(mixed, alpha=0.02, correction="bonferroni").alpha == 0.02
    assert ew.pool(results, correction=None).correction is None
    without = ew.pool([ew.edge_test(copy, min_effect=0.1) for copy in copies], min_effect=0)
    assert "min_effect" not in without.options


def test_maxt_needs_another_correction(copies, refuses):
    results = [ew.edge_test(copy, method="batch", correction="maxt") for copy in copies]
    for call in (lambda: ew.pool(results), lambda: ew.pool(results, correction="maxt")):
        refuses(call, ParameterError, "correction: 'maxt'", "correction='holm'")
    assert ew.pool(results, correction="holm").correction == "holm"


def test_json(pooled):
    text = pooled.to_json()
    again = ew.EdgeTestResult.from_json(text)
    assert again.to_json() == text
    assert again.options == pooled.options
    assert again.summary() == pooled.summary()
    np.testing.assert_array_equal(
        again.confidence_interval(0.9).low, pooled.confidence_interval(0.9).low
    )


def test_chosen_neighbours_are_those_of_any_copy(copies):
    results = [ew.edge_test(copy, method="nodewise") for copy in copies]
    chosen = ew.pool(results).selection.neighbours
    for i, own in enumerate(chosen):
        assert set(own) == set().union(*(one.selection.neighbours[i] for one in results))


# -- cautions


def test_equal_copies(results):
    with pytest.warns(BrokenAssumptionWarning, match="All 3 results are equal"):
        pooled = ew.pool([results[0]] * 3)
    assert "draws nothing at random" in pooled.cautions[0]
    # Nothing is missing, and m = n − p + 1 = 297 degrees are nearly kept.
    degrees = pooled.uncertainty.reference.df[0, 1]
    np.testing.assert_allclose(degrees, 298 / 300 * 297)


def test_cautions_of_the_results_are_told_once(results):
    told = "A few rows are extreme (tail index {}). They may be outliers."
    every = [
        one.with_measured(cautions=(Caution(told.format(k / 7), "tails"),))
        for k, one in enumerate(results)
    ]
    some = every[:4]
    mine = [one for one in ew.pool([*some, *results[4:]]).cautions if "extreme" in one]
    assert mine == [f"In 4 of 6 copies: {told.format(0.0)}"]
    assert told.format(0.0) in ew.pool(every).cautions


def test_heavy_tails_are_too_much_for_most_imputers():
    rng = np.random.default_rng(1)
    precision = ew.simulate.make_chain_precision(4)
    X = ew.simulate.sample("t5", precision, 2000, rng=rng)
    copies = [X + 0.3 * rng.standard_normal(X.shape) for _ in range(20)]
    results = [ew.edge_test(copy) for copy in copies]
    with pytest.warns(BrokenAssumptionWarning, match="times those of independent Gaussian"):
        pooled = ew.pool(results)
    assert "'kendall'" in pooled.cautions[0]
    by_ranks = ew.pool([ew.edge_test(copy, method="kendall") for copy in copies])
    assert not any("times those" in caution for caution in by_ranks.cautions)


# -- what cannot be pooled


@pytest.mark.parametrize(
    "method", ["trace", "eig", "spectral", "whitened", "entrywise", "sequential"]
)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_bounds(refuses, copies, method):
    results = [ew.edge_test(copy, method=method) for copy in copies[:2]]
    refuses(lambda: ew.pool(results), ParameterError, f"method {method!r}", "method='score'")


def test_values_that_are_still_missing(refuses, copies):
    holes = copies[0].copy()
    holes[:20, 0] = np.nan
    results = [ew.edge_test(holes, missing="pairwise")] * 2
    refuses(lambda: ew.pool(results), ParameterError, "missing='pairwise'", "impute every value")


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"feature_names": ["x1", "x0", "x2", "x3"]}, "the same columns in all"),
        ({"feature_names": ["a", "b", "c", "d"]}, "the same columns in all, got ('x0', 'x1'"),
        ({"method": "wald"}, "the same method in all, got 'score' as number 1 and 'wald'"),
        ({"transform": "normal-scores"}, "the same transform in all, got none as number 1"),
        ({"given": ["x3"]}, "the same given columns in all, got none as number 1 and ('x3')"),
        ({"pairs": [("x0", "x1"), ("x2", "x3")]}, "the same pairs in all, got none"),
        ({"clusters": np.arange(300) // 5}, "the same number of clusters in all, got none"),
        ({"alpha": 0.1}, "the same alpha in all, got 0.05 as number 1 and 0.1 as number 2"),
        ({"correction": "bh"}, "the same correction in all, got 'holm' as number 1 and 'bh'"),
        ({"min_effect": 0.1}, "the same min_effect in all, got 0.0 as number 1 and 0.1"),
    ],
)
def test_different_questions(refuses, copies, results, other, what):
    second = ew.edge_test(copies[1], **other)
    refuses(lambda: ew.pool([results[0], second]), ParameterError, "results: expected", what)


def test_different_rows(refuses, copies, results):
    fewer = ew.edge_test(copies[1][:200])
    refuses(lambda: ew.pool([results[0], fewer]), ParameterError, "number of rows", "300", "200")
    holes = np.vstack([copies[1], [[np.nan] * 4]])
    dropped = ew.edge_test(holes, missing="drop")
    refuses(lambda: ew.pool([results[0], dropped]), ParameterError, "left out", "impute every")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"alpha": 2}, "alpha: expected a number between 0 and 1, got 2"),
        ({"correction": "hom"}, "(did you mean 'holm'?)"),
        ({"min_effect": -1}, "min_effect: expected"),
    ],
)
def test_what_is_said_anew_is_checked(refuses, results, asked, message):
    refuses(lambda: ew.pool(results, **asked), ParameterError, message)
