"""The state of a confidence sequence: batches, and the level and tuning of its looks."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from edgewise._checks import check_alpha, check_count
from edgewise._linalg import AnyArray
from edgewise.errors import ParameterError
from edgewise.sums.batches import BatchMoments
from edgewise.sums.save import State, StateContents


class SequenceMoments(State):
    """Batches that are looked at again and again, at one level and tuning."""

    kind: ClassVar[str] = "sequence"
    default_method: str = "sequential"

    def __init__(
        self, alpha: float = 0.05, *, tuned_for: int = 10_000, n_batches: int | None = None
    ) -> None:
        self.alpha = check_alpha(alpha)
        self.tuned_for = check_count("tuned_for", tuned_for, at_least=2)
        self.state = BatchMoments(n_batches)

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return self.state.n_samples

    def update(self, X: AnyArray) -> Self:
        """Add more rows.

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

    def __add__(self, other: SequenceMoments) -> Self:
        if not isinstance(other, SequenceMoments):
            return NotImplemented
        if (self.alpha, self.tuned_for) != (other.alpha, other.tuned_for):
            raise ParameterError(
                f"other: expected alpha={self.alpha:g} and tuned_for={self.tuned_for}, got "
                f"{other.alpha:g} and {other.tuned_for}; only sequences of one kind add up."
            )
        return self._of(self, self.state + other.state)

    @classmethod
    def _of(cls, sequence: SequenceMoments, state: BatchMoments | None = None) -> Self:
        """The same level and tuning, and another state."""
        made = cls(sequence.alpha, tuned_for=sequence.tuned_for)
        made.state = sequence.state if state is None else state
        return made

    def _contents(self) -> StateContents:
        contents = self.state._contents()
        own = {"alpha": self.alpha, "tuned_for": self.tuned_for}
        return replace(contents, kind=self.kind, meta={**contents.meta, **own})

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        alpha, tuned_for = contents.meta.get("alpha"), contents.whole("tuned_for", 2)
        made = cls(check_alpha(alpha), tuned_for=tuned_for)
        made.state = BatchMoments._from_contents(contents)
        return made

    def __repr__(self) -> str:
        return (
            f"ConfidenceSequence(alpha={self.alpha:g}, tuned_for={self.tuned_for}, "
            f"n_samples={self.n_samples})"
        )
