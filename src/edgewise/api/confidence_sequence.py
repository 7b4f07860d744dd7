"""Looks at an endless stream: edges and intervals that hold at all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from edgewise._checks import check_alpha, check_count
from edgewise._linalg import AnyArray
from edgewise.errors import ParameterError, StateFileError
from edgewise.estimate.inverse import live_share
from edgewise.inference.sample import Needs, open_sample
from edgewise.methods.sequential import Sequential
from edgewise.results.result import EdgeTestResult, decide
from edgewise.sums.batches import BatchMoments
from edgewise.sums.save import State, StateContents
from edgewise.tables.first_look import SpreadRows


class ConfidenceSequence(State):
    """Edges and intervals of an endless stream, made to be looked at however often you like.

    After every batch `result()` gives the edges and the intervals. The aim is that the probability
    of any of them being wrong at *any* look is at most `alpha`, over all pairs of variables. A test
    that is simply repeated at every look finds a false edge with enough looks.

    Parameters
    ----------
    alpha : float
        Probability of any false edge, at any time.
    tuned_for : int
        The number of rows that matters most: in standard errors the intervals are narrowest
        there; up to 30 % wider at a tenth of it and 7 % at ten times as many, less with many pairs.
    n_batches : int, optional
        Batches of rows that the variances are estimated from; see `BatchMoments`.

    Attributes
    ----------
    state : BatchMoments
        The sums of the rows.
    n_samples : int
        Rows seen.

    Notes
    -----
    For independent rows with more than four moments, and a variance whose estimate converges, this
    is an asymptotic confidence sequence (Waudby-Smith et al. 2024). Here the variance is that of a
    jackknife over 100 to 199 batches, which does not converge, so each look goes through Student's
    t; docs/theory/sequences.md has what simulations say. A sequence, also a saved one, holds up to
    3,000 of the rows, which tell whether a yes/no column opens others. States of several machines can be added
    (``+``); a look at the sum is one more look.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise import ConfidenceSequence
    >>> rng = np.random.default_rng(0)
    >>> sequence = ConfidenceSequence(alpha=0.05, tuned_for=5000)
    >>> for _ in range(10):
    ...     a, b, c = rng.standard_normal((3, 500))
    ...     result = sequence.update(np.column_stack([a, a + b, c])).result()
    >>> [(edge.source, edge.target) for edge in result.edges()]
    [('x0', 'x1')]
    >>> sequence.method()
    Sequential(tuned_for=5000, tuned_level=0.05, n_batches=100)
    """

    kind: ClassVar[str] = "sequence"
    default_method: str = "sequential"

    def __init__(
        self, alpha: float = 0.05, *, tuned_for: int = 10_000, n_batches: int | None = None
    ) -> None:
        self.alpha = check_alpha(alpha)
        self.tuned_for = check_count("tuned_for", tuned_for, at_least=2)
        self.state = BatchMoments(n_batches)
        self._spread = SpreadRows()

    @property
    def n_samples(self) -> int:
        return self.state.n_samples

    def update(self, X: AnyArray) -> Self:
        """Add more rows; columns of a data frame are matched by name."""
        before = self.n_samples
        self.state.update(X)
        self._spread += SpreadRows.of(self.state._aligned(X)[0], before, self._spread.step)
        return self

    def __add__(self, other: ConfidenceSequence) -> Self:
        if not isinstance(other, ConfidenceSequence):
            return NotImplemented
        if (self.alpha, self.tuned_for) != (other.alpha, other.tuned_for):
            raise ParameterError(
                f"other: expected alpha={self.alpha:g} and tuned_for={self.tuned_for}, got "
                f"{other.alpha:g} and {other.tuned_for}; only sequences of one kind add up."
            )
        total = type(self)(self.alpha, tuned_for=self.tuned_for)
        total.state = self.state + other.state
        theirs = other._spread
        ours, names = total.state.feature_names, other.state.feature_names
        if ours and names and ours != names:
            theirs = SpreadRows(theirs.rows[:, [names.index(name) for name in ours]], theirs.step)
        total._spread = self._spread + theirs
        return total

    def _contents(self) -> StateContents:
        contents = self.state._contents()
        own = {"alpha": self.alpha, "tuned_for": self.tuned_for, "spread_step": self._spread.step}
        arrays = {**contents.arrays, "spread": self._spread.rows}
        return replace(contents, kind=self.kind, meta={**contents.meta, **own}, arrays=arrays)

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        alpha, tuned_for = contents.meta.get("alpha"), contents.whole("tuned_for", 2)
        made = cls(check_alpha(alpha), tuned_for=tuned_for)
        made.state = BatchMoments._from_contents(contents)
        rows = np.asarray(contents.arrays.get("spread", np.empty(0)))
        if rows.ndim != 2 or (len(rows) and rows.shape[1] != made.state.n_features):
            raise StateFileError("state: expected some of the rows of the sequence, got none.")
        made._spread = SpreadRows(rows, contents.whole("spread_step", 1))
        return made

    def __repr__(self) -> str:
        return (
            f"ConfidenceSequence(alpha={self.alpha:g}, tuned_for={self.tuned_for}, "
            f"n_samples={self.n_samples})"
        )

    def result(
        self,
        feature_names: Sequence[str] | None = None,
        *,
        given: str | Sequence[str] | None = None,
        pairs: Iterable[tuple[str, str]] | None = None,
    ) -> EdgeTestResult:
        """The edges of the rows seen, with p-values and intervals that hold at all looks at once.

        `given` and `pairs` are as in `edge_test`, chosen before the first look.
        """
        method = self.method()
        purpose = f"method {method.name!r}"
        sample = open_sample(self.state, Needs(), purpose, feature_names=feature_names)
        question = method.question(self.alpha, "bonferroni", given=given, pairs=pairs)
        estimate = method.estimate(sample)
        rows = self._spread.rows - self.state.mean()
        share = live_share(rows, estimate.residual_map, estimate.partial_correlation)
        sample = replace(sample, estimate=replace(estimate, live_share=share))
        return decide(method.measure(sample), question)

    def method(self) -> Sequential:
        """The test that each look makes."""
        return Sequential(
            tuned_for=self.tuned_for, tuned_level=self.alpha, n_batches=self.state.n_batches
        )
