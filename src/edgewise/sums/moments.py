"""One-pass, mergeable moments of the rows of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice, check_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.sums.blocks import Centre
from edgewise.sums.power import CentralQuartics, PowerSums, QuarticSums, power_sums, quiet
from edgewise.sums.save import State, StateContents
from edgewise.tables.table import ColumnBlock, Rows, column_places
from edgewise.tables.values import check_rows, raise_for_nonfinite

# An error of the mean below this many standard deviations is below rounding everywhere.
_NEGLIGIBLE = 1e-14


class ColumnState(State):
    """A state of rows of columns, which have names or places."""

    feature_names: tuple[str, ...] | None

    @property
    @abstractmethod
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""

    @abstractmethod
    def _empty(self) -> Self:
        """A state of the same kind that has seen no rows."""

    @abstractmethod
    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""

    def copy(self) -> Self:
        """An independent state of the same rows.

        Returns
        -------
        state
            The copy.
        """
        copied = self._empty()
        # No value is ever changed in place, only replaced.
        copied.__dict__.update(self.__dict__)
        return copied

    def _check_other(self, other: ColumnState) -> None:
        """Refuse other columns, and the state itself, whose rows would count twice."""
        if other is self and self.n_samples:
            raise ParameterError(
                "other: expected another state, got the state itself, whose rows would count "
                "twice; if that is meant, add its copy()."
            )
        if None is not self.n_features != other.n_features is not None:
            raise ParameterError(
                f"other: expected a state of {self.n_features} columns, got one of "
                f"{other.n_features}; only states of the same columns add up."
            )


def merged_names(ours: ColumnState, theirs: ColumnState) -> tuple[str, ...] | None:
    """The names of the merged state: from a state that has rows and names, or else the other."""
    states = sorted((ours, theirs), key=lambda state: state.n_features is None)
    width = states[0].n_features
    for state in states:
        if state.feature_names is not None and width in (None, len(state.feature_names)):
            return state.feature_names
    return None


def merge_order(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> npt.NDArray[np.intp] | None:
    """The place of each of our columns among theirs; None if nothing has to move.

    States without names are matched by position.
    """
    if ours is None or theirs is None:
        return None
    return column_places(
        ours,
        theirs,
        lambda difference: ParameterError(
            f"other: expected a state of the same columns, got one that differs: {difference}. "
            "Only states of the same columns add up."
        ),
    )


def rows_by_name(state: ColumnState, X: Any) -> tuple[Rows, tuple[str, ...] | None]:
    """More rows for a state, with the columns in its order, and the names of its columns.

    The columns of a data frame are matched by name; a state without rows takes their names. An
    array has no names, so its columns are matched by position.
    """
    ours, theirs = state.feature_names, _names_of(X)
    if ours is not None and theirs == tuple(map(str, range(len(theirs or ())))):
        # A frame without names has numbers in their place.
        theirs = theirs if set(theirs or ()) == set(ours) else None
    if ours is None or theirs is None or ours == theirs:
        width = state.n_features
        if width is None and ours is not None:
            width = len(ours)
        rows = check_rows(X, n_features=width)
        named = theirs is not None and len(theirs) == rows.shape[1]
        return rows, theirs if named and ours is None and state.n_features is None else ours
    places = column_places(
        ours,
        theirs,
        lambda difference: DataError(
            f"X: expected the columns of the rows before, got a table that differs: {difference}. "
            "Pass the same columns each time."
        ),
    )
    return np.asarray(check_rows(X))[:, places], ours


def _names_of(X: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame or an Arrow table, if it is one and has names."""
    if isinstance(X, np.ndarray | ColumnBlock):
        return None
    names = getattr(X, "column_names", None)  # Arrow, whose `columns` are the values
    if names is None:
        names = getattr(X, "columns", None)
    return check_names(names) if isinstance(names, Iterable) else None


