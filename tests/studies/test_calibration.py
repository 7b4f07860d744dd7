"""`calibrate` counts right, says how sure it is, and shows every test the same data."""

from __future__ import annotations

import math
import warnings
from dataclasses import FrozenInstanceError, replace
from itertools import combinations
from statistics import mean, stdev

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from edgewise import edge_test
from edgewise.errors import DataError, DataTypeError, ParameterError, TooFewRowsWarning
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.simulate import Gaussian, StudentT, make_chain_precision, sample
from edgewise.studies import Calibration, Estimate, Verdict, calibrate
from edgewise.studies.calibration import RATES

P = 5
THETA = make_chain_precision(P)
EDGE = (THETA != 0) & ~np.eye(P, dtype=bool)
NULL = THETA == 0
N_EDGES, N_NULL = 4, 6
ALL_PAIRS = np.triu_indices(P, k=1)
NULL_PAIRS = np.nonzero(np.triu(NULL))
NO_NULL = np.full((4, 4), 0.2) + np.eye(4)
NO_EDGES = np.eye(4)
LEVEL = 0.2
CORRECTIONS = ["holm", "bonferroni", "bh", "by", None]


def coins(n, rng, p=P):
    """Rows of uniform numbers: as many rows as columns are a coin for each pair."""
    return rng.random((n, p))


def fixed(answer):
    """A test that has made up its mind."""
    return lambda X: answer


def judge(test, sampler=coins, **options):
    usual = {"precision": THETA, "n_samples": P, "n_draws": 40}
    return calibrate(test, sampler, **(usual | options))


def rates(calibration):
    return [getattr(calibration, name) for name in RATES]


def values(calibration):
    return [estimate.value for estimate in rates(calibration)]


def assert_identical(found, expected, *, but=()):
    """To the last bit, but for the rates named, which are not measured.

    Each draw is the same operations in the same order, whichever process makes it; all of these are
    on the same CPU, with one thread of the same BLAS.
    """
    for name in RATES:
        wanted = [math.nan] * 3 if name in but else getattr(expected, name)
        np.testing.assert_array_equal(getattr(found, name), wanted, err_msg=name)
    if "false_positive_rate" in but:
        assert found.null_pvalues is None
    else:
        np.testing.assert_array_equal(found.null_pvalues, expected.null_pvalues, strict=True)


class TestRates:
    """What is declared is known, so are the rates."""

    @pytest.mark.parametrize(
        ("declared", "family_wise", "discoveries", "power"),
        [
            pytest.param(np.ones((P, P), dtype=bool), 1, N_NULL / 10, 1, id="always"),
            pytest.param(np.zeros((P, P), dtype=bool), 0, 0, 0, id="never"),
            pytest.param(EDGE, 0, 0, 1, id="oracle"),
            pytest.param(NULL, 1, 1, 0, id="liar"),
            pytest.param(np.eye(P, dtype=bool), 0, 0, 0, id="diagonal"),
        ],
    )
    def test_made_up_minds(self, declared, family_wise, discoveries, power):
        found = judge(fixed(declared))
        assert values(found) == pytest.approx(
            [math.nan, family_wise, discoveries, power, math.nan], nan_ok=True
        )
        assert found.null_pvalues is None

    @pytest.mark.parametrize("correction", CORRECTIONS)
    @pytest.mark.parametrize("pvalue", [0.0, 1.0])
    def test_certain_pvalues(self, pvalue, correction):
        found = judge(fixed(np.full((P, P), pvalue)), correction=correction)
        reject = 1 - pvalue
        assert values(found)[:4] == pytest.approx([reject, reject, reject * N_NULL / 10, reject])
        assert np.all(found.null_pvalues == pvalue)

    def test_a_pvalue_at_the_level_is_small_enough(self):
        at, above = (
            judge(fixed(np.full((P, P), pvalue)), correction=None) for pvalue in (0.05, 0.050001)
        )
        assert values(at)[:2] == [1, 1]
        assert values(above)[:2] == [0, 0]

    def test_some_draws_err_and_some_edges_are_found(self):
        """By loops over pairs, from what the test said."""
        said = []

        def test(X):
            spread = 0.4 + X[0, 0]
            said.append(
                Verdict(X < 0.1, X**2, ConfidenceInterval(THETA - X, THETA - 0.3 + spread * X.T))
            )
            return said[-1]

        found = judge(test, alpha=LEVEL)
        assert len(said) == 40
        assert values(found) == pytest.approx(by_hand(said, LEVEL)[1])

    def test_a_fair_coin(self):
        """Means of shares vary no more than means of 0 and 1."""
        n_draws = 400
        for value, truth in zip(values(judge(coin, n_draws=n_draws)), COIN_RATES, strict=True):
            assert abs(value - truth) < 3.5 * math.sqrt(truth * (1 - truth) / n_draws)

    def test_without_null_pairs(self, refuses):
        found = judge(lambda X: X, lambda n, rng: coins(n, rng, 4), precision=NO_NULL, n_samples=4)
        assert np.isnan(found.false_positive_rate).all()
        assert np.isnan(found.family_wise_error).all()
        assert found.false_discovery_rate.value == 0
        assert found.power.value <= 0.1
        assert found.null_pvalues is None
        refuses(found.level_curve, ParameterError, "level_curve", "without null pairs")

    def test_without_edges(self):
        found = judge(lambda X: X, lambda n, rng: coins(n, rng, 4), precision=NO_EDGES, n_samples=4)
        assert np.isnan(found.power).all()
        assert found.family_wise_error.value == found.false_discovery_rate.value
        assert found.null_pvalues.shape == (40, 6)

    def test_without_pvalues(self, refuses):
        found = judge(fixed(EDGE))
        refuses(found.level_curve, ParameterError, "level_curve", "without p-values")

    def test_the_pvalues_of_null_pairs_are_kept(self):
        seen = []
        found = judge(lambda X: seen.append(X) or X)
        np.testing.assert_array_equal(found.null_pvalues, [X[NULL_PAIRS] for X in seen])


