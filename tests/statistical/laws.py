"""The laws of rows that the claims are made about, and p-values without all else of a result."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from edgewise import edge_test
from edgewise.inference.corrections import adjust
from edgewise.inference.sample import open_sample
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.simulate import DISTRIBUTIONS, AutoRegressive, Distribution, StudentT, sample
from edgewise.sums.batches import BatchMoments

FULL = os.environ.get("EDGEWISE_VALIDITY") == "full"


class Pareto(Distribution):
    """Independent Pareto components. At shape 3 not even their third moments exist."""

    def __init__(self, shape: float) -> None:
        self.shape = shape

    def rows(self, rng, n, p):
        mean = 1 / (self.shape - 1)
        variance = self.shape * mean**2 / (self.shape - 2)
        return (rng.pareto(self.shape, (n, p)) - mean) / np.sqrt(variance)


# Laws with a density, mixed so that the rows have a given precision matrix.
CONTINUOUS: dict[str, Distribution] = {
    "gaussian": DISTRIBUTIONS["gaussian"],
    "laplace": DISTRIBUTIONS["laplace"],
    "t5": DISTRIBUTIONS["t5"],
    "t3": StudentT(3.0),
    "contaminated": DISTRIBUTIONS["contaminated"],
    "exponential": DISTRIBUTIONS["exponential"],
    "lognormal": DISTRIBUTIONS["lognormal"],
    "pareto3": Pareto(3.0),
}


def _ordinal(rng, shape):
    # Five answers, as skewed as those of questionnaires are.
    return np.digitize(rng.random(shape), [0.02, 0.1, 0.3, 0.7]).astype(float)


def _zero_inflated(rng, shape):
    return rng.lognormal(size=shape) * (rng.random(shape) < 0.1)


# Independent columns with atoms: counts, events, answers.
DISCRETE: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "poisson 0.02": lambda rng, shape: rng.poisson(0.02, shape).astype(float),
    "poisson 0.05": lambda rng, shape: rng.poisson(0.05, shape).astype(float),
    "poisson 1": lambda rng, shape: rng.poisson(1.0, shape).astype(float),
    "1 % ones": lambda rng, shape: (rng.random(shape) < 0.01).astype(float),
    "5 % ones": lambda rng, shape: (rng.random(shape) < 0.05).astype(float),
    "20 % ones": lambda rng, shape: (rng.random(shape) < 0.2).astype(float),
    "zero-inflated lognormal": _zero_inflated,
    "ordinal": _ordinal,
}


def independent_columns(law: str, rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows of a discrete law. A column that is constant would be refused, and is drawn again."""
    X = DISCRETE[law](rng, (n, p))
    while (constant := np.ptp(X, axis=0) == 0).any():
        X[:, constant] = DISCRETE[law](rng, (n, int(constant.sum())))
    return X


def rows_of(law: str, precision: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows with the precision matrix, of a continuous law or of one of the laws for batches.

    `ar1-…` have a memory of 0.7. `one-cell` is Gaussian but for one value of 10⁴. Discrete columns
    are independent: their precision is diagonal whatever is asked.
    """
    if law in DISCRETE:
        return independent_columns(law, rng, n, len(precision))
    if law.startswith("ar1-"):
        memory = AutoRegressive(CONTINUOUS[law.removeprefix("ar1-")], memory=0.7)
        return sample(memory, precision, n, rng=rng)
    if law == "one-cell":
        X = sample("gaussian", precision, n, rng=rng)
        X[rng.integers(n), len(precision) // 2] = 1e4
        return X
    return sample(CONTINUOUS[law], precision, n, rng=rng)


class PValues:
    """The p-values of all pairs above the diagonal, without thresholds, which take longer.

    The first data set is tested by `edge_test` too, which must give the same.
    """

    def __init__(self, method: str | Method, **options: object) -> None:
        self._method = method_of(method, options)
        self._checked = False

    def __call__(self, data: np.ndarray | BatchMoments) -> np.ndarray:
        """Their logarithms, from rows or from a state."""
        measured = self._method.measure(open_sample(data, self._method.needs, "the proof"))
        log_p = measured.uncertainty.log_pvalues(measured)
        if not self._checked:
            result = edge_test(data, method=self._method)
            pairs = np.triu_indices(result.n_features, k=1)
            np.testing.assert_array_equal(result.log_pvalue[pairs], log_p)
            np.testing.assert_array_equal(result.reject[pairs], rejects(log_p, "holm"))
            self._checked = True
        return log_p


def rejects(log_p: np.ndarray, correction: str | None, alpha: float = 0.05) -> np.ndarray:
    """Which pairs are edges at the level."""
    return adjust(log_p, correction) <= np.log(alpha)


def check_all_pairs(trial, method, data_sets, null, most=(1.15, 1.3), fdr=0.05) -> None:
    """What holds of the p-values, given each data set and which of its pairs have no edge.

    `most` is how many times 0.05 and 0.001 the shares of null pairs below them may be,
    and `fdr` the largest false discovery rate.
    """
    log_pvalues = PValues(method)
    errors, discoveries, shares = [], [], {0.05: [], 0.001: []}
    for X in data_sets:
        log_p = log_pvalues(X)
        errors.append(rejects(log_p, "holm")[null].any())
        found = rejects(log_p, "bh")
        discoveries.append(found[null].sum() / max(found.sum(), 1))
        for level, values in shares.items():
            values.append((log_p[null] <= np.log(level)).mean())
    with trial.together():
        trial.rate_at_most(f"family-wise error, {method} + Holm", errors, 0.05)
        # Pairs of one data set are not independent: the error is that between data sets.
        for (level, values), times in zip(shares.items(), most, strict=True):
            trial.mean_at_most(f"null pairs below {level}", values, times * level)
        trial.mean_at_most(f"false discovery rate, {method} + BH", discoveries, fdr)
