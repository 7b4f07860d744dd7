"""The question `calibrate`: which test, on which data, how often."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.checks import check_alpha, check_choice, check_count, check_real
from edgewise._base.types import AnyArray, FloatArray
from edgewise._base.warn import without_warnings
from edgewise.errors import DataTypeError
from edgewise.inference.corrections import CORRECTIONS, HOLM
from edgewise.methods.registry import registered
from edgewise.questions.edge_test import edge_test
from edgewise.results.result import EdgeTestResult
from edgewise.simulate import DISTRIBUTIONS, Distribution
from edgewise.simulate.samplers import as_distribution, mixing_matrix, sample
from edgewise.studies.calibration.rates import Calibration, summarised
from edgewise.studies.calibration.trials import Shares, Trial, Unit
from edgewise.studies.workers import check_workers, make_units

#: How many draws a worker makes before it reports.
_TOGETHER = 10

Test = str | Callable[[FloatArray], Any]
Sampler = str | Distribution | Callable[[int, np.random.Generator], AnyArray]


def calibrate(
    test: Test,
    sampler: Sampler,
    *,
    precision: AnyArray,
    n_samples: int,
    n_draws: int = 1000,
    alpha: float = 0.05,
    correction: str | None = "holm",
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    client: Any = None,
    tell: Callable[[int], None] = lambda draws: None,
) -> Calibration:
    """Measure the error rates and the power of a test, edgewise's or any other.

    Parameters
    ----------
    test : str or callable
        A method of `edge_test`, or a function that takes an n × p array and returns an
        `EdgeTestResult`, a `Verdict`, a p × p boolean array (the edges), or a p × p array of
        p-values, which `calibrate` corrects.
    sampler : str, Distribution or callable
        A law of `edgewise.simulate`, or your own data-generating process: a function that takes
        the number of rows and a `numpy.random.Generator`, and returns rows whose precision matrix
        is `precision`.
    precision : array of shape (p, p)
        The truth Θ; its zeros are the null pairs.
    n_samples : int
        The rows of each data set.
    n_draws : int
        How many data sets.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", None}
        Used for tests given by name, and for tests that return p-values.
    confidence : float
        Confidence level of the bands.
    seed : int
        Determines every data set: tests with the same seed, sampler and sizes see the same data.
    n_jobs : int, optional
        Worker processes, by default 1; -1 means one per core. The results do not depend on it.
    client : distributed.Client, optional
        A Dask cluster that makes the draws instead of processes on this machine. Its workers need
        edgewise and everything that `test` and `sampler` import. The numbers are the same, to the
        last bit on machines with the same kind of processor, NumPy and SciPy.
    tell : callable
        Called with the number of draws that were just finished, for progress bars.

    Returns
    -------
    Calibration
        The rates, each with its band.

    Notes
    -----
    The band of the family-wise error is Clopper and Pearson's. Each other rate is a mean over draws
    of a share of pairs. Pairs depend on each other within a draw, so the bands are Student's, from
    the spread between draws, or Clopper and Pearson's where all draws agree.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> from edgewise.studies import calibrate
    >>> theta = make_chain_precision(5)
    >>> fisher, score = (
    ...     calibrate(test, "t5", precision=theta, n_samples=500, n_draws=200)
    ...     for test in ("fisher", "score")
    ... )
    >>> fisher.family_wise_error.low > 0.05 > score.family_wise_error.low
    True
    """
    mixing_matrix(precision)  # raises where it is not a precision matrix
    theta = np.asarray(precision, dtype=np.float64)
    n_samples = check_count("n_samples", n_samples, at_least=1)
    n_draws = check_count("n_draws", n_draws, at_least=2)
    alpha = check_alpha(alpha)
    check_choice("correction", correction, [c for c in CORRECTIONS if c != "maxt"])
    confidence = check_real("confidence", confidence, above=0, below=1)
    seed = check_count("seed", seed, at_least=0)
    trial = Trial(_as_test(test, alpha, correction), _as_sampler(sampler, theta), theta, n_samples)
    units = [
        Unit(trial, alpha, correction, seed, start, min(start + _TOGETHER, n_draws))
        for start in range(0, n_draws, _TOGETHER)
    ]
    parts: dict[int, Shares] = {}
    with closing(make_units(units, check_workers(n_jobs, client, default=1), client)) as made:
        for number, part in made:
            parts[number] = part
            tell(len(part))
    # Sorted by draw, because the last bits of a mean depend on the order.
    shares = [one for number in range(len(units)) for one in parts[number]]
    return summarised(shares, alpha=alpha, n_samples=n_samples, confidence=confidence)


def _as_test(test: Test, alpha: float, correction: str | None) -> Callable[[FloatArray], Any]:
    if callable(test):
        return test
    if not isinstance(test, str):
        raise DataTypeError(
            "test: expected the name of a method or a function that takes an array, got "
            f"{type(test).__name__}."
        )
    check_choice("test", test, tuple(registered()))
    return _NamedTest(test, alpha, correction)


@dataclass(frozen=True)
class _NamedTest:
    method: str
    alpha: float
    correction: str | None

    def __call__(self, X: FloatArray) -> EdgeTestResult:
        # A bound needs no correction.
        bound = registered()[self.method].simultaneous
        own = HOLM if bound else self.correction
        # A warning that the rows are too few is not needed: the rates show it.
        with without_warnings():
            return edge_test(X, method=self.method, alpha=self.alpha, correction=own)


@dataclass(frozen=True, eq=False)
class _NamedSampler:
    law: Distribution
    theta: FloatArray

    def __call__(self, n_samples: int, rng: np.random.Generator) -> FloatArray:
        return sample(self.law, self.theta, n_samples, rng=rng)


def _as_sampler(
    sampler: Sampler, theta: FloatArray
) -> Callable[[int, np.random.Generator], AnyArray]:
    if isinstance(sampler, str):
        check_choice("sampler", sampler, tuple(DISTRIBUTIONS))
    if isinstance(sampler, str | Distribution):
        return _NamedSampler(as_distribution(sampler), theta)
    if not callable(sampler):
        raise DataTypeError(
            "sampler: expected the name of a law, a Distribution, or a function that takes the "
            f"number of rows and a Generator, got {type(sampler).__name__}."
        )
    return sampler
