"""Every method on the same data."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from edgewise.errors import EdgewiseError, EdgewiseWarning
from edgewise.methods.registry import METHODS
from edgewise.questions.edge_test import edge_test
from edgewise.results.result import EdgeTestResult

__all__ = ["LADDER", "Comparison", "Rung", "compare_methods"]


@dataclass(frozen=True, slots=True)
class Rung:
    """One line of the ladder: a method with its options.

    Parameters
    ----------
    method : str
        A method of `edge_test`.
    label : str
        What tables and pictures call it.
    options : dict
        Options of the method.

    Attributes
    ----------
    needs_spectrum : bool
        Whether it is slow with many columns.

    Examples
    --------
    >>> from edgewise.questions.compare_methods import Rung
    >>> Rung("whitened", "whitened, chi2", {"radius": "chi2"}).needs_spectrum
    True
    """

    method: str
    label: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def needs_spectrum(self) -> bool:
        """Whether it finds eigenvalues of a p²/2 × p²/2 matrix: slow with many columns."""
        return self.method == "eig" or self.options.get("radius") in ("chi2", "eig")


#: From the most powerful to the most guarded, the two baselines last.
LADDER = tuple(
    Rung(method.name, label, dict(options))
    for method in METHODS.values()
    for label, options in method.variants or ((method.name, {}),)
)


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """What one rung made of the data: its result, or why there is none.

    Attributes
    ----------
    rung : Rung
        The method and its options.
    result : EdgeTestResult or None
        What it found.
    failure : str
        Why there is no result; empty where there is one.
    seconds : float
        How long it took.
    guarantee : str
        What the method promises, in about five words.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.questions.compare_methods import LADDER, compare_methods
    >>> returns = ew.datasets.load_sp500_returns()
    >>> score, batch = compare_methods(returns, 0.05, "holm", [LADDER[0], LADDER[2]])
    >>> batch.guarantee, batch.result.n_edges, batch.shared_edges(score.result)
    ('per edge, dependent rows too', 45, 44)
    >>> round(batch.threshold_on_partial_correlation(), 2)
    0.05
    """

    rung: Rung
    result: EdgeTestResult | None
    failure: str
    seconds: float

    @property
    def guarantee(self) -> str:
        """What the method promises, in about five words."""
        return METHODS[self.rung.method].guarantee

    def threshold_on_partial_correlation(self) -> float:
        """The size of a partial correlation that would just be an edge, as a median over pairs.

        Returns
        -------
        float
            NaN without a result.
        """
        result = self.result
        if result is None:
            return math.nan
        root = np.sqrt(result.precision.diagonal())
        relative = np.asarray(result.threshold) / np.outer(root, root)
        return float(np.median(relative[np.triu_indices(len(root), k=1)]))

    def shared_edges(self, other: EdgeTestResult) -> int:
        """How many edges were found by both.

        Parameters
        ----------
        other : EdgeTestResult
            Another result on the same data.

        Returns
        -------
        int
            Zero without a result.
        """
        if self.result is None:
            return 0
        return int(np.count_nonzero(self.result.reject & other.reject)) // 2


def compare_methods(
    data: Any,
    alpha: float = 0.05,
    correction: str | None = "holm",
    rungs: Sequence[Rung] | None = None,
) -> list[Comparison]:
    """Every method on the same data, a line for each.

    What fails for all of them is raised; what fails for one is its line.

    Parameters
    ----------
    data : array-like, data frame, path or list of paths
        The rows, as for `edge_test`; they are read many times.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        Of the per-edge methods; those that have no "maxt" take "holm" in its place.
    rungs : sequence of Rung, optional
        The methods to run; by default all of `LADDER`.

    Returns
    -------
    list of Comparison
        One for each rung.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.questions.compare_methods import compare_methods
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> lines = compare_methods(X)
    >>> [line.rung.label for line in lines][:4]
    ['score', 'wald', 'batch', 'whitened, chi2']
    """
    lines: list[Comparison] = []
    errors: list[EdgewiseError] = []
    # What some methods import when they first need it is not their time.
    for slow in ("scipy.interpolate", "scipy.optimize", "scipy.sparse.linalg"):
        import_module(slow)
    for rung in LADDER if rungs is None else rungs:
        # Only batches can be resampled; the other rungs take the nearest they have.
        own = "holm" if correction == "maxt" and rung.method != "batch" else correction
        start = time.perf_counter()
        result, failure = None, ""
        try:
            with warnings.catch_warnings():
                # The table shows an infinite threshold and the rows it needs.
                warnings.simplefilter("ignore", EdgewiseWarning)
                result = edge_test(
                    data, method=rung.method, alpha=alpha, correction=own, **rung.options
                )
        except EdgewiseError as error:
            failure = str(error)
            errors.append(error)
        lines.append(Comparison(rung, result, failure, time.perf_counter() - start))
    if len(errors) == len(lines):
        raise errors[0]
    return lines
