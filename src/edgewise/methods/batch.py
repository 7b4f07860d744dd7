"""Batch means: one pass over the rows, which may depend on the rows before them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

from edgewise._base.checks import check_count
from edgewise._base.types import AnyArray, FloatArray
from edgewise._base.warn import warn
from edgewise.errors import DataError, ParameterError, ShortBatchesWarning
from edgewise.estimators.inverse import PrecisionEstimate, estimate_precision
from edgewise.inference.reference import Student
from edgewise.inference.spread import Spread, degrees_of_freedom
from edgewise.methods.method import Evidence, Method, PerEdgeTest, Question, per_edge_result
from edgewise.results.result import EdgeTestResult
from edgewise.states.batches import BatchMoments

DEFAULT_BATCHES = 100
_BOOTSTRAP_DRAWS = 9999
_BOOTSTRAP_ELEMENTS = 1 << 22
# Below this many rows a batch hardly outlasts any serial dependence.
_FEW_ROWS = 8
_ENOUGH_ROWS = 16
_FEWEST_BATCHES = 10


def batch_test(
    evidence: Evidence,
    question: Question,
    *,
    n_batches: int | None = None,
    random_state: int = 0,
) -> EdgeTestResult:
    """Θ̂_ij over its standard error from the spread between batches; Student's t.

    F_b = Θ̂(scatter of batch b about the pooled mean − n_bΣ̂)Θ̂ is the influence of a batch on Θ̂, and
    Var(Θ̂_ij) ≈ K/(K−1) Σ_b F²_{b,ij}/n². Guarantee: per edge, in the limit, for rows of any
    distribution with fourth moments whose dependence is shorter than a batch.
    """
    if not isinstance(evidence.moments, BatchMoments):
        raise DataError(
            "data: method 'batch' needs the moments of batches, got a Moments state; accumulate a "
            "BatchMoments state, or pass the rows."
        )
    state = evidence.moments
    if n_batches is None:
        # Nobody asked for a number: rather fewer batches than ones too short to be of use.
        state = state.coarsened(rows=_ENOUGH_ROWS, batches=_FEWEST_BATCHES)
    elif n_batches != state.n_batches:
        raise ParameterError(
            f"n_batches: the state was accumulated with {state.n_batches}, got {n_batches}; leave "
            "it out, or accumulate again."
        )
    elif n_batches > state.n_samples:
        raise ParameterError(
            f"n_batches: expected at most the {state.n_samples} rows, got {n_batches}; use fewer "
            "batches."
        )
    seed = check_count("random_state", random_state, at_least=0)
    estimate = estimate_precision(state.pooled(), evidence.feature_names)
    influence = batch_influences(state, estimate)
    batches = influence.shape[0]
    if batches < 2:
        raise DataError(
            f"n_batches: expected at least 2 batches of rows, got {batches} of "
            f"{state.n_samples} rows; collect more rows."
        )
    _warn_if_short(state)
    spread = batch_spread(influence, estimate)
    reference = Student(batches - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = -estimate.precision / spread.precision
    maxima = _MaxStatistic(influence, reference, seed)
    test = PerEdgeTest(
        statistic=statistic,
        reference=reference,
        spread=spread,
        threshold_at=lambda level: reference.critical(level) * spread.precision,
        max_log_pvalues=maxima.log_adjusted,
        max_critical=maxima.critical if question.correction == "maxt" else None,
    )
    options = {"n_batches": batches}
    return per_edge_result("batch", evidence, estimate, test, question, options)


def expected_batches(n_rows: float) -> float:
    """How many batches the test would make of so many rows, by default."""
    length = 1.0
    while n_rows / length >= 2 * DEFAULT_BATCHES:
        length *= 2
    while length < _ENOUGH_ROWS and n_rows / length >= 2 * _FEWEST_BATCHES:
        length *= 2
    return n_rows / length


def batch_influences(state: BatchMoments, estimate: PrecisionEstimate) -> FloatArray:
    """F_b in units of √(Θ̂_iiΘ̂_jj), stacked; they sum to zero."""
    counts = state.batch_counts()
    scatters = state.scatters_about(estimate.centre)
    n = estimate.n_samples
    pooled = estimate.covariance * ((n - 1) / n)
    scatters = scatters - counts[:, np.newaxis, np.newaxis] * pooled
    B = estimate.residual_map
    influences: FloatArray = B.T @ scatters @ B
    return influences


def batch_spread(influence: FloatArray, estimate: PrecisionEstimate) -> Spread:
    """Standard errors from the spread of the influences of batches."""
    batches, n = influence.shape[0], estimate.n_samples
    rho = estimate.partial_correlation
    factor = math.sqrt(batches / (batches - 1)) / n
    root = np.sqrt(estimate.precision.diagonal())
    squares = influence**2
    error = factor * np.sqrt(squares.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = (squares**2).mean(axis=0) / squares.mean(axis=0) ** 2
    degrees = np.minimum(degrees_of_freedom(batches, kurtosis), batches - 1)
    # The influence on ρ̂_ij is F_ij + (ρ/2)(F_ii + F_jj); dz = dρ/(1 − ρ²).
    diagonal = np.diagonal(influence, axis1=1, axis2=2)
    both = diagonal[:, :, np.newaxis] + diagonal[:, np.newaxis, :]
    error_rho = factor * np.linalg.norm(influence + (rho / 2) * both, axis=0)
    off_diagonal = ~np.eye(len(rho), dtype=bool)
    error_z = np.full(rho.shape, np.nan)
    error_z[off_diagonal] = error_rho[off_diagonal] / (
        (1 - rho[off_diagonal]) * (1 + rho[off_diagonal])
    )
    return Spread(np.outer(root, root) * error, error_z, degrees)


def _warn_if_short(state: BatchMoments) -> None:
    rows = int(np.median(state.batch_counts()))
    if rows < _FEW_ROWS:
        warn(
            f"n_batches: batches of {rows} row{'s' * (rows > 1)} are too short to carry serial "
            f"dependence; {_FEW_ROWS} or more rows a batch are sensible, so collect more rows or "
            "use fewer batches.",
            ShortBatchesWarning,
        )


class _MaxStatistic:
    """The largest of all |T_ij| under the null, by a Gaussian multiplier bootstrap over batches.

    A draw is Σ_b g_b F_b / √Σ_b F_b² with g ~ N(0, 1): its cost does not depend on the number of
    rows. Statistics are brought from Student's to the normal scale of the draws by their
    probabilities. The step-down form (Romano & Wolf 2005) tests each edge against the maximum over
    those not yet rejected.
    """

    def __init__(self, influence: FloatArray, reference: Student, random_state: int) -> None:
        rows, columns = np.triu_indices(influence.shape[1], k=1)
        flat = influence[:, rows, columns]
        with np.errstate(invalid="ignore", divide="ignore"):
            self._directions = np.nan_to_num(flat / np.linalg.norm(flat, axis=0))
        self._reference = reference
        self._random_state = random_state

    def log_adjusted(self, statistic: FloatArray) -> FloatArray:
        observed = -special.ndtri_exp(self._reference.log_two_sided(statistic) - math.log(2))
        order = np.argsort(-observed)
        directions, sizes = self._directions[:, order], observed[order]
        exceeded = np.zeros(len(sizes))
        for draws in self._draws(directions):
            # Maximum over the edges from rank k on, for every k at once.
            running = np.maximum.accumulate(np.abs(draws)[:, ::-1], axis=1)[:, ::-1]
            exceeded += (running >= sizes).sum(axis=0)
        stepped = np.maximum.accumulate((1 + exceeded) / (1 + _BOOTSTRAP_DRAWS))
        adjusted = np.empty(len(sizes))
        adjusted[order] = np.log(stepped)
        return adjusted

    def critical(self, log_level: float, among: AnyArray | None = None) -> float:
        """t that the largest |T| (of all edges, or some) exceeds with that (log) probability."""
        directions = self._directions if among is None else self._directions[:, among]
        if not directions.shape[1]:
            return 0.0
        maxima = np.concatenate([np.abs(d).max(axis=1) for d in self._draws(directions)])
        # The same count as in `log_adjusted`: (1 + exceeding)/(1 + draws) at most the level.
        allowed = max(int(math.exp(log_level) * (1 + _BOOTSTRAP_DRAWS)) - 1, 0)
        z = float(np.sort(maxima)[::-1][min(allowed, len(maxima) - 1)])
        return self._reference.critical(math.log(2) + float(special.log_ndtr(-z)))

    def _draws(self, directions: FloatArray) -> Iterator[FloatArray]:
        rng = np.random.default_rng(self._random_state)
        batches, pairs = directions.shape
        chunk = max(1, _BOOTSTRAP_ELEMENTS // max(pairs, batches))
        left = _BOOTSTRAP_DRAWS
        while left > 0:
            size = min(chunk, left)
            yield rng.standard_normal((size, batches)) @ directions
            left -= size


BATCH = Method(
    name="batch",
    guarantee="per edge, dependent rows too",
    condition="rows of any distribution with fourth moments whose dependence dies out in a batch",
    simultaneous=False,
    passes=1,
    order=0,
    run=batch_test,
    options=frozenset({"n_batches", "random_state"}),
)
