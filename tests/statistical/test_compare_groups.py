"""Two groups with the same graph: no difference is found more often than promised.

The laws are those that break other tests: row-wise scale mixtures (contaminated, t₅), skew
(exponential, log-normal), rare counts. The groups may have different laws and numbers of rows,
which permutations of plain differences do not survive.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistical.grouped_laws import group_sizes, grouped_rows
from tests.statistical.laws import DISCRETE, FULL, rejects, rows_of

from edgewise import compare_groups
from edgewise.api.compare_groups import permuted_statistics
from edgewise.inference.differences import PermutedTests
from edgewise.inference.sample import open_sample
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.results.difference import TwoGroups
from edgewise.simulate import make_chain_precision

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
LAWS = ("gaussian", "t5", "contaminated", "exponential", "lognormal", "poisson 0.05")
PAIRS_OF_LAWS = [(law, law) for law in LAWS]
UNEQUAL = [("gaussian", "t5"), ("t5", "gaussian"), ("contaminated", "gaussian")]
SIZES = [(200, 200), (500, 500), (300, 1500)]
# Partial correlations of neighbours; 0 is a graph without edges.
WEIGHTS = (-0.3, 0.0, 0.3)
EVERY_CELL = [
    (a, b, n_a, n_b, p, weight)
    for a, b in PAIRS_OF_LAWS + UNEQUAL
    for n_a, n_b in SIZES
    for p in (10, 20)
    for weight in WEIGHTS
    if weight == 0 or a not in DISCRETE
]
FEW_CELLS = [
    ("gaussian", "gaussian", 200, 200, 10, 0.3),
    ("contaminated", "contaminated", 200, 200, 20, -0.3),
    ("poisson 0.05", "poisson 0.05", 300, 1500, 10, 0.0),
    ("gaussian", "t5", 300, 1500, 10, 0.3),
    ("t5", "gaussian", 300, 1500, 10, 0.3),
]
_GROUPS = ("law_a", "law_b", "n_a", "n_b", "p", "weight")


class LogPValues:
    """Those of `compare_groups`, without the rest; the first data set is compared with it."""

    def __init__(self, method: str) -> None:
        self._method: Method = method_of(method)
        self._checked = False

    def __call__(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        needs = self._method.needs
        measured = [self._method.measure_group(open_sample(X, needs, "the proof")) for X in (a, b)]
        log_p = TwoGroups(("a", "b"), *measured).difference(1).log_pvalues()
        if not self._checked:
            result = compare_groups(a, b, method=self._method)
            pairs = np.triu_indices(result.n_features, k=1)
            np.testing.assert_array_equal(result.log_pvalue[pairs], log_p)
            np.testing.assert_array_equal(result.reject[pairs], rejects(log_p, "holm"))
            self._checked = True
        return log_p


def graph(p: int, weight: float) -> np.ndarray:
    return make_chain_precision(p, -weight) if weight else np.eye(p)


@pytest.mark.parametrize(_GROUPS, EVERY_CELL if FULL else FEW_CELLS)
def test_equal_graphs(trial, law_a, law_b, n_a, n_b, p, weight):
    precision, log_pvalues = graph(p, weight), LogPValues("wald")
    errors, shares = [], []
    for rng in trial.draws(60, 1_000):
        log_p = log_pvalues(
            rows_of(law_a, precision, n_a, rng), rows_of(law_b, precision, n_b, rng)
        )
        errors.append(rejects(log_p, "holm").any())
        shares.append((log_p <= math.log(ALPHA)).mean())
    with trial.together():
        trial.rate_at_most("family-wise error, two groups + Holm", errors, ALPHA)
        trial.mean_at_most("equal pairs below 0.05", shares, ALPHA)


BATCHES = [("t5", "ar1-t5", 1000, 3000), ("ar1-gaussian", "ar1-t5", 2000, 2000)]


@pytest.mark.parametrize(("law_a", "law_b", "n_a", "n_b"), BATCHES if FULL else BATCHES[:1])
def test_rows_that_depend_on_the_rows_before(trial, law_a, law_b, n_a, n_b):
    precision, log_pvalues = graph(10, 0.3), LogPValues("batch")
    errors = []
    for rng in trial.draws(20, 500):
        log_p = log_pvalues(
            rows_of(law_a, precision, n_a, rng), rows_of(law_b, precision, n_b, rng)
        )
        errors.append(rejects(log_p, "holm").any())
    trial.rate_at_most("family-wise error, batches", errors, ALPHA)


SUBJECTS = [
    ("intercepts", "intercepts-t5", 60, 100, 10, "equal"),
    ("ar1", "intercepts", 40, 40, 20, "unequal"),
    ("intercepts-t5", "intercepts-t5", 30, 120, 10, "unequal"),
    ("traits", "traits", 60, 60, 10, "equal"),
]


@pytest.mark.parametrize(
    ("law_a", "law_b", "n_a", "n_b", "mean", "shape"), SUBJECTS if FULL else SUBJECTS[:1]
)
def test_repeated_subjects(trial, law_a, law_b, n_a, n_b, mean, shape):
    """Rows of a subject depend on each other; without `groups` that makes false differences."""
    precision = graph(6, 0.3)
    errors, plain = [], []
    for rng in trial.draws(40, 600):
        (a, of_a), (b, of_b) = (
            grouped_rows(law, precision, group_sizes(count, mean, shape), rng)
            for law, count in ((law_a, n_a), (law_b, n_b))
        )
        errors.append(compare_groups(a, b, clusters=(of_a, of_b)).n_edges > 0)
        plain.append(compare_groups(a, b).n_edges > 0)
    with trial.together():
        trial.rate_at_most("family-wise error, groups of subjects", errors, ALPHA)
        if law_a == law_b != "traits":
            trial.rate_at_least("family-wise error, without groups", plain, 2 * ALPHA)


PERMUTED = [
    (a, b, n_a, n_b, 10, 0.0 if a in DISCRETE else 0.3)
    for a, b in PAIRS_OF_LAWS + UNEQUAL
    for n_a, n_b in ((60, 60), *SIZES)
]
FEW_PERMUTED = [("t5", "t5", 60, 60, 10, 0.3), ("t5", "gaussian", 100, 300, 5, 0.3)]


@pytest.mark.parametrize(_GROUPS, PERMUTED if FULL else FEW_PERMUTED)
def test_equal_graphs_by_permutations(trial, law_a, law_b, n_a, n_b, p, weight):
    precision, wald = graph(p, weight), method_of("wald")
    errors = []
    for rng in trial.draws(30, 300):
        a, b = rows_of(law_a, precision, n_a, rng), rows_of(law_b, precision, n_b, rng)
        (z_a, v_a), (z_b, v_b) = wald.fisher_z_of_rows(a), wald.fisher_z_of_rows(b)
        draws = permuted_statistics([a, b], wald, trial.repetitions(39, 199), 0)
        tests = PermutedTests.of(np.abs(z_a - z_b) / np.sqrt(v_a + v_b), np.abs(draws))
        errors.append((tests.log_adjusted <= math.log(ALPHA)).any())
    trial.rate_at_most("family-wise error, two groups by permutations", errors, ALPHA)


def plain_differences(X: np.ndarray, n: int) -> np.ndarray:
    """|ρ̂_A − ρ̂_B| of the first n rows and of the others, not studentised."""
    found = []
    for part in (X[:n], X[n:]):
        theta = np.linalg.inv(np.cov(part.T))
        root = np.sqrt(theta.diagonal())
        found.append((-theta / np.outer(root, root))[np.triu_indices(len(root), k=1)])
    return np.abs(found[0] - found[1])


def test_permutations_of_plain_differences_fail(trial):
    """With heavy tails in the smaller group: why the statistic is studentised."""
    precision, n_a, n_b = graph(10, 0.3), 300, 1500
    errors = []
    for rng in trial.draws(25, 300):
        X = np.concatenate(
            [rows_of("t5", precision, n_a, rng), rows_of("gaussian", precision, n_b, rng)]
        )
        draws = np.array([plain_differences(rng.permutation(X), n_a) for _ in range(79)])
        tests = PermutedTests.of(plain_differences(X, n_a), draws)
        errors.append((tests.log_adjusted <= math.log(ALPHA)).any())
    trial.rate_exceeds("family-wise error of plain permutations", errors, ALPHA)


COVERED = [
    (law, n) for law in ("gaussian", "t5", "contaminated", "exponential") for n in (200, 500)
]


@pytest.mark.parametrize(("law", "n"), COVERED if FULL else [("gaussian", 200)])
def test_intervals_cover_the_difference(trial, law, n, partial_correlations):
    """A strong edge against none: the ends are those of ρ_A − ρ_B, whose scale is curved."""
    one, other = graph(6, 0.45), graph(6, 0.0)
    truth = partial_correlations(one) - partial_correlations(other)
    off = np.triu_indices(6, k=1)
    covered = []
    for rng in trial.draws(80, 1_000):
        result = compare_groups(rows_of(law, one, n, rng), rows_of(law, other, 2 * n, rng))
        low, high = result.confidence_interval(0.95)
        covered.append(((low <= truth) & (truth <= high))[off].mean())
    trial.mean_at_least("coverage of ρ_A − ρ_B", covered, 0.95)
