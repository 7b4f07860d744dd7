"""Real columns without edges: how often does each method find an edge where there is none?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from edgewise._checks import check_choice, check_count
from edgewise._linalg import FloatArray
from edgewise._shown import Shown
from edgewise.api.compare_methods import all_variants, labelled, own_correction
from edgewise.api.edge_test import edge_test
from edgewise.errors import DataError, EdgewiseError, ParameterError, without_warnings
from edgewise.inference.corrections import CORRECTIONS
from edgewise.inference.sample import Needs, sample_of_table
from edgewise.methods.method import Method
from edgewise.sums.save import as_state
from edgewise.tables.open import as_table
from edgewise.tables.options import refuse_pairwise
from edgewise.tables.table import all_rows

# More rows would hardly change the answer, and every shuffle tests all of them.
_MOST_ROWS = 10_000
_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class NullComparison(Shown):
    """How often one method found an edge in shuffled columns, where there is none.

    Attributes
    ----------
    label : str
        The name of the method with its options.
    method : Method
        The method and its options.
    n_samples, n_shuffles : int
        The rows of every shuffle, and how many shuffles there were.
    n_with_edges, n_failed : int
        In how many of them it found one edge or more, and in how many it gave an error.
    failure : str
        The first of its errors; empty if there is none.
    seconds : float
        How long its tests took, all together.
    share, band : float, tuple of two float
        The share of the shuffles with an edge, and its exact 95 % binomial interval.
    guarantee : str
        What the method promises, in about five words.

    Examples
    --------
    >>> from edgewise.api.null import NullComparison
    >>> import edgewise as ew
    >>> line = NullComparison("score", ew.methods.Score(), 1000, n_shuffles=100, n_with_edges=4)
    >>> line.share, [round(end, 3) for end in line.band]
    (0.04, [0.011, 0.099])
    >>> print(line)
    score (per edge, any distribution): an edge in 4 of 100 shuffles (95 % interval 1.1 to 9.9 %)
    """

    label: str
    method: Method
    n_samples: int
    n_shuffles: int
    n_with_edges: int
    n_failed: int = 0
    failure: str = ""
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """The share of the shuffles with an edge, among those without an error."""
        tested = self.n_shuffles - self.n_failed
        return self.n_with_edges / tested if tested else math.nan

    @property
    def band(self) -> tuple[float, float]:
        """The exact 95 % binomial interval (Clopper and Pearson's) around the share."""
        n, k = self.n_shuffles - self.n_failed, self.n_with_edges
        if not n:
            return math.nan, math.nan
        tail = (1 - _CONFIDENCE) / 2
        low = float(special.betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return low, high

    @property
    def guarantee(self) -> str:
        """What the method promises, in about five words."""
        return self.method.guarantee

    def summary(self) -> str:
        """In how many shuffles it found an edge."""
        tested, (low, high) = self.n_shuffles - self.n_failed, self.band
        if not tested:
            return f"{self.label}: {self.failure}"
        interval = f"95 % interval {100 * low:.2g} to {100 * high:.2g} %"
        found = f"an edge in {self.n_with_edges} of {tested} shuffles ({interval})"
        return f"{self.label} ({self.guarantee}): {found}"

    def _brief(self) -> dict[str, Any]:
        names = ("label", "n_shuffles", "n_with_edges", "n_failed")
        return {name: getattr(self, name) for name in names}

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        headings = (*self._brief(), "share", "share_low", "share_high", "seconds", "failure")
        row = (*self._brief().values(), self.share, *self.band, self.seconds, self.failure)
        return headings, [row]


def check_null(
    data: Any,
    *,
    n_shuffles: int = 100,
    alpha: float = 0.05,
    correction: str | None = "holm",
    methods: Iterable[str | Method] | None = None,
    random_state: int = 0,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "auto",
    progress: Callable[[int], None] | None = None,
) -> list[NullComparison]:
    """Shuffle each column by itself, so that nothing is connected, and count who finds an edge.

    With a correction, a method that keeps its promise finds an edge in at most a share `alpha` of
    the shuffles. Shuffling also breaks any dependence between rows, so the answer says nothing
    about it. An error of all methods in all shuffles is raised; any other is counted.

    Parameters
    ----------
    data : array-like, data frame, path or list of paths
        The rows, as for `edge_test`. Of more than 10,000 rows, an even sample is used.
    n_shuffles : int
        How many times the columns are shuffled.
    alpha, columns, exclude, given, pairs : optional
        As in `edge_test`; given columns are shuffled too.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        The correction of the per-edge methods; methods without "maxt" use "holm" instead.
    methods : sequence of str or Method, optional
        The methods to run; by default all that test every edge by itself.
    random_state : int
        Seed of the shuffles.
    missing : {"auto", "drop", "raise"}
        Refuse rows with NaN or infinite values, or leave them out.
    progress : callable, optional
        Called with 1 after every shuffle.

    Returns
    -------
    list of NullComparison
        One for each method.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((500, 4)).cumsum(axis=1)
    >>> (line,) = ew.check_null(X, methods=["fisher"], n_shuffles=50)
    >>> line.band[0] <= 0.05
    True
    """
    check_count("n_shuffles", n_shuffles, at_least=1)
    check_count("random_state", random_state, at_least=0)
    check_choice("correction", correction, (*CORRECTIONS, "none"))
    # The bounds, of which some take long, run if they are named.
    per_edge = [(label, method) for label, method in all_variants() if not method.simultaneous]
    chosen = per_edge if methods is None else [labelled(method) for method in methods]
    if not chosen:
        raise ParameterError("methods: expected at least one, got none; leave it out for all.")
    for _, method in chosen:
        method.question(alpha, own_correction(method, correction))
    refuse_pairwise(missing, "shuffled columns")
    sample = even_sample(data, columns=columns, exclude=exclude, missing=missing)
    values, names = np.ascontiguousarray(sample.rows.T), sample.feature_names
    rng = np.random.default_rng(random_state)
    seconds, found = np.zeros(len(chosen)), np.zeros(len(chosen), dtype=int)
    errors: list[list[EdgewiseError]] = [[] for _ in chosen]
    family: dict[str, Any] = {"given": given, "pairs": None if pairs is None else [*pairs]}
    for _ in range(n_shuffles):
        table = as_table(rng.permuted(values, axis=1).T, feature_names=names)
        for k, (_, method) in enumerate(chosen):
            own, start = own_correction(method, correction), time.perf_counter()
            how: dict[str, Any] = {"alpha": alpha, "correction": own, "columns": names, **family}
            try:
                with without_warnings():
                    found[k] += edge_test(table, method=method, **how).n_edges > 0
            except EdgewiseError as error:
                errors[k].append(error)
            seconds[k] += time.perf_counter() - start
        if progress is not None:
            progress(1)
    if all(len(own) == n_shuffles for own in errors):
        raise errors[0][0]
    return [
        NullComparison(
            label,
            method,
            len(sample.rows),
            n_shuffles,
            int(found[k]),
            n_failed=len(errors[k]),
            failure=str(errors[k][0]) if errors[k] else "",
            seconds=float(seconds[k]),
        )
        for k, (label, method) in enumerate(chosen)
    ]


class EvenSample(NamedTuple):
    """Rows in memory, all or every k-th; of how many, and how many more were not finite."""

    rows: FloatArray
    feature_names: tuple[str, ...]
    n_available: int
    n_dropped: int


def even_sample(data: Any, **chosen: Any) -> EvenSample:
    """Read about 10,000 rows, evenly over the whole length; `chosen` as for `as_table`."""
    if as_state(data) is not None:
        raise DataError("data: expected rows to shuffle, got a state, which has no rows.")
    table = as_table(data, **chosen)
    # The first pass counts the rows, and refuses what every method would refuse.
    sample = sample_of_table(table, Needs(reads_again=True, wide=True), "a shuffle")
    rows = all_rows(table, step=-(-sample.n_samples // _MOST_ROWS))
    return EvenSample(rows, table.feature_names, sample.n_samples, sample.n_dropped)
