"""Every method on the same data."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._checks import check_choice
from edgewise._linalg import root_outer
from edgewise._parallel import runs_now
from edgewise._shown import Shown
from edgewise.api.edge_test import edge_test
from edgewise.errors import EdgewiseError, ParameterError, without_warnings
from edgewise.inference.corrections import CORRECTIONS
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of, registered
from edgewise.results.result import EdgeTestResult
from edgewise.sums.save import as_state
from edgewise.tables.open import as_table


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Comparison(Shown):
    """What one method found in the data: its result, or why there is none.

    Attributes
    ----------
    label : str
        The name of the method with its options, in tables and pictures.
    method : Method
        The method and its options.
    result : EdgeTestResult or None
        What it found.
    failure : str
        Why there is no result; empty if there is one.
    seconds : float
        How long it took, from the opened data on.
    guarantee : str
        What the method promises, in about five words.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> score, batch = ew.compare_methods(returns, methods=["score", "batch"])
    >>> batch.guarantee, batch.result.n_edges, batch.shared_edges(score.result)
    ('per edge, dependent rows too', 45, 44)
    >>> round(batch.threshold_on_partial_correlation(), 2)
    0.05
    """

    label: str
    method: Method
    result: EdgeTestResult | None
    failure: str
    seconds: float

    @property
    def guarantee(self) -> str:
        """What the method promises, in about five words."""
        return self.method.guarantee

    def summary(self) -> str:
        """What the method found, or why there is no result."""
        if self.result is None:
            return f"{self.label}: {self.failure}"
        least = self.threshold_on_partial_correlation()
        edges = f"{self.result.n_edges} edge{'s' * (self.result.n_edges != 1)}"
        return f"{self.label} ({self.guarantee}): {edges}, |ρ| above {least:.2g}"

    def plot(self, kind: str = "network", **options: Any) -> Any:
        """Draw what the method found; see `EdgeTestResult.plot`."""
        if self.result is None:
            raise ParameterError(f"{self.label} has no result to draw: {self.failure}")
        return self.result.plot(kind, **options)

    def _brief(self) -> dict[str, Any]:
        if self.result is None:
            return {"label": self.label, "failure": self.failure}
        return {"label": self.label, "edges": self.result.n_edges}

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        headings = ("method", "guarantee", "threshold", "edges", "seconds", "failure")
        edges = None if self.result is None else self.result.n_edges
        least = self.threshold_on_partial_correlation()
        row = (self.label, self.guarantee, least, edges, self.seconds, self.failure)
        return headings, [row]

    def threshold_on_partial_correlation(self) -> float:
        """The smallest ρ that would be an edge, as a median over pairs; NaN without a result."""
        result = self.result
        if result is None:
            return math.nan
        relative = np.asarray(result.threshold) / root_outer(result.precision)
        return float(np.median(relative[result.tested_pairs()]))

    def shared_edges(self, other: EdgeTestResult) -> int:
        """How many edges this and another result on the same data have in common."""
        if self.result is None:
            return 0
        return int(np.count_nonzero(self.result.reject & other.reject)) // 2


def all_variants() -> tuple[tuple[str, Method], ...]:
    """Every method with the options that tables show, from the most powerful to the most guarded."""
    return tuple(line for kind in registered().values() for line in kind.variants())


def compare_methods(
    data: Any,
    alpha: float = 0.05,
    correction: str | None = "holm",
    methods: Iterable[str | Method] | None = None,
    *,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    transform: str | None = None,
) -> list[Comparison]:
    """Run every method on the same data; return a line for each.

    An error of all methods is raised; an error of one method is reported in its line.

    Parameters
    ----------
    data : array-like, data frame, path or list of paths
        The rows, as for `edge_test`; they are read many times.
    alpha, given, pairs, transform : optional
        As in `edge_test`.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        The correction of the per-edge methods; methods without "maxt" use "holm" instead.
    methods : sequence of str or Method, optional
        The methods to run; by default all, some of them with several options.

    Returns
    -------
    list of Comparison
        One for each method.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> [line.label for line in ew.compare_methods(X)][:4]
    ['score', 'nodewise', 'wald', 'batch']
    """
    # Checked here, because the bounds use no correction and would not refuse a wrong one.
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    lines: list[Comparison] = []
    errors: list[EdgewiseError] = []
    # Once, so that files are not opened anew for each method, and warnings about them are shown.
    state = as_state(data)
    if state is not None and transform is not None:
        raise ParameterError("transform: expected with rows only, got a state, which has no rows.")
    source = as_table(data, transform=transform) if state is None else state
    how: dict[str, Any] = {"alpha": alpha, "given": given}
    how["pairs"] = None if pairs is None else [*pairs]
    chosen = [*all_variants()] if methods is None else [*map(labelled, methods)]
    for number, (label, method) in enumerate(chosen, start=1):
        runs_now(f"{label}, {number} of {len(chosen)}")
        start = time.perf_counter()
        result, failure = None, ""
        try:
            # The table shows an infinite threshold and the rows it needs.
            with without_warnings():
                own = own_correction(method, correction)
                result = edge_test(source, method=method, correction=own, **how)
        except EdgewiseError as error:
            failure = str(error)
            errors.append(error)
        lines.append(Comparison(label, method, result, failure, time.perf_counter() - start))
    if errors and len(errors) == len(lines):
        raise errors[0]
    return lines


def labelled(method: str | Method) -> tuple[str, Method]:
    """A method that the user chose, and its name in tables."""
    chosen = method_of(method)
    labels = (label for label, variant in all_variants() if variant == chosen)
    return next(labels, repr(chosen)), chosen


def own_correction(method: Method, correction: str | None) -> str | None:
    """The nearest correction that the method has: none for bounds, "maxt" only for batches."""
    if method.simultaneous:
        return None
    return "holm" if correction == "maxt" and "maxt" not in method.supports else correction
