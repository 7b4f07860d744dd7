"""Every method on the same data."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgewise.dispatch import edge_test
from edgewise.edges.registry import METHODS
from edgewise.edges.result import EdgeTestResult
from edgewise.errors import EdgewiseError, EdgewiseWarning
from edgewise.sources.source import Source


@dataclass(frozen=True, slots=True)
class Rung:
    """One line of the ladder: a method with its options."""

    method: str
    label: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def needs_spectrum(self) -> bool:
        """Whether it finds eigenvalues of a p²/2 × p²/2 matrix: slow with many columns."""
        return self.method == "eig" or self.options.get("radius") in ("chi2", "eig")


#: From the most powerful to the most guarded, the two baselines last.
LADDER = (
    Rung("score", "score"),
    Rung("wald", "wald"),
    Rung("batch", "batch"),
    Rung("whitened", "whitened, chi2", {"radius": "chi2"}),
    Rung("whitened", "whitened, trace"),
    Rung("spectral", "spectral, chi2", {"radius": "chi2"}),
    Rung("spectral", "spectral, trace"),
    Rung("eig", "eig (paper)"),
    Rung("trace", "trace (paper)"),
    Rung("elliptical", "elliptical"),
    Rung("fisher", "fisher"),
)


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """What one rung made of the data: its result, or why there is none."""

    rung: Rung
    result: EdgeTestResult | None
    failure: str
    seconds: float

    @property
    def guarantee(self) -> str:
        return METHODS[self.rung.method].guarantee

    def threshold_on_partial_correlation(self) -> float:
        """The median |ρ̂_ij| that would just be an edge."""
        result = self.result
        if result is None:
            return math.nan
        root = np.sqrt(result.precision.diagonal())
        relative = np.asarray(result.threshold) / np.outer(root, root)
        return float(np.median(relative[np.triu_indices(len(root), k=1)]))

    def shared_edges(self, other: EdgeTestResult) -> int:
        """Edges found by both."""
        if self.result is None:
            return 0
        return int(np.count_nonzero(self.result.reject & other.reject)) // 2


def compare_methods(
    source: Source,
    alpha: float,
    correction: str | None,
    rungs: Sequence[Rung] = LADDER,
) -> list[Comparison]:
    """Climb the ladder. What fails for all rungs is raised; what fails for one is its line.

    Parameters
    ----------
    source : Source
        The rows, as `edgewise.sources.detect.as_source` gives them; they are read many times.
    alpha : float
        Significance level.
    correction : str or None
        Of the per-edge methods.
    rungs : sequence of Rung
        The methods to run.

    Returns
    -------
    list of Comparison
    """
    lines: list[Comparison] = []
    errors: list[EdgewiseError] = []
    for rung in rungs:
        # Only batches can be resampled; the other rungs take the nearest they have.
        own = "holm" if correction == "maxt" and rung.method != "batch" else correction
        start = time.perf_counter()
        result, failure = None, ""
        try:
            with warnings.catch_warnings():
                # The table shows an infinite threshold and the rows it needs.
                warnings.simplefilter("ignore", EdgewiseWarning)
                result = edge_test(
                    source, method=rung.method, alpha=alpha, correction=own, **rung.options
                )
        except EdgewiseError as error:
            failure = str(error)
            errors.append(error)
        lines.append(Comparison(rung, result, failure, time.perf_counter() - start))
    if len(errors) == len(lines):
        raise errors[0]
    return lines
