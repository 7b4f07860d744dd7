"""Figure 2 of the paper: eigenvalues of Θ̂ and Weyl's bounds on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from edgewise._linalg import BoolArray, FloatArray
from edgewise.paper.radii import Radius
from edgewise.simulate.graphs import make_gram_covariance
from reproduction.claims import Claim, judge, of_counts, of_means
from reproduction.growth import (
    ALPHA,
    DISTRIBUTIONS,
    bounds_of,
    chi_square_radius,
    evidence_of,
    growing_sample,
)
from reproduction.pictures import COLOURS, LAWS, finish, panels
from reproduction.study import (
    Cell,
    Deviations,
    Findings,
    Measured,
    Results,
    draws_of,
    sizes_of,
    values_of,
)

#: The paper's two radii, and ours.
RADII = {"eig": "ε_Eig", "trace": "ε_Trace", "chi2": "ε_chi² (ours)"}


TITLE = "Eigenvalues of Θ̂ and Weyl's bounds"
PAPER = (
    "Box plots of the eigenvalues of Θ̂ over 200 draws beside the true eigenvalues of Θ, with "
    "Weyl's upper and lower bounds from ε_Eig and ε_Trace: the bounds contain them, and become "
    "tighter as n grows."
)


def design(cells: Sequence[Cell]) -> str:
    return (
        f"{draws_of(cells)} draws of Gaussian and of multivariate Laplace rows for each of p = "
        f"{values_of(cells, 'p')}, with one covariance Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖) for each p "
        f"(g_i of length 3p), {sizes_of(cells)} rows of the same sample; δ = 0.05. Weyl: "
        "|α̂_k − α_k| ≤ ‖Σ̂ − Σ‖₂, so 1/α_k lies between 1/(α̂_k + ε) and 1/(α̂_k − ε) where ε "
        "bounds that norm. The coverage is counted draw by draw."
    )


def deviations(cells: Sequence[Cell]) -> Deviations:
    return [
        (
            "variables",
            "8 in the caption and on the axes, 6 in the captions of the panels",
            f"p = {values_of(cells, 'p')}",
            "not known which is meant",
        ),
        (
            "scale of the boxes",
            "eigenvalues of Θ̂",
            "divided by the true eigenvalue",
            "otherwise the largest hides the others",
        ),
        (
            "bounds in the picture",
            "Weyl's bounds beside the boxes",
            "about the true eigenvalue, with the median ε",
            "one picture for all draws; the claims count draw by draw",
        ),
        ("radii", "ε_Eig, ε_Trace", "the weighted chi-square radius too", "ours"),
        ("draws", "200", draws_of(cells), "the scale `paper` has as many"),
    ]


def cells(scale: str) -> Sequence[Cell]:
    sizes, draws = {
        "smoke": ((10_000, 50_000), 10),
        "quick": ((100_000, 500_000), 20),
        "paper": ((100_000, 500_000), 200),
    }[scale]
    return [
        Cell({"distribution": distribution, "p": p, "sizes": list(sizes)}, draws)
        for distribution in DISTRIBUTIONS
        for p in (6, 8)
    ]


def measure(parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
    precision = np.asarray(np.linalg.inv(_covariance(parameters["p"])))
    eigenvalues, radii = [], []
    for moments in growing_sample(
        parameters["distribution"], precision, parameters["sizes"], rng=rng
    ):
        evidence = evidence_of(moments)
        eigenvalues.append(np.linalg.eigvalsh(moments.covariance()))
        bounds = bounds_of(evidence, ("eig", "trace"))
        used: list[Radius] = [bound.radius for bound in bounds.values()]
        used.append(chi_square_radius(evidence))
        radii.append([radius.epsilon(ALPHA) for radius in used])
    return {"eigenvalues": np.array(eigenvalues), "radius": np.array(radii)}


def findings(results: Results) -> Findings:
    cells = [cell for cell, _ in results]
    caption = (
        "How far the eigenvalues of Θ̂ are from the true ones, in percent: boxes of "
        f"{draws_of(cells)} draws, with Weyl's bounds about the true value from the median "
        f"radius. One row for each law and p = {values_of(cells, 'p')}, one column for each of "
        f"{sizes_of(cells)}; δ = 0.05. The axis is linear up to 1 % and logarithmic beyond. An "
        "upper bound is missing where ε is above the eigenvalue of Σ."
    )
    return Findings(
        _claims(results), _COLUMNS, _rows(results), _NOTES, lambda: _draw(results), caption
    )


_NOTES = [
    "That the bounds of ε_Eig contain the eigenvalues does not make ε_Eig a bound on ‖Σ̂ − Σ‖₂ "
    "(`python -m reproduction lemma1` shows that it is not): each eigenvalue moves less than the "
    "norm of the whole error ‖Σ̂ − Σ‖₂, which is what ε must bound.",
    "The weighted chi-square radius holds in the limit of many rows, like ε_Trace, and is smaller.",
]


def _covariance(p: int) -> FloatArray:
    """Σ, which depends only on p and is the same in every draw."""
    return make_gram_covariance(p, rng=np.random.default_rng([2016, p]))


def _inside(measured: Measured, p: int) -> BoolArray:
    """Whether |α̂_k − α_k| ≤ ε: draws × sizes × radii × eigenvalues."""
    true = np.linalg.eigvalsh(_covariance(p))
    gap = np.abs(measured["eigenvalues"] - true)
    return np.asarray(gap[:, :, np.newaxis, :] <= measured["radius"][..., np.newaxis])


def _claims(results: Results) -> list[Claim]:
    claims = []
    for r, name in enumerate(RADII.values()):
        missed, draws = [], []
        for cell, measured in results:
            inside = _inside(measured, cell["p"])[:, :, r]
            outside = np.any(~inside, axis=-1).sum(axis=0)
            missed += list(outside)
            draws += [len(inside)] * len(outside)
        shares = 1 - np.array(missed) / np.array(draws)
        claims.append(
            judge(
                f"Weyl's bounds from {name} contain all eigenvalues of a draw, with probability "
                "0.95 at least",
                f"in {shares.min():.3f} to {shares.max():.3f} of {max(draws)} draws, over "
                f"{len(shares)} panels",
                of_counts(missed, draws, at_most=ALPHA),
            )
        )
        falls = [np.log(one["radius"][:, -1, r] / one["radius"][:, 0, r]) for _, one in results]
        claims.append(
            judge(
                f"the bounds from {name} become tighter as n grows",
                f"the last radius is on average {np.exp(np.mean(falls)):.2f} times the first",
                np.concatenate([of_means(fall) for fall in falls]),
            )
        )
    return claims


_COLUMNS = "distribution p n eigenvalue true_value draw estimate " + " ".join(
    f"{end}_{radius}" for radius in RADII for end in ("lower", "upper")
)


def _rows(results: Results) -> list[tuple[Any, ...]]:
    rows = []
    for cell, measured in results:
        true = np.linalg.eigvalsh(_covariance(cell["p"]))
        for s, n in enumerate(cell["sizes"]):
            for draw, alpha in enumerate(measured["eigenvalues"][:, s]):
                ends = [end for e in measured["radius"][draw, s] for end in _weyl(alpha, e)]
                for k, numbers in enumerate(zip(1 / alpha, *ends, strict=True)):
                    where = (cell["distribution"], cell["p"], n, len(true) - k)
                    rows.append((*where, 1 / true[k], draw, *numbers))
    return rows


def _weyl(alpha: FloatArray, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Bounds on 1/α_k given α̂_k; the upper bound is infinite if ε is at least α̂_k."""
    room = alpha - epsilon
    upper = np.divide(1.0, room, out=np.full(alpha.shape, np.inf), where=room > 0)
    return 1 / (alpha + epsilon), upper


