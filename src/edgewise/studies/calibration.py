"""`calibrate`: how often any test of edges errs, on data whose graph is known."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from edgewise._base.checks import check_alpha, check_choice, check_count, check_real
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataTypeError, EdgewiseWarning, ParameterError
from edgewise.inference.corrections import CORRECTIONS
from edgewise.methods.registry import registered
from edgewise.questions.edge_test import edge_test
from edgewise.results.result import EdgeTestResult
from edgewise.simulate.distributions import DISTRIBUTIONS, Distribution
from edgewise.simulate.samplers import as_distribution, mixing_matrix, sample
from edgewise.studies.study import generator
from edgewise.studies.verdict import as_verdict
from edgewise.studies.workers import check_workers, make_units

#: Draws that a worker makes at a time.
_TOGETHER = 10

Test = str | Callable[[FloatArray], Any]
Sampler = str | Distribution | Callable[[int, np.random.Generator], AnyArray]


class Estimate(NamedTuple):
    """A rate, and the ends of its confidence band; all NaN where it could not be measured.

    Attributes
    ----------
    value : float
        The rate.
    low : float
        The lower end of its band.
    high : float
        The upper end.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> from edgewise.studies import calibrate
    >>> theta = make_chain_precision(4)
    >>> power = calibrate("score", "t5", precision=theta, n_samples=200, n_draws=20).power
    >>> power.low < power.value < power.high
    True
    """

    value: float
    low: float
    high: float


class LevelCurve(NamedTuple):
    """The rate of p-values of null pairs up to each level, with a band.

    Attributes
    ----------
    level : ndarray of shape (k,)
        The levels.
    rate : ndarray of shape (k,)
        The share of p-values up to each.
    low : ndarray of shape (k,)
        The lower end of the band.
    high : ndarray of shape (k,)
        The upper end.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> from edgewise.studies import calibrate
    >>> theta = make_chain_precision(4)
    >>> rates = calibrate("score", "t5", precision=theta, n_samples=200, n_draws=20)
    >>> curve = rates.level_curve([0.01, 0.05, 0.1])
    >>> bool((curve.low <= curve.level).all() and (curve.level <= curve.high).all())
    True
    """

    level: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration:
    """How often a test erred; see `calibrate`.

    Attributes
    ----------
    alpha, confidence : float
        As they were asked for.
    n_samples, n_draws : int
        As they were asked for.
    false_positive_rate : Estimate
        The share of null pairs with a p-value up to alpha, before any correction.
    family_wise_error : Estimate
        The probability that any null pair is declared an edge.
    false_discovery_rate : Estimate
        The expected share of declared edges that are false.
    power : Estimate
        The expected share of edges that are found.
    coverage : Estimate
        The share of entries Θ_ij, i < j, that lie in their intervals of level 1 − alpha.
    null_pvalues : ndarray of shape (n_draws, n_null) or None
        The p-values of the null pairs.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> from edgewise.studies import calibrate
    >>> theta = make_chain_precision(4)
    >>> rates = calibrate("score", "t5", precision=theta, n_samples=200, n_draws=20)
    >>> print(rates.summary().splitlines()[0])
    20 draws of 200 rows, alpha = 0.05
    >>> rates.null_pvalues.shape, rates.level_curve().rate.shape
    ((20, 3), (101,))
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

    def level_curve(self, levels: Iterable[float] | None = None) -> LevelCurve:
        """The false positive rate at many levels: on the diagonal for an exact test.

        The half-width of the band, √(log(2/(1−c))/(2·draws)), is that of Dvoretzky, Kiefer,
        Wolfowitz and Massart with a draw as one observation. With one null pair it holds at all
        levels at once; with several, whose p-values depend on each other, at each level by
        Hoeffding's inequality.

        Parameters
        ----------
        levels : iterable of float, optional
            The levels; by default 0, 0.01, …, 1.

        Returns
        -------
        LevelCurve
            The rates at these levels.
        """
        if self.null_pvalues is None or not self.null_pvalues.size:
            raise ParameterError(
                "level_curve: expected p-values of null pairs, got a test without p-values or a "
                "graph without null pairs."
            )
        level = np.linspace(0, 1, 101) if levels is None else np.array(list(levels), dtype=float)
        sorted_p = np.sort(self.null_pvalues.ravel())
        rate = np.searchsorted(sorted_p, level, side="right") / sorted_p.size
        half = math.sqrt(math.log(2 / (1 - self.confidence)) / (2 * self.n_draws))
        return LevelCurve(level, rate, np.maximum(rate - half, 0.0), np.minimum(rate + half, 1.0))

    def summary(self) -> str:
        """All rates as text, one a line.

        Returns
        -------
        str
            The lines.
        """
        lines = [f"{self.n_draws:,} draws of {self.n_samples:,} rows, alpha = {self.alpha:g}"]
        for name in RATES:
            estimate: Estimate = getattr(self, name)
            label = name.replace("_", " ")
            if math.isnan(estimate.value):
                lines.append(f"{label:>22}  not measured")
            else:
                band = f"({estimate.low:.4f} to {estimate.high:.4f})"
                lines.append(f"{label:>22}  {estimate.value:.4f}  {band}")
        return "\n".join(lines)


