"""Batch means: one pass over the rows, which may depend on the rows before them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgewise._base.checks import check_count
from edgewise._base.matrices import off_diagonal, pairs_of, population_covariance, root_outer
from edgewise._base.types import FloatArray
from edgewise._base.warn import warn
from edgewise.errors import DataError, ParameterError, ShortBatchesWarning
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.max_statistic import MaxStatistic
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Student
from edgewise.inference.spread import Spread, degrees_of_freedom
from edgewise.methods.method import Assumes, option
from edgewise.methods.per_edge_method import PerEdgeMethod
from edgewise.methods.planning import PairMoments, PlannedStatistic, student_critical
from edgewise.methods.wald import studentised
from edgewise.states.batches import BatchMoments

DEFAULT_BATCHES = 100
# A batch with fewer rows is hardly longer than any serial dependence.
_FEW_ROWS = 8
_ENOUGH_ROWS = 16
_FEWEST_BATCHES = 10


@dataclass(frozen=True)
class Batch(PerEdgeMethod):
    """Θ̂_ij over its standard error from the spread between batches; Student's t.

    F_b = Θ̂(scatter of batch b about the pooled mean − n_bΣ̂)Θ̂ is the influence of a batch on Θ̂, and
    Var(Θ̂_ij) ≈ K/(K−1) Σ_b F²_{b,ij}/n². Guarantee: per edge, in the limit, for rows of any
    distribution with fourth moments whose dependence is shorter than a batch.

    Parameters
    ----------
    n_batches : int, optional
        At least that many batches and less than twice as many; by default 100, but fewer where
        batches would be very short.
    random_state : int
        Seed of the bootstrap of ``correction="maxt"``.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> ew.edge_test(returns, method=ew.Batch(n_batches=50)).options
    {'n_batches': 65}
    """

    n_batches: int | None = option(None, "Batches of rows; by default 100.", kind=int)
    random_state: int = option(0, "Seed of the bootstrap of --correction maxt.", kind=int)

    name: ClassVar[str] = "batch"
    guarantee: ClassVar[str] = "per edge, dependent rows too"
    condition: ClassVar[str] = (
        "rows of any distribution with fourth moments whose dependence dies out in a batch"
    )
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS | Assumes.MANY_ROWS_PER_COLUMN
    resamples: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.n_batches is not None:
            check_count("n_batches", self.n_batches, at_least=2)
        check_count("random_state", self.random_state, at_least=0)

    @property
    def needs(self) -> Needs:
        return Needs(n_batches=DEFAULT_BATCHES if self.n_batches is None else self.n_batches)

    def measure(self, evidence: Evidence) -> Measurement:
        state = self._state(evidence)
        estimate = type(self).estimator(state.pooled(), evidence.feature_names)
        influence = batch_influences(state, estimate)
        batches = influence.shape[0]
        if batches < 2:
            raise DataError(
                f"n_batches: expected at least 2 batches of rows, got {batches} of "
                f"{state.n_samples} rows; collect more rows."
            )
        _warn_if_short(state)
        spread = batch_spread(influence, estimate)
        statistic, scale = studentised(estimate, spread)
        return self.measurement(
            evidence,
            estimate,
            statistic,
            PerEdge(spread, Student(batches - 1)),
            scale=scale,
            maxima=MaxStatistic(influence, self.random_state),
            record={"n_batches": batches},
        )

    def _state(self, evidence: Evidence) -> BatchMoments:
        """The batches to work with: as many as the user wants, or as many as are long enough."""
        state = evidence.batches()
        if self.n_batches is None:
            # By default, fewer batches are better than batches that are too short.
            return state.coarsened(rows=_ENOUGH_ROWS, batches=_FEWEST_BATCHES)
        check_batches(self.n_batches, state)
        if self.n_batches > state.n_samples:
            raise ParameterError(
                f"n_batches: expected at most the {state.n_samples} rows, got {self.n_batches}; "
                "use fewer batches."
            )
        return state

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        return PlannedStatistic(
            float(np.abs(wanted).max()),
            moments.product_deviation(wanted),
            inflation=dependence_inflation(pilot, measured),
            critical=_expected_critical,
        )

    @classmethod
    def asked(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        # The record says how many batches there were, not how many the user wanted.
        return super().asked({key: record[key] for key in record if key != "n_batches"})


def check_batches(asked: int | None, state: BatchMoments) -> None:
    """Refuse a number of batches that is not that of the state."""
    if asked is not None and asked != state.n_batches:
        raise ParameterError(
            f"n_batches: the state was accumulated with {state.n_batches}, got {asked}; leave it "
            "out, or accumulate again."
        )


def batch_influences(state: BatchMoments, estimate: PrecisionEstimate) -> FloatArray:
    """F_b in units of √(Θ̂_iiΘ̂_jj), stacked; they sum to zero."""
    counts = state.batch_counts()
    scatters = state.scatters_about(estimate.centre)
    n = estimate.n_samples
    pooled = population_covariance(estimate.covariance, n)
    scatters = scatters - counts[:, np.newaxis, np.newaxis] * pooled
    B = estimate.residual_map
    influences: FloatArray = B.T @ scatters @ B
    return influences


def batch_spread(influence: FloatArray, estimate: PrecisionEstimate) -> Spread:
    """Standard errors from the spread of the influences of batches."""
    batches, n = influence.shape[0], estimate.n_samples
    rho = estimate.partial_correlation
    factor = math.sqrt(batches / (batches - 1)) / n
    squares = influence**2
    error = factor * np.sqrt(squares.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = (squares**2).mean(axis=0) / squares.mean(axis=0) ** 2
    degrees = np.minimum(degrees_of_freedom(batches, kurtosis), batches - 1)
    # The influence on ρ̂_ij is F_ij + (ρ/2)(F_ii + F_jj); dz = dρ/(1 − ρ²).
    diagonal = np.diagonal(influence, axis1=1, axis2=2)
    both = diagonal[:, :, np.newaxis] + diagonal[:, np.newaxis, :]
    error_rho = factor * np.linalg.norm(influence + (rho / 2) * both, axis=0)
    off = off_diagonal(len(rho))
    error_z = np.full(rho.shape, np.nan)
    error_z[off] = error_rho[off] / ((1 - rho[off]) * (1 + rho[off]))
    return Spread(root_outer(estimate.precision) * error, error_z, degrees)


def _expected_critical(rows: FloatArray, log_level: float) -> FloatArray:
    """Student's critical value after this many rows; its degrees of freedom are the batches − 1."""
    batches = [expected_batches(float(n)) for n in rows.ravel()]
    return student_critical(np.maximum(np.reshape(batches, rows.shape) - 1, 1.0), log_level)


