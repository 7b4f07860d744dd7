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
from edgewise.studies.claims import Claim, judge, of_means
from edgewise.studies.growth import (
    BOUNDS,
    bounds_of,
    evidence_of,
    growing_sample,
    log_pvalues,
)
from edgewise.studies.study import Cell, Deviation, Findings, Measured, Table
from edgewise.studies.thresholds import PAPER_SIZES
from edgewise.studies.wording import draws_of, sizes_of

P = 6
ALPHA = 0.05
STRONG = 0.5
DISTRIBUTIONS = ("gaussian", "laplace")
METHODS = (*BOUNDS, "fisher", "score + Holm", "fisher + Holm")
SHARES = ("all entries", "|Θ_ij| > 0.5")


@dataclass(frozen=True)
class PowerStudy:
    name: str = "fig4"
    revision: int = 2
    title: str = "Power against the number of rows"
    paper: str = (
        "The share of edges that edgeTest-eig, edgeTest-tr and Fisher's test without correction "
        "find, against n on a linear axis, with shading for one standard error, for Gaussian and "
        "Laplace rows; the same for edges with |Θ_ij| > 0.5; and the histogram of |Θ_ij| over 100 "
        "Laplace graphs. Power rises with n, and is higher for the stronger edges; Fisher's test "
        "finds the most."
    )

    def design(self, cells: Sequence[Cell]) -> str:
        return (
            f"{draws_of(cells)} growing samples of Gaussian and of multivariate Laplace rows, "
            f"p = {P}, each with a new covariance Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), g_i of length 3p, "
            f"whose precision matrix has no zeros; looked at after {sizes_of(cells)} rows; "
            "δ = 0.05."
        )

    def deviations(self, cells: Sequence[Cell]) -> Sequence[Deviation]:
        return [
            Deviation(
                "numbers of rows",
                "10 000, 20 000, …, 1 010 000",
                f"{sizes_of(cells)}, of one growing sample",
                "new rows for each n would cost 50 times as much",
            ),
            Deviation("graphs", "100", draws_of(cells), "the scale `paper` has as many"),
            Deviation(
                "methods",
                "edgeTest-eig, edgeTest-tr, Fisher without correction",
                "spectral, whitened, and score and Fisher with Holm's correction too",
                "ours; with the correction, all but uncorrected Fisher promise the same",
            ),
        ]

    def cells(self, scale: str) -> Sequence[Cell]:
        sizes, draws = {
            "smoke": (PAPER_SIZES[:21:4], 6),
            "quick": (PAPER_SIZES, 30),
            "paper": (PAPER_SIZES, 100),
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
            score, fisher = (log_pvalues(evidence, method) for method in ("score", "fisher"))
            decisions.append(fisher <= np.log(ALPHA))
            decisions += [adjust(p, "holm") <= np.log(ALPHA) for p in (score, fisher)]
            found.append(decisions)
        return {
            "entries": np.abs(pairs_of(theta)),
            "found": np.array(found, dtype=bool).transpose(1, 0, 2),
        }

    def findings(self, results: Sequence[tuple[Cell, Measured]]) -> Findings:
        curves = [curve for result in results for curve in _curves(*result)]
        cells = [cell for cell, _ in results]
        caption = (
            f"Power against n, with bands of one standard error over {draws_of(cells)} draws: (a), "
            "(d) all entries, (b), (e) those with |Θ_ij| > 0.5. (c), (f): the histogram of |Θ_ij|. "
            f"(a) to (c): Gaussian, (d) to (f): multivariate Laplace rows; p = {P}, "
            f"{sizes_of(cells)}, δ = 0.05. The curves of score and of Fisher, with and without "
            "correction, nearly coincide."
        )
        return Findings(
            _claims(curves), _table(curves), _NOTES, lambda: _draw(results, curves), caption
        )


_NOTES = [
    "Fisher's test without correction is the paper's. It asks about each edge alone, and promises "
    "something for Gaussian rows only (see Figure 3), so more power is no better test. "
    "Score and Fisher are also corrected by Holm's procedure: then all methods promise no false "
    "edge with probability 0.95 (Fisher for Gaussian rows only).",
    "Power counts as rising where it is higher at the last size than at the first; a fall between "
    "two sizes refutes it. It counts as higher for strong edges where it is so on average over the "
    "sizes; a size at which it is lower refutes it.",
]


@dataclass(frozen=True)
class Curve:
    """Power at every size, with its standard error over draws.

    Each draw has a score at each size; their mean is the power, and their spread its error.
    """

    distribution: str
    method: str
    entries: str
    sizes: FloatArray
    scores: FloatArray

    @property
    def power(self) -> FloatArray:
        mean: FloatArray = self.scores.mean(axis=0)
        return mean

    @property
    def error(self) -> FloatArray:
        error: FloatArray = self.scores.std(axis=0, ddof=1) / np.sqrt(len(self.scores))
        return error


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
            scores = power + residuals
            curves.append(Curve(cell.parameters["distribution"], method, name, sizes, scores))
    return curves


def _claims(curves: Sequence[Curve]) -> list[Claim]:
    names = {"eig": "edgeTest-eig", "trace": "edgeTest-tr"}
    claims = []
    for method, name in names.items():
        claims += [_rises(curves, method, name), _higher(curves, method, name)]
    return claims + [_fisher_above(curves, method, name) for method, name in names.items()]


def _rises(curves: Sequence[Curve], method: str, name: str) -> Claim:
    chosen = [curve for curve in curves if curve.method == method]
    drop = min(float(np.diff(curve.power).min()) for curve in chosen)
    ends = ", ".join(
        f"{curve.power[0]:.2f} → {curve.power[-1]:.2f} ({curve.distribution}, {curve.entries})"
        for curve in chosen
    )
    return judge(
        f"the power of {name} rises with n",
        f"{ends}; largest fall between two sizes {abs(min(drop, 0.0)):.4f}",
        [of_means(curve.scores[:, 0] - curve.scores[:, -1]) for curve in chosen],
        weak=[of_means(-np.diff(curve.scores, axis=1)) for curve in chosen],
    )


def _higher(curves: Sequence[Curve], method: str, name: str) -> Claim:
    gaps = [
        _curve(curves, distribution, method, SHARES[1]).scores
        - _curve(curves, distribution, method, SHARES[0]).scores
        for distribution in DISTRIBUTIONS
    ]
    means = ", ".join(
        f"{gap.mean():+.3f} ({distribution})"
        for gap, distribution in zip(gaps, DISTRIBUTIONS, strict=True)
    )
    return judge(
        f"the power of {name} is higher for |Θ_ij| > 0.5",
        f"mean difference {means}; smallest {min(gap.mean(axis=0).min() for gap in gaps):+.3f}",
        [of_means(-gap.mean(axis=1)) for gap in gaps],
        weak=[of_means(-gap) for gap in gaps],
    )


def _fisher_above(curves: Sequence[Curve], method: str, name: str) -> Claim:
    gaps = [
        _curve(curves, distribution, "fisher", SHARES[0]).scores
        - _curve(curves, distribution, method, SHARES[0]).scores
        for distribution in DISTRIBUTIONS
    ]
    smallest = ", ".join(
        f"{gap.mean(axis=0).min():+.3f} ({distribution})"
        for gap, distribution in zip(gaps, DISTRIBUTIONS, strict=True)
    )
    return judge(
        f"Fisher's test without correction finds more edges than {name} at every n",
        f"smallest difference in power {smallest}",
        [of_means(-gap) for gap in gaps],
    )


def _curve(curves: Sequence[Curve], distribution: str, method: str, entries: str) -> Curve:
    return next(
        curve
        for curve in curves
        if (curve.distribution, curve.method, curve.entries) == (distribution, method, entries)
    )


def _table(curves: Sequence[Curve]) -> Table:
    columns = ("distribution", "method", "entries", "n", "power", "standard_error")
    rows = [
        (curve.distribution, curve.method, curve.entries, int(n), power, error)
        for curve in curves
        for n, power, error in zip(curve.sizes, curve.power, curve.error, strict=True)
    ]
    return Table(columns, rows)


def _draw(results: Sequence[tuple[Cell, Measured]], curves: Sequence[Curve]) -> Any:
    from edgewise.studies.pictures import (
        COLOURS,
        LAWS,
        LINES,
        NAMES,
        legend_below,
        letter_panels,
        panels,
    )

    figure = panels(3 * len(DISTRIBUTIONS), columns=3)
    for row, (cell, measured) in enumerate(results):
        distribution = cell.parameters["distribution"]
        law = LAWS[distribution]
        for column, entries in enumerate(SHARES):
            ax = figure.axes[3 * row + column]
            for curve in curves:
                if (curve.distribution, curve.entries) != (distribution, entries):
                    continue
                style, width = LINES.get(curve.method, ("-", 1.5))
                colour, name = COLOURS[curve.method], NAMES[curve.method]
                ax.plot(curve.sizes, curve.power, style, color=colour, label=name, linewidth=width)
                ax.lines[-1].set_zorder(4 - width / 2)
                ax.fill_between(
                    curve.sizes,
                    curve.power - curve.error,
                    curve.power + curve.error,
                    color=colour,
                    alpha=0.2,
                    linewidth=0,
                )
            ax.set_title(f"{law}: {entries}".replace("Θ_ij", r"$\Theta_{ij}$"), fontsize="medium")
            ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
            ax.set_xlabel("rows $n$")
            ax.set_ylabel("power")
            ax.set_ylim(-0.02, 1.04)
        ax = figure.axes[3 * row + 2]
        ax.hist(measured["entries"].ravel(), bins=np.arange(0, 3.05, 0.1).tolist(), color="#888888")
        ax.axvline(STRONG, color="black", linestyle=":")
        ax.set_title(f"{law}: entries by size", fontsize="medium")
        ax.set_xlabel(r"|$\Theta_{ij}$|")
        ax.set_ylabel("entries")
    letter_panels(figure)
    legend_below(figure, figure.axes[0], columns=4)
    return figure
