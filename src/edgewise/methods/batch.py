"""Batch means: one pass over the rows, which may depend on the rows before them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from edgewise._base.checks import check_count
from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise._base.warn import warn
from edgewise.errors import ParameterError, ShortBatchesWarning
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.inference.max_statistic import MaxStatistic
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Student, StudentOfEach
from edgewise.inference.sample import Evidence, Needs
from edgewise.methods.jackknife import LeftOut, leave_one_out
from edgewise.methods.left_out_rows import left_out_batches
from edgewise.methods.method import Assumes, PerEdgeMethod, option
from edgewise.methods.planning import (
    PairMoments,
    PlannedStatistic,
    planned_fisher_z,
    student_critical,
)
from edgewise.sums.batched import BatchedState, default_batches

B = TypeVar("B", bound=BatchedState[Any])

#: What the command line says of the option.
BATCHES_HELP = "Batches of rows; by default 100, fewer with more than 160 columns."
# A batch with fewer rows is hardly longer than any serial dependence.
_FEW_ROWS = 8
_ENOUGH_ROWS = 16
_FEWEST_BATCHES = 10


@dataclass(frozen=True)
class Batch(PerEdgeMethod):
    """Fisher's z = atanh ρ̂_ij over its standard error from the spread between batches; Student's t.

    The spread is that of the delete-one-batch jackknife: with z_(−b) the estimate without batch b,
    Var(z) ≈ (K−1)/K Σ_b (z_(−b) − mean)², but never below the 1/(n−p−1) of Gaussian rows.
    Guarantee: per edge, in the limit, for rows of any distribution with fourth moments whose
    dependence is shorter than a batch.

    Parameters
    ----------
    n_batches : int, optional
        At least that many batches and less than twice as many. By default 100, and with p > 160
        columns 16,000/p, but at least 16; fewer where batches would be very short.
    random_state : int
        Seed of the bootstrap of ``correction="maxt"``.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> ew.edge_test(returns, method=ew.Batch(n_batches=50)).options
    {'n_batches': 65}
    """

    n_batches: int | None = option(None, BATCHES_HELP, kind=int)
    random_state: int = option(0, "Seed of the bootstrap of --correction maxt.", kind=int)

    name: ClassVar[str] = "batch"
    guarantee: ClassVar[str] = "per edge, dependent rows too"
    condition: ClassVar[str] = (
        "rows of any distribution with fourth moments whose dependence dies out in a batch"
    )
    compares_groups: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS
    resamples: ClassVar[bool] = True
    takes_uneven: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.n_batches is not None:
            check_count("n_batches", self.n_batches, at_least=2)
        check_count("random_state", self.random_state, at_least=0)

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate, left_out, worth, reference = self._left_out(evidence)
        uncertainty = PerEdge(left_out.spread(estimate, worth), reference)
        return self.measurement(
            evidence,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            maxima=MaxStatistic(left_out.fisher_z, self.random_state),
            record={"n_batches": len(left_out)},
        )

    def _left_out(
        self, evidence: Evidence
    ) -> tuple[PrecisionEstimate, LeftOut, FloatArray | None, Student | StudentOfEach]:
        """The estimate, that without each batch, the rows of each pair, and the reference."""
        names, first_look = evidence.feature_names, evidence.first_look
        if evidence.uneven is None:
            state = working_batches(self.n_batches, evidence.batches())
            estimate = type(self).estimator(state.pooled(), names, first_look)
            left_out = leave_one_out(state, estimate)
            return estimate, left_out, None, Student(len(left_out) - 1)
        uneven = working_batches(self.n_batches, evidence.uneven_batches())
        estimate = pairwise_precision(evidence.uneven, names, first_look)
        left_out, degrees = left_out_batches(uneven, estimate, names)
        reference: Student | StudentOfEach = StudentOfEach(degrees)
        if not evidence.uneven.incomplete and not evidence.uneven.weighted:
            reference = Student(len(left_out) - 1)
        return estimate, left_out, evidence.uneven.worth, reference

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        inflation = dependence_inflation(pilot, measured)
        critical = partial(_expected_critical, p=len(wanted))
        return planned_fisher_z(moments, wanted, inflation=inflation, critical=critical)

    @classmethod
    def asked(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        # The record says how many batches there were, not how many the user wanted.
        return super().asked({key: record[key] for key in record if key != "n_batches"})


def working_batches(asked: int | None, state: B) -> B:
    """The batches to work with: as many as the user wants, or as many as are long enough."""
    if asked is None:
        # By default, fewer batches are better than batches that are too short.
        state = state.coarsened(rows=_ENOUGH_ROWS, batches=_FEWEST_BATCHES)
    else:
        check_batches(asked, state)
        if asked > state.n_samples:
            raise ParameterError(
                f"n_batches: expected at most the {state.n_samples} rows, got {asked}; use fewer "
                "batches."
            )
    _warn_if_short(state)
    return state


def check_batches(asked: int | None, state: BatchedState[Any]) -> None:
    """Refuse a number of batches that is not that of the state."""
    if asked is not None and asked != state.n_batches:
        raise ParameterError(
            f"n_batches: the state was accumulated with {state.n_batches}, got {asked}; leave it "
            "out, or accumulate again."
        )


def _expected_critical(rows: FloatArray, log_level: float, p: int) -> FloatArray:
    """Student's critical value after this many rows; its degrees of freedom are the batches − 1."""
    batches = [expected_batches(float(n), p) for n in rows.ravel()]
    return student_critical(np.maximum(np.reshape(batches, rows.shape) - 1, 1.0), log_level)


def expected_batches(n_rows: float, p: int) -> float:
    """How many batches the test would make of this many rows of p columns, by default."""
    length = n_rows / kept_batches(n_rows, p)
    while length < _ENOUGH_ROWS and n_rows / length >= 2 * _FEWEST_BATCHES:
        length *= 2
    return n_rows / length


def kept_batches(n_rows: float, p: int) -> float:
    """How many batches a state keeps of this many rows of p columns, by default."""
    length = 1.0
    while n_rows / length >= 2 * default_batches(p):
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
    rho = estimate.partial_correlation
    independent = np.sqrt(pilot.estimate_variance(rho) / estimate.n_samples)
    between = uncertainty.spread.partial_correlation(rho)
    ratio = pairs_of(between) / np.maximum(pairs_of(independent), 1e-300)
    return max(float(np.median(ratio)), 1.0)


def _warn_if_short(state: BatchedState[Any]) -> None:
    rows = int(np.median(state.batch_counts()))
    if rows < _FEW_ROWS:
        warn(
            f"n_batches: batches of {rows} row{'s' * (rows > 1)} are too short to carry serial "
            f"dependence; {_FEW_ROWS} or more rows per batch are sensible, so collect more rows "
            "or use fewer batches.",
            ShortBatchesWarning,
        )