def expected_batches(n_rows: float) -> float:
    """How many batches the test would make of this many rows, by default."""
    length = 1.0
    while n_rows / length >= 2 * DEFAULT_BATCHES:
        length *= 2
    while length < _ENOUGH_ROWS and n_rows / length >= 2 * _FEWEST_BATCHES:
        length *= 2
    return n_rows / length


def dependence_inflation(pilot: PairMoments, measured: Measurement) -> float:
    """Standard errors from batches over those of independent rows; never below one.

    The pilot's batches show how dependence between rows changes the spread. It is one number for
    all pairs: the ratios of single pairs differ from it only by noise.
    """
    estimate, uncertainty = measured.estimate, measured.uncertainty
    if not isinstance(uncertainty, PerEdge):
        raise TypeError("measured: expected that of a per-edge method")
    independent = pilot.product_deviation(estimate.partial_correlation) / math.sqrt(
        estimate.n_samples
    )
    between = uncertainty.spread.precision / root_outer(estimate.precision)
    ratio = pairs_of(between / np.maximum(independent, 1e-300))
    return max(float(np.median(ratio)), 1.0)


def _warn_if_short(state: BatchMoments) -> None:
    rows = int(np.median(state.batch_counts()))
    if rows < _FEW_ROWS:
        warn(
            f"n_batches: batches of {rows} row{'s' * (rows > 1)} are too short to carry serial "
            f"dependence; {_FEW_ROWS} or more rows per batch are sensible, so collect more rows "
            "or use fewer batches.",
            ShortBatchesWarning,
        )
