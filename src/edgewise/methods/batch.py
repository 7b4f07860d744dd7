"""Batch means: one pass over the rows, which may depend on the rows before them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.errors import ParameterError, ShortBatchesWarning, warn
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import MaxStatistic
from edgewise.inference.diagnosis import correlation_times, diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Student
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import PerEdge, floored_spread
from edgewise.methods.leave_one_out import left_out_batches, left_out_pairwise_batches
from edgewise.methods.method import (
    Assumes,
    Feature,
    Method,
    batches_option,
    lags_option,
    seed_option,
)
from edgewise.methods.planning import Measured
from edgewise.sums.batches import BatchedState, default_batches

B = TypeVar("B", bound=BatchedState[Any])

# A batch with fewer rows is hardly longer than any serial dependence.
_FEW_ROWS = 8
_ENOUGH_ROWS = 16
_FEWEST_BATCHES = 10
# Where rows depend on each other: batches of so many correlation times, but at least so many. With
# shorter ones, standard errors are too small: at AR(0.9) and 3,000 rows 100 batches err in 17 %.
_CORRELATION_TIMES = 15
# Or of so many mean lags: the share of the variance that a batch misses is the mean lag over its
# length, and with seasons and blocks the lags are longer than the correlation times.
_MEAN_LAGS = 30
# Where a batch misses more than this share of the variance, tests err clearly too often: with ten
# blocks of 100 rows in 24 %; below it in at most 7 %, since Fisher's z allows for the dependence.
_MISSED = 0.4
_FEWEST_LONG_BATCHES = 16


@dataclass(frozen=True)
class Batch(Method):
    """Fisher's z = atanh ρ̂_ij over its error from the spread between batches; Student's t.

    The spread is the delete-one-batch jackknife's, never below the 1/(n−p−1) of Gaussian rows.
    Where rows depend on the rows before them, n is there divided by the time over which they do,
    and batches are at least 15 times as long, if that leaves 16.

    Parameters
    ----------
    n_batches : int, optional
        At least that many batches and less than twice as many. By default 100, and with p > 160
        columns 16,000/p, but at least 16; fewer where batches would be too short.
    lags : int
        Adjust each row for so many rows before it.
    random_state : int
        Seed of the bootstrap of ``correction="maxt"``.
    """

    n_batches: int | None = batches_option()
    lags: int = lags_option()
    random_state: int = seed_option()

    name: ClassVar[str] = "batch"
    guarantee: ClassVar[str] = "per edge, dependent rows too"
    condition: ClassVar[str] = (
        "rows of any distribution with fourth moments whose dependence dies out in a batch"
    )
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS_IF_SKEWED
    supports: ClassVar[frozenset[Feature]] = frozenset(
        {"missing", "weights", "transform", "maxt", "two groups", "lags"}
    )

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches)

    def measure(self, sample: Sample) -> Measurement:
        estimate, pairwise = self.estimate(sample), sample.pairwise
        look = sample.first_look
        cautions: tuple[Caution, ...] = ()
        facts = sample.facts or diagnosis_of(
            estimate, look, sample.feature_names, sample.given if sample.lags else ()
        )
        sample = replace(sample, facts=facts)
        rows = None if pairwise is None else pairwise.effective_rows
        length = _ENOUGH_ROWS
        if self.n_batches is None and facts.dependent and look is not None:
            times, mean_lags = correlation_times(estimate, look)
            rows = (estimate.n_samples if rows is None else rows) / times
            # Those of the pair whose products are correlated longest.
            longest, farthest = (
                math.sqrt(math.prod(np.sort(one.diagonal())[-2:])) for one in (times, mean_lags)
            )
            longest = max(_CORRELATION_TIMES * longest, _MEAN_LAGS * farthest)
            length = max(length, math.ceil(longest))
            if not facts.level_columns:  # of which a caution says more
                cautions = _about_length(length, estimate.n_samples, farthest)
        reference: Student
        if pairwise is None:
            state = working_batches(self.n_batches, sample.batches(), length)
            left_out = left_out_batches(state, estimate)
            reference = Student(left_out.batches - 1)
        else:
            incomplete = working_batches(self.n_batches, sample.pairwise_batches(), length)
            left_out, degrees = left_out_pairwise_batches(
                incomplete, estimate, sample.feature_names
            )
            reference = Student(degrees)
            if not pairwise.incomplete and not pairwise.weighted:
                reference = Student(left_out.batches - 1)
        uncertainty = PerEdge(
            floored_spread(estimate, left_out.variance, left_out.variance_z, rows=rows), reference
        )
        measured = self.measurement(
            sample,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            maxima=MaxStatistic(left_out.fisher_z, self.random_state),
            options={"n_batches": left_out.batches},
        )
        return replace(measured, cautions=(*measured.cautions, *cautions))

    def degrees_at(self, measured: Measured, n_samples: int, rows: FloatArray) -> FloatArray:
        p = len(measured.precision)
        if self.n_batches is not None or np.all(rows == n_samples):
            return super().degrees_at(measured, n_samples, rows)
        # The middle of what rows like these make by default: batches double when they are too many.
        return typical_batches(rows, p, length=_ENOUGH_ROWS, fewest=_FEWEST_BATCHES) - 1.0


def _about_length(length: int, n_samples: int, mean_lag: float) -> tuple[Caution, ...]:
    """A sentence where too few rows remain for batches of this length."""
    needed = length * _FEWEST_LONG_BATCHES
    if n_samples >= needed:
        return ()
    missed = mean_lag * _FEWEST_LONG_BATCHES / n_samples > _MISSED
    meaning = "P-values are too small" if missed else "Only strong edges can be found"
    return (
        Caution(
            f"Rows depend on each other for long: batches should have {length:,} rows, and "
            f"{n_samples:,} rows are too few for {_FEWEST_LONG_BATCHES} of them. {meaning}; "
            f"{needed:,} rows would do.",
            "short batches",
            breaks=missed,
        ),
    )


def working_batches(n_batches: int | None, state: B, length: int = _ENOUGH_ROWS) -> B:
    """The batches to work with: as many as the user wants, or as many as are long enough."""
    if n_batches is None:
        # By default, fewer batches are better than batches that are too short.
        fewest = _FEWEST_BATCHES if length == _ENOUGH_ROWS else _FEWEST_LONG_BATCHES
        state = state.coarsened(rows=_ENOUGH_ROWS, batches=_FEWEST_BATCHES)
        state = state.coarsened(rows=length, batches=fewest)
    else:
        check_batches(n_batches, state)
        if n_batches > state.n_samples:
            raise ParameterError(
                f"n_batches: expected at most the {state.n_samples} rows, got {n_batches}; use "
                "fewer batches."
            )
    rows = int(np.median(state.batch_counts()))
    if rows < _FEW_ROWS:
        warn(
            f"n_batches: batches of {rows} row{'s' * (rows > 1)} are too short to carry serial "
            f"dependence; {_FEW_ROWS} or more rows per batch are sensible, so collect more rows "
            "or use fewer batches.",
            ShortBatchesWarning,
        )
    return state


def check_batches(n_batches: int | None, state: BatchedState[Any]) -> None:
    """Refuse a number of batches that is not that of the state."""
    if n_batches not in (None, state.n_batches):
        raise ParameterError(
            f"n_batches: the state was accumulated with {state.n_batches}, got {n_batches}; leave "
            "it out, or accumulate again."
        )


def typical_batches(rows: FloatArray, p: int, *, length: int = 1, fewest: int = 2) -> FloatArray:
    """About how many batches there are of so many rows of p columns; their length doubles."""
    root = math.sqrt(2)
    most = np.minimum(rows / length, root * default_batches(p))
    return np.maximum(np.maximum(most, np.minimum(root * fewest, rows / 2)), 2.0)
