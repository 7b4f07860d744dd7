"""Facts about rows, from the first pass alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.sample import Needs, open_sample
from edgewise.simulate import make_chain_precision, sample

INDEPENDENT = ("gaussian", "laplace", "t5", "exponential", "lognormal")


def draw(distribution, n_samples=4000, n_features=4, seed=1):
    rng = np.random.default_rng(seed)
    return sample(distribution, make_chain_precision(n_features), n_samples, rng=rng)


def multivariate_t(df, n_samples, n_features, seed):
    rng = np.random.default_rng(seed)
    scale = np.sqrt(rng.chisquare(df, (n_samples, 1)) / df)
    return rng.standard_normal((n_samples, n_features)) / scale


def facts_of(data, names=None):
    evidence = open_sample(data, Needs(), "a test", feature_names=names)
    estimate = estimate_precision(evidence.moments(), evidence.feature_names)
    return diagnosis_of(estimate, evidence.first_look, evidence.feature_names)


def autoregressive(memory, n, p, seed):
    X = np.random.default_rng(seed).standard_normal((n, p))
    for t in range(1, n):
        X[t] += memory * X[t - 1]
    return X


def test_mardias_kurtosis_by_hand():
    X = draw("t5", 300, 3)
    centred = X - X.mean(axis=0)
    squared = np.einsum("ni,ij,nj->n", centred, np.linalg.inv(np.cov(X, rowvar=False)), centred)
    expected = np.mean(squared**2) / (3 * 5)
    assert facts_of(X).kurtosis_ratio == pytest.approx(expected, rel=1e-10)


def test_rows_that_depend_on_the_rows_before_them():
    X = draw("gaussian")
    for t in range(1, len(X)):
        X[t] += 0.5 * X[t - 1]
    found = facts_of(X)
    assert found.dependent
    assert found.advice().startswith("Use method 'batch': rows depend on the rows before them")
    shuffled = np.random.default_rng(0).permutation(X)
    assert not facts_of(shuffled).dependent


@pytest.mark.parametrize("distribution", INDEPENDENT)
def test_independent_rows_are_not_called_dependent(distribution):
    """At the level 0.01, at most 3 of 40 tables."""
    found = [facts_of(draw(distribution, 1000, 4, seed)).dependent for seed in range(40)]
    assert sum(found) <= 3


@pytest.mark.parametrize("df", [1, 2, 3])
def test_tails_without_fourth_moments_are_not_taken_for_dependence(df):
    """Rows of Student's t, down to Cauchy's: at the level 0.01, at most 3 of 30 tables."""
    found = [facts_of(multivariate_t(df, 5000, 8, seed)) for seed in range(30)]
    assert sum(one.dependent for one in found) <= 3
    assert [one.tail_index for one in found] == pytest.approx([df] * 30, rel=0.6)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "t5", "exponential"])
@pytest.mark.parametrize(("n", "p"), [(500, 3), (1000, 3), (5000, 10)])
def test_tails_with_fourth_moments_are_believed(distribution, n, p):
    told = [facts_of(draw(distribution, n, p, seed)).without_fourth_moments for seed in range(20)]
    assert sum(told) <= 1


def test_the_tail_index_of_few_rows_is_not_known():
    few = np.random.default_rng(0).standard_t(2, (90, 3))
    assert ew.diagnose(few).tail_index == np.inf


@pytest.mark.parametrize("value", [1e4, 100.0, -999.0])
def test_a_cell_that_carries_its_column(value):
    for seed in range(10):
        X = np.random.default_rng(seed).standard_normal((1500, 5))
        X[811, 3] = value
        (found,) = facts_of(X, names=["a", "b", "c", "weight", "e"]).dominant_rows
        assert (found.row, found.column, found.value) == (812, "weight", value)
        column = X[:, 3] - X[:, 3].mean()
        assert found.share == pytest.approx(column[811] ** 2 / (column @ column), rel=1e-9)


@pytest.mark.parametrize("n", [60, 1000, 20_000])
def test_gaussian_and_t5_columns_have_no_dominant_row(n):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        for X in (rng.standard_normal((n, 4)), rng.standard_t(5, (n, 4))):
            assert not facts_of(X).dominant_rows or n == 60


def test_the_facts_do_not_depend_on_units_or_on_standardising():
    X = draw("t5", 1000)
    X[20, 1] = 99.0
    evidence = open_sample(X * [1e-9, 1, 1e9, 1] + 5, Needs(), "a test")
    estimate = estimate_precision(evidence.moments(), evidence.feature_names)
    names = evidence.feature_names
    plain, standard = (
        diagnosis_of(made, evidence.first_look, names)
        for made in (estimate, estimate.standardized())
    )
    expected = facts_of(X)
    for found in (plain, standard):
        assert found.kurtosis_ratio == pytest.approx(expected.kurtosis_ratio, rel=1e-6)
        assert found.dominant_rows[0].share == pytest.approx(expected.dominant_rows[0].share)
        assert found.scale_ratio == pytest.approx(plain.scale_ratio)


def test_every_pair_of_rare_columns_is_counted():
    rng = np.random.default_rng(1)
    shares = np.array([0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.4, 0.004])
    X = (rng.random((2000, 8)) < shares).astype(float)
    X[:, 2] = 7 - 3 * X[:, 2]  # the usual value need not be zero
    usual = np.median(X, axis=0)
    share = np.mean(usual != X, axis=0)
    joint = 2000 * np.outer(share, share)
    rare = np.argwhere(np.triu((joint < 5) & (share < 0.5) & (share < 0.5)[:, None], 1))
    found = facts_of(X)
    assert found.n_rare_pairs == len(rare)
    assert len(found.rare_pairs) == 3
    for pair in found.rare_pairs:
        assert [int(name[1:]) for name in pair] in rare.tolist()


RARE = {
    "poisson": lambda rng: rng.poisson(0.02, (5000, 10)),
    "binary": lambda rng: rng.random((1000, 10)) < 0.05,
    "zero-inflated": lambda rng: (rng.random((1000, 10)) < 0.1) * rng.lognormal(size=(1000, 10)),
}


@pytest.mark.parametrize("law", RARE)
def test_rare_events_are_not_taken_for_dependence(law):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = RARE[law](rng).astype(float)
        found = facts_of(X)
        assert not found.dependent
        assert not found.level_columns
        assert found.n_rare_pairs or law == "zero-inflated"


def test_tails_on_one_side_that_rows_share():
    rng = np.random.default_rng(0)
    shared = rng.pareto(2, (3000, 1)) * rng.exponential(1, (3000, 6))
    assert facts_of(shared).skewed_tails
    for X in (rng.pareto(2, (3000, 6)), multivariate_t(2, 3000, 6, 1)):
        assert not facts_of(X).skewed_tails
        assert facts_of(X).without_fourth_moments


def test_levels_and_groups():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 4))
    X[:, 2] = X[:, 2].cumsum()
    X[:, 3] = np.repeat([0, 1, 2], 500)  # groups, one after the other, are no level
    found = facts_of(X)
    assert (found.level_columns, found.discrete_columns) == (("x2",), ("x3",))


@pytest.mark.parametrize("n", [30, 500])
def test_a_column_that_counts_the_rows_is_a_level(n):
    X = np.random.default_rng(0).standard_normal((n, 3))
    X[:, 1] = np.arange(n) + 5
    found = facts_of(X)
    assert found.level_columns == ("x1",)
    assert "leave them out" in found.advice()


def test_a_state_knows_only_how_many_rows_there_are():
    state = ew.states.Moments().update(autoregressive(0.9, 15, 4, 0))
    found = facts_of(state)
    assert math.isnan(found.kurtosis_ratio)
    assert not found.dependent


ADVICE = {
    "Poisson": (lambda rng: rng.poisson(0.02, (5000, 10)), ["'score'", "few joint events"]),
    "log-normal": (lambda rng: rng.lognormal(size=(2000, 10)), ["'score'", "tails are heavy"]),
    "Pareto": (lambda rng: rng.pareto(2, (5000, 10)), ["'score'", "Method 'kendall' needs none"]),
    "150 x 50": (lambda rng: rng.standard_normal((150, 50)), ["'score'", "150 rows are few for"]),
    "walks": (lambda rng: rng.standard_normal((1500, 5)).cumsum(axis=0), ["difference them first"]),
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_on_data_that_once_misled_it(name):
    law, fragments = ADVICE[name]
    for seed in range(30 if name == "walks" else 5):
        advice = facts_of(np.asarray(law(np.random.default_rng(seed)), dtype=float)).advice()
        assert all(fragment in advice for fragment in fragments)
        assert "batch" not in advice


def test_the_advice_on_prices():
    returns = np.asarray(ew.datasets.load_sp500_returns())
    assert facts_of(returns).advice().startswith("Use method 'batch'")
    assert facts_of(returns.cumsum(axis=0)).advice().startswith("Use no method yet. Columns")
