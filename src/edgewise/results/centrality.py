"""How central each variable is in the graph that was found: degree, strength, bridge strength."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise import _special as special
from edgewise._linalg import FloatArray, off_diagonal, root_outer
from edgewise.inference.centrality import bounded_ends, selected_ends, sum_ends
from edgewise.results.result import EdgeTestResult


class Centrality(NamedTuple):
    """Three centralities of every variable, with intervals of two of them.

    `degree`: How many edges a variable has. It has no interval: it counts decisions.
    `strength`, `strength_low`, `strength_high`: The sum of |ρ̂_ij| over its edges, and its interval.
    `bridge`, `bridge_low`, `bridge_high`: The same over its edges to other communities.

    The intervals are about the edges that were found: that of the strength is one for the sum of
    the true |ρ_ij| over them. Edges that are just significant are mostly overestimated, in the
    simulations of the tests by up to 43 % of the strength. The lower ends allow for that, the
    estimates do not. A variable without an edge has no interval (NaN).
    """

    degree: npt.NDArray[np.int64]
    strength: FloatArray
    strength_low: FloatArray
    strength_high: FloatArray
    bridge: FloatArray
    bridge_low: FloatArray
    bridge_high: FloatArray
    interval_label: str


def centralities(
    result: EdgeTestResult, communities: npt.ArrayLike, level: float | None = None
) -> Centrality:
    """Degree, strength and bridge strength, with intervals of a `level` (by default 1 − alpha).

    `communities` has a number for each variable, −1 for none; they are taken as given. Intervals of
    per-edge methods combine those of the single edges by the delta method, and allow for the
    selection of the edges. Under a bound their ends are the sums of the ends of the edges, and hold
    for all variables at once. They are also sums of ends for pooled results and for
    ``missing="pairwise"``, where nobody knows how the errors of two edges go together; these hold
    for each variable.
    """
    level = result.interval_level if level is None else level
    partial, member = result.partial_correlation, np.asarray(communities)
    at_once = result.uncertainty.simultaneous
    edges = result.reject & off_diagonal(result.n_features)
    # A correlation of ±1 has no interval; it then leaves nothing of the estimate.
    with np.errstate(all="ignore"):
        interval = result.confidence_interval(level, "partial_correlation")
        if at_once:
            ends = bounded_ends(partial, edges, interval)
        else:
            joint = result.confidence_interval(level, "partial_correlation", simultaneous=True)
            threshold = result.threshold / root_outer(result.precision)
            ends = selected_ends(partial, edges, interval, joint, threshold, level)
    excess = _excess(result, level)
    sums = [
        (
            np.where(chosen, np.abs(partial), 0.0).sum(axis=1),
            *sum_ends(ends, chosen, partial, excess),
        )
        for chosen in (edges, edges & (member[:, None] != member))
    ]
    family = "for all variables at once" if at_once else "for each variable, given the edges found"
    label = f"{100 * level:.4g} % interval {family}"
    values: list[Any] = [edges.sum(axis=1), *sums[0], *sums[1], label]
    return Centrality(*values)


def _excess(result: EdgeTestResult, level: float) -> FloatArray | None:
    """How much more each log Θ̂_ii varies than on Gaussian rows, in squared critical values."""
    error, diagonal = result.standard_error, result.precision.diagonal()
    rows = result.provenance
    if error is None or rows.n_copies is not None or rows.pair_rows is not None:
        return None
    critical = float(special.ndtri((1 - level) / 2))
    beyond = np.square(error.diagonal() / diagonal) - 2 / result.n_samples
    return np.asarray(critical**2 * np.maximum(beyond, 0.0))
