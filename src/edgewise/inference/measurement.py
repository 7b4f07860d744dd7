"""What a method measures on every pair, before any decision: data without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution
from edgewise.inference.effect import MinEffect
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.tables.file_read import FileRead

if TYPE_CHECKING:
    from edgewise.inference.max_statistic import MaxStatistic
    from edgewise.inference.selection import Selection


class Estimated(Protocol):
    """Estimates and statistics of all pairs: a measurement, or a result."""

    @property
    def precision(self) -> FloatArray: ...

    @property
    def partial_correlation(self) -> FloatArray: ...

    @property
    def statistic(self) -> FloatArray: ...

    @property
    def n_pairs(self) -> int:
        """The pairs of the family, which simultaneous intervals allow for."""
        ...


class Uncertainty(Protocol):
    """The source of p-values and intervals; a result keeps it, and writes it to JSON."""

    @property
    def simultaneous(self) -> bool:
        """Whether it holds for all entries at once, so that no correction applies."""
        ...

    def log_pvalues(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        """Log p-values of H₀: |effect| ≤ the minimal one, for the pairs above the diagonal."""
        ...

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        """Intervals of all entries, on the scale of Θ or of partial correlations."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Measurement:
    """The estimate, a statistic for every pair, and what it is compared with.

    Attributes
    ----------
    method : str
        The method that measured.
    feature_names : tuple of str
        The columns.
    estimate : PrecisionEstimate
        Σ̂, Θ̂ and the partial correlations.
    statistic : ndarray of shape (p, p)
        What is compared with the reference or the bound; the diagonal does not matter.
    uncertainty : Uncertainty
        Of each pair (`PerEdge`, `ScoreTest`), or a bound on all entries at once (`Bound`).
    maxima : MaxStatistic or None
        The law of the largest statistic, where the method can resample: for the correction "maxt",
        and for a bound on fewer entries.
    record : mapping
        What the result records about the computation: options, and numbers that it found.
    n_dropped : int
        Rows that were left out because of missing values.
    cautions : tuple of Caution
        What the data say against the method.
    files : tuple of FileRead
        The files that the rows came from.
    selection : Selection or None
        What each pair is adjusted for, where the method chooses it; None for all other columns.
    n_missing : tuple of int
        How many values each column lacks; empty if none does, or nobody knows.
    n_dropped_alone : tuple of int
        How many rows were left out because of this column alone; empty if none was.
    pair_rows : ndarray of int of shape (p, p), or None
        The rows that have both columns of each pair; None if all have.
    """

    method: str
    feature_names: tuple[str, ...]
    estimate: PrecisionEstimate
    statistic: FloatArray
    uncertainty: Uncertainty
    maxima: MaxStatistic | None
    record: Mapping[str, Any]
    n_dropped: int
    cautions: tuple[Caution, ...] = ()
    files: tuple[FileRead, ...] = ()
    selection: Selection | None = None
    n_missing: tuple[int, ...] = ()
    n_dropped_alone: tuple[int, ...] = ()
    pair_rows: npt.NDArray[np.int64] | None = None

    @property
    def precision(self) -> FloatArray:
        return self.estimate.precision

    @property
    def partial_correlation(self) -> FloatArray:
        return self.estimate.partial_correlation

    @property
    def n_pairs(self) -> int:
        """All of them: which are tested is part of the question."""
        p = len(self.feature_names)
        return p * (p - 1) // 2
