"""Figure 4 of the paper: power against the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from edgewise._linalg import FloatArray, pairs_of
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.corrections import adjust
from edgewise.simulate.graphs import make_gram_covariance
from reproduction.claims import Claim, judge, of_means
from reproduction.fig1 import PAPER_SIZES
from reproduction.growth import (
    ALPHA,
    BOUNDS,
    DISTRIBUTIONS,
    bounds_of,
    evidence_of,
    growing_sample,
    log_pvalues,
)
from reproduction.pictures import LAWS, draw_curve, finish, panels
from reproduction.study import (
    Cell,
    Deviations,
    Findings,
    Measured,
    Results,
    draws_of,
    sizes_of,
)

P = 6
STRONG = 0.5
METHODS = (*BOUNDS, "fisher", "score + Holm", "fisher + Holm")
SHARES = ("all entries", "|Θ_ij| > 0.5")


TITLE = "Power against the number of rows"
PAPER = (
    "The share of edges that edgeTest-eig, edgeTest-tr and Fisher's test without correction "
    "find, against n on a linear axis, with shading for one standard error, for Gaussian and "
    "Laplace rows; the same for edges with |Θ_ij| > 0.5; and the histogram of |Θ_ij| over 100 "
    "Laplace graphs. Power rises with n, and is high for strong effects."
)


def design(cells: Sequence[Cell]) -> str:
    return (
        f"{draws_of(cells)} growing samples of Gaussian and of multivariate Laplace rows, "
        f"p = {P}, each with a new covariance Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), g_i of length 3p, "
        f"whose precision matrix has no zeros; looked at after {sizes_of(cells)} rows; "
        "δ = 0.05."
    )


def deviations(cells: Sequence[Cell]) -> Deviations:
    return [
        (
            "numbers of rows",
            "10 000, 20 000, …, 1 010 000",
            f"{sizes_of(cells)}, of one growing sample",
            "new rows for each n would cost 50 times as much",
        ),
        ("graphs", "100", draws_of(cells), "the scale `paper` has as many"),
        (
            "methods",
            "edgeTest-eig, edgeTest-tr, Fisher without correction",
            "spectral, whitened, and score and Fisher with Holm's correction too",
            "ours; with the correction, all but uncorrected Fisher promise the same",
        ),
    ]


def cells(scale: str) -> Sequence[Cell]:
    sizes, draws = {
        "smoke": (PAPER_SIZES[:21:4], 6),
        "quick": (PAPER_SIZES, 30),
        "paper": (PAPER_SIZES, 100),
    }[scale]
    return [
        Cell({"distribution": distribution, "sizes": list(sizes)}, draws)
        for distribution in DISTRIBUTIONS
    ]


def measure(parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
    theta = np.asarray(np.linalg.inv(make_gram_covariance(P, rng=rng)))
    found = []
    for moments in growing_sample(parameters["distribution"], theta, parameters["sizes"], rng=rng):
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


def findings(results: Results) -> Findings:
    curves = _curves(results)
    cells = [cell for cell, _ in results]
    caption = (
        f"Power against n, with bands of one standard error over {draws_of(cells)} draws: (a), "
        "(d) all entries, (b), (e) those with |Θ_ij| > 0.5. (c), (f): the histogram of |Θ_ij|. "
        f"(a) to (c): Gaussian, (d) to (f): multivariate Laplace rows; p = {P}, "
        f"{sizes_of(cells)}, δ = 0.05. The curves of score and of Fisher, with and without "
        "correction, nearly coincide."
    )
    return Findings(
        _claims(curves), _COLUMNS, _rows(results), _NOTES, lambda: _draw(results), caption
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


#: For each distribution, method and kind of entries: the power in each draw, at each size.
Curves = dict[tuple[str, str, str], FloatArray]


def _curves(results: Results) -> Curves:
    """Each draw has a score at each size; their mean is the power, and their spread its error."""
    curves = {}
    for cell, measured in results:
        strong = measured["entries"] > STRONG
        for m, method in enumerate(METHODS):
            found = measured["found"][:, m]
            for name, counted in zip(SHARES, (np.ones_like(strong), strong), strict=True):
                hits = (found & counted[:, np.newaxis, :]).sum(axis=2).astype(float)
                entries = counted.sum(axis=1).astype(float)
                power = hits.sum(axis=0) / max(entries.sum(), 1.0)
                # The power is a ratio of two means; its error comes from the residuals over draws.
                residuals = (hits - entries[:, np.newaxis] * power) / max(entries.mean(), 1e-12)
                curves[cell["distribution"], method, name] = power + residuals
    return curves


def _power_and_error(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    return scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(len(scores))


def _claims(curves: Curves) -> list[Claim]:
    names = {"eig": "edgeTest-eig", "trace": "edgeTest-tr"}
    claims = []
    for method, name in names.items():
        claims += [_rises(curves, method, name), _higher(curves, method, name)]
    return claims + [_fisher_above(curves, method, name) for method, name in names.items()]


def _rises(curves: Curves, method: str, name: str) -> Claim:
    chosen = {
        f"({distribution}, {entries})": curves[distribution, method, entries]
        for distribution in DISTRIBUTIONS
        for entries in SHARES
    }
    power = {which: scores.mean(axis=0) for which, scores in chosen.items()}
    drop = min(float(np.diff(curve).min()) for curve in power.values())
    ends = ", ".join(f"{curve[0]:.2f} → {curve[-1]:.2f} {which}" for which, curve in power.items())
    return judge(
        f"the power of {name} rises with n",
        f"{ends}; largest fall between two sizes {abs(min(drop, 0.0)):.4f}",
        [of_means(scores[:, 0] - scores[:, -1]) for scores in chosen.values()],
        weak=[of_means(-np.diff(scores, axis=1)) for scores in chosen.values()],
    )


def _higher(curves: Curves, method: str, name: str) -> Claim:
    gaps = {law: curves[law, method, SHARES[1]] - curves[law, method, SHARES[0]] for law in LAWS}
    means = ", ".join(f"{gap.mean():+.3f} ({law})" for law, gap in gaps.items())
    smallest = min(gap.mean(axis=0).min() for gap in gaps.values())
    return judge(
        f"the power of {name} is higher for |Θ_ij| > 0.5",
        f"mean difference {means}; smallest {smallest:+.3f}",
        [of_means(-gap.mean(axis=1)) for gap in gaps.values()],
        weak=[of_means(-gap) for gap in gaps.values()],
    )


def _fisher_above(curves: Curves, method: str, name: str) -> Claim:
    gaps = {law: curves[law, "fisher", SHARES[0]] - curves[law, method, SHARES[0]] for law in LAWS}
    smallest = ", ".join(f"{gap.mean(axis=0).min():+.3f} ({law})" for law, gap in gaps.items())
    return judge(
        f"Fisher's test without correction finds more edges than {name} at every n (ours)",
        f"smallest difference in power {smallest}",
        [of_means(-gap) for gap in gaps.values()],
    )


_COLUMNS = "distribution method entries n power standard_error"


def _rows(results: Results) -> list[tuple[Any, ...]]:
    sizes = results[0][0]["sizes"]
    return [
        (*which, *numbers)
        for which, scores in _curves(results).items()
        for numbers in zip(sizes, *_power_and_error(scores), strict=True)
    ]


def _draw(results: Results) -> Figure:
    curves = _curves(results)
    figure = panels(3 * len(results), columns=3)
    for row, (cell, measured) in enumerate(results):
        law = LAWS[cell["distribution"]]
        for ax, entries in zip(figure.axes[3 * row :], SHARES, strict=False):
            for method in METHODS:
                power, error = _power_and_error(curves[cell["distribution"], method, entries])
                draw_curve(ax, method, np.asarray(cell["sizes"], dtype=float), power, error)
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
    return finish(figure, columns=4)