def by_hand(said, alpha):
    """The shares of every draw in the order of RATES, and their means."""
    shares = []
    for reject, pvalue, (low, high) in said:
        null = [(i, j) for i, j in combinations(range(P), 2) if THETA[i, j] == 0]
        edges = [pair for pair in combinations(range(P), 2) if pair not in null]
        assert (len(null), len(edges)) == (N_NULL, N_EDGES)
        false, true = (sum(bool(reject[pair]) for pair in pairs) for pairs in (null, edges))
        shares.append(
            (
                mean(float(pvalue[pair] <= alpha) for pair in null),
                float(false > 0),
                false / (false + true) if false + true else 0.0,
                true / N_EDGES,
                mean(float(low[pair] <= THETA[pair] <= high[pair]) for pair in null + edges),
            )
        )
    return shares, [mean(share) for share in zip(*shares, strict=True)]


HEADS = 0.3


def coin(X):
    """Edges, p-values and intervals by coins of known probability."""
    thrown = np.where(X.T < 0.7, 0.0, np.inf)
    return Verdict(X < HEADS, X, ConfidenceInterval(THETA - 1, THETA + 1 - thrown))


#: Pairs are alike, so given that any is declared it is a null pair with probability 6/10.
COIN_RATES = (0.05, 1 - (1 - HEADS) ** N_NULL, (1 - (1 - HEADS) ** 10) * 0.6, HEADS, 0.7)


