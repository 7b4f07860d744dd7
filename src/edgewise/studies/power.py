"""Figure 4 of the paper: power against the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import estimate_precision
from edgewise.inference.corrections import adjust
from edgewise.simulate.random_matrices import make_gram_covariance
from edgewise.studies.growth import (
    BOUNDS,
    bounds_of,
    evidence_of,
    growing_sample,
    log_pvalues,
)
from edgewise.studies.study import Cell, Claim, Findings, Measured, Table
from edgewise.studies.thresholds import PAPER_SIZES

P = 6
ALPHA = 0.05
STRONG = 0.5
DISTRIBUTIONS = ("gaussian", "laplace")
METHODS = (*BOUNDS, "score + Holm", "fisher + Holm")
SHARES = ("all entries", "|Θ_ij| > 0.5")


@dataclass(frozen=True)
class PowerStudy:
    name: str = "fig4"
    revision: int = 1
    title: str = "Power against the number of rows"
    paper: str = (
        "The share of edges that edgeTest-eig and edgeTest-tr find, against n, for Gaussian and "
        "Laplace rows; the same for edges with |Θ_ij| > 0.5; and the histogram of |Θ_ij|. Power "
        "rises with n, and is higher for the stronger edges."
    )
    design: str = (
        "200 growing samples of p = 6 variables with a new covariance each, "
        "Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), g_i of length 3p, whose precision matrix has no zeros; "
        "looked at after every 10 000 rows up to 1 010 000 (101 sizes); δ = 0.05. Bands are 95 %, "
        "over draws."
    )

    def cells(self, scale: str) -> Sequence[Cell]:
        sizes, draws = {
            "smoke": (PAPER_SIZES[:21:4], 6),
            "quick": (PAPER_SIZES, 30),
            "paper": (PAPER_SIZES, 200),
        }[scale]
        return [
            Cell({"distribution": distribution, "sizes": list(sizes)}, draws, together=5)
            for distribution in DISTRIBUTIONS
        ]

    def measure(self, parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
        theta = np.asarray(np.linalg.inv(make_gram_covariance(P, rng=rng)))
        found = []
        for moments in growing_sample(
            parameters["distribution"], theta, parameters["sizes"], rng=rng
        ):
            evidence = evidence_of(moments)
            size = np.abs(estimate_precision(moments, evidence.feature_names).precision)
            decisions = [
                pairs_of(size >= bound.half_width(ALPHA)) for bound in bounds_of(evidence).values()
            ]
            for method in ("score", "fisher"):
                decisions.append(adjust(log_pvalues(evidence, method), "holm") <= np.log(ALPHA))
            found.append(decisions)
        return {
            "entries": np.abs(pairs_of(theta)),
            "found": np.array(found, dtype=bool).transpose(1, 0, 2),
        }

    def findings(self, results: Sequence[tuple[Cell, Measured]]) -> Findings:
        curves = [curve for result in results for curve in _curves(*result)]
        return Findings(_claims(curves), _table(curves), _NOTES, lambda: _draw(results, curves))


_NOTES = [
    "Score and Fisher are corrected by Holm's procedure, so that all methods promise the same: no "
    "false edge with probability 0.95 (Fisher for Gaussian rows only). Power counts as rising "
    "where no step falls by more than two standard errors."
]


@dataclass(frozen=True)
class Curve:
    """Power at every size, with its standard error over draws."""

    distribution: str
    method: str
    entries: str
    sizes: FloatArray
    power: FloatArray
    error: FloatArray


def _curves(cell: Cell, measured: Measured) -> list[Curve]:
    curves = []
    sizes = np.asarray(cell.parameters["sizes"], dtype=float)
    strong = measured["entries"] > STRONG
    for m, method in enumerate(METHODS):
        found = measured["found"][:, m]
        for name, counted in zip(SHARES, (np.ones_like(strong), strong), strict=True):
            hits = (found & counted[:, np.newaxis, :]).sum(axis=2).astype(float)
            entries = counted.sum(axis=1).astype(float)
            power = hits.sum(axis=0) / max(entries.sum(), 1.0)
            # The power is a ratio of two means; its error comes from the residuals over draws.
            residuals = (hits - entries[:, np.newaxis] * power) / max(entries.mean(), 1e-12)
            error = residuals.std(axis=0, ddof=1) / np.sqrt(len(hits))
            curves.append(Curve(cell.parameters["distribution"], method, name, sizes, power, error))
    return curves


def _claims(curves: Sequence[Curve]) -> list[Claim]:
    claims = []
    for method, name in (("eig", "edgeTest-eig"), ("trace", "edgeTest-tr")):
        chosen = [curve for curve in curves if curve.method == method]
        drop = min(float(np.diff(curve.power).min()) for curve in chosen)
        rises = all(
            (np.diff(curve.power) >= -2 * curve.error[1:] - 1e-12).all()
            and curve.power[-1] > curve.power[0]
            for curve in chosen
        )
        ends = ", ".join(
            f"{curve.power[0]:.2f} → {curve.power[-1]:.2f} ({curve.distribution}, {curve.entries})"
            for curve in chosen
        )
        claims.append(
            Claim(
                f"the power of {name} rises with n",
                f"{ends}; largest fall between two sizes {abs(min(drop, 0.0)):.4f}",
                rises,
            )
        )
        gaps = [_gap(chosen, distribution) for distribution in DISTRIBUTIONS]
        claims.append(
            Claim(
                f"the power of {name} is higher for |Θ_ij| > 0.5",
                "mean difference "
                + ", ".join(
                    f"{gap.mean():+.3f} ({distribution})"
                    for gap, distribution in zip(gaps, DISTRIBUTIONS, strict=True)
                )
                + f"; smallest {min(gap.min() for gap in gaps):+.3f}",
                all(gap.min() >= 0 and gap.max() > 0 for gap in gaps),
            )
        )
    return claims


def _gap(curves: Sequence[Curve], distribution: str) -> FloatArray:
    every, strong = (
        next(c for c in curves if (c.distribution, c.entries) == (distribution, entries))
        for entries in SHARES
    )
    return strong.power - every.power


def _table(curves: Sequence[Curve]) -> Table:
    columns = ("distribution", "method", "entries", "n", "power", "standard_error")
    rows = [
        (curve.distribution, curve.method, curve.entries, int(n), power, error)
        for curve in curves
        for n, power, error in zip(curve.sizes, curve.power, curve.error, strict=True)
    ]
    return Table(columns, rows)


def _draw(results: Sequence[tuple[Cell, Measured]], curves: Sequence[Curve]) -> Any:
    from edgewise.studies.pictures import COLOURS, NAMES, legend_below, panels

    figure = panels(len(DISTRIBUTIONS), 3)
    for row, (cell, measured) in enumerate(results):
        distribution = cell.parameters["distribution"]
        for column, entries in enumerate(SHARES):
            ax = figure.axes[3 * row + column]
            for curve in curves:
                if (curve.distribution, curve.entries) != (distribution, entries):
                    continue
                style = ":" if curve.method == "fisher + Holm" else "-"
                colour, name = COLOURS[curve.method], NAMES[curve.method]
                ax.semilogx(curve.sizes, curve.power, style, color=colour, label=name)
                ax.fill_between(
                    curve.sizes,
                    curve.power - 1.96 * curve.error,
                    curve.power + 1.96 * curve.error,
                    color=colour,
                    alpha=0.2,
                    linewidth=0,
                )
            ax.set_title(f"{distribution}: {entries}", fontsize="medium")
            ax.set_xlabel("rows n")
            ax.set_ylabel("power")
            ax.set_ylim(-0.02, 1.02)
        ax = figure.axes[3 * row + 2]
        ax.hist(measured["entries"].ravel(), bins=np.arange(0, 3.05, 0.1).tolist(), color="#888888")
        ax.axvline(STRONG, color="black", linestyle=":")
        ax.set_title(f"{distribution}: histogram of |Θ_ij|", fontsize="medium")
        ax.set_xlabel("|Θ_ij|")
        ax.set_ylabel("entries")
    legend_below(figure, figure.axes[0])
    return figure
