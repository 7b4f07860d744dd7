"""`calibrate`: how often any test of edges errs, on data whose graph is known."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import special

from edgewise._checks import check_alpha, check_choice, check_count, check_real
from edgewise._linalg import AnyArray, BoolArray, FloatArray, pairs_of
from edgewise._optional import require
from edgewise._parallel import one_blas_thread
from edgewise.api.edge_test import edge_test
from edgewise.errors import DataTypeError, ParameterError, without_warnings
from edgewise.inference.corrections import CORRECTIONS, adjust
from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult
from edgewise.simulate import DISTRIBUTIONS, Distribution
from edgewise.simulate.distributions import mixing_matrix, sample

__all__ = ["Calibration", "calibrate"]

T = TypeVar("T")

#: The rates of a `Calibration`.
RATES = ("false_positive_rate", "family_wise_error", "false_discovery_rate", "power", "coverage")
#: How many draws a worker makes before it reports.
_TOGETHER = 10

Test = str | Callable[[FloatArray], Any]
Sampler = str | Distribution | Callable[[int, np.random.Generator], AnyArray]


class Estimate(NamedTuple):
    """A rate and its confidence band; all three are NaN where the rate could not be measured."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration:
    """How often a test was wrong; see `calibrate`.

    Attributes
    ----------
    alpha, confidence : float
        The significance level of the test, and the confidence level of the bands.
    n_samples, n_draws : int
        The rows of each data set, and the number of data sets.
    false_positive_rate : Estimate
        The share of null pairs whose p-value is at most alpha, before any correction.
    family_wise_error : Estimate
        The probability that the test declares at least one null pair an edge.
    false_discovery_rate : Estimate
        The expected share of false edges among the declared edges.
    power : Estimate
        The expected share of edges that the test finds.
    coverage : Estimate
        The share of entries Θ_ij, i < j, that lie in their intervals of level 1 − alpha.
    null_pvalues : ndarray of shape (n_draws, n_null) or None
        The p-values of the null pairs.

    Examples
    --------
    >>> from edgewise.calibrate import calibrate
    >>> from edgewise.simulate import make_chain_precision
    >>> theta = make_chain_precision(4)
    >>> rates = calibrate("score", "t5", precision=theta, n_samples=200, n_draws=20)
    >>> print(rates.summary().splitlines()[0])
    20 draws of 200 rows, alpha = 0.05
    """

    alpha: float
    n_samples: int
    n_draws: int
    confidence: float
    false_positive_rate: Estimate
    family_wise_error: Estimate
    false_discovery_rate: Estimate
    power: Estimate
    coverage: Estimate
    null_pvalues: FloatArray | None

    def summary(self) -> str:
        """All rates as text, one per line."""
        lines = [f"{self.n_draws:,} draws of {self.n_samples:,} rows, alpha = {self.alpha:g}"]
        for name in RATES:
            value, low, high = getattr(self, name)
            text = f"{value:.4f}  ({low:.4f} to {high:.4f})"
            if math.isnan(value):
                text = "not measured"
            lines.append(f"{name.replace('_', ' '):>22}  {text}")
        return "\n".join(lines)


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
) -> Calibration:
    """Measure the error rates and the power of a test, edgewise's or any other.

    Parameters
    ----------
    test : str or callable
        A method of `edge_test`, or a function that takes an n × p array and returns an
        `EdgeTestResult`, a p × p boolean array (the edges), or a p × p array of p-values, which
        `calibrate` corrects.
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
    >>> from edgewise.calibrate import calibrate
    >>> from edgewise.simulate import make_chain_precision
    >>> theta = make_chain_precision(5)
    >>> fisher, score = (
    ...     calibrate(test, "t5", precision=theta, n_samples=500, n_draws=200)
    ...     for test in ("fisher", "score")
    ... )
    >>> fisher.family_wise_error.low > 0.05 > score.family_wise_error.low
    True
    """
    mixing_matrix(precision)  # raises where it is not a precision matrix
    n_draws = check_count("n_draws", n_draws, at_least=2)
    confidence = check_real("confidence", confidence, above=0, below=1)
    check_choice("correction", correction, [c for c in CORRECTIONS if c != "maxt"])
    theta, alpha = np.asarray(precision, dtype=np.float64), check_alpha(alpha)
    trial = _Trial(
        _as_test(test, alpha, correction),
        _as_sampler(sampler, theta),
        theta,
        check_count("n_samples", n_samples, at_least=1),
        alpha,
        correction,
        check_count("seed", seed, at_least=0),
    )
    units = [
        partial(trial.draws, range(start, min(start + _TOGETHER, n_draws)))
        for start in range(0, n_draws, _TOGETHER)
    ]
    made = make_units(units, check_workers(1 if n_jobs is None else n_jobs))
    rates, pvalues = zip(*(one for draws in made for one in draws), strict=True)
    null_pvalues = np.stack(pvalues)
    return Calibration(
        alpha=alpha,
        n_samples=n_samples,
        n_draws=n_draws,
        confidence=confidence,
        null_pvalues=None if np.isnan(null_pvalues).all() else null_pvalues,
        **{
            name: _estimate(shares, confidence, binomial=name == "family_wise_error")
            for name, shares in zip(RATES, np.stack(rates).T.copy(), strict=True)
        },
    )