class TestBands:
    @pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
    @pytest.mark.parametrize("n_draws", [2, 3, 40])
    @pytest.mark.parametrize("heads", [0.0, 0.1, 1.0])
    def test_clopper_and_pearson_of_the_family_wise_error(self, heads, n_draws, confidence):
        seen = []

        def test(X):
            seen.append((heads > X)[NULL_PAIRS].any())
            return heads > X

        value, low, high = judge(test, n_draws=n_draws, confidence=confidence).family_wise_error
        exact = binomtest(int(sum(seen)), n_draws).proportion_ci(confidence, method="exact")
        assert (value, low, high) == pytest.approx((np.mean(seen), exact.low, exact.high))

    @pytest.mark.parametrize("confidence", [0.5, 0.95])
    def test_means_of_shares_by_their_spread(self, confidence):
        said = []
        found = judge(
            lambda X: said.append(coin(X)) or said[-1], alpha=LEVEL, confidence=confidence
        )
        shares, means = by_hand(said, LEVEL)
        quantile = student.ppf((1 + confidence) / 2, 39)
        for name, share, middle in zip(RATES, zip(*shares, strict=True), means, strict=True):
            if name != "family_wise_error":
                half = quantile * stdev(share) / math.sqrt(40)
                expected = (middle, max(middle - half, 0), min(middle + half, 1))
                assert getattr(found, name) == pytest.approx(expected), name

    def test_of_rare_events_end_at_zero_and_one(self):
        once = iter([True] + [False] * 39)
        found = judge(lambda X: NULL if next(once) else EDGE)
        assert found.false_discovery_rate.low == 0
        assert found.power.high == 1

    @pytest.mark.parametrize(("pvalue", "successes"), [(0.0, 40), (1.0, 0)])
    def test_without_spread_are_not_narrow(self, pvalue, successes):
        found = judge(fixed(np.full((P, P), pvalue)))
        exact = binomtest(successes, 40).proportion_ci(0.95, method="exact")
        for estimate in (found.false_positive_rate, found.power):
            assert estimate[1:] == pytest.approx((exact.low, exact.high))

    @pytest.mark.parametrize("n_draws", [20, 50])
    def test_without_spread_but_for_rounding(self, n_draws):
        _, low, high = judge(
            fixed(np.ones((P, P), dtype=bool)), n_draws=n_draws
        ).false_discovery_rate
        exact = binomtest(round(0.6 * n_draws), n_draws).proportion_ci(0.95, method="exact")
        assert (low, high) == pytest.approx((exact.low, exact.high))

    def test_cover_the_truth(self):
        """Of 30 draws, 300 times over."""
        truths = (LEVEL, *COIN_RATES[1:])
        covered = [
            [
                low <= truth <= high
                for truth, (_, low, high) in zip(
                    truths, rates(judge(coin, alpha=LEVEL, n_draws=30, seed=seed)), strict=True
                )
            ]
            for seed in range(300)
        ]
        least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)
        assert np.all(np.mean(covered, axis=0) >= least)

    def test_more_draws_and_less_confidence_are_narrower(self):
        def widths(**options):
            return [high - low for _, low, high in rates(judge(coin, **options))]

        usual = widths()
        assert np.all(np.less(widths(n_draws=400), usual))
        assert np.all(np.less(widths(confidence=0.5), usual))


@pytest.fixture(scope="module")
def exact():
    return judge(lambda X: X, n_draws=400)


class TestLevelCurve:
    def test_exact_pvalues_lie_on_the_diagonal(self, exact):
        level, rate, low, high = exact.level_curve()
        np.testing.assert_allclose(level, np.arange(101) / 100, atol=1e-15)
        assert np.all((low <= level) & (level <= high))
        assert np.all(np.diff(rate) >= 0)
        # 2,400 independent p-values, not 400: the band of the draws is wide.
        assert np.abs(rate - level).max() < 1.95 / math.sqrt(2400)

    def test_is_the_share_of_pvalues(self, exact):
        levels = [0.5, 0.01, 0.05, *exact.null_pvalues[0]]
        curve = exact.level_curve(levels)
        expected = [np.mean(exact.null_pvalues <= level) for level in levels]
        np.testing.assert_array_equal(curve.level, levels)
        np.testing.assert_allclose(curve.rate, expected, rtol=1e-12)
        assert exact.level_curve([0.05]).rate == pytest.approx(exact.false_positive_rate.value)

    def test_levels_of_any_kind(self, exact):
        expected = exact.level_curve([0.1, 0.2])
        for levels in ((0.1, 0.2), np.array([0.1, 0.2]), iter([0.1, 0.2])):
            np.testing.assert_array_equal(exact.level_curve(levels), expected)

    def test_at_the_ends(self, exact):
        level, rate, low, high = exact.level_curve([0, 1])
        assert rate.tolist() == level.tolist() == [0, 1]
        assert low[0] == 0
        assert high[1] == 1

    @pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
    @pytest.mark.parametrize("n_draws", [2, 40])
    def test_the_half_width_is_that_of_the_draws(self, n_draws, confidence):
        """2·exp(−2·draws·half²) is the probability to be outside."""
        found = judge(lambda X: X, n_draws=n_draws, confidence=confidence)
        _, rate, low, high = found.level_curve()
        half = np.concatenate([(rate - low)[low > 0], (high - rate)[high < 1]])
        assert half.size or n_draws == 2
        np.testing.assert_allclose(2 * np.exp(-2 * n_draws * half**2), 1 - confidence, rtol=1e-9)
        assert np.all((low >= 0) & (high <= 1))
        assert np.all((low <= rate) & (rate <= high))

    @pytest.mark.parametrize(("power", "below"), [(2.0, False), (0.5, True)])
    def test_other_pvalues_leave_the_diagonal_on_their_side(self, power, below):
        level, rate, low, high = judge(lambda X: X**power, n_draws=400).level_curve()
        np.testing.assert_allclose(rate, level ** (1 / power), atol=1.95 / math.sqrt(2400))
        outside = high < level if below else low > level
        assert outside.sum() > 30
        assert not np.any(low > level if below else high < level)


