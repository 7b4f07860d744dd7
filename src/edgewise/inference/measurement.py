"""What a method measures on every pair, before any decision: data without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray, symmetric
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import MaxStatistic
from edgewise.inference.uncertainty import Uncertainty
from edgewise.sums.pairs import PairSets
from edgewise.tables.table import FileRead


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen neighbours of each column: a pair is adjusted for those of both of its columns.

    Attributes
    ----------
    penalty : float
        λ of the lasso that chose them, for columns in standard units.
    neighbours : tuple of tuples of int
        The indices of the neighbours of each column.

    Examples
    --------
    >>> from edgewise.inference.measurement import Selection
    >>> chain = Selection(0.2, ((1,), (0, 2), (1, 3), (2,)))
    >>> chain.adjusted_for(1, 2)
    (0, 3)
    >>> chain.sizes().tolist()
    [[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]]
    """

    penalty: float
    neighbours: tuple[tuple[int, ...], ...]

    def adjusted_for(self, i: int, j: int) -> tuple[int, ...]:
        """The indices of the columns that the pair (i, j) was adjusted for."""
        return tuple(sorted({*self.neighbours[i], *self.neighbours[j]} - {i, j}))

    def sizes(self) -> npt.NDArray[np.int64]:
        """How many columns each pair was adjusted for."""
        sizes = PairSets.of(self.neighbours).sizes()
        return np.asarray(symmetric(sizes, len(self.neighbours), diagonal=0), dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Provenance:
    """Which rows the numbers come from, and how they were treated.

    `missing_information` is the share of each variance that is there because values are missing.
    """

    n_dropped: int = 0
    files: tuple[FileRead, ...] = ()
    n_missing: tuple[int, ...] = ()
    n_dropped_alone: tuple[int, ...] = ()
    pair_rows: npt.NDArray[np.int64] | None = None
    weights: str | None = None
    effective_rows: float | None = None
    clusters: str | None = None
    n_clusters: int | None = None
    transform: str | None = None
    n_copies: int | None = None
    missing_information: FloatArray | None = None

    def options(self) -> dict[str, Any]:
        """How rows were treated, where it is not the usual way."""
        names = ("clusters", "n_clusters", "weights", "effective_rows", "transform")
        found = {name: getattr(self, name) for name in names}
        found["missing"] = None if self.pair_rows is None else "pairwise"
        found["pooled"] = self.n_copies
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, eq=False, slots=True)
class Measurement:
    """The estimate, a statistic for every pair, and what it is compared with.

    `maxima` is the law of the largest statistic, where the method can resample; `options` are those
    of the method, and numbers that it found on the way.
    """

    method: str
    feature_names: tuple[str, ...]
    estimate: PrecisionEstimate
    statistic: FloatArray
    uncertainty: Uncertainty
    maxima: MaxStatistic | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    cautions: tuple[Caution, ...] = ()
    why: str = ""
    selection: Selection | None = None

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
