"""Figure 1 of the paper: how thresholds fall with the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise.simulate.random_matrices import make_gram_covariance
from edgewise.studies.growth import BOUNDS, bounds_of, evidence_of, growing_sample
from edgewise.studies.study import Cell, Deviation, Findings, Measured, Table
from edgewise.studies.threshold_claims import Results, claims_of, overshoot, slope_note
from edgewise.studies.threshold_pictures import draw_thresholds
from edgewise.studies.wording import draws_of, last_size, sizes_of, values_of

ALPHA = 0.05
#: The paper's 101 numbers of rows.
PAPER_SIZES = tuple(range(10_000, 1_010_001, 10_000))
DISTRIBUTIONS = ("gaussian", "laplace")


@dataclass(frozen=True)
class ThresholdStudy:
    name: str = "fig1"
    revision: int = 2
    title: str = "Thresholds against the number of rows"
    paper: str = (
        "log t_Eig and log t_Trace against n, in 101 even steps and one panel: both thresholds are "
        "O(n^{−1/2}) in the limit, and the eigenvalue threshold lies below the trace threshold. "
        "Tr C exceeds λ_max(C) at least by the factor 1 + (p² − C(p, 2) − 1) λ_min/λ_max, where C "
        "is the covariance of the p² − C(p, 2) = p(p + 1)/2 entries of Σ̂."
    )

    def design(self, cells: Sequence[Cell]) -> str:
        return (
            f"{draws_of(cells)} draws for Gaussian and for multivariate Laplace rows and for each "
            f"of p = {values_of(cells, 'p')}. A draw is one growing sample, looked at after "
            f"{sizes_of(cells)} rows, with a new covariance Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), "
            "g_i ~ N(0, I) of length 10p; δ = 0.05. The whitened threshold is per entry; its "
            "median over the pairs is shown."
        )

    def deviations(self, cells: Sequence[Cell]) -> Sequence[Deviation]:
        return [
            Deviation(
                "axes",
                "log t against n, one panel",
                "the same, panel (a) or (e), and log–log beside it",
                "a power of n is a straight line only on two logarithmic axes",
            ),
            Deviation(
                "length of the g_i",
                "not stated",
                "10p here, 3p in the other figures",
                "with 3p the trace threshold is infinite at the first sizes",
            ),
            Deviation(
                "numbers of rows",
                "10 000, 20 000, …, 1 010 000",
                f"{sizes_of(cells)}, of one growing sample",
                "new rows for each n would cost 50 times as much; the sizes of a draw depend on "
                "each other, so errors are taken over draws",
            ),
            Deviation("draws", "100", draws_of(cells), "the scale `paper` has as many"),
        ]

    def cells(self, scale: str) -> Sequence[Cell]:
        features, sizes, draws = {
            "smoke": ((4, 6), PAPER_SIZES[:11:2], 2),
            "quick": ((4, 6, 8, 10, 12, 14), PAPER_SIZES, 20),
            "paper": ((4, 6, 8, 10, 12, 14), PAPER_SIZES, 100),
        }[scale]
        return [
            Cell(
                {"distribution": distribution, "p": p, "sizes": list(sizes), "factors": 10 * p},
                draws,
                together=2,
            )
            for distribution in DISTRIBUTIONS
            for p in features
        ]

    def measure(self, parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
        p, sizes = parameters["p"], parameters["sizes"]
        covariance = make_gram_covariance(p, n_factors=parameters["factors"], rng=rng)
        precision = np.asarray(np.linalg.inv(covariance))
        thresholds, radii, least = [], [], []
        for moments in growing_sample(parameters["distribution"], precision, sizes, rng=rng):
            evidence = evidence_of(moments)
            bounds = bounds_of(evidence).values()
            least.append(_least_overshoot(evidence.covcov_matrix()))
            thresholds.append([np.median(pairs_of(bound.half_width(ALPHA))) for bound in bounds])
            radii.append([bound.radius.epsilon(ALPHA) for bound in bounds])
        return {
            "threshold": np.transpose(thresholds),
            "radius": np.transpose(radii),
            "least_overshoot": np.array(least),
        }

    def findings(self, results: Results) -> Findings:
        cells = [cell for cell, _ in results]
        return Findings(
            claims=claims_of(results),
            table=_table(results),
            notes=[slope_note(results), *_NOTES],
            draw=lambda: draw_thresholds(results),
            caption=(
                "(a), (e): log t against n, the paper's axes. (b), (f): the same on two "
                "logarithmic axes. (c), (g): our thresholds, whitened (solid) and spectral "
                f"(dashed). Lines are medians of {draws_of(cells)} draws. (d), (h): Tr C/λ_max = "
                f"(ε_Trace/ε_Eig)² at n = {last_size(cells)} (median and quartiles), the paper's "
                "lower bound on it, and the number p(p + 1)/2 of eigenvalues, its upper bound. "
                "(a) to (d): Gaussian rows, (e) to (h): multivariate Laplace rows; p = "
                f"{values_of(cells, 'p')}; δ = 0.05."
            ),
        )


_NOTES = [
    "The radius ε falls as 1/√n; the threshold is steeper, because t contains ε/(α̂_k(α̂_k − ε)) and "
    "not ε/α̂_k²: its local slope is about −½/(1 − ε/α̂_p), and reaches −½ only where ε is a small "
    "part of the smallest eigenvalue. So t is O(n^{−1/2}), as the paper says, and √n·t falls to "
    "its limit from above. How near one is to it depends on Σ, and so on the length of the g_i. "
    "With 3p in place of 10p and Gaussian rows the slopes, computed from the population moments, "
    "are about −0.52 to −0.53 for t_Eig and −0.55 to −0.75 for t_Trace; with Σ nearly the identity "
    "(100p), −0.506 and −0.515 to −0.55.",
    "The overshoot. C has d = p² − C(p, 2) = p(p + 1)/2 eigenvalues, so Tr C ≥ λ_max + "
    "(d − 1)λ_min, and ε_Trace is at least √(1 + (d − 1)λ_min/λ_max) times ε_Eig. The bound is an "
    "equality where all eigenvalues but the largest are equal; here it gives away most of the "
    "overshoot.",
]


def _least_overshoot(C: FloatArray) -> float:
    """The paper's lower bound on Tr C/λ_max: 1 + (p² − C(p, 2) − 1) λ_min/λ_max.

    C has p² − C(p, 2) = p(p + 1)/2 eigenvalues. One of them is λ_max, and none of the others is
    below λ_min.
    """
    eigenvalues = np.linalg.eigvalsh(C)
    return float(1 + (len(C) - 1) * eigenvalues[0] / eigenvalues[-1])


def _table(results: Sequence[tuple[Cell, Measured]]) -> Table:
    columns = (
        "distribution",
        "p",
        "method",
        "n",
        "median_threshold",
        "lower_quartile",
        "upper_quartile",
        "share_finite",
        "median_radius",
        "median_overshoot",
        "median_least_overshoot",
    )
    rows = []
    for cell, measured in results:
        parameters = cell.parameters
        # Of Tr C, so the same for each method.
        ratio, least = (
            np.median(of, axis=0) for of in (overshoot(measured), measured["least_overshoot"])
        )
        for m, method in enumerate(BOUNDS):
            thresholds = measured["threshold"][:, m]
            # Quartiles by sorting, which works for infinite thresholds as well.
            ordered = np.sort(thresholds, axis=0)
            last = len(ordered) - 1
            for k, n in enumerate(parameters["sizes"]):
                rows.append(
                    (
                        parameters["distribution"],
                        parameters["p"],
                        method,
                        n,
                        ordered[last // 2, k],
                        ordered[last // 4, k],
                        ordered[last - last // 4, k],
                        np.isfinite(thresholds[:, k]).mean(),
                        np.median(measured["radius"][:, m, k]),
                        ratio[k],
                        least[k],
                    )
                )
    return Table(columns, rows)