class TestData:
    def collect(self, test=lambda X: X[:P] < 0, sampler="t5", **options):
        seen = []
        found = judge(
            lambda X: seen.append(X.copy()) or test(X), sampler, **({"n_samples": 50} | options)
        )
        return seen, found

    def test_every_test_sees_the_same(self):
        first, _ = self.collect(edge_test, alpha=0.05)
        for test, options in [
            (lambda X: edge_test(X, method="fisher").pvalue, {"correction": "bh"}),
            (fixed(EDGE), {"alpha": 0.5, "confidence": 0.5}),
        ]:
            again, _ = self.collect(test, **options)
            np.testing.assert_array_equal(again, first)
        by_name = judge("score", "t5", n_samples=50)
        expected = [edge_test(X).pvalue[NULL_PAIRS] for X in first]
        np.testing.assert_allclose(by_name.null_pvalues, expected, rtol=1e-12)

    def test_draws_differ_and_so_do_seeds(self):
        first, _ = self.collect()
        other, _ = self.collect(seed=1)
        numbers = np.concatenate([np.ravel(first), np.ravel(other)])
        assert np.unique(numbers).size == numbers.size == 2 * 40 * 50 * P

    def test_more_draws_begin_with_the_same(self):
        few, _ = self.collect(n_draws=7)
        many, _ = self.collect(n_draws=23)
        np.testing.assert_array_equal(many[:7], few)

    def test_a_seed_of_the_callers_own_changes_nothing(self):
        first, _ = self.collect()
        np.random.seed(3)  # noqa: NPY002
        again, _ = self.collect()
        np.testing.assert_array_equal(again, first)

    def test_other_seeds_give_other_numbers(self):
        first, again, other = (judge(coin, seed=seed) for seed in (5, 5, 6))
        assert_identical(again, first)
        assert not np.isclose(other.null_pvalues, first.null_pvalues).any()

    def test_the_number_of_workers_changes_nothing(self):
        # A function in here travels to other processes as it is.
        def process(n, rng):
            return rng.standard_t(5, (n, 4))

        for test, sampler, options in [
            ("score", "laplace", {"precision": THETA}),
            (lambda X: edge_test(X, method="fisher").pvalue, process, {"precision": np.eye(4)}),
        ]:
            one, two = (
                judge(test, sampler, n_samples=60, n_draws=25, n_jobs=n_jobs, **options)
                for n_jobs in (1, 2)
            )
            assert_identical(two, one)

    def test_a_cluster_changes_nothing(self, client):
        def process(n, rng):
            return rng.standard_t(5, (n, 4))

        for test, sampler, options in [
            ("score", "laplace", {"precision": THETA}),
            (lambda X: edge_test(X, method="fisher").pvalue, process, {"precision": np.eye(4)}),
        ]:
            told = []
            options |= {"n_samples": 60, "n_draws": 55}
            there = judge(test, sampler, client=client, tell=told.append, **options)
            assert_identical(there, judge(test, sampler, **options))
            assert sum(told) == 55

    def test_threads_of_a_worker_silence_nothing_for_good(self, client):
        """Each draw has too few rows for a finite threshold, which is no news here."""
        before = list(warnings.filters)
        options = {"n_samples": 20, "n_draws": 60}
        found = judge("trace", "gaussian", client=client, **options)
        assert warnings.filters == before
        assert_identical(found, judge("trace", "gaussian", **options))
        with pytest.warns(TooFewRowsWarning):
            edge_test(np.random.default_rng(0).standard_normal((20, P)), method="trace")

    @pytest.mark.parametrize("n_draws", [2, 10, 25])
    def test_tells_of_every_draw(self, n_draws):
        told = []
        judge(coin, n_draws=n_draws, tell=told.append)
        assert sum(told) == n_draws
        assert min(told) > 0

    def test_tells_of_every_draw_of_many_workers(self):
        told = []
        judge("fisher", "gaussian", n_samples=50, n_draws=25, n_jobs=2, tell=told.append)
        assert sum(told) == 25

    def test_one_blas_thread(self):
        from threadpoolctl import threadpool_info

        threads = []

        def test(X):
            threads.append(max((pool["num_threads"] for pool in threadpool_info()), default=1))
            return EDGE

        judge(test, n_draws=2)
        assert threads == [1, 1]


ROWS = {"sampler": "laplace", "n_samples": 120, "alpha": LEVEL}


@pytest.fixture(scope="module", params=CORRECTIONS)
def correction(request):
    return request.param