class Moments(ColumnState):
    """Mean, covariance and fourth-order sums of a stream of rows, in O(p²) memory.

    States add: ``Moments().update(A) + Moments().update(B)`` is the state of all rows of A and
    B, in whatever order and however the rows were cut; an empty state is the neutral element.

    Parameters
    ----------
    order : {4, 2}
        The highest order of sums kept. 4 serves every method that a state can serve; 2 is
        cheaper and is enough for the covariance.
    feature_names : sequence of str, optional
        Names of the columns; states with names are matched by them when they are merged.

    Attributes
    ----------
    n_samples : int
        Rows seen.
    n_features : int or None
        Columns, once rows have been seen.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.states import Moments
    >>> X = np.array([[1.0, 2.0], [3.0, 5.0], [5.0, 5.0], [7.0, 9.0]])
    >>> state = Moments().update(X[:1]) + Moments().update(X[1:])
    >>> state.n_samples
    4
    >>> bool(np.allclose(state.covariance(), np.cov(X, rowvar=False)))
    True
    >>> state.copy().merge(Moments().update(X)).mean()
    array([4.  , 5.25])
    >>> state.centre().origin, state.quartics().columns.round(3)
    (array([4.  , 5.25]), array([41.   , 77.332]))

    A state can be kept:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     Moments.load(f"{folder}/rows.state")
    Moments(n_samples=4, n_features=2, order=4)
    """

    kind: ClassVar[str] = "moments"
    default_method: ClassVar[str] = "trace"

    def __init__(self, *, order: int = 4, feature_names: Sequence[str] | None = None) -> None:
        check_choice("order", order, (2, 4))
        self.order = order
        self.feature_names = None if feature_names is None else check_names(feature_names)
        self._sums: PowerSums | None = None

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return 0 if self._sums is None else self._sums.n

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        return None if self._sums is None else int(self._sums.origin.shape[0])

    def update(self, X: Rows) -> Self:
        """Add more rows; after an error the state is as it was before.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        Moments
            The state itself.
        """
        rows, names = rows_by_name(self, X)
        if rows.shape[0]:
            try:
                sums = power_sums(rows, quartic=self.order == 4)
            except NonFiniteError:
                raise_for_nonfinite(rows, names)
            self._sums = sums if self._sums is None else self._sums + sums
            self.feature_names = names
        return self

    def _column_scatter(self) -> FloatArray:
        sums = self._sums
        if sums is None:
            return np.zeros(0)
        with quiet():
            return sums.second.diagonal() - sums.first**2 / sums.n

    def _empty(self) -> Moments:
        return Moments(order=self.order, feature_names=self.feature_names)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_other(other)
        left, right = self._sums, other._sums
        if left is not None and right is not None:
            if self.order != other.order:
                raise ParameterError(
                    f"other: expected a state of order {self.order}, got order {other.order}; "
                    "accumulate both with the same order."
                )
            order = merge_order(self.feature_names, other.feature_names)
            if order is not None:
                right = right.permuted(order)
        # An empty state is neutral, whatever its order: the order of the rows counts.
        known = self if left is not None else other
        merged = Moments(order=known.order)
        merged.feature_names = merged_names(self, other)
        merged._sums = left + right if left is not None and right is not None else left or right
        return merged

    def _contents(self) -> StateContents:
        sums = self._sums
        arrays = {} if sums is None else _arrays_of(sums)
        meta = {"order": self.order}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Moments:
        moments = cls(order=contents.whole("order", 2), feature_names=contents.columns)
        if contents.n_samples:
            moments._sums = _sums_in(contents, quartic=moments.order == 4)
        return moments

    def mean(self) -> FloatArray:
        """Mean of each column.

        Returns
        -------
        ndarray of shape (p,)
            The means.
        """
        return self._require(1).mean()

    def centre(self) -> Centre:
        """The mean, as exactly as the state knows it.

        Returns
        -------
        Centre
            An origin and an offset. A single number could not hold their sum if the data are far
            from zero.
        """
        sums = self._require(1)
        offset, mean = sums.first / sums.n, sums.mean()
        with quiet():
            cross = offset * (sums.first - (sums.n / 2) * offset)
            spread = np.sqrt((sums.second.diagonal() - cross - cross) / sums.n)
        rounding = np.finfo(np.float64).eps * np.abs(mean)
        if (np.minimum(rounding, np.abs(offset)) > _NEGLIGIBLE * spread).any():
            return Centre(sums.origin, offset)
        return Centre(mean, None)

    def covariance(self) -> FloatArray:
        """Unbiased covariance matrix Σ̂ (divisor n − 1).

        Returns
        -------
        ndarray of shape (p, p)
            Σ̂.
        """
        sums = self._require(2)
        return sums.central().second / (sums.n - 1)

    def quartics(self) -> CentralQuartics:
        """Central fourth-order moments (divisor n).

        Returns
        -------
        CentralQuartics
            The mean cᵢ⁴ of each column as `columns`, and the mean ‖c‖⁴ of the rows as `norm`.
        """
        sums = self._require(1).central()
        if sums.quartic is None:
            raise ParameterError(
                "order: expected a state of order 4, got order 2; the fourth-order sums were "
                "not kept. Accumulate again with Moments(order=4)."
            )
        return CentralQuartics(sums.quartic.fourth / sums.n, sums.quartic.norm4 / sums.n)

    def _require(self, rows: int) -> PowerSums:
        if self._sums is None or self._sums.n < rows:
            raise DataError(
                f"state: expected at least {rows} row{'s' * (rows > 1)}, got {self.n_samples}; "
                "call update with data first."
            )
        return self._sums

    def __repr__(self) -> str:
        return (
            f"Moments(n_samples={self.n_samples}, n_features={self.n_features}, order={self.order})"
        )


def _arrays_of(sums: PowerSums) -> dict[str, AnyArray]:
    """The sums by name, for a state file."""
    named: dict[str, AnyArray] = {
        "origin": sums.origin,
        "first": sums.first,
        "second": sums.second,
    }
    if sums.quartic is not None:
        q = sums.quartic
        named |= {"third": q.third, "fourth": q.fourth, "norm2_row": q.norm2_row}
        named["norm4"] = np.array([q.norm4])
    return named


def _sums_in(contents: StateContents, *, quartic: bool) -> PowerSums:
    """The sums from a state file, after checking that they fit each other."""
    p = contents.width("origin")
    sums = (
        QuarticSums(
            contents.array("third", (p,)),
            contents.array("fourth", (p,)),
            contents.array("norm2_row", (p,)),
            float(contents.array("norm4", (1,))[0]),
        )
        if quartic
        else None
    )
    return PowerSums(
        contents.n_samples,
        contents.array("origin", (p,)),
        contents.array("first", (p,)),
        contents.array("second", (p, p)),
        sums,
    )
