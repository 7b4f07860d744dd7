"""What Figure 1 claims: thresholds that fall as 1/√n, their order, the overshoot of the trace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.studies.claims import Claim, judge, of_means
from edgewise.studies.growth import BOUNDS
from edgewise.studies.study import Cell, Measured

Results = Sequence[tuple[Cell, Measured]]
_TOLERANCE = 0.01


def _fitted_slopes(sizes: Sequence[int], curves: AnyArray) -> FloatArray:
    """Least-squares slope of log(curve) on log n, for each draw, from its finite values."""
    log_n = np.log(np.asarray(sizes, dtype=float))
    slopes = []
    for curve in curves:
        finite = np.isfinite(curve)
        enough = finite.sum() > 1
        slopes.append(np.polyfit(log_n[finite], np.log(curve[finite]), 1)[0] if enough else np.nan)
    return np.array(slopes)


def _slopes(results: Results, method: str, what: str, half: str = "both") -> list[FloatArray]:
    """The slope of every draw, for each cell; over all sizes, or over one half of log n."""
    row = BOUNDS.index(method)
    slopes = []
    for cell, measured in results:
        sizes = np.asarray(cell.parameters["sizes"], dtype=float)
        middle = np.sqrt(sizes[0] * sizes[-1])
        chosen = {"both": sizes > 0, "lower": sizes <= middle, "upper": sizes >= middle}[half]
        slopes.append(_fitted_slopes(sizes[chosen], measured[what][:, row][:, chosen]))
    return slopes


def claims_of(results: Results) -> list[Claim]:
    claims = []
    for method, short in (("eig", "Eig"), ("trace", "Trace")):
        slopes = _slopes(results, method, "threshold")
        claims.append(
            judge(
                f"t_{short} = O(n^{{−1/2}}): the slope of log t_{short} in log n is −½ or below",
                f"mean slopes {_reach(slopes)} over p and distributions",
                _excess(slopes, 0.5),
            )
        )
        lower, upper = (_slopes(results, method, "threshold", half) for half in ("lower", "upper"))
        nearer = [np.abs(b + 0.5) - np.abs(a + 0.5) for a, b in zip(lower, upper, strict=True)]
        claims.append(
            judge(
                f"√n·t_{short} tends to a constant: the slope is nearer to −½ in the upper half "
                "of log n than in the lower",
                f"mean slopes {_reach(lower)}, then {_reach(upper)}",
                _excess(nearer),
            )
        )
    for method, short in (("eig", "Eig"), ("trace", "Trace")):
        slopes = _slopes(results, method, "radius")
        above = _excess(slopes, 0.5 - _TOLERANCE)
        below = _excess([-slope for slope in slopes], -0.5 - _TOLERANCE)
        claims.append(
            judge(
                f"log ε_{short} falls with slope −0.5 ± 0.01 in log n (ours)",
                f"mean slopes {_reach(slopes)} over p and distributions",
                np.concatenate([above, below]),
            )
        )
    claims.append(_below_trace(results, "eig", "t_Eig lies below t_Trace at every n"))
    claims.append(
        _below_trace(
            results,
            "whitened",
            "the whitened threshold, with the guarantee of t_Trace, lies below t_Trace (ours)",
        )
    )
    claims.append(_overshoots(results))
    return claims


def _excess(values: Sequence[FloatArray], shift: float = 0.0) -> FloatArray:
    """Of the mean over draws, cell by cell: how far it lies above −shift."""
    return np.concatenate([of_means(of_cell + shift) for of_cell in values])


def _mean(slopes: FloatArray) -> float:
    """Over the draws that have a slope; NaN if none has."""
    finite = slopes[np.isfinite(slopes)]
    return float(finite.mean()) if finite.size else float("nan")


def _reach(slopes: Sequence[FloatArray]) -> str:
    means = [mean for mean in map(_mean, slopes) if np.isfinite(mean)]
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


def overshoot(measured: Measured) -> FloatArray:
    """Tr C/λ_max, of each draw at each size."""
    eig, trace = (measured["radius"][:, BOUNDS.index(name)] for name in ("eig", "trace"))
    squared: FloatArray = (trace / eig) ** 2
    return squared


def _overshoots(results: Results) -> Claim:
    ratios = [overshoot(measured) / measured["least_overshoot"] for _, measured in results]
    most = max(cell.parameters["p"] for cell, _ in results)
    lines = [
        f"{np.median(overshoot(measured)[:, -1]):.1f} and "
        f"{np.median(measured['least_overshoot'][:, -1]):.1f} ({cell.parameters['distribution']})"
        for cell, measured in results
        if cell.parameters["p"] == most
    ]
    smallest = min(float(ratio.min()) for ratio in ratios)
    return judge(
        "Tr C/λ_max is at least 1 + (p² − C(p, 2) − 1) λ_min/λ_max",
        f"medians at p = {most} {', '.join(lines)}; their quotient is {smallest:.2f} or more in "
        "every draw",
        np.concatenate([of_means(-np.log(ratio)) for ratio in ratios]),
    )


def slope_note(results: Results) -> str:
    lines = ["| distribution | p | " + " | ".join(f"slope of t, {name}" for name in BOUNDS) + " |"]
    lines.append("|---|---:|" + "---:|" * len(BOUNDS))
    every = {name: _slopes(results, name, "threshold") for name in BOUNDS}
    for k, (cell, _) in enumerate(results):
        values = " | ".join(f"{_mean(every[name][k]):.3f}" for name in BOUNDS)
        lines.append(f"| {cell.parameters['distribution']} | {cell.parameters['p']} | {values} |")
    return "\n".join(lines)
