"""The Wald test: sandwich standard errors, from the fourth moments of the residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, pairs_of
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Student
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import PerEdge, Spread, degrees_of_freedom, floored_spread
from edgewise.methods.leave_one_out import unit_sandwich
from edgewise.methods.method import Assumes, Feature, Method
from edgewise.sums.pairs import exact_pairs, pair_sums
from edgewise.sums.score import NEARLY_ONE, row_tau, score_weight, strong_pairs

_LEAST = 1e-10  # of 1 − h, as in sums/score.py


@dataclass(frozen=True)
class Wald(Method):
    """Fisher's z = atanh ρ̂_ij over its sandwich standard error; Student's t.

    The influence of a row on ρ̂_ij is v_iv_j + (ρ̂/2)(v_i² + v_j²) over 1 − h, v the unit-variance
    residuals and h the leverage. The variance is never below that of Gaussian rows; the degrees of
    freedom are 2n/(κ − 1), κ the kurtosis of the influences. For rows in clusters, which lack
    values or have weights, it is the delete-one jackknife.
    """

    needs: ClassVar[Needs] = Needs(reads_again=True)
    name: ClassVar[str] = "wald"
    guarantee: ClassVar[str] = "per edge, many rows"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, with many rows"
    )
    assumes: ClassVar[Assumes] = (
        Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS | Assumes.MANY_ROWS_PER_COLUMN
    )
    supports: ClassVar[frozenset[Feature]] = frozenset(
        {"clusters", "missing", "weights", "transform", "two groups", "permutations"}
    )

    def measure_group(self, sample: Sample) -> Measurement:
        return self.measure(sample, own_scale=True)

    def measure(self, sample: Sample, *, own_scale: bool = False) -> Measurement:
        estimate = self.estimate(sample)
        spread, degrees = sandwich(sample, estimate, own_scale=own_scale)
        uncertainty = PerEdge(spread, Student(degrees))
        statistic = uncertainty.statistic(estimate.partial_correlation)
        return self.measurement(sample, estimate, statistic, uncertainty)

    def fisher_z_of_rows(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        n, p = X.shape
        centred = X - X.mean(axis=0)
        scale = np.sqrt(np.einsum("ki,ki->i", centred, centred) / (n - 1))
        pairs = p * (p - 1) // 2
        with np.errstate(all="ignore"):
            centred /= scale
            try:
                inverse = np.linalg.inv(centred.T @ centred / (n - 1))
            except np.linalg.LinAlgError:
                return np.full(pairs, np.nan), np.full(pairs, np.nan)
            root = np.sqrt(inverse.diagonal())
            rho = pairs_of(-inverse / np.outer(root, root))
            v = centred @ (inverse / root)
            second = _influence(v, np.einsum("ki,ki->k", centred, v * root), n, p, rho)
            z, variance = np.arctanh(rho), second / (n * (1 - rho) * (1 + rho)) ** 2
        return z, np.maximum(variance, 1 / max(n - p - 1, 1))


def sandwich(
    sample: Sample, estimate: PrecisionEstimate, *, own_scale: bool = False
) -> tuple[Spread, FloatArray]:
    """Errors of Θ̂ and z, and their degrees; with `own_scale`, rows weigh as in the score test."""
    if sample.clusters is not None or sample.pairwise is not None:
        return unit_sandwich(sample, estimate)
    leverage, rho = estimate.leverage(own_scale=own_scale), estimate.partial_correlation
    n, rows = estimate.n_samples, sample.rows_again()
    square, cube, fourth = pair_sums(rows, estimate.centre, leverage)
    # Of v_iv_j + (ρ/2)(v_i² + v_j²), the influence on ρ̂_ij, whose mean is −ρ + ρ = 0: the fourth
    # power only decides about degrees of freedom, and is that of v_iv_j unless ρ is close to ±1.
    ends = square.diagonal()
    second = square + rho * (cube + cube.T) + rho**2 / 4 * (ends[:, np.newaxis] + ends + 2 * square)
    fourth = fourth * np.maximum(second / np.maximum(square, 1e-300), 0.0) ** 2
    i, j = strong_pairs(rho, NEARLY_ONE)
    if i.size:
        exact = exact_pairs(rows, estimate.centre, leverage, i, j, rho[i, j])
        second[i, j], fourth[i, j] = exact
        second[j, i], fourth[j, i] = exact
    second = np.maximum(second, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = degrees_of_freedom(n, n * fourth / second**2)
        # dz = dρ/(1 − ρ²)
        variance_z = second / (n * (1 - rho) * (1 + rho)) ** 2
    # √n(Θ̂_ij − Θ_ij) → N(0, Var(v_i v_j)) in units of Θ_iiΘ_jj; ρ² is one on the diagonal.
    variance = np.maximum(square / n - rho**2, 0.0) / n
    return floored_spread(estimate, variance, variance_z), degrees


def _influence(v: FloatArray, quadratic: FloatArray, n: int, p: int, rho: FloatArray) -> FloatArray:
    """Σ w (v_iv_j + (ρ/2)(v_i² + v_j²))² of every pair; h = 1/n + cᵀΘc/(n − 1)."""
    complement = np.maximum(1 - 1 / n - quadratic / (n - 1), _LEAST)
    weight = score_weight(complement, row_tau((v * v).T, complement, n))
    factor = np.sqrt(weight)[:, np.newaxis]
    square = v * v * factor
    fourth = square.T @ square
    cube = (square * v).T @ (v * factor)
    ends = fourth.diagonal()
    both, sum_of_ends = pairs_of(fourth), pairs_of(np.add.outer(ends, ends))
    second = both + rho * pairs_of(cube + cube.T) + rho**2 / 4 * (sum_of_ends + 2 * both)
    if (np.abs(rho) > NEARLY_ONE).any():
        full = np.zeros((p, p))
        full[np.triu_indices(p, k=1)] = rho
        i, j = strong_pairs(full, NEARLY_ONE)
        r = full[i, j]
        a, b = v[:, i], v[:, j]
        # Written without terms that cancel.
        exact = (r / 2 * (a + np.sign(r) * b) ** 2 + (1 - np.abs(r)) * a * b) * factor
        second[np.abs(rho) > NEARLY_ONE] = np.einsum("ki,ki->i", exact, exact)
    return np.asarray(np.maximum(second, 0.0))