@pytest.fixture(scope="module")
def by_name(correction):
    found = judge("fisher", **ROWS, correction=correction)
    # Something must be decided here, one way and the other.
    assert 0 < found.power.value < 1
    assert 0 < found.family_wise_error.value < 1
    return found


class TestAnswers:
    """Whatever form the answer has, the same is counted."""

    def answered(self, own, form, **options):
        def test(X):
            return form(edge_test(X, method="fisher", alpha=LEVEL, correction=own))

        return judge(test, **(ROWS | options))

    def test_results(self, by_name, correction):
        assert_identical(self.answered(correction, lambda result: result), by_name)

    def test_verdicts(self, by_name, correction):
        def verdict(result):
            return Verdict(result.reject, result.pvalue, result.confidence_interval(1 - LEVEL))

        assert_identical(self.answered(correction, verdict), by_name)

    def test_edges(self, by_name, correction):
        found = self.answered(correction, lambda result: result.reject)
        assert_identical(found, by_name, but=("false_positive_rate", "coverage"))

    def test_pvalues(self, by_name, correction):
        """Corrected here, whatever the test itself would have made of them."""
        found = self.answered(None, lambda result: result.pvalue, correction=correction)
        assert_identical(found, by_name, but=("coverage",))

    def test_corrections_differ(self):
        power = {
            correction: judge("fisher", **ROWS, correction=correction).power.value
            for correction in CORRECTIONS
        }
        assert power["bonferroni"] < power["holm"] < power["bh"] < power[None]
        assert power["by"] < power["bh"]

    @pytest.mark.parametrize("diagonal", [np.nan, 0.0, 1.0, -3.0])
    def test_the_diagonal_is_not_looked_at(self, diagonal):
        def test(X):
            pvalues = X.copy()
            np.fill_diagonal(pvalues, diagonal)
            return pvalues

        assert_identical(judge(test), judge(lambda X: X))

    def test_what_an_array_can_be_made_from(self, require):
        pandas = require("pandas")
        expected = judge(lambda X: X)
        for form in (pandas.DataFrame, np.ndarray.tolist, lambda X: tuple(map(tuple, X))):
            assert_identical(judge(lambda X, form=form: form(X)), expected)
        single = judge(lambda X: X.astype(np.float32))
        assert values(single)[:4] == pytest.approx(values(expected)[:4])
        edges = judge(lambda X: pandas.DataFrame(X < HEADS))
        assert values(edges)[1:4] == values(judge(coin))[1:4]

    def test_corrections_that_are_the_tests_own(self):
        """`calibrate` need not know them."""
        found = judge(
            lambda X: edge_test(X, method="batch", correction="maxt", alpha=LEVEL, n_batches=6),
            **ROWS,
            n_draws=3,
        )
        assert found.power.value > 0

    @pytest.mark.parametrize("method", ["score", "wald", "batch", "whitened", "eig", "elliptical"])
    def test_methods_by_name(self, method):
        """Too few rows are no news here: warnings are errors in these tests."""
        found = judge(method, "gaussian", n_samples=12, n_draws=3)
        assert np.isfinite(values(found)).all()

    def test_the_answer_is_left_alone(self):
        pvalues = np.full((P, P), 0.5)
        pvalues.flags.writeable = False
        judge(fixed(pvalues))
        assert np.all(pvalues == 0.5)


class TestSamplers:
    def test_a_name_stands_for_its_law(self):
        expected = judge("fisher", "t5", n_samples=50)
        assert_identical(judge("fisher", StudentT(5.0), n_samples=50), expected)
        other = judge("fisher", StudentT(9.0), n_samples=50)
        assert not np.isclose(other.null_pvalues, expected.null_pvalues).any()

    def test_any_function_of_rows_and_generator(self, require):
        pandas = require("pandas")
        expected = judge("fisher", "gaussian", n_samples=50)

        def process(n, rng):
            assert n == 50
            assert isinstance(rng, np.random.Generator)
            return sample(Gaussian(), THETA, n, rng=rng)

        assert_identical(judge("fisher", process, n_samples=50), expected)
        for form in (pandas.DataFrame, np.ndarray.tolist):
            found = judge("fisher", lambda n, rng, form=form: form(process(n, rng)), n_samples=50)
            # Columns of a frame lie in another order in memory, and are summed in another.
            np.testing.assert_allclose(found.null_pvalues, expected.null_pvalues, rtol=1e-12)
            assert values(found) == pytest.approx(values(expected))

    def test_tests_get_arrays(self):
        def test(X):
            assert type(X) is np.ndarray
            assert X.shape == (P, P)
            return EDGE

        judge(test, lambda n, rng: coins(n, rng).tolist())

    def test_a_process_of_ones_own(self):
        """x → y → z with uniform noise; the truth from Θ = (I − B)ᵀ(I − B)."""
        cause = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]])
        root = np.eye(3) - cause

        def process(n, rng):
            noise = rng.uniform(-math.sqrt(3), math.sqrt(3), (n, 3))
            return noise @ np.linalg.inv(root).T

        found = judge("score", process, precision=root.T @ root, n_samples=500, n_draws=100)
        assert found.power.value == 1
        assert found.family_wise_error.low <= 0.05
        assert found.coverage.value == pytest.approx(0.95, abs=0.05)

    def test_precision_of_any_kind(self):
        expected = judge("fisher", "gaussian", precision=np.eye(3), n_samples=50)
        for precision in (np.eye(3).tolist(), np.eye(3, dtype=int)):
            assert_identical(
                judge("fisher", "gaussian", precision=precision, n_samples=50), expected
            )


