"""How central each variable is in the graph that was found: degree, strength, bridge strength."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgewise import _special as special
from edgewise._checks import check_real
from edgewise._linalg import BoolArray, FloatArray, off_diagonal, root_outer
from edgewise._shown import Shown
from edgewise.errors import ParameterError
from edgewise.inference.centrality import EdgeEnds, bounded_ends, selected_ends, sum_ends
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.results.result import EdgeTestResult


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Centrality(Shown):
    """Three centralities of every variable, with intervals of two of them.

    The intervals are about the edges that were found: that of the strength is one for the sum of
    the true |ρ_ij| over them. Edges that are just significant are mostly overestimated, in the
    simulations of the tests by up to 43 % of the strength. The lower ends allow for that, the
    estimates do not. Edges that were not found count nowhere, so a variable without an edge has
    no interval (NaN).

    Attributes
    ----------
    feature_names : tuple of str
        The columns.
    degree : ndarray of int of shape (p,)
        How many edges a variable has. It has no interval: it counts decisions.
    strength, strength_low, strength_high : ndarray of shape (p,)
        The sum of |ρ̂_ij| over its edges, and its interval.
    bridge, bridge_low, bridge_high : ndarray of shape (p,)
        The same over its edges to other communities.
    level : float
        The confidence level of each interval.
    simultaneous : bool
        Whether all intervals hold at once, as those of the bounds do.

    See Also
    --------
    centralities : Finds them.
    """

    feature_names: tuple[str, ...]
    degree: npt.NDArray[np.int64]
    strength: FloatArray
    strength_low: FloatArray
    strength_high: FloatArray
    bridge: FloatArray
    bridge_low: FloatArray
    bridge_high: FloatArray
    level: float
    simultaneous: bool

    @property
    def interval_label(self) -> str:
        """How the intervals are called wherever they are shown."""
        percent = f"{100 * self.level:.4g} % interval"
        if self.simultaneous:
            return f"{percent} for all variables at once"
        return f"{percent} for each variable, given the edges found"

    def summary(self) -> str:
        """The variables with the most edges first.

        Returns
        -------
        str
            A line for each of up to ten.
        """
        order = np.lexsort((-self.strength, -self.degree))[:10].tolist()
        lines = [
            f"  {self.feature_names[i]}: {self.degree[i]} edges, strength {self.strength[i]:.2f} "
            f"({self.strength_low[i]:.2f} to {self.strength_high[i]:.2f})"
            for i in order
        ]
        return "\n".join([f"Strength with {self.interval_label}:", *lines])

    def _brief(self) -> dict[str, Any]:
        most = self.feature_names[int(np.argmax(self.strength))]
        return {"n_features": len(self.feature_names), "strongest": most, "level": self.level}

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        own = ("strength", "strength_low", "strength_high", "bridge", "bridge_low", "bridge_high")
        headings = ("variable", "degree", *own)
        columns = (getattr(self, name).tolist() for name in ("degree", *own))
        return headings, [*zip(self.feature_names, *columns, strict=True)]


def centralities(
    result: EdgeTestResult,
    communities: npt.ArrayLike,
    level: float | None = None,
) -> Centrality:
    """Degree, strength and bridge strength of every variable, with intervals.

    Intervals of per-edge methods combine those of the single edges by the delta method, and allow
    for the selection of the edges. Under a bound their ends are the sums of the ends of the edges,
    and hold for all variables at once. They are also sums of ends for pooled results and for
    ``missing="pairwise"``, where nobody knows how the errors of two edges go together; these hold
    for each variable.

    Parameters
    ----------
    result : EdgeTestResult
        Whose edges to count.
    communities : array-like of int of shape (p,)
        The community of each variable, −1 for those without. They are taken as given.
    level : float, optional
        Confidence level; by default 1 − alpha.

    Returns
    -------
    Centrality
        An entry for each column, in the order of the columns.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.results.centrality import centralities
    >>> result = ew.edge_test(ew.datasets.load_sachs(), method="score")
    >>> found = centralities(result, [3, 3, 1, 1, 1, 0, 0, 0, 2, 2, 2])
    >>> found.degree.tolist()
    [5, 6, 5, 2, 5, 4, 7, 7, 3, 4, 4]
    >>> bool((found.strength_low <= found.strength).all())
    True
    """
    if not isinstance(result, EdgeTestResult):
        raise ParameterError(
            f"result: expected an EdgeTestResult, got {type(result).__name__}; ask for the "
            "centralities of each group."
        )
    level = result.interval_level if level is None else level
    level = check_real("level", level, above=0, below=1, hint=" 0.95 is usual.")
    member = _checked(communities, result.n_features)
    edges = result.reject & off_diagonal(result.n_features)
    across = edges & (member[:, None] != member)
    size = np.abs(result.partial_correlation)
    ends = _ends(result, edges, level)
    strength, bridge = (_interval(result, ends, chosen, level) for chosen in (edges, across))
    return Centrality(
        feature_names=result.feature_names,
        degree=edges.sum(axis=1),
        strength=np.where(edges, size, 0.0).sum(axis=1),
        strength_low=strength.low,
        strength_high=strength.high,
        bridge=np.where(across, size, 0.0).sum(axis=1),
        bridge_low=bridge.low,
        bridge_high=bridge.high,
        level=level,
        simultaneous=_holds_at_once(result),
    )


def _checked(communities: npt.ArrayLike, n_features: int) -> npt.NDArray[np.intp]:
    member = np.asarray(communities)
    if member.shape != (n_features,) or member.dtype.kind not in "iu":
        raise ParameterError(
            f"communities: expected {n_features} whole numbers, one for each variable, got an "
            f"array of shape {member.shape} and type {member.dtype}."
        )
    return member.astype(np.intp)


def _holds_at_once(result: EdgeTestResult) -> bool:
    return result.uncertainty.simultaneous


def _ends(result: EdgeTestResult, edges: BoolArray, level: float) -> EdgeEnds:
    partial = result.partial_correlation
    # A correlation of ±1 has no interval; it then leaves nothing of the estimate.
    with np.errstate(all="ignore"):
        interval = result.confidence_interval(level, "partial_correlation")
        if _holds_at_once(result):
            return bounded_ends(partial, edges, interval)
        at_once = result.confidence_interval(level, "partial_correlation", simultaneous=True)
        threshold = result.threshold / root_outer(result.precision)
    return selected_ends(partial, edges, interval, at_once, threshold, level)


def _interval(
    result: EdgeTestResult, ends: EdgeEnds, chosen: BoolArray, level: float
) -> ConfidenceInterval:
    return sum_ends(ends, chosen, result.partial_correlation, _excess(result, level))


def _excess(result: EdgeTestResult, level: float) -> FloatArray | None:
    """How much more each log Θ̂_ii varies than on Gaussian rows, in squared critical values."""
    error, diagonal = result.standard_error, result.precision.diagonal()
    rows = result.provenance
    if error is None or rows.n_copies is not None or rows.pair_rows is not None:
        return None
    critical = float(special.ndtri((1 - level) / 2))
    beyond = np.square(error.diagonal() / diagonal) - 2 / result.n_samples
    return np.asarray(critical**2 * np.maximum(beyond, 0.0))