#: The rates of a `Calibration`.
RATES = ("false_positive_rate", "family_wise_error", "false_discovery_rate", "power", "coverage")


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
        A method of `edge_test`, or a function of an n × p array that returns an `EdgeTestResult`, a
        `Verdict`, a p × p boolean array (the edges), or a p × p array of p-values, which are then
        corrected here.
    sampler : str, Distribution or callable
        A law of `edgewise.simulate`, or a function of the number of rows and a
        `numpy.random.Generator` that returns rows whose precision matrix is `precision`: your own
        data-generating process.
    precision : array of shape (p, p)
        The truth Θ; its zeros are the null pairs.
    n_samples : int
        Rows of each data set.
    n_draws : int
        How many data sets.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", None}
        For tests by name, and for p-values.
    confidence : float
        Level of the bands.
    seed : int
        Decides every data set: tests with the same seed, sampler and sizes see the same data.
    n_jobs : int, optional
        Worker processes, by default 1, and -1 for one a core; they change nothing but the time.
    client : distributed.Client, optional
        A Dask cluster that makes the draws, in place of processes of this machine. Its workers need
        edgewise, and what `test` and `sampler` import. The numbers are the same, to the last bit on
        machines with the same kind of processor, NumPy and SciPy.
    tell : callable
        Is told of draws as they are done.

    Returns
    -------
    Calibration
        The rates, each with its band.

    Notes
    -----
    The band of the family-wise error is Clopper and Pearson's. The other rates are means over draws
    of shares of pairs, which depend on each other within a draw; their bands are Student's, from
    the spread between draws, or Clopper and Pearson's where there is no spread.

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
    mixing_matrix(precision)  # refuses what is no precision matrix
    theta = np.asarray(precision, dtype=np.float64)
    n_samples = check_count("n_samples", n_samples, at_least=1)
    n_draws = check_count("n_draws", n_draws, at_least=2)
    alpha = check_alpha(alpha)
    check_choice("correction", correction, [c for c in CORRECTIONS if c != "maxt"])
    confidence = check_real("confidence", confidence, above=0, below=1)
    seed = check_count("seed", seed, at_least=0)
    trial = _Trial(_as_test(test, alpha, correction), _as_sampler(sampler, theta), theta, n_samples)
    units = [
        _Unit(trial, alpha, correction, seed, start, min(start + _TOGETHER, n_draws))
        for start in range(0, n_draws, _TOGETHER)
    ]
    parts: dict[int, _Shares] = {}
    with closing(make_units(units, check_workers(n_jobs, client, default=1), client)) as made:
        for number, part in made:
            parts[number] = part
            tell(len(part))
    # In the order of the draws: the last bits of a mean depend on it.
    shares = [one for number in range(len(units)) for one in parts[number]]
    return _calibration(shares, alpha, n_samples, n_draws, confidence)