class TestCoverage:
    @pytest.mark.parametrize("alpha", [0.05, 0.5])
    @pytest.mark.parametrize("method", ["score", "fisher"])
    def test_of_the_intervals_of_a_result(self, method, alpha):
        covered = []

        def test(X):
            result = edge_test(X, method=method, alpha=alpha)
            low, high = result.confidence_interval(level=1 - alpha)
            covered.append(((low <= THETA) & (high >= THETA))[ALL_PAIRS].mean())
            return result

        found = judge(test, "gaussian", n_samples=200, alpha=alpha)
        assert found.coverage.value == pytest.approx(np.mean(covered))
        assert found.coverage.value == pytest.approx(1 - alpha, abs=0.07)

    def test_ends_belong_to_an_interval(self):
        for low, high, expected in [
            (THETA, THETA, 1.0),
            (np.nextafter(THETA, np.inf), THETA + 1, 0.0),
            (THETA - 1, np.nextafter(THETA, -np.inf), 0.0),
            (np.where(NULL, -1.0, THETA + 1), THETA + 2, N_NULL / 10),
            (np.where(np.eye(P), 99.0, -np.inf), np.full((P, P), np.inf), 1.0),
            (np.full((P, P), np.nan), np.full((P, P), np.nan), 0.0),
        ]:
            found = judge(fixed(Verdict(EDGE, interval=ConfidenceInterval(low, high))))
            assert found.coverage.value == pytest.approx(expected)
            assert found.null_pvalues is None

    def test_without_intervals(self):
        for verdict in (Verdict(EDGE), Verdict(EDGE, np.full((P, P), 0.5))):
            assert np.isnan(judge(fixed(verdict)).coverage).all()


def test_fisher_errs_on_heavy_tails_and_score_does_not():
    options = {"n_samples": 500, "n_draws": 150, "seed": 1}
    fisher, score = (judge(test, "t5", **options) for test in ("fisher", "score"))
    for name in ("false_positive_rate", "family_wise_error", "false_discovery_rate"):
        assert getattr(fisher, name).low > 0.05 >= getattr(score, name).low, name
    assert fisher.coverage.high < 0.9 < score.coverage.low
    assert min(fisher.power.value, score.power.value) > 0.9
    curve = fisher.level_curve()
    assert np.any(curve.low > curve.level)


class TestCalibration:
    FOUND = Calibration(
        alpha=0.05,
        n_samples=12_345,
        n_draws=1000,
        confidence=0.95,
        false_positive_rate=Estimate(0.25, 0.2, 0.3),
        family_wise_error=Estimate(1.0, 0.99634, 1.0),
        false_discovery_rate=Estimate(0.0, 0.0, 0.00368),
        power=Estimate(math.nan, math.nan, math.nan),
        coverage=Estimate(0.123456, 0.1, 0.2),
        null_pvalues=None,
    )

    def test_summary(self):
        assert self.FOUND.summary().splitlines() == [
            "1,000 draws of 12,345 rows, alpha = 0.05",
            "   false positive rate  0.2500  (0.2000 to 0.3000)",
            "     family wise error  1.0000  (0.9963 to 1.0000)",
            "  false discovery rate  0.0000  (0.0000 to 0.0037)",
            "                 power  not measured",
            "              coverage  0.1235  (0.1000 to 0.2000)",
        ]

    def test_knows_what_was_asked(self):
        found = judge(coin, n_draws=7, alpha=0.1, confidence=0.9)
        assert (found.n_samples, found.n_draws, found.alpha, found.confidence) == (P, 7, 0.1, 0.9)
        assert found.summary().startswith("7 draws of 5 rows, alpha = 0.1\n")
        assert found.null_pvalues.shape == (7, N_NULL)

    def test_is_frozen(self):
        with pytest.raises(FrozenInstanceError):
            self.FOUND.alpha = 0.1


