"""The picture of Figure 1: the paper's axes, log–log axes, and the overshoot of the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from edgewise.studies.growth import BOUNDS
from edgewise.studies.threshold_claims import Results, overshoot

_STYLES = {"eig": "-", "trace": "--", "whitened": "-", "spectral": "--"}


def draw_thresholds(results: Results) -> Any:
    """One row of panels for each distribution."""
    from edgewise.studies.pictures import LAWS, legend_below, letter_panels, panels

    distributions = list(dict.fromkeys(cell.parameters["distribution"] for cell, _ in results))
    figure = panels(4 * len(distributions))
    for row, distribution in enumerate(distributions):
        law = LAWS[distribution]
        chosen = [r for r in results if r[0].parameters["distribution"] == distribution]
        paper, loglog, ours, ratio = figure.axes[4 * row : 4 * row + 4]
        for ax, methods in ((paper, ("eig", "trace")), (loglog, ("eig", "trace"))):
            _curves(ax, chosen, methods, logarithmic=ax is loglog)
        _curves(ours, chosen, ("whitened", "spectral"), logarithmic=True)
        low = min(ax.get_ylim()[0] for ax in (loglog, ours))
        for ax in (loglog, ours):
            ax.set_ylim(low, loglog.get_ylim()[1])
        _overshoot(ratio, chosen)
        paper.set_title(f"{law}: the paper's axes", fontsize="medium")
        loglog.set_title(f"{law}: log–log", fontsize="medium")
        ours.set_title(f"{law}: our thresholds, log–log", fontsize="medium")
        ratio.set_title(f"{law}: overshoot of the trace", fontsize="medium")
    letter_panels(figure)
    legend_below(figure, figure.axes[1], columns=5)
    return figure


def _curves(ax: Any, results: Results, methods: Sequence[str], *, logarithmic: bool) -> None:
    """Median thresholds against n; the first of the methods names the lines."""
    from matplotlib import colormaps

    shades = colormaps["viridis"](np.linspace(0, 0.9, len(results)))
    for shade, (cell, measured) in zip(shades, results, strict=True):
        sizes = np.asarray(cell.parameters["sizes"], dtype=float)
        for method in methods:
            median = np.median(measured["threshold"][:, BOUNDS.index(method)], axis=0)
            seen = np.isfinite(median)
            label = f"$p$ = {cell.parameters['p']}" if method == methods[0] else None
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


def _overshoot(ax: Any, results: Results) -> None:
    """Tr C/λ_max at the last size, and the paper's bound, against p."""
    from edgewise.studies.pictures import COLOURS

    features = np.array([cell.parameters["p"] for cell, _ in results])
    found = np.stack([overshoot(measured)[:, -1] for _, measured in results])
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
