"""Figure 1 of the paper: how thresholds fall with the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import AnyArray, FloatArray
from edgewise.inference.bound import Bound
from edgewise.simulate.random_matrices import make_gram_covariance
from edgewise.studies.growth import BOUNDS, bounds_of, evidence_of, growing_sample
from edgewise.studies.study import Cell, Claim, Findings, Measured, Table

ALPHA = 0.05
#: The paper's 101 numbers of rows.
PAPER_SIZES = tuple(range(10_000, 1_010_001, 10_000))
DISTRIBUTIONS = ("gaussian", "laplace")
_TOLERANCE = 0.01


@dataclass(frozen=True)
class ThresholdStudy:
    name: str = "fig1"
    revision: int = 1
    title: str = "Thresholds against the number of rows"
    paper: str = (
        "log t_Eig and log t_Trace against log n, for several numbers of variables: both fall "
        "along straight lines of slope −½, and the eigenvalue threshold lies below the trace "
        "threshold."
    )
    design: str = (
        "One growing sample a draw, looked at after every 10 000 rows up to 1 010 000 (101 sizes), "
        "for Gaussian and multivariate Laplace rows and p = 4, 6, …, 14; a new covariance "
        "Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖) in each draw, g_i ~ N(0, I) of length 10p; δ = 0.05. The "
        "whitened threshold is per entry; its median over the pairs is shown."
    )

    def cells(self, scale: str) -> Sequence[Cell]:
        features, sizes, draws = {
            "smoke": ((4, 6), PAPER_SIZES[:11:2], 2),
            "quick": ((4, 6, 8, 10, 12, 14), PAPER_SIZES, 10),
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
        thresholds, radii, far = [], [], []
        for moments in growing_sample(parameters["distribution"], precision, sizes, rng=rng):
            bounds = bounds_of(evidence_of(moments)).values()
            thresholds.append([np.median(pairs_of(bound.half_width(ALPHA))) for bound in bounds])
            radii.append([bound.radius.epsilon(ALPHA) for bound in bounds])
            far = [_far_slope(bound) for bound in bounds]
        return {
            "threshold": np.transpose(thresholds),
            "radius": np.transpose(radii),
            "far_slope": np.array(far),
        }

    def findings(self, results: Sequence[tuple[Cell, Measured]]) -> Findings:
        return Findings(
            claims=_claims(results),
            table=_table(results),
            notes=[*_slope_notes(results), *_NOTES],
            draw=lambda: _draw(results),
        )


_NOTES = [
    "The radius ε falls as 1/√n; the threshold is steeper, because t contains ε/(α̂_k(α̂_k − ε)) and "
    "not ε/α̂_k²: its local slope is about −½/(1 − ε/α̂_p), and reaches −½ only where ε is a small "
    "part of the smallest eigenvalue. So the straight line of the paper is the limit, and how near "
    "one is to it depends on Σ; the length of the g_i, which the paper does not state, decides "
    "that. Here it is 10p, so that thresholds are finite from the first size on; the other figures "
    "use 3p, so that entries above 0.5 exist. With 3p and Gaussian rows the slopes, computed from "
    "the population moments, are about −0.52 to −0.53 for t_Eig and −0.55 to −0.75 for t_Trace; "
    "with Σ nearly the identity (100p), −0.506 and −0.515 to −0.55.",
]


def _far_slope(bound: Bound) -> float:
    """The slope of log t in log n at a hundred times the rows, where ε is a tenth."""
    epsilon = bound.radius.epsilon(ALPHA) / 10
    tau = bound.transfer.tau
    return float(np.log(tau(epsilon / np.sqrt(2.0)) / tau(epsilon)) / np.log(2.0))


def _fitted_slopes(sizes: Sequence[int], curves: AnyArray) -> FloatArray:
    """Least-squares slope of log(curve) on log n, for each draw, from its finite values."""
    log_n = np.log(np.asarray(sizes, dtype=float))
    slopes = []
    for curve in curves:
        finite = np.isfinite(curve)
        enough = finite.sum() > 2
        slopes.append(np.polyfit(log_n[finite], np.log(curve[finite]), 1)[0] if enough else np.nan)
    return np.array(slopes)


def _slopes(results: Sequence[tuple[Cell, Measured]], method: str, what: str) -> FloatArray:
    """The mean slope of every cell, and its standard error."""
    row = BOUNDS.index(method)
    means = []
    for cell, measured in results:
        if what == "far_slope":
            fitted = measured["far_slope"][:, row]
        else:
            fitted = _fitted_slopes(cell.parameters["sizes"], measured[what][:, row])
        fitted = fitted[np.isfinite(fitted)]
        means.append((fitted.mean(), fitted.std(ddof=1) / np.sqrt(fitted.size)))
    return np.array(means).T


def _claims(results: Sequence[tuple[Cell, Measured]]) -> list[Claim]:
    claims = []
    sentences = {
        "threshold": "log t_{} falls with slope −0.5 ± 0.01 in log n",
        "radius": "log ε_{} falls with slope −0.5 ± 0.01 in log n (ours)",
        "far_slope": "log t_{} falls with slope −0.5 ± 0.01 at 100 times the rows, extrapolated "
        "from the last ε (ours)",
    }
    for what, sentence in sentences.items():
        for method, short in (("eig", "Eig"), ("trace", "Trace")):
            slopes, errors = _slopes(results, method, what)
            inside = np.abs(slopes + 0.5) <= _TOLERANCE + 3 * errors
            claims.append(
                Claim(
                    sentence.format(short),
                    f"mean slopes from {slopes.min():.4f} to {slopes.max():.4f} over p and "
                    f"distributions; {inside.sum()} of {inside.size} within 0.01 (and 3 standard "
                    "errors)",
                    bool(inside.all()),
                )
            )
    eig, trace, whitened = (
        np.concatenate(
            [measured["threshold"][:, BOUNDS.index(name)].ravel() for _, measured in results]
        )
        for name in ("eig", "trace", "whitened")
    )
    below = (eig < trace) | (np.isinf(eig) & np.isinf(trace))
    claims.append(
        Claim(
            "t_Eig < t_Trace everywhere",
            f"in {below.sum():,} of {below.size:,} comparisons",
            bool(below.all()),
        )
    )
    sharper = whitened < trace
    claims.append(
        Claim(
            "the whitened threshold, with the guarantee of t_Trace, is below t_Trace (ours)",
            f"in {sharper.sum():,} of {sharper.size:,} comparisons; median ratio "
            f"{np.median(whitened / trace):.2f}",
            bool(sharper.all()),
        )
    )
    return claims


def _slope_notes(results: Sequence[tuple[Cell, Measured]]) -> list[str]:
    lines = ["| distribution | p | " + " | ".join(f"slope of t, {name}" for name in BOUNDS) + " |"]
    lines.append("|---|---:|" + "---:|" * len(BOUNDS))
    every = {name: _slopes(results, name, "threshold")[0] for name in BOUNDS}
    for k, (cell, _) in enumerate(results):
        values = " | ".join(f"{every[name][k]:.3f}" for name in BOUNDS)
        lines.append(f"| {cell.parameters['distribution']} | {cell.parameters['p']} | {values} |")
    return ["\n".join(lines)]


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
    )
    rows = []
    for cell, measured in results:
        parameters = cell.parameters
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
                    )
                )
    return Table(columns, rows)


def _draw(results: Sequence[tuple[Cell, Measured]]) -> Any:
    from matplotlib import colormaps

    from edgewise.studies.pictures import NAMES, legend_below, panels

    features = sorted({cell.parameters["p"] for cell, _ in results})
    shades = colormaps["viridis"](np.linspace(0, 0.9, len(features)))
    figure = panels(len(DISTRIBUTIONS), len(BOUNDS))
    for at, ax in enumerate(figure.axes):
        distribution, method = DISTRIBUTIONS[at // len(BOUNDS)], BOUNDS[at % len(BOUNDS)]
        for cell, measured in results:
            if cell.parameters["distribution"] != distribution:
                continue
            sizes = np.asarray(cell.parameters["sizes"], dtype=float)
            median = np.median(measured["threshold"][:, BOUNDS.index(method)], axis=0)
            finite = np.isfinite(median)
            p = cell.parameters["p"]
            ax.loglog(
                sizes[finite], median[finite], color=shades[features.index(p)], label=f"p = {p}"
            )
            if p == features[-1] and finite.any():
                guide = median[finite][-1] * 0.6 * (sizes / sizes[-1]) ** -0.5
                ax.loglog(sizes, guide, color="black", linestyle=":", label="slope −½")
        ax.set_title(f"{NAMES[method]}, {distribution}", fontsize="medium")
        ax.set_xlabel("rows n")
        ax.set_ylabel("threshold t")
    low = min(ax.get_ylim()[0] for ax in figure.axes)
    high = max(ax.get_ylim()[1] for ax in figure.axes)
    for ax in figure.axes:
        ax.set_ylim(low, high)
    legend_below(figure, figure.axes[0], columns=len(features) + 1)
    return figure