BAD_ARGUMENTS = [
    *[({"alpha": alpha}, "alpha") for alpha in (0, 1, -0.1, 5, math.nan, "0.05", None)],
    *[({"n_draws": n}, "n_draws") for n in (1, 0, -3, 2.5, True, "many")],
    *[({"n_samples": n}, "n_samples") for n in (0, 1.5, None)],
    *[({"confidence": c}, "confidence") for c in (0, 1, 95, "high")],
    *[({"seed": seed}, "seed") for seed in (-1, 0.5, None)],
    *[({"n_jobs": n}, "n_jobs") for n in (0, -2, 1.5, True, "all")],
    *[({"correction": c}, "correction") for c in ("maxt", "sidak", 3, "")],
    *[({"test": test}, "test") for test in ("fischer", "")],
]
BAD_PRECISIONS = [
    (-np.eye(3), "positive definite"),
    (np.ones((3, 3)), "positive definite"),
    (np.ones((3, 4)), "square"),
    (np.ones(3), "square"),
    (np.empty((0, 0)), "square"),
    (np.triu(np.ones((3, 3))), "symmetric"),
    (np.full((3, 3), np.nan), "finite"),
    (None, "square"),
]
BAD_ANSWERS = [
    (np.ones((4, 4), dtype=bool), "5 × 5", "(4, 4)"),
    (np.full(10, 0.5), "5 × 5", "(10,)"),
    (Verdict(np.ones((6, 6), dtype=bool)), "5 × 5", "(6, 6)"),
    ((EDGE, EDGE), "5 × 5", "(2, 5, 5)"),
    (None, "5 × 5", "()"),
    (np.full((P, P), 1.5), "between 0 and 1", "1.5"),
    (np.full((P, P), -0.5), "between 0 and 1", "-0.5"),
    (np.full((P, P), np.inf), "between 0 and 1", "inf"),
]


class TestRefusals:
    @pytest.mark.parametrize(("wrong", "name"), BAD_ARGUMENTS)
    def test_arguments(self, refuses, wrong, name):
        options = {"test": "fisher", "sampler": "gaussian", "n_samples": 50, "n_draws": 2}
        refuses(lambda: judge(**(options | wrong)), ParameterError, f"{name}: expected", "got")

    @pytest.mark.parametrize(("precision", "rule"), BAD_PRECISIONS)
    def test_precision(self, refuses, precision, rule):
        for sampler in ("gaussian", coins):
            refuses(
                lambda sampler=sampler: judge("fisher", sampler, precision=precision),
                ParameterError,
                "precision: expected",
                rule,
            )

    @pytest.mark.parametrize("sampler", [3, None, THETA, ["t5"]])
    def test_samplers_of_a_wrong_type(self, refuses, sampler):
        kind = type(sampler).__name__
        refuses(lambda: judge("fisher", sampler), DataTypeError, "sampler: expected", kind)

    def test_samplers_of_a_wrong_name(self, refuses):
        refuses(lambda: judge("fisher", "t55"), ParameterError, "'lognormal'", "'t55'")

    @pytest.mark.parametrize("answer", BAD_ANSWERS)
    def test_answers(self, refuses, answer):
        said, *fragments = answer
        error = refuses(lambda: judge(fixed(said)), ParameterError, "test: expected", *fragments)
        assert error.__notes__ == ["in draw 0 of seed 0"]

    def test_nothing_is_drawn_before(self):
        def process(n, rng):
            raise AssertionError("drawn")

        for wrong in ({"alpha": 2}, {"n_jobs": 0}, {"correction": "maxt"}, {"test": "none"}):
            with pytest.raises(ParameterError):
                judge(**({"test": coin, "sampler": process} | wrong))

    def test_errors_of_the_test_name_the_draw(self):
        seen = []

        def test(X):
            seen.append(X)
            return EDGE if len(seen) < 14 else 1 / 0

        with pytest.raises(ZeroDivisionError) as caught:
            judge(test, seed=7)
        assert caught.value.__notes__ == ["in draw 13 of seed 7"]
        assert len(seen) == 14

    def test_errors_of_the_sampler_name_the_draw(self):
        def process(n, rng):
            raise OSError("no such disk")

        with pytest.raises(OSError, match="no such disk") as caught:
            judge("fisher", process)
        assert caught.value.__notes__ == ["in draw 0 of seed 0"]

    def test_errors_of_other_processes_name_the_draw(self):
        with pytest.raises(ZeroDivisionError) as caught:
            judge(lambda X: 1 / 0, "gaussian", n_draws=3, n_jobs=2)
        assert caught.value.__notes__ == ["in draw 0 of seed 0"]

    def test_errors_of_a_cluster_name_the_draw(self, client):
        with pytest.raises(ZeroDivisionError) as caught:
            judge(lambda X: 1 / 0, "gaussian", n_draws=3, client=client)
        assert caught.value.__notes__ == ["in draw 0 of seed 0"]

    @pytest.mark.parametrize("n_jobs", [1, 2, -1])
    def test_processes_and_a_cluster(self, refuses, client, n_jobs):
        refuses(
            lambda: judge("fisher", "gaussian", n_jobs=n_jobs, client=client),
            ParameterError,
            "n_jobs: expected None together with client",
            f"got {n_jobs};",
        )

    def test_no_client_at_all(self, refuses, require):
        require("distributed")
        refuses(
            lambda: judge("fisher", "gaussian", client="tcp://nowhere:8786"),
            ParameterError,
            "client: expected",
            "got str",
        )

    def test_too_few_rows(self):
        """By whoever cannot go on, in the words of `edge_test`."""
        with pytest.raises(DataError, match="more rows than columns") as caught:
            judge("fisher", "gaussian", n_samples=P)
        assert caught.value.__notes__ == ["in draw 0 of seed 0"]


