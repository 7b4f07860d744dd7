"""The answer of `calibrate`: error rates, each with a confidence band."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError


class Estimate(NamedTuple):
    """A rate and its confidence band; all three are NaN where the rate could not be measured.

    Attributes
    ----------
    value : float
        The rate.
    low : float
        The lower end of the band.
    high : float
        The upper end of the band.

    Examples
    --------
    >>> from edgewise.studies import Estimate
    >>> power = Estimate(value=0.8, low=0.76, high=0.83)
    >>> power.low < power.value < power.high
    True
    """

    value: float
    low: float
    high: float


class LevelCurve(NamedTuple):
    """The share of null pairs whose p-value is at most a level, for many levels, with a band.

    Attributes
    ----------
    level : ndarray of shape (k,)
        The levels.
    rate : ndarray of shape (k,)
        The share of p-values that are at most this level.
    low, high : ndarray of shape (k,)
        The ends of the band.

    Examples
    --------
    >>> from edgewise.simulate import make_chain_precision
    >>> from edgewise.studies import calibrate
    >>> rates = calibrate(
    ...     "score", "t5", precision=make_chain_precision(4), n_samples=200, n_draws=20
    ... )
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


def summarised(
    made: Sequence[tuple[FloatArray, FloatArray]],
    *,
    alpha: float,
    n_samples: int,
    confidence: float,
) -> Calibration:
    """The rates of each draw and the p-values of its null pairs, summed up over the draws."""
    shares = np.stack([rates for rates, _ in made])
    pvalues = np.stack([p for _, p in made])
    estimates = {
        name: _estimate(shares[:, k], confidence, binomial=name == "family_wise_error")
        for k, name in enumerate(RATES)
    }
    return Calibration(
        alpha=alpha,
        n_samples=n_samples,
        n_draws=len(made),
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