def _estimate(values: FloatArray, confidence: float, *, binomial: bool) -> Estimate:
    if np.isnan(values).any():
        return Estimate(math.nan, math.nan, math.nan)
    mean = float(values.mean())
    if binomial or np.ptp(values) == 0:
        from scipy.stats import binomtest

        interval = binomtest(round(values.sum()), values.size).proportion_ci(confidence)
        return Estimate(mean, float(interval.low), float(interval.high))
    critical = float(special.stdtrit(values.size - 1, (1 + confidence) / 2))
    half = critical * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Estimate(mean, max(mean - half, 0.0), min(mean + half, 1.0))


def _as_test(test: Test, alpha: float, correction: str | None) -> Callable[[FloatArray], Any]:
    if callable(test):
        return test
    check_choice("test", test, tuple(registered()))

    def by_name(X: FloatArray) -> EdgeTestResult:
        # A bound needs no correction.
        own = None if registered()[test].simultaneous else correction
        # A warning that the rows are too few is not needed: the rates show it.
        with without_warnings():
            return edge_test(X, method=test, alpha=alpha, correction=own)

    return by_name


def _as_sampler(
    sampler: Sampler, theta: FloatArray
) -> Callable[[int, np.random.Generator], AnyArray]:
    if isinstance(sampler, str):
        check_choice("sampler", sampler, tuple(DISTRIBUTIONS))
    if isinstance(sampler, str | Distribution):
        return lambda n_samples, rng: sample(sampler, theta, n_samples, rng=rng)
    if not callable(sampler):
        raise DataTypeError(
            "sampler: expected the name of a law, a Distribution, or a function that takes the "
            f"number of rows and a Generator, got {type(sampler).__name__}."
        )
    return sampler


@dataclass(frozen=True, eq=False)
class _Trial:
    """A test and the law of the data it is tried on."""

    test: Callable[[FloatArray], Any]
    sampler: Callable[[int, np.random.Generator], AnyArray]
    theta: FloatArray
    n_samples: int
    alpha: float
    correction: str | None
    seed: int

    def draws(self, numbers: range) -> list[tuple[FloatArray, FloatArray]]:
        """The draws that a worker makes together."""
        made = []
        for draw in numbers:
            try:
                made.append(self.rates(draw))
            except Exception as error:
                error.add_note(f"in draw {draw} of seed {self.seed}")
                raise
        return made

    def rates(self, draw: int) -> tuple[FloatArray, FloatArray]:
        """The rates of one draw, in the order of RATES, and the p-values of its null pairs."""
        X = np.asarray(self.sampler(self.n_samples, generator(self.seed, "calibrate", draw)))
        expected = (self.n_samples, len(self.theta))
        if X.shape != expected:
            raise ParameterError(
                f"sampler: expected rows of shape {expected}, as n_samples and precision say, got "
                f"an array of shape {X.shape}."
            )
        answer, theta = self.test(X), pairs_of(self.theta)
        pvalues = covered = np.full(theta.shape, np.nan)
        if isinstance(answer, EdgeTestResult):
            found, pvalues = pairs_of(answer.reject), pairs_of(answer.pvalue)
            low, high = map(pairs_of, answer.confidence_interval(level=1 - self.alpha))
            covered = ((low <= theta) & (theta <= high)).astype(float)
        else:
            found, pvalues = _decided(answer, len(self.theta), self.alpha, self.correction)
        null = theta == 0
        pvalues = pvalues[null]
        false = int(found[null].sum())
        rates = [
            _mean(np.where(np.isnan(pvalues), np.nan, pvalues <= self.alpha)),
            float(false > 0) if null.any() else math.nan,
            false / max(int(found.sum()), 1),
            _mean(found[~null].astype(float)),
            _mean(covered),
        ]
        return np.array(rates), pvalues


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else math.nan


def _decided(
    answer: Any, p: int, alpha: float, correction: str | None
) -> tuple[BoolArray, FloatArray]:
    """Whether each pair is an edge, and its p-value, if a test says so."""
    matrix = np.asarray(answer)
    if matrix.shape != (p, p) or matrix.dtype.kind not in "bf":
        raise ParameterError(
            f"test: expected a {p} × {p} array of edges (bool) or p-values (float), got one of "
            f"shape {matrix.shape} and dtype {matrix.dtype}."
        )
    values = pairs_of(matrix)
    if matrix.dtype == bool:
        return values, np.full(values.shape, np.nan)
    if not ((values >= 0) & (values <= 1)).all():
        raise ParameterError(
            f"test: expected p-values between 0 and 1, got "
            f"{values.min():.4g} to {values.max():.4g}."
        )
    with np.errstate(divide="ignore"):
        return adjust(np.log(values), correction) <= math.log(alpha), values


def generator(seed: int, key: str, draw: int) -> np.random.Generator:
    """The random numbers of one draw; they do not depend on who makes it, nor on the order."""
    words = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(key.encode()), draw))
    return np.random.default_rng(words)


def check_workers(n_jobs: int) -> int:
    """How many processes to use."""
    if n_jobs == -1:
        return int(require("joblib", "sklearn", "n_jobs").cpu_count())
    return check_count("n_jobs", n_jobs, at_least=1)


def make_units(units: Sequence[Callable[[], T]], n_jobs: int) -> Generator[T]:
    """What each unit makes, in their order."""
    if n_jobs == 1:
        yield from map(_make, units)
    else:
        joblib = require("joblib", "sklearn", "n_jobs")
        work = joblib.Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
        yield from work(joblib.delayed(_make)(unit) for unit in units)


def _make(unit: Callable[[], T]) -> T:
    # The number of threads changes the order in which sums are added, and so their last bits.
    with one_blas_thread():
        return unit()
