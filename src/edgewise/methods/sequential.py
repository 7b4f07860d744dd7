"""Looking at a stream again and again without paying for it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import special

from edgewise._base.checks import check_alpha, check_count, check_names, default_names
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.estimators.inverse import estimate_precision
from edgewise.inference.effect import MinEffect
from edgewise.inference.reference import Student
from edgewise.methods.batch import DEFAULT_BATCHES, batch_influences, batch_spread
from edgewise.methods.method import Evidence, PerEdgeTest, Question, per_edge_result
from edgewise.results.result import EdgeTestResult
from edgewise.states.batches import BatchMoments
from edgewise.states.file_format import StateContents, read_state, write_state


@dataclass(frozen=True, slots=True)
class AnytimeReference:
    """Critical values that hold at all times at once, for an estimate with standard error s.

    An asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Ann. Statist.
    2024) is the estimate ± s √{(tρ²+1)/(tρ²) · log((tρ²+1)/α²)} after t rows. It is narrowest, for
    its level, at the t that ρ is tuned to. The p-value is the smallest α whose interval excludes
    the null: log α = ½(log(tρ²+1) − z² tρ²/(tρ²+1)).

    The theorem wants an s that is known in the end. One from K batches never is, however many rows
    there are, and at the levels of many pairs that shows (measured: up to twice the error at 50
    columns). So the statistic is Student's t with K − 1 degrees of freedom, and goes to the
    boundary by its probability, as the z that is as rare.
    """

    n_samples: int
    rho2: float
    student: Student

    @property
    def _information(self) -> float:
        return self.n_samples * self.rho2

    def log_two_sided(self, t: FloatArray) -> FloatArray:
        share = self._information / (1 + self._information)
        z = special.ndtri_exp(self.student.log_two_sided(t) - math.log(2))
        return np.minimum(0.5 * (math.log1p(self._information) - share * z * z), 0.0)

    def log_upper(self, t: FloatArray) -> FloatArray:
        return np.where(t > 0, self.log_two_sided(t) - math.log(2), -math.log(2))

    def critical(self, log_level: float) -> float:
        share = self._information / (1 + self._information)
        z = math.sqrt((math.log1p(self._information) - 2 * log_level) / share)
        return self.student.critical(math.log(2) + float(special.log_ndtr(-z)))


class ConfidenceSequence:
    """Edges and intervals of an endless stream, valid however often one looks.

    After every batch `result()` gives the edges and the intervals so far; the probability that any
    of them is wrong at *any* look is at most `alpha`, in the limit, over all pairs of variables.
    A test made anew at every look does not have this property: looked at often enough, it finds a
    false edge.

    Parameters
    ----------
    alpha : float
        Probability of any false edge, at any time.
    tuned_for : int
        The number of rows that matters most: in standard errors the intervals are narrowest
        there; up to 30 % wider at a tenth of it and 7 % at ten times as many, less with many pairs.
    n_batches : int
        Batches of rows that the variances are estimated from; see `BatchMoments`.

    Attributes
    ----------
    state : BatchMoments
        What is known of the rows.
    n_samples : int
        Rows seen.

    Notes
    -----
    The boundary is proven in the limit, for independent rows with more than four moments and a
    variance that is known in the end. That the variance comes from batches is allowed for by
    Student's t; this, and rows that depend on the rows before them over less than a batch, did well
    in simulations, and no theorem covers them. Pairs are corrected for by Bonferroni. States of
    several machines add up (``+``).

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

    Sequences of one kind merge, and can be kept:

    >>> import tempfile
    >>> another = ConfidenceSequence(alpha=0.05, tuned_for=5000)
    >>> _ = sequence.merge(another.update(rng.standard_normal((1000, 3))))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sequence.save(f"{folder}/rows.state")
    ...     ConfidenceSequence.load(f"{folder}/rows.state")
    ConfidenceSequence(alpha=0.05, tuned_for=5000, n_samples=6000)
    """

    def __init__(
        self,
        alpha: float = 0.05,
        *,
        tuned_for: int = 10_000,
        n_batches: int = DEFAULT_BATCHES,
    ) -> None:
        self.alpha = check_alpha(alpha)
        self.tuned_for = check_count("tuned_for", tuned_for, at_least=2)
        self.state = BatchMoments(n_batches)

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return self.state.n_samples

    def update(self, X: AnyArray) -> Self:
        """Take in more rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        ConfidenceSequence
            The sequence itself.
        """
        self.state.update(X)
        return self

    def merge(self, other: ConfidenceSequence) -> Self:
        """Take in the rows that `other` has seen.

        Parameters
        ----------
        other : ConfidenceSequence
            One with the same `alpha` and `tuned_for`; it stays as it is.

        Returns
        -------
        ConfidenceSequence
            The sequence itself.
        """
        self.state = (self + other).state
        return self

    def __add__(self, other: ConfidenceSequence) -> ConfidenceSequence:
        if not isinstance(other, ConfidenceSequence):
            return NotImplemented
        if (self.alpha, self.tuned_for) != (other.alpha, other.tuned_for):
            raise ParameterError(
                f"other: expected alpha={self.alpha:g} and tuned_for={self.tuned_for}, got "
                f"{other.alpha:g} and {other.tuned_for}; only sequences of one kind add up."
            )
        merged = ConfidenceSequence(
            self.alpha, tuned_for=self.tuned_for, n_batches=self.state.n_batches
        )
        merged.state = self.state + other.state
        return merged

    def result(self, feature_names: Sequence[str] | None = None) -> EdgeTestResult:
        """The edges and intervals so far.

        Parameters
        ----------
        feature_names : sequence of str, optional
            Names of the columns.

        Returns
        -------
        EdgeTestResult
            Its p-values and intervals hold at all looks at once.
        """
        own = self.state.feature_names or default_names(self.state.n_features or 0)
        names = check_names(feature_names or own, self.state.n_features)
        estimate = estimate_precision(self.state.pooled(), names)
        influence = batch_influences(self.state, estimate)
        if influence.shape[0] < 2:
            raise DataError("state: expected at least 2 batches of rows; update with more rows.")
        # The reference allows for standard errors that are not known well.
        spread = replace(batch_spread(influence, estimate), degrees=None)
        pairs = len(names) * (len(names) - 1) / 2
        reference = AnytimeReference(
            self.n_samples,
            tuned_rho2(self.alpha / pairs, self.tuned_for),
            Student(influence.shape[0] - 1),
        )
        test = PerEdgeTest(
            statistic=-estimate.precision / spread.precision,
            reference=reference,
            spread=spread,
            threshold_at=lambda level: reference.critical(level) * spread.precision,
        )
        evidence = Evidence(self.state, None, names)
        question = Question(self.alpha, "bonferroni", MinEffect())
        options: dict[str, Any] = {"tuned_for": self.tuned_for}
        return per_edge_result("sequential", evidence, estimate, test, question, options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sequence to a file that `load` reads.

        Parameters
        ----------
        path : str or path
            Where to write it; the file appears when it is complete.
        """
        write_state(path, self._contents())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConfidenceSequence:
        """Read a sequence that `save` wrote; loading never runs code from the file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        ConfidenceSequence
            The sequence.
        """
        return cls._from_contents(read_state(path, "sequence"))

    def _contents(self) -> StateContents:
        contents = self.state._contents()
        own = {"alpha": self.alpha, "tuned_for": self.tuned_for}
        return replace(contents, kind="sequence", meta={**contents.meta, **own})

    @classmethod
    def _from_contents(cls, contents: StateContents) -> ConfidenceSequence:
        alpha = check_alpha(contents.meta.get("alpha"))
        sequence = cls(alpha, tuned_for=contents.whole("tuned_for", 2))
        sequence.state = BatchMoments._from_contents(contents)
        return sequence

    def __repr__(self) -> str:
        return (
            f"ConfidenceSequence(alpha={self.alpha:g}, tuned_for={self.tuned_for}, "
            f"n_samples={self.n_samples})"
        )


def tuned_rho2(alpha: float, n_samples: int) -> float:
    """ρ² for which the sequence of level α is narrowest at `n_samples` rows (to first order)."""
    size = -2 * math.log(alpha)
    return (size + math.log1p(size)) / n_samples
