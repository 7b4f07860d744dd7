"""`calibrate`: how often any test of edges errs, on data whose graph is known."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from scipy import special

from edgewise._base.blas import one_blas_thread
from edgewise._base.checks import check_alpha, check_choice, check_count, check_real
from edgewise._base.matrices import pairs_of, upper_pairs
from edgewise._base.parts import part
from edgewise._base.types import AnyArray, BoolArray, FloatArray
from edgewise._base.warn import without_warnings
from edgewise.api.edge_test import edge_test
from edgewise.errors import DataTypeError, EdgewiseError, ParameterError
from edgewise.inference.corrections import CORRECTIONS, HOLM, adjust
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult
from edgewise.simulate import DISTRIBUTIONS, Distribution
from edgewise.simulate.distributions import as_distribution, mixing_matrix, sample

__all__ = ["Calibration", "Verdict", "calibrate"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: The rates of a `Calibration`.
RATES = ("false_positive_rate", "family_wise_error", "false_discovery_rate", "power", "coverage")
#: How many draws a worker makes before it reports.
_TOGETHER = 10


class Verdict(NamedTuple):
    """What a test says about one data set; None for what it does not say.

    Parameters
    ----------
    reject : ndarray of bool of shape (p, p)
        The edges it declares.
    pvalue : ndarray of shape (p, p), optional
        The p-value of each edge, without a correction for the number of edges.
    interval : ConfidenceInterval, optional
        For the entries of Θ, at level 1 − alpha.

    Examples
    --------
    A test of your own, for `calibrate`, that calls correlations above a half edges:

    >>> import numpy as np
    >>> from edgewise.calibrate import Verdict
    >>> def test(X):
    ...     return Verdict(np.abs(np.corrcoef(X, rowvar=False)) > 0.5)
    >>> test(np.random.default_rng(0).standard_normal((100, 3))).reject.sum()
    np.int64(3)
    """

    reject: BoolArray
    pvalue: FloatArray | None = None
    interval: ConfidenceInterval | None = None


class Estimate(NamedTuple):
    """A rate and its confidence band; all three are NaN where the rate could not be measured."""

    value: float
    low: float
    high: float


class LevelCurve(NamedTuple):
    """The share of null pairs whose p-value is at most a level, for many levels, with a band."""

    level: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray


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
        """The false positive rate at many levels, which equals the level for an exact test.

        The half-width of the band, √(log(2/(1−c))/(2·draws)), is that of Dvoretzky, Kiefer,
        Wolfowitz and Massart with a draw as one observation. With one null pair it holds for all
        levels at once. With several, whose p-values depend on each other, it holds for each single
        level by Hoeffding's inequality.

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
        """All rates as text, one per line.

        Returns
        -------
        str
            The lines.
        """
        lines = [f"{self.n_draws:,} draws of {self.n_samples:,} rows, alpha = {self.alpha:g}"]
        for name in RATES:
            value, low, high = getattr(self, name)
            text = f"{value:.4f}  ({low:.4f} to {high:.4f})"
            lines.append(
                f"{name.replace('_', ' '):>22}  {'not measured' if math.isnan(value) else text}"
            )
        return "\n".join(lines)


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
    theta = np.asarray(precision, dtype=np.float64)
    n_samples = check_count("n_samples", n_samples, at_least=1)
    n_draws = check_count("n_draws", n_draws, at_least=2)
    alpha = check_alpha(alpha)
    check_choice("correction", correction, [c for c in CORRECTIONS if c != "maxt"])
    confidence = check_real("confidence", confidence, above=0, below=1)
    seed = check_count("seed", seed, at_least=0)
    trial = _Trial(
        _as_test(test, alpha, correction),
        _as_sampler(sampler, theta),
        theta,
        n_samples,
        alpha,
        correction,
    )
    units = [
        _Unit(trial, seed, start, min(start + _TOGETHER, n_draws))
        for start in range(0, n_draws, _TOGETHER)
    ]
    workers = check_workers(1 if n_jobs is None and client is None else n_jobs, client)
    made: dict[int, list[tuple[FloatArray, FloatArray]]] = {}
    with closing(make_units(units, workers, client)) as finished:
        for number, draws in finished:
            made[number] = draws
            tell(len(draws))
    # Sorted by draw, because the last bits of a mean depend on the order.
    rates, pvalues = zip(*(one for k in range(len(units)) for one in made[k]), strict=True)
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
        correction = HOLM if registered()[self.method].simultaneous else self.correction
        # A warning that the rows are too few is not needed: the rates show it.
        with without_warnings():
            return edge_test(X, method=self.method, alpha=self.alpha, correction=correction)


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