@dataclass(frozen=True, eq=False)
class _Trial:
    """What is repeated."""

    test: Callable[[FloatArray], Any]
    sampler: Callable[[int, np.random.Generator], AnyArray]
    theta: FloatArray
    n_samples: int

    def shares(
        self, rng: np.random.Generator, alpha: float, correction: str | None
    ) -> tuple[FloatArray, FloatArray]:
        """The rates of one draw, in the order of RATES, and the p-values of its null pairs."""
        X = np.asarray(self.sampler(self.n_samples, rng))
        expected = (self.n_samples, len(self.theta))
        if X.shape != expected:
            raise ParameterError(
                f"sampler: expected rows of shape {expected}, as n_samples and precision say, got "
                f"an array of shape {X.shape}."
            )
        verdict = as_verdict(self.test(X), len(self.theta), alpha, correction)
        upper = np.triu_indices(len(self.theta), k=1)
        theta = self.theta[upper]
        null, edge = theta == 0, theta != 0
        found = verdict.reject[upper]
        pvalues = np.full(int(null.sum()), np.nan)
        if verdict.pvalue is not None:
            pvalues = verdict.pvalue[upper][null]
        covered = np.full(theta.shape, np.nan)
        if verdict.interval is not None:
            low, high = (np.asarray(end)[upper] for end in verdict.interval)
            covered = ((low <= theta) & (theta <= high)).astype(float)
        false = int(found[null].sum())
        rates = [
            _mean(np.where(np.isnan(pvalues), np.nan, pvalues <= alpha)),
            float(false > 0) if null.any() else math.nan,
            false / max(int(found.sum()), 1),
            _mean(found[edge].astype(float)),
            _mean(covered),
        ]
        return np.array(rates), pvalues


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else math.nan


#: The rates of each draw and the p-values of its null pairs.
_Shares = list[tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class _Unit:
    """Draws that a worker makes at a time."""

    trial: _Trial
    alpha: float
    correction: str | None
    seed: int
    start: int
    stop: int

    def __call__(self) -> _Shares:
        made = []
        for draw in range(self.start, self.stop):
            rng = generator(self.seed, "calibrate", draw)
            try:
                made.append(self.trial.shares(rng, self.alpha, self.correction))
            except Exception as error:
                error.add_note(f"in draw {draw} of seed {self.seed}")
                raise
        return made

    def __str__(self) -> str:
        return f"draws {self.start} to {self.stop - 1} of seed {self.seed}"


def _calibration(
    made: list[tuple[FloatArray, FloatArray]],
    alpha: float,
    n_samples: int,
    n_draws: int,
    confidence: float,
) -> Calibration:
    shares = np.stack([rates for rates, _ in made])
    pvalues = np.stack([p for _, p in made])
    estimates = {
        name: _estimate(shares[:, k], confidence, binomial=name == "family_wise_error")
        for k, name in enumerate(RATES)
    }
    return Calibration(
        alpha=alpha,
        n_samples=n_samples,
        n_draws=n_draws,
        confidence=confidence,
        null_pvalues=None if np.isnan(pvalues).all() else pvalues,
        **estimates,
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
    if not isinstance(test, str):
        raise DataTypeError(
            "test: expected the name of a method or a function of an array, got "
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
        # That rows are too few is what the rates are about to say.
        with _quiet():
            return edge_test(X, method=self.method, alpha=self.alpha, correction=self.correction)


class _Quiet:
    """How many are inside `_quiet`, and what the last of them will undo."""

    lock = threading.Lock()
    inside = 0
    held: warnings.catch_warnings[None]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without edgewise's warnings, in all threads of the process.

    A worker of a cluster may run several draws in as many threads. Which warnings are shown is the
    process's business: each thread for itself would bring back too early what another one has
    silenced, or silence for good what the user wants to see.
    """
    with _Quiet.lock:
        if not _Quiet.inside:
            _Quiet.held = warnings.catch_warnings()
            _Quiet.held.__enter__()
            warnings.simplefilter("ignore", EdgewiseWarning)
        _Quiet.inside += 1
    try:
        yield
    finally:
        with _Quiet.lock:
            _Quiet.inside -= 1
            if not _Quiet.inside:
                _Quiet.held.__exit__(None, None, None)


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
            "sampler: expected the name of a law, a Distribution, or a function of the number of "
            f"rows and a Generator, got {type(sampler).__name__}."
        )
    return sampler
