"""`calibrate` counts right, says how sure it is, and shows every test the same data."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import mean, stdev

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from edgewise import edge_test
from edgewise.calibrate import RATES, Calibration, Estimate, calibrate
from edgewise.errors import DataError, DataTypeError, ParameterError
from edgewise.simulate import Gaussian, make_chain_precision, sample

P = 5
THETA = make_chain_precision(P)
NULL = THETA == 0
EDGE = ~NULL & ~np.eye(P, dtype=bool)
N_EDGES, N_NULL = 4, 6
NULL_PAIRS = np.nonzero(np.triu(NULL))
LEVEL = 0.2
CORRECTIONS = ["holm", "bonferroni", "bh", "by", None]


def coins(n, rng, p=P):
    """Rows of uniform numbers: as many rows as columns are a coin for each pair."""
    return rng.random((n, p))


def fixed(answer):
    """A test that has made up its mind."""
    return lambda X: answer


def judge(test, sampler=coins, **options):
    return calibrate(test, sampler, **{"precision": THETA, "n_samples": P, "n_draws": 40} | options)


def rates(calibration):
    return [getattr(calibration, name) for name in RATES]


def values(calibration):
    return [estimate.value for estimate in rates(calibration)]


def assert_identical(found, expected, *, but=()):
    """To the last bit, but for the rates named, which are not measured."""
    for name in RATES:
        wanted = [math.nan] * 3 if name in but else getattr(expected, name)
        np.testing.assert_array_equal(getattr(found, name), wanted, err_msg=name)
    if "false_positive_rate" not in but:
        np.testing.assert_array_equal(found.null_pvalues, expected.null_pvalues, strict=True)


def by_hand(answers, alpha):
    """The shares of every draw in the order of RATES, by loops over pairs."""
    shares = []
    for answer in answers:
        low, high = answer.confidence_interval(1 - alpha)
        null = [(i, j) for i, j in combinations(range(P), 2) if THETA[i, j] == 0]
        edges = [pair for pair in combinations(range(P), 2) if pair not in null]
        false, true = (sum(bool(answer.reject[pair]) for pair in some) for some in (null, edges))
        shares.append(
            (
                mean(float(answer.pvalue[pair] <= alpha) for pair in null),
                float(false > 0),
                false / (false + true) if false + true else 0.0,
                true / N_EDGES,
                mean(float(low[pair] <= THETA[pair] <= high[pair]) for pair in null + edges),
            )
        )
    return list(zip(*shares, strict=True))


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_rates_and_bands_by_hand(confidence):
    """Means of shares by their spread; the family-wise error by Clopper and Pearson."""
    answers = []

    def test(X):
        answers.append(edge_test(X, alpha=LEVEL, method="fisher", correction=None))
        return answers[-1]

    found = judge(test, "t5", n_samples=60, alpha=LEVEL, confidence=confidence)
    assert len(answers) == 40
    quantile = student.ppf((1 + confidence) / 2, 39)
    for name, share in zip(RATES, by_hand(answers, LEVEL), strict=True):
        middle, half = mean(share), quantile * stdev(share) / math.sqrt(40)
        expected = (middle, max(middle - half, 0), min(middle + half, 1))
        if name == "family_wise_error":
            exact = binomtest(int(sum(share)), 40).proportion_ci(confidence, method="exact")
            expected = (middle, exact.low, exact.high)
        assert getattr(found, name) == pytest.approx(expected), name
    null = [answer.pvalue[NULL_PAIRS] for answer in answers]
    np.testing.assert_array_equal(found.null_pvalues, null)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (np.ones((P, P), dtype=bool), (1, N_NULL / 10, 1)),
        (np.eye(P, dtype=bool), (0, 0, 0)),
        (EDGE, (0, 0, 1)),
        (NULL, (1, 1, 0)),
    ],
    ids=["always", "never", "oracle", "liar"],
)
def test_made_up_minds(declared, expected):
    found = judge(fixed(declared))
    assert values(found)[1:4] == pytest.approx(expected)
    assert found.null_pvalues is None
    assert np.isnan(values(found)[::4]).all()
    # Without spread a band is that of a count of draws, and not narrow.
    exact = binomtest(round(40 * expected[2]), 40).proportion_ci(0.95, method="exact")
    assert found.power[1:] == pytest.approx((exact.low, exact.high))


def test_a_pvalue_at_the_level_is_small_enough():
    for pvalue, reject in ((0.0, 1), (0.05, 1), (0.050001, 0), (1.0, 0)):
        found = judge(fixed(np.full((P, P), pvalue)), correction=None)
        assert values(found)[:4] == pytest.approx([reject, reject, reject * 0.6, reject])


def test_bands_cover_the_truth():
    """Of 30 draws, 100 times over. Pairs are alike, so a false edge has the share 6/10 of edges."""
    heads = 0.3
    truth = {
        "family_wise_error": 1 - (1 - heads) ** N_NULL,
        "false_discovery_rate": (1 - (1 - heads) ** 10) * 0.6,
        "power": heads,
    }
    found = [judge(lambda X: heads > X, n_draws=30, seed=seed) for seed in range(100)]
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / 100)
    for name, rate in truth.items():
        bands = [getattr(one, name) for one in found]
        assert mean(band.low <= rate <= band.high for band in bands) >= least


def test_without_null_pairs_or_edges():
    full = np.full((4, 4), 0.2) + np.eye(4)
    some = {"sampler": lambda n, rng: coins(n, rng, 4), "n_samples": 4}
    found = judge(lambda X: X, precision=full, **some)
    assert np.isnan(found.family_wise_error).all()
    found = judge(lambda X: X, precision=np.eye(4), **some)
    assert np.isnan(found.power).all()
    assert found.family_wise_error.value == found.false_discovery_rate.value


ROWS = {"sampler": "laplace", "n_samples": 120, "alpha": LEVEL}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_whatever_form_the_answer_has_the_same_is_counted(correction):
    by_name = judge("fisher", **ROWS, correction=correction)
    assert 0 < by_name.power.value < 1

    def answered(form, own=correction, **options):
        def test(X):
            return form(edge_test(X, method="fisher", alpha=LEVEL, correction=own))

        return judge(test, **ROWS | options)

    assert_identical(answered(lambda result: result), by_name)
    edges = answered(lambda result: result.reject)
    assert_identical(edges, by_name, but=("false_positive_rate", "coverage"))
    # Corrected here, whatever the test itself would have made of them; the diagonal is nothing.
    pvalues = answered(lambda result: result.pvalue.tolist(), None, correction=correction)
    assert_identical(pvalues, by_name, but=("coverage",))


def test_every_test_sees_the_same_data_whoever_makes_them():
    # A function in here travels to other processes as it is.
    def process(n, rng):
        return sample(Gaussian(), THETA, n, rng=rng)

    options = {"n_samples": 60, "n_draws": 25}
    expected = judge("score", "gaussian", **options)
    for n_jobs in (1, 2):
        assert_identical(judge("score", process, n_jobs=n_jobs, **options), expected)
    # More draws begin with the same; other seeds have other numbers.
    more = judge("score", "gaussian", n_samples=60, n_draws=30)
    np.testing.assert_array_equal(more.null_pvalues[:25], expected.null_pvalues)
    other = judge("score", "gaussian", seed=1, **options)
    assert not np.isclose(other.null_pvalues, expected.null_pvalues).any()


def test_fisher_errs_on_heavy_tails_and_score_does_not():
    options = {"n_samples": 500, "n_draws": 150, "seed": 1}
    fisher, score = (judge(test, "t5", **options) for test in ("fisher", "score"))
    for name in ("false_positive_rate", "family_wise_error", "false_discovery_rate"):
        assert getattr(fisher, name).low > 0.05 >= getattr(score, name).low, name
    assert fisher.coverage.high < 0.9 < score.coverage.low


def test_summary():
    nothing = Estimate(math.nan, math.nan, math.nan)
    found = Calibration(
        alpha=0.05,
        n_samples=12_345,
        n_draws=1000,
        confidence=0.95,
        false_positive_rate=Estimate(0.25, 0.2, 0.3),
        **dict.fromkeys(RATES[1:], nothing),
        null_pvalues=None,
    )
    assert found.summary().splitlines()[:3] == [
        "1,000 draws of 12,345 rows, alpha = 0.05",
        "   false positive rate  0.2500  (0.2000 to 0.3000)",
        "     family wise error  not measured",
    ]


@pytest.mark.parametrize(
    ("wrong", "error", "fragments"),
    [
        *[({"alpha": alpha}, ParameterError, ["alpha: expected"]) for alpha in (0, 1, "0.05")],
        *[({"n_draws": n}, ParameterError, ["n_draws: expected"]) for n in (1, 2.5, True)],
        ({"n_samples": 0}, ParameterError, ["n_samples: expected"]),
        ({"confidence": 95}, ParameterError, ["confidence: expected"]),
        ({"seed": -1}, ParameterError, ["seed: expected"]),
        ({"n_jobs": 0}, ParameterError, ["n_jobs: expected"]),
        ({"correction": "maxt"}, ParameterError, ["correction: expected"]),
        ({"test": "fischer"}, ParameterError, ["test: expected"]),
        ({"test": None}, ParameterError, ["test: expected", "got"]),
        ({"sampler": 3}, DataTypeError, ["sampler: expected", "int"]),
        ({"sampler": "t55"}, ParameterError, ["'lognormal'", "'t55'"]),
        ({"sampler": lambda n, rng: rng.random((n, 4))}, ParameterError, ["sampler"]),
        ({"precision": -np.eye(3)}, ParameterError, ["precision: expected", "definite"]),
        *[
            ({"test": fixed(answer)}, ParameterError, ["test: expected", *fragments])
            for answer, *fragments in (
                (np.ones((4, 4), dtype=bool), "5 × 5", "(4, 4)"),
                (None, "5 × 5"),
                (np.full((P, P), 1.5), "between 0 and 1", "1.5"),
                (np.full((P, P), np.nan), "nan"),
                (EDGE.astype(int),),
            )
        ],
    ],
)
def test_refusals(refuses, wrong, error, fragments):
    options = {"test": "fisher", "sampler": "gaussian", "n_samples": 50, "n_draws": 2}
    refuses(lambda: judge(**(options | wrong)), error, *fragments)


def test_errors_name_the_draw():
    for options in ({}, {"n_jobs": 2}):
        with pytest.raises(ZeroDivisionError) as caught:
            judge(lambda X: 1 / 0, "gaussian", n_draws=3, **options)
        assert caught.value.__notes__ == ["in draw 0 of seed 0"]
    with pytest.raises(DataError, match="more rows than columns"):
        judge("fisher", "gaussian", n_samples=P)