_MATH = {
    "eig": r"$\varepsilon_{\mathrm{Eig}}$",
    "trace": r"$\varepsilon_{\mathrm{Trace}}$",
    "chi2": r"$\varepsilon_{\chi^2}$ (ours)",
}


def _draw(results: Results) -> Figure:
    figure = panels(2 * len(results))
    for c, (cell, measured) in enumerate(results):
        true = np.asarray(np.linalg.eigvalsh(_covariance(cell["p"])), dtype=float)
        law = LAWS[cell["distribution"]]
        for s, n in enumerate(cell["sizes"]):
            ax = figure.axes[2 * c + s]
            _draw_deviations(ax, true, measured["eigenvalues"][:, s], measured["radius"][:, s])
            ax.set_title(f"{law}, $p$ = {len(true)}, $n$ = {n:,}", fontsize="medium")
    return finish(figure, columns=4)


def _draw_deviations(ax: Any, true: FloatArray, found: FloatArray, radii: FloatArray) -> None:
    """Boxes near zero and bounds far from it, on an axis that shows both."""

    def percent(ratio: FloatArray) -> FloatArray:
        return np.where(np.isfinite(ratio), 100 * (ratio - 1), np.nan)

    places = np.arange(len(true), 0, -1)
    ax.boxplot(
        percent(true / found),
        positions=places,
        widths=0.5,
        flierprops={"markersize": 2},
        medianprops={"color": "black"},
        manage_ticks=False,
    )
    ax.axhline(0.0, color="black", linestyle=":", label="true eigenvalue")
    for r, radius in enumerate(RADII):
        low, high = _weyl(true, float(np.median(radii[:, r])))
        style: dict[str, Any] = {"color": COLOURS[radius], "markersize": 14, "mew": 2}
        ax.plot(places, percent(low * true), "_", label=f"Weyl, {_MATH[radius]}", **style)
        ax.plot(places, percent(high * true), "_", **style)
    ax.set_yscale("symlog", linthresh=1, linscale=1.5)
    ticks = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
    ax.set_yticks(ticks, [f"{tick:+d}".replace("-", "−") if tick else "0" for tick in ticks])
    ax.set_yticks([], minor=True)
    ax.set_xticks(places, [f"{1 / value:.2f}" for value in true], fontsize="small")
    ax.set_xlabel(r"true eigenvalue of $\Theta$")
    ax.set_ylabel(r"eigenvalue of $\hat\Theta$, % off")
