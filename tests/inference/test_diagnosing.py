"""Facts about rows, from the first pass alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.diagnosis import Diagnosis, dependence_pvalue, diagnosis_of, level_columns
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


# Dependence between rows, and columns that look like levels.


def walks(n, p, seed):
    return np.random.default_rng(seed).standard_normal((p, n)).cumsum(axis=1)


def dependence_autoregressive(memory, n, p, seed):
    noise = np.random.default_rng(seed).standard_normal((p, n))
    for t in range(1, n):
        noise[:, t] += memory * noise[:, t - 1]
    return noise


def test_the_dependence_test_holds_its_level():
    """Bonferroni over pairs: at most 5 % of 400 tables below 0.05, within three errors."""
    rng = np.random.default_rng(3)
    below = [dependence_pvalue(rng.standard_normal((3, 500))) < 0.05 for _ in range(400)]
    assert np.mean(below) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_columns_that_are_mostly_zero_keep_their_clip():
    rng = np.random.default_rng(2)
    residuals = rng.standard_normal((2, 2000)) * (rng.random((2, 2000)) < 0.3)
    assert dependence_pvalue(residuals) > 0.001


def test_too_few_rows_for_any_lag_say_nothing_about_dependence():
    assert dependence_pvalue(np.random.default_rng(0).standard_normal((3, 9))) == 1.0


def test_many_columns_are_sampled():
    assert dependence_pvalue(dependence_autoregressive(0.7, 500, 200, 0)) < 1e-9
    assert dependence_pvalue(np.random.default_rng(1).standard_normal((200, 500))) > 0.001


@pytest.mark.parametrize("lag", [1, 2, 5])
def test_dependence_at_one_lag(lag):
    noise = np.random.default_rng(lag).standard_normal((3, 2000))
    noise[:, lag:] += noise[:, :-lag].copy()
    assert dependence_pvalue(noise) < 1e-6


@pytest.mark.parametrize("n", [1500, 8000])
def test_random_walks_are_levels(n):
    """Each of five walks with probability 0.99 or so: some of them in 30 of 30 tables."""
    found = [level_columns(walks(n, 5, seed)).sum() for seed in range(30)]
    assert min(found) >= 1
    assert np.mean(found) > 4.6


@pytest.mark.parametrize("memory", [0.0, 0.7, 0.9])
@pytest.mark.parametrize("n", [500, 2000])
def test_columns_with_a_mean_are_no_levels(memory, n):
    for seed in range(30):
        assert not level_columns(dependence_autoregressive(memory, n, 5, seed)).any()


def test_a_trend():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 1000))
    rows[1] += np.linspace(0, -10, 1000)
    assert level_columns(rows).tolist() == [False, True, False]
    assert level_columns(rows * [[1e9], [1e-9], [1]] + 1e6).tolist() == [False, True, False]


def test_what_cannot_be_a_level():
    assert not level_columns(np.zeros((2, 500))).any()
    assert not level_columns(walks(29, 3, 0)).any()


# The advice that facts about the data give.


def with_facts(**facts):
    usual = {
        "n_samples": 1000,
        "n_features": 5,
        "kurtosis_ratio": 1.0,
        "dependence_pvalue": 0.5,
        "scale_ratio": 1.0,
    }
    return Diagnosis(**usual | facts)


FAR = {"tail_index": 2.0, "farther_tail_index": 2.0}


@pytest.mark.parametrize(
    ("facts", "start", "fragments"),
    [
        ({}, "Use method 'score': ", ["tails look Gaussian", "agrees with 'fisher'"]),
        (
            {"kurtosis_ratio": 2.5},
            "Use method 'score', or 'whitened'",
            ["tails are heavy", "2.5 times the Gaussian kurtosis", "'fisher' finds false edges"],
        ),
        (
            {"n_samples": 24, "n_features": 10},
            "Use method 'nodewise', which assumes a sparse graph: ",
            ["24 rows and 10 columns", "24 rows are few for 10 columns", "strong"],
        ),
        (
            {"dependence_pvalue": 1e-5},
            "Use method 'batch': ",
            ["depend on the rows before them", "p = 1e-05"],
        ),
        ({"dependence_pvalue": 0.0}, "Use method 'batch': ", ["p below 1e-300"]),
        ({"scale_ratio": 500.0}, "Use method 'score': ", ["standardize=True", "scales differ"]),
        (
            {"level_columns": ("a", "b"), "dependence_pvalue": 0.0},
            "Use no method yet. Columns 'a', 'b' look like levels, such as prices",
            ["difference them first", "Then ask again."],
        ),
        (
            {"level_columns": ("a",)},
            "Use no method yet. Column 'a' looks like a level",
            ["leave them out"],
        ),
    ],
    ids=str,
)
def test_the_advice_is_a_sentence(facts, start, fragments):
    found = with_facts(**facts)
    advice = found.advice()
    assert advice.startswith(start)
    first = "no method yet" if found.recommended is None else f"method {found.recommended!r}"
    assert advice.startswith(f"Use {first}")
    assert advice.endswith(".")
    assert "\n" not in advice
    assert "logarithm" not in advice
    for fragment in fragments:
        assert fragment in advice


def test_one_problem_does_not_hide_another():
    everything = with_facts(n_samples=24, dependence_pvalue=0, **FAR)
    for words in ("Use method 'batch'", "tail index 2", "24 rows are few for 5 columns"):
        assert words in everything.advice()


def test_the_kurtosis_of_few_rows_is_noisy():
    assert not with_facts(n_samples=60, n_features=2, kurtosis_ratio=1.3).heavy_tailed
    assert with_facts(n_samples=6000, n_features=2, kurtosis_ratio=1.3).heavy_tailed


def test_what_is_not_known_is_not_claimed():
    nothing = with_facts(kurtosis_ratio=float("nan"), dependence_pvalue=float("nan"))
    assert not nothing.dependent
    assert not nothing.heavy_tailed
