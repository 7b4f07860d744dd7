"""Which pairs a result is about: all, those without given columns, or chosen ones."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.matrices import off_diagonal, upper_pairs
from edgewise._base.text import listed
from edgewise._base.types import BoolArray
from edgewise.inference.intervals import ConfidenceInterval

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

IntArray: TypeAlias = npt.NDArray[np.intp]
_NAMED = 5  # as many as `listed` names before it counts the others


class Tested:
    """What a result says about its family of pairs."""

    n_features: int
    feature_names: tuple[str, ...]
    tested: BoolArray | None

    @property
    def n_pairs(self) -> int:
        """How many pairs were tested, which is what corrections count."""
        return len(self.tested_pairs()[0])

    @property
    def given(self) -> tuple[str, ...]:
        """Columns that were adjusted for: they are in the model, but in no tested pair."""
        inside = set(self.tested_columns().tolist())
        return tuple(name for i, name in enumerate(self.feature_names) if i not in inside)

    def _known_ends(self, interval: ConfidenceInterval) -> ConfidenceInterval:
        """Intervals that hold at once do so for the tested pairs; those of others are NaN."""
        if self.tested is None:
            return interval
        known = self.tested | np.diag(self.tested.any(axis=0))
        return ConfidenceInterval(*(np.where(known, end, np.nan) for end in interval))

    def tested_pairs(self) -> tuple[IntArray, IntArray]:
        """The places of the tested pairs above the diagonal, row by row.

        Returns
        -------
        tuple of two ndarray of int
            Rows and columns, to index a matrix of the result with.

        Examples
        --------
        >>> import numpy as np
        >>> import edgewise as ew
        >>> rows = np.random.default_rng(0).standard_normal((100, 4))
        >>> result = ew.edge_test(rows, given=["x1"])
        >>> result.pvalue[result.tested_pairs()].shape
        (3,)
        """
        rows, columns = upper_pairs(self.n_features)
        if self.tested is None:
            return rows, columns
        own = self.tested[rows, columns]
        return rows[own], columns[own]

    def tested_columns(self) -> IntArray:
        """The places of the columns that are in a tested pair.

        Returns
        -------
        ndarray of int
            Those that graphs and pictures show.

        Examples
        --------
        >>> import numpy as np
        >>> import edgewise as ew
        >>> rows = np.random.default_rng(0).standard_normal((100, 4))
        >>> ew.edge_test(rows, given=["x1"]).tested_columns()
        array([0, 2, 3])
        """
        if self.tested is None:
            return np.arange(self.n_features)
        return np.flatnonzero(self.tested.any(axis=0))


def tested_part(result: EdgeTestResult) -> EdgeTestResult:
    """The same numbers of the tested columns alone, for pictures of them; it has no intervals."""
    if result.tested is None:
        return result
    columns = result.tested_columns()
    at = np.ix_(columns, columns)
    parts: dict[str, Any] = {}
    for known in fields(result):
        value = getattr(result, known.name)
        if isinstance(value, np.ndarray):
            parts[known.name] = value[at]
    if (parts["tested"] == off_diagonal(len(columns))).all():
        parts["tested"] = None
    names = tuple(result.feature_names[i] for i in columns)
    parts |= {"n_features": len(columns), "feature_names": names}
    for name in ("n_missing", "n_dropped_alone"):
        counts: tuple[int, ...] = getattr(result, name)
        parts[name] = tuple(counts[i] for i in columns) if counts else ()
    return replace(result, uncertainty=None, selection=None, **parts)


def is_chosen(result: Tested) -> bool:
    """Whether only some pairs of the tested columns were tested."""
    k = len(result.tested_columns())
    return result.n_pairs < k * (k - 1) // 2


def chosen_pairs(result: Tested) -> list[tuple[str, str]] | None:
    """What `pairs` of `edge_test` was; None if all pairs of the tested columns were tested."""
    if not is_chosen(result):
        return None
    names = result.feature_names
    return [(names[i], names[j]) for i, j in zip(*result.tested_pairs(), strict=True)]


def adjusted_for(result: Tested) -> str:
    """What was adjusted for, as in "adjusted for age and sex"; empty if nothing was."""
    return f"adjusted for {given_names(result)}" if result.given else ""


def given_names(result: Tested) -> str:
    """The first of the names that were adjusted for, as part of a sentence."""
    given = result.given
    if 2 <= len(given) <= _NAMED:
        return f"{', '.join(given[:-1])} and {given[-1]}"
    return listed(given)