HALF = np.full((P, P), 0.5)


class TestSilentlyWrong:
    """What is neither refused in a sentence nor counted as it was meant."""

    @pytest.mark.parametrize(
        "verdict",
        [
            pytest.param(Verdict(EDGE, np.full((P, P), 7.0)), id="p-values of 7"),
            pytest.param(Verdict(EDGE, np.full((6, 6), 0.5)), id="too many p-values"),
            pytest.param(Verdict(EDGE, HALF[0]), id="too few p-values"),
            pytest.param(
                Verdict(EDGE, HALF, ConfidenceInterval(*np.zeros((2, 7, 7)))), id="too many ends"
            ),
            pytest.param(Verdict(HALF), id="no edges"),
        ],
    )
    def test_verdicts(self, refuses, verdict):
        refuses(lambda: judge(fixed(verdict)), ParameterError, "test: expected")

    def test_verdicts_of_lists(self):
        expected = judge(fixed(Verdict(EDGE, HALF)))
        assert_identical(judge(fixed(Verdict(EDGE.tolist(), HALF.tolist()))), expected)

    def test_edges_as_whole_numbers(self, refuses):
        refuses(lambda: judge(fixed(EDGE.astype(int))), ParameterError, "test: expected")

    @pytest.mark.parametrize("missing", [ALL_PAIRS, ([0], [1])], ids=["all", "one"])
    def test_missing_pvalues(self, refuses, missing):
        pvalues = HALF.copy()
        pvalues[missing] = np.nan
        refuses(lambda: judge(fixed(pvalues)), ParameterError, "test: expected", "nan")

    @pytest.mark.parametrize("precision", ["chain", [[1.0], [0.0, 1.0]]])
    def test_precision_without_numbers(self, refuses, precision):
        refuses(
            lambda: judge("fisher", "gaussian", precision=precision), ParameterError, "precision"
        )

    def test_unknown_laws(self, refuses):
        refuses(lambda: judge("fisher", "t55"), ParameterError, "sampler: expected")

    @pytest.mark.parametrize("test", [EDGE, None, 3, 0.5], ids=["array", "None", "3", "0.5"])
    def test_no_test_at_all(self, refuses, test):
        refuses(lambda: judge(test), DataTypeError, "test: expected", "got")

    @pytest.mark.parametrize("shape", [(50, 4), (57, P), (50 * P,)])
    def test_samplers_of_other_shapes(self, refuses, shape):
        refuses(
            lambda: judge("fisher", lambda n, rng: rng.standard_normal(shape), n_samples=50),
            ParameterError,
            "sampler",
        )

    def test_results_without_intervals(self):
        found = judge(lambda X: replace(edge_test(X), uncertainty=None), "t5", n_samples=50)
        assert np.isnan(found.coverage).all()