@dataclass(frozen=True, eq=False)
class _Trial:
    """A test and the law of the data it is tried on."""

    test: Callable[[FloatArray], Any]
    sampler: Callable[[int, np.random.Generator], AnyArray]
    theta: FloatArray
    n_samples: int
    alpha: float
    correction: str | None

    def rates(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The rates of one draw, in the order of RATES, and the p-values of its null pairs."""
        X = np.asarray(self.sampler(self.n_samples, rng))
        expected = (self.n_samples, len(self.theta))
        if X.shape != expected:
            raise ParameterError(
                f"sampler: expected rows of shape {expected}, as n_samples and precision say, got "
                f"an array of shape {X.shape}."
            )
        verdict = _as_verdict(self.test(X), len(self.theta), self.alpha, self.correction)
        theta, found = pairs_of(self.theta), pairs_of(verdict.reject)
        null = theta == 0
        pvalues = np.full(int(null.sum()), np.nan)
        if verdict.pvalue is not None:
            pvalues = pairs_of(verdict.pvalue)[null]
        covered = np.full(theta.shape, np.nan)
        if verdict.interval is not None:
            low, high = (pairs_of(np.asarray(end)) for end in verdict.interval)
            covered = ((low <= theta) & (theta <= high)).astype(float)
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


def _as_verdict(answer: Any, p: int, alpha: float, correction: str | None) -> Verdict:
    """What a test returned, as a verdict."""
    if isinstance(answer, EdgeTestResult):
        known = answer.uncertainty is not None
        interval = answer.confidence_interval(level=1 - alpha) if known else None
        return Verdict(answer.reject, answer.pvalue, interval)
    if isinstance(answer, Verdict):
        reject = _square("reject", answer.reject, p)
        if reject.dtype != bool:
            raise ParameterError(f"test: expected a boolean reject, got dtype {reject.dtype}.")
        pvalue = None if answer.pvalue is None else _pvalues(_square("pvalue", answer.pvalue, p))
        interval = answer.interval
        if interval is not None:
            interval = ConfidenceInterval(*(_square("interval", end, p) for end in interval))
        return Verdict(reject, pvalue, interval)
    matrix = _square("edges or p-values", answer, p)
    if matrix.dtype == bool:
        return Verdict(matrix)
    if matrix.dtype.kind in "iu":
        raise ParameterError(
            f"test: expected a boolean array of edges or p-values as floats, got dtype "
            f"{matrix.dtype}; turn an adjacency matrix A of 0 and 1 into booleans: A.astype(bool)."
        )
    pvalues = _pvalues(matrix)
    rows, columns = upper_pairs(p)
    reject = np.zeros((p, p), dtype=bool)
    with np.errstate(divide="ignore"):
        decided = adjust(np.log(pvalues[rows, columns]), correction) <= math.log(alpha)
    reject[rows, columns] = reject[columns, rows] = decided
    return Verdict(reject, pvalues)


def _square(name: str, value: Any, p: int) -> AnyArray:
    try:
        matrix = np.asarray(value)
    except ValueError:
        matrix = np.empty(0)
    if matrix.shape != (p, p) or matrix.dtype.kind not in "biuf":
        raise ParameterError(
            f"test: expected a {p} × {p} array of {name}, got one of shape {matrix.shape} and "
            f"dtype {matrix.dtype}."
        )
    return matrix


def _pvalues(matrix: AnyArray) -> FloatArray:
    """The p-values, checked off the diagonal."""
    values = pairs_of(matrix).astype(np.float64)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise ParameterError(
            f"test: expected p-values between 0 and 1, got {float(values[wrong][0]):.4g}."
        )
    return matrix.astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Unit:
    """The draws from `start` to before `stop`, which a worker makes together."""

    trial: _Trial
    seed: int
    start: int
    stop: int

    def __call__(self) -> list[tuple[FloatArray, FloatArray]]:
        made = []
        for draw in range(self.start, self.stop):
            try:
                made.append(self.trial.rates(generator(self.seed, "calibrate", draw)))
            except Exception as error:
                error.add_note(f"in draw {draw} of seed {self.seed}")
                raise
        return made

    def __str__(self) -> str:
        return f"draws {self.start} to {self.stop - 1} of seed {self.seed}"


def generator(seed: int, key: str, draw: int) -> np.random.Generator:
    """The random numbers of one draw; they do not depend on who makes it, nor on the order."""
    words = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(key.encode()), draw))
    return np.random.default_rng(words)


class Unit(Protocol[T_co]):
    """Some draws, which a call makes; `str` says which they are."""

    def __call__(self) -> T_co: ...


def check_workers(n_jobs: int | None, client: Any = None) -> int:
    """How many processes to use here; none if a cluster, which is checked, is given."""
    if client is not None:
        if n_jobs is not None:
            raise ParameterError("n_jobs and client cannot be combined: a cluster has its workers.")
        from edgewise.tables.dask import check_client

        check_client(client)
        return 0
    if n_jobs == -1:
        return int(part("joblib", "sklearn", "n_jobs").cpu_count())
    return check_count("n_jobs", n_jobs, at_least=1)


def make_units(
    units: Sequence[Unit[T]], n_jobs: int, client: Any = None
) -> Generator[tuple[int, T]]:
    """The number of each unit and what it made, in the order in which they finish."""
    if client is not None:
        yield from _on_cluster(units, client)
    elif n_jobs == 1:
        yield from ((number, _make(unit)) for number, unit in enumerate(units))
    else:
        joblib = part("joblib", "sklearn", "n_jobs")
        work = joblib.Parallel(
            n_jobs=n_jobs, backend="loky", return_as="generator_unordered", batch_size=1
        )
        yield from work(joblib.delayed(_numbered)(*pair) for pair in enumerate(units))


def _numbered(number: int, unit: Unit[T]) -> tuple[int, T]:
    return number, _make(unit)


def _make(unit: Unit[T]) -> T:
    # The number of threads changes the order in which sums are added, and so their last bits.
    with one_blas_thread():
        return unit()


def _on_cluster(units: Sequence[Unit[T]], client: Any) -> Generator[tuple[int, T]]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed

    # Not pure: Dask must not hand out the result of an earlier run.
    numbers = {future: k for k, future in enumerate(client.map(_make, units, pure=False))}
    try:
        for future in as_completed(numbers, loop=client.loop):
            number = numbers[future]
            try:
                made: T = future.result()
            except KilledWorker as error:
                raise EdgewiseError(
                    f"client: the workers that made {units[number]} died, several times over; give "
                    "them more memory, or read their logs."
                ) from error
            except CancelledError as error:
                raise EdgewiseError(
                    f"client: the cluster was lost, or cancelled the work, before it made "
                    f"{units[number]}; check that it is running, and try again."
                ) from error
            except Exception as error:
                if not getattr(error, "__notes__", None):  # lost where errors cannot be pickled
                    error.add_note(f"in {units[number]}")
                raise
            future.release()
            yield number, made
    finally:
        with suppress(Exception):  # a cluster that is gone has nothing to cancel
            client.cancel(list(numbers))
