"""Figure 1 of the paper: how thresholds fall with the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from edgewise._linalg import FloatArray, pairs_of
from edgewise.simulate.graphs import make_gram_covariance
from reproduction.claims import Claim, finite_mean, judge, of_means, within
from reproduction.growth import (
    ALPHA,
    BOUNDS,
    DISTRIBUTIONS,
    bounds_of,
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
    last_size,
    sizes_of,
    values_of,
)

#: The paper's 101 numbers of rows.
PAPER_SIZES = tuple(range(10_000, 1_010_001, 10_000))
#: Of the vectors g_i: entries of Θ then have the same size for all p.
LENGTH = 140
_SHORT = {"eig": "Eig", "trace": "Trace"}

TITLE = "Thresholds against the number of rows"
PAPER = (
    "log t_Eig and log t_Trace against n, in 101 even steps and one panel: both thresholds are "
    "O(n^{−1/2}) in the limit, the eigenvalue threshold lies below the trace threshold, and the "
    "bounds grow with the number of variables p. "
    "Tr C exceeds λ_max(C) at least by the factor 1 + (p² − C(p, 2) − 1) λ_min/λ_max, where C "
    "is the covariance of the p² − C(p, 2) = p(p + 1)/2 entries of Σ̂."
)


def design(cells: Sequence[Cell]) -> str:
    return (
        f"{draws_of(cells)} draws for Gaussian and for multivariate Laplace rows and for each "
        f"of p = {values_of(cells, 'p')}. A draw is one growing sample, looked at after "
        f"{sizes_of(cells)} rows, with a new covariance Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), "
        f"g_i ~ N(0, I) of length {LENGTH}; δ = 0.05. The whitened threshold is per entry; its "
        "median over the pairs is shown."
    )


def deviations(cells: Sequence[Cell]) -> Deviations:
    return [
        (
            "axes",
            "log t against n, one panel",
            "the same, panel (a) or (e), and log–log beside it",
            "a power of n is a straight line only on two logarithmic axes",
        ),
        (
            "length of the g_i",
            "not stated; the Discussion says that “the size of the non-zero entries follows the same "
            "distribution” for all p",
            f"{LENGTH} here, 3p in the other figures, which have one p",
            "a fixed length gives entries of the same size at every p, a multiple of p does not",
        ),
        (
            "numbers of rows",
            "10 000, 20 000, …, 1 010 000",
            f"{sizes_of(cells)}, of one growing sample",
            "new rows for each n would cost 50 times as much; the sizes of a draw depend on "
            "each other, so errors are taken over draws",
        ),
        (
            "Laplace rows",
            "the density has Cov(x) = 4(p + 1)Σ",
            "scaled to Cov(x) = Σ, in all figures",
            "so that both laws have the same Θ",
        ),
        ("draws", "100", draws_of(cells), "the scale `paper` has as many"),
    ]


def cells(scale: str) -> Sequence[Cell]:
    features, sizes, draws = {
        "smoke": ((4, 6), PAPER_SIZES[:11:2], 2),
        "quick": ((4, 6, 8, 10, 12, 14), PAPER_SIZES, 20),
        "paper": ((4, 6, 8, 10, 12, 14), PAPER_SIZES, 100),
    }[scale]
    return [
        Cell({"distribution": distribution, "p": p, "sizes": list(sizes), "factors": LENGTH}, draws)
        for distribution in DISTRIBUTIONS
        for p in features
    ]


def measure(parameters: Mapping[str, Any], rng: np.random.Generator) -> Measured:
    p, sizes = parameters["p"], parameters["sizes"]
    covariance = make_gram_covariance(p, n_factors=parameters["factors"], rng=rng)
    precision = np.asarray(np.linalg.inv(covariance))
    thresholds, radii, least = [], [], []
    for moments in growing_sample(parameters["distribution"], precision, sizes, rng=rng):
        evidence = evidence_of(moments)
        bounds = bounds_of(evidence).values()
        # C has p(p + 1)/2 eigenvalues: one is λ_max, and none of the others is below λ_min.
        eigenvalues = np.linalg.eigvalsh(evidence.covcov_matrix())
        least.append(1 + (len(eigenvalues) - 1) * eigenvalues[0] / eigenvalues[-1])
        thresholds.append([np.median(pairs_of(bound.half_width(ALPHA))) for bound in bounds])
        radii.append([bound.radius.epsilon(ALPHA) for bound in bounds])
    return {
        "threshold": np.transpose(thresholds),
        "radius": np.transpose(radii),
        "least_overshoot": np.array(least),
    }


def findings(results: Results) -> Findings:
    cells = [cell for cell, _ in results]
    return Findings(
        claims=_claims(results),
        columns=_COLUMNS,
        rows=_rows(results),
        notes=[_slope_note(results), *_NOTES],
        draw=lambda: _draw(results),
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
    "With a length of 3p and Gaussian rows the slopes, computed from the population moments, are "
    "about −0.52 to −0.53 for t_Eig and −0.55 to −0.75 for t_Trace; with Σ nearly the identity "
    "(100p), −0.506 and −0.515 to −0.55.",
    "The overshoot. C has d = p² − C(p, 2) = p(p + 1)/2 eigenvalues, so Tr C ≥ λ_max + "
    "(d − 1)λ_min, and ε_Trace is at least √(1 + (d − 1)λ_min/λ_max) times ε_Eig. The bound is an "
    "equality where all eigenvalues but the largest are equal; here it gives away most of the "
    "overshoot.",
]


_COLUMNS = (
    "distribution p method n median_threshold lower_quartile upper_quartile share_finite "
    "median_radius median_overshoot median_least_overshoot"
)


def _rows(results: Results) -> list[tuple[Any, ...]]:
    rows = []
    for cell, measured in results:
        # Of Tr C, so the same for each method.
        ratio, least = (
            np.median(of, axis=0) for of in (_overshoot(measured), measured["least_overshoot"])
        )
        for m, method in enumerate(BOUNDS):
            # Quartiles by sorting, which works for infinite thresholds as well.
            ordered = np.sort(measured["threshold"][:, m], axis=0)
            last = len(ordered) - 1
            curves = (
                *(ordered[k] for k in (last // 2, last // 4, last - last // 4)),
                np.isfinite(ordered).mean(axis=0),
                np.median(measured["radius"][:, m], axis=0),
                ratio,
                least,
            )
            for n, *numbers in zip(cell["sizes"], *curves, strict=True):
                rows.append((cell["distribution"], cell["p"], method, n, *numbers))
    return rows


def _slopes(results: Results, method: str, what: str, half: str = "both") -> list[FloatArray]:
    """The slope of log(curve) on log n of every draw, by least squares over its finite values.

    One array for each cell; over all sizes, or over one half of log n.
    """
    row = BOUNDS.index(method)
    found = []
    for cell, measured in results:
        sizes = np.asarray(cell["sizes"], dtype=float)
        middle = np.sqrt(sizes[0] * sizes[-1])
        chosen = {"both": sizes > 0, "lower": sizes <= middle, "upper": sizes >= middle}[half]
        slopes = []
        for curve in measured[what][:, row][:, chosen]:
            finite = np.isfinite(curve)
            log_n, log_curve = np.log(sizes[chosen][finite]), np.log(curve[finite])
            slopes.append(np.polyfit(log_n, log_curve, 1)[0] if finite.sum() > 1 else np.nan)
        found.append(np.array(slopes))
    return found


def _claims(results: Results) -> list[Claim]:
    claims = []
    for method, short in _SHORT.items():
        slopes = _slopes(results, method, "threshold")
        claims.append(
            judge(
                f"t_{short} = O(n^{{−1/2}}): the slope of log t_{short} in log n is −½ or below",
                f"mean slopes {_reach(slopes)} over p and distributions",
                np.concatenate([of_means(of_cell + 0.5) for of_cell in slopes]),
            )
        )
        lower, upper = (_slopes(results, method, "threshold", half) for half in ("lower", "upper"))
        nearer = [np.abs(b + 0.5) - np.abs(a + 0.5) for a, b in zip(lower, upper, strict=True)]
        claims.append(
            judge(
                f"√n·t_{short} tends to a constant: the slope is nearer to −½ in the upper half "
                "of log n than in the lower",
                f"mean slopes {_reach(lower)}, then {_reach(upper)}",
                np.concatenate([of_means(of_cell) for of_cell in nearer]),
            )
        )
    for method, short in _SHORT.items():
        slopes = _slopes(results, method, "radius")
        claims.append(
            judge(
                f"log ε_{short} falls with slope −0.5 ± 0.01 in log n (ours)",
                f"mean slopes {_reach(slopes)} over p and distributions",
                np.concatenate([within(of_cell + 0.5, 0.01) for of_cell in slopes]),
            )
        )
    ours = "the whitened threshold, with the guarantee of t_Trace, lies below t_Trace (ours)"
    return [
        *claims,
        _below_trace(results, "eig", "t_Eig lies below t_Trace at every n"),
        _below_trace(results, "whitened", ours),
        *(_grows_with_p(results, method, short) for method, short in _SHORT.items()),
        _overshoot_claim(results),
    ]


def _reach(slopes: Sequence[FloatArray]) -> str:
    means = [mean for mean in map(finite_mean, slopes) if np.isfinite(mean)]
    return f"from {min(means):.4f} to {max(means):.4f}" if means else "of no draw"


def _below_trace(results: Results, method: str, says: str) -> Claim:
    """1/t is compared, since t may be infinite; where both are, there is nothing to compare."""
    excess, ratios = [], []
    for _, measured in results:
        ours, trace = (measured["threshold"][:, BOUNDS.index(name)] for name in (method, "trace"))
        gap = np.where(np.isinf(ours) & np.isinf(trace), np.nan, 1 / trace - 1 / ours)
        excess.append(of_means(gap))
        ratios.append(gap.ravel())
    gaps = np.concatenate(ratios)
    gaps = gaps[np.isfinite(gaps)]
    return judge(
        says, f"in {(gaps < 0).sum():,} of {gaps.size:,} comparisons", np.concatenate(excess)
    )


def _grows_with_p(results: Results, method: str, short: str) -> Claim:
    """1/t at neighbouring p, at every n; draws of different p are independent."""
    excess, medians = [], []
    for (small, one), (large, other) in pairwise(results):
        if small["distribution"] == large["distribution"]:
            a, b = (1 / of["threshold"][:, BOUNDS.index(method)] for of in (one, other))
            draws = min(len(a), len(b))
            excess.append(of_means(b[:draws] - a[:draws]))
            medians.append(np.median(a, axis=0) - np.median(b, axis=0))
    steps = np.concatenate(medians) if medians else np.zeros(0)
    return judge(
        f"t_{short} grows with the number of variables p, at every n",
        f"medians in {(steps > 0).sum():,} of {steps.size:,} comparisons of neighbouring p",
        np.concatenate(excess) if excess else (),
    )


def _overshoot(measured: Measured) -> FloatArray:
    """Tr C/λ_max, of each draw at each size."""
    eig, trace = (measured["radius"][:, BOUNDS.index(name)] for name in ("eig", "trace"))
    squared: FloatArray = (trace / eig) ** 2
    return squared


def _overshoot_claim(results: Results) -> Claim:
    ratios = [_overshoot(measured) / measured["least_overshoot"] for _, measured in results]
    most = max(cell["p"] for cell, _ in results)
    lines = [
        f"{np.median(_overshoot(measured)[:, -1]):.1f} and "
        f"{np.median(measured['least_overshoot'][:, -1]):.1f} ({cell['distribution']})"
        for cell, measured in results
        if cell["p"] == most
    ]
    smallest = min(float(ratio.min()) for ratio in ratios)
    return judge(
        "Tr C/λ_max is at least 1 + (p² − C(p, 2) − 1) λ_min/λ_max",
        f"medians at p = {most} {', '.join(lines)}; their quotient is {smallest:.2f} or more in "
        "every draw",
        np.concatenate([of_means(-np.log(ratio)) for ratio in ratios]),
    )


def _slope_note(results: Results) -> str:
    lines = ["| distribution | p | " + " | ".join(f"slope of t, {name}" for name in BOUNDS) + " |"]
    lines.append("|---|---:|" + "---:|" * len(BOUNDS))
    every = {name: _slopes(results, name, "threshold") for name in BOUNDS}
    for k, (cell, _) in enumerate(results):
        values = " | ".join(f"{finite_mean(every[name][k]):.3f}" for name in BOUNDS)
        lines.append(f"| {cell['distribution']} | {cell['p']} | {values} |")
    return "\n".join(lines)


_STYLES = {"eig": "-", "trace": "--", "whitened": "-", "spectral": "--"}


def _draw(results: Results) -> Figure:
    """One row of panels for each distribution."""
    distributions = list(dict.fromkeys(cell["distribution"] for cell, _ in results))
    figure = panels(4 * len(distributions))
    for row, distribution in enumerate(distributions):
        law = LAWS[distribution]
        chosen = [r for r in results if r[0]["distribution"] == distribution]
        paper, loglog, ours, ratio = figure.axes[4 * row : 4 * row + 4]
        for ax, methods in ((paper, ("eig", "trace")), (loglog, ("eig", "trace"))):
            _curves(ax, chosen, methods, logarithmic=ax is loglog)
        _curves(ours, chosen, ("whitened", "spectral"), logarithmic=True)
        low = min(ax.get_ylim()[0] for ax in (loglog, ours))
        for ax in (loglog, ours):
            ax.set_ylim(low, loglog.get_ylim()[1])
        _draw_overshoot(ratio, chosen)
        paper.set_title(f"{law}: the paper's axes", fontsize="medium")
        loglog.set_title(f"{law}: log–log", fontsize="medium")
        ours.set_title(f"{law}: our thresholds, log–log", fontsize="medium")
        ratio.set_title(f"{law}: overshoot of the trace", fontsize="medium")
    return finish(figure, columns=5, legend_of=1)


def _curves(ax: Any, results: Results, methods: Sequence[str], *, logarithmic: bool) -> None:
    """Median thresholds against n; the first of the methods names the lines."""
    shades = colormaps["viridis"](np.linspace(0, 0.9, len(results)))
    for shade, (cell, measured) in zip(shades, results, strict=True):
        sizes = np.asarray(cell["sizes"], dtype=float)
        for method in methods:
            median = np.median(measured["threshold"][:, BOUNDS.index(method)], axis=0)
            seen = np.isfinite(median)
            label = f"$p$ = {cell['p']}" if method == methods[0] else None
            y = median[seen] if logarithmic else np.log(median[seen])
            ax.plot(sizes[seen], y, _STYLES[method], color=shade, label=label, linewidth=1.3)
    ax.set_xlabel("rows $n$")
    if not logarithmic:
        ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
        ax.set_ylabel(r"log $t$")
        return
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    guide = low * 1.1 * (sizes / sizes[-1]) ** -0.5
    ax.plot(sizes, guide, color="black", linestyle=":", label="slope −½")
    ax.plot([], [], "-", color="#555555", label=r"$t_{\mathrm{Eig}}$")
    ax.plot([], [], "--", color="#555555", label=r"$t_{\mathrm{Trace}}$")
    ax.set_ylim(low * 0.9, high)
    ax.set_ylabel(r"threshold $t$")


def _draw_overshoot(ax: Any, results: Results) -> None:
    """Tr C/λ_max at the last size, and the paper's bound, against p."""
    features = np.array([cell["p"] for cell, _ in results])
    found = np.stack([_overshoot(measured)[:, -1] for _, measured in results])
    least = np.stack([measured["least_overshoot"][:, -1] for _, measured in results])
    for values, colour, label in (
        (found, COLOURS["trace"], r"$\mathrm{Tr}\,C / \lambda_{\max}$, measured"),
        (least, COLOURS["eig"], r"$1 + (p^2 - C(p, 2) - 1)\,\lambda_{\min} / \lambda_{\max}$"),
    ):
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1)
        spread = [middle - low, high - middle]
        ax.errorbar(
            features, middle, spread, fmt="o-", color=colour, markersize=4, capsize=2, label=label
        )
    ax.plot(features, features * (features + 1) / 2, "k:", label=r"$p(p + 1)/2$")
    ax.set_xticks(features)
    ax.set_xlabel("variables $p$")
    ax.set_ylabel(r"$(\varepsilon_{\mathrm{Trace}} / \varepsilon_{\mathrm{Eig}})^2$")
    ax.set_ylim(0, 1.4 * features[-1] * (features[-1] + 1) / 2)  # room for the legend
    ax.legend(frameon=False, fontsize="small", loc="upper left")
