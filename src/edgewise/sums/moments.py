"""States of rows: how they take rows, add up and are saved; and the moments of all rows."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice, check_count, check_names
from edgewise._linalg import FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError, StateFileError
from edgewise.sums.blocks import Centre
from edgewise.sums.power import CentralQuartics, PowerSums, UnitSums, power_sums, quiet
from edgewise.sums.save import State, StateContents
from edgewise.tables.arrays import check_rows
from edgewise.tables.table import ColumnBlock, Rows, column_places, raise_for_nonfinite

# An error of the mean below this many standard deviations is below rounding everywhere.
_NEGLIGIBLE = 1e-14
#: The most columns of which all products of four are kept: their sums take 28 MB.
MOST_PRODUCTS_COLUMNS = 60
_ORDERS = 4, 2, "all"


class RowSums(ABC):
    """Sums of rows of columns, which have names or places. Values are replaced, never changed."""

    feature_names: tuple[str, ...] | None

    @abstractmethod
    def _parts(self) -> Sequence[UnitSums]:
        """All sums of rows."""

    @abstractmethod
    def _empty(self) -> Self:
        """A state of the same kind that has seen no rows."""

    @abstractmethod
    def _take(self, rows: Rows) -> None:
        """Add rows that follow the earlier ones."""

    @abstractmethod
    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        """The state of the rows of both; `order` says where our columns are among theirs."""

    @abstractmethod
    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(int(part.n.sum()) for part in self._parts())

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        return next((int(part.origin.shape[1]) for part in self._parts()), None)

    def update(self, X: Rows) -> Self:
        """Add more rows, which follow the earlier ones; after an error the state is as before.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        state
            The state itself.
        """
        with self.__dict__.setdefault("_lock", threading.Lock()):
            rows, names = self._aligned(X)
            before = dict(self.__dict__)
            try:
                if rows.shape[0]:
                    self._take(rows)
                    self.feature_names = names
            except BaseException as error:
                self.__dict__.clear()
                self.__dict__.update(before)
                if isinstance(error, NonFiniteError):
                    # The block counted only its own rows; the message counts all rows.
                    raise_for_nonfinite(rows, names)
                raise
        return self

    def _aligned(self, X: Any) -> tuple[Rows, tuple[str, ...] | None]:
        """More rows, with the columns in the order of this state, and the names of its columns.

        The columns of a data frame are matched by name; a state without rows takes their names. An
        array has no names, so its columns are matched by position.
        """
        ours, theirs = self.feature_names, _names_of(X)
        if ours is not None and theirs == tuple(map(str, range(len(theirs or ())))):
            # A frame without names has numbers in their place.
            theirs = theirs if set(theirs or ()) == set(ours) else None
        if ours is None or theirs is None or ours == theirs:
            width = self.n_features
            if width is None and ours is not None:
                width = len(ours)
            rows = check_rows(X, n_features=width)
            named = theirs is not None and len(theirs) == rows.shape[1]
            return rows, theirs if named and ours is None and self.n_features is None else ours
        places = column_places(
            ours,
            theirs,
            lambda difference: DataError(
                "X: expected the columns of the rows before, got a table that differs: "
                f"{difference}. Pass the same columns each time."
            ),
        )
        return np.asarray(check_rows(X))[:, places], ours

    def copy(self) -> Self:
        """An independent state of the same rows.

        Returns
        -------
        state
            The copy.
        """
        copied = self._empty()
        copied.__dict__.update(self.__getstate__())
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
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
        if self.n_samples and other.n_samples:
            total = self._joined(other, _merge_order(self.feature_names, other.feature_names))
        else:
            # An empty state is neutral, whatever its options.
            total = (other if other.n_samples else self).copy()
        total.feature_names = _merged_names(self, other)
        return total


def _merged_names(ours: RowSums, theirs: RowSums) -> tuple[str, ...] | None:
    """The names of the merged state: from a state that has rows and names, or else the other."""
    states = sorted((ours, theirs), key=lambda state: state.n_features is None)
    width = states[0].n_features
    for state in states:
        if state.feature_names is not None and width in (None, len(state.feature_names)):
            return state.feature_names
    return None


def _merge_order(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> npt.NDArray[np.intp] | None:
    """The place of each of our columns among theirs; None for the same, as without names."""
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


def _names_of(X: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame or an Arrow table, if it is one and has names."""
    if isinstance(X, np.ndarray | ColumnBlock):
        return None
    names = getattr(X, "column_names", None)  # Arrow, whose `columns` are the values
    if names is None:
        names = getattr(X, "columns", None)
    return check_names(names) if isinstance(names, Iterable) else None


class RowState(RowSums, State):
    """A state that a pass over rows fills, that a file holds, and that a test takes as data."""


class UnitState(RowState):
    """A state of sums of units of rows: of all rows, or of batches."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """The options, as a state file has them."""

    @abstractmethod
    def _stored(self) -> Mapping[str, UnitSums | None]:
        """The sums by the prefix that their names have in a state file."""

    @classmethod
    @abstractmethod
    def _restored(cls, contents: StateContents) -> Self:
        """The state that a file holds."""

    def _contents(self) -> StateContents:
        arrays = {
            prefix + name: array
            for prefix, sums in self._stored().items()
            if sums is not None
            for name, array in sums.named().items()
        }
        options = self._options()
        return StateContents(self.kind, self.feature_names, self.n_samples, options, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        state = cls._restored(contents)
        parts = state._parts()
        if len({(part.origin.shape[1], tuple(part.named())) for part in parts}) > 1:
            raise StateFileError("state: expected the same sums of the same columns in all units.")
        if state.n_samples != contents.n_samples:
            raise StateFileError(
                f"state: expected sums of {contents.n_samples} rows in all, got {state.n_samples}."
            )
        return state


class Moments(UnitState):
    """Mean, covariance and fourth-order sums of a stream of rows, in O(p²) memory.

    States add: ``Moments().update(A) + Moments().update(B)`` is the state of all rows of A and
    B, in whatever order and however the rows were cut; an empty state is the neutral element.

    Parameters
    ----------
    order : {4, 2, "all"}
        The highest order of sums kept. 2 is enough for the covariance, 4 for "trace". With "all",
        the sums of all products of four columns are kept, of at most 60 columns: "eig" needs them.
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

    A state can be saved:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     Moments.load(f"{folder}/rows.state")
    Moments(n_samples=4, n_features=2, order=4)
    """

    kind: ClassVar[str] = "moments"
    default_method: str = "trace"

    def __init__(self, *, order: int | str = 4, feature_names: Sequence[str] | None = None) -> None:
        check_choice("order", order, _ORDERS)
        self.order = order
        if order == 2:
            self.default_method = "fisher"
        self.feature_names = None if feature_names is None else check_names(feature_names)
        self._sums: PowerSums | None = None

    @classmethod
    def from_covariance(
        cls,
        n_samples: int,
        covariance: Any,
        mean: Any = None,
        *,
        names: Sequence[str] | None = None,
    ) -> Self:
        """The state of rows of which only their covariance or correlation matrix is known.

        Parameters
        ----------
        n_samples : int
            How many rows the matrix comes from.
        covariance : array-like or data frame of shape (p, p)
            Their covariance (divisor n − 1) or correlation matrix.
        mean : array-like of shape (p,), optional
            The mean of each column; by default 0.
        names : sequence of str, optional
            Names of the columns; by default those of a data frame.

        Returns
        -------
        Moments
            A state of order 2: for "fisher", and "spectral" with radius="hoeffding".

        Examples
        --------
        >>> import edgewise as ew
        >>> R = [[1.0, 0.5, 0.3], [0.5, 1.0, 0.6], [0.3, 0.6, 1.0]]
        >>> state = ew.states.Moments.from_covariance(200, R, names=["a", "b", "c"])
        >>> [(edge.source, edge.target) for edge in ew.edge_test(state, method="fisher").edges()]
        [('b', 'c'), ('a', 'b')]
        """
        n = check_count("n_samples", n_samples, at_least=2)
        names = _names_of(covariance) if names is None else names
        try:
            S = np.array(covariance, dtype=np.float64)
            means = np.zeros(len(S)) if mean is None else np.array(mean, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"covariance, mean: expected numbers, got {error}.") from error
        square = S.ndim == 2 and S.shape[0] == S.shape[1] and np.isfinite(S).all()
        if not square or np.abs(S - S.T).max(initial=0.0) > 1e-8 * np.abs(S).max(initial=0.0):
            raise DataError(
                "covariance: expected a symmetric matrix of finite numbers, got one of shape "
                f"{S.shape} that is not; pass the whole matrix, not rows or a triangle."
            )
        if means.shape != S.shape[:1] or not np.isfinite(means).all():
            raise DataError(
                f"mean: expected a finite number for each of {len(S)} columns, got shape "
                f"{means.shape}."
            )
        if len(S) and np.linalg.eigvalsh(S)[0] < -1e-8 * np.abs(S).max():
            raise DataError(
                "covariance: expected a matrix without negative eigenvalues, as the same complete "
                "rows give for all pairs, got one that has some; if values were missing, test the "
                "rows with missing='pairwise'."
            )
        state = cls(order=2, feature_names=names)
        if names is not None:
            check_names(names, len(S))
        second = (n - 1) * (S + S.T)[np.newaxis] / 2
        state._sums = PowerSums(np.array([n]), means[np.newaxis], np.zeros((1, len(S))), second)
        return state

    def _parts(self) -> Sequence[PowerSums]:
        return [] if self._sums is None else [self._sums]

    def _empty(self) -> Self:
        return type(self)(order=self.order, feature_names=self.feature_names)

    def _take(self, rows: Rows) -> None:
        if self.order == "all" and rows.shape[1] > MOST_PRODUCTS_COLUMNS:
            raise DataError(
                f"order: expected 4 or 2 for more than {MOST_PRODUCTS_COLUMNS} columns, got 'all' "
                f"for {rows.shape[1]}; test fewer columns, or use method='trace', which needs "
                "order=4 only."
            )
        sums = power_sums(rows, order=self.order)
        self._sums = sums if self._sums is None else self._sums.plus(sums)

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        if self.order != other.order:
            raise ParameterError(
                f"other: expected a state of order {self.order}, got order {other.order}; "
                "accumulate both with the same order."
            )
        total, mine, theirs = self._empty(), self._known(1), other._known(1)
        total._sums = mine.plus(theirs if order is None else theirs.permuted(order))
        return total

    def _column_scatter(self) -> FloatArray:
        sums = self._sums
        if sums is None:
            return np.zeros(0)
        with quiet():
            return np.asarray(sums.second[0].diagonal() - sums.first[0] ** 2 / sums.n)

    def _options(self) -> dict[str, Any]:
        return {"order": self.order}

    def _stored(self) -> Mapping[str, PowerSums | None]:
        return {"": self._sums}

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        order = contents.meta.get("order")
        if order not in _ORDERS:
            raise StateFileError(f"state: expected an order of sums, got {order!r}.")
        moments = cls(order=order, feature_names=contents.columns)
        moments._sums = PowerSums.of_contents(contents)
        if moments._sums is not None and (
            len(moments._sums) > 1
            or (moments._sums.fourth is not None) != (order == 4)
            or (moments._sums.products is not None) != (order == "all")
        ):
            raise StateFileError(f"state: expected the sums of order {order!r} of a single unit.")
        return moments

    def mean(self) -> FloatArray:
        """Mean of each column.

        Returns
        -------
        ndarray of shape (p,)
            The means.
        """
        return np.asarray(self._known(1).mean()[0])

    def centre(self) -> Centre:
        """The mean, as exactly as the state knows it.

        Returns
        -------
        Centre
            An origin and an offset. A single number could not hold their sum if the data are far
            from zero.
        """
        sums = self._known(1)
        first, (mean,), n = sums.first[0], sums.mean(), sums.n[0]
        offset = first / n
        with quiet():
            cross = offset * (first - (n / 2) * offset)
            spread = np.sqrt((sums.second[0].diagonal() - cross - cross) / n)
        rounding = np.finfo(np.float64).eps * np.abs(mean)
        if (np.minimum(rounding, np.abs(offset)) > _NEGLIGIBLE * spread).any():
            return Centre(sums.origin[0], offset)
        return Centre(mean, None)

    def covariance(self) -> FloatArray:
        """Unbiased covariance matrix Σ̂ (divisor n − 1).

        Returns
        -------
        ndarray of shape (p, p)
            Σ̂.
        """
        sums = self._known(2)
        return np.asarray(sums.central().second[0] / (sums.n[0] - 1))

    def quartics(self, A: FloatArray | None = None) -> CentralQuartics:
        """Central fourth-order moments (divisor n) of the rows, or of A(x − mean).

        Parameters
        ----------
        A : ndarray of shape (q, p), optional
            A linear map of the centred rows, for a state of order "all".

        Returns
        -------
        CentralQuartics
            The mean cᵢ⁴ of each column as `columns`, and the mean ‖c‖⁴ of the rows as `norm`.
        """
        if A is not None or self.order == "all":
            products = self.products(A)
            p = len(self.mean()) if A is None else len(A)
            squares = np.flatnonzero(np.equal(*np.triu_indices(p)))
            among = products[np.ix_(squares, squares)]
            return CentralQuartics(among.diagonal().copy(), float(among.sum()))
        found = self._known(1).quartics()
        if found is None:
            raise ParameterError(
                "order: expected a state of order 4, got order 2; the fourth-order sums were "
                "not kept. Accumulate again with Moments(order=4)."
            )
        return found

    def products(self, A: FloatArray | None = None) -> FloatArray:
        """The moments of all products of four columns of A(x − mean), or of x − mean (divisor n).

        Parameters
        ----------
        A : ndarray of shape (q, p), optional
            A linear map of the centred rows.

        Returns
        -------
        ndarray of shape (d, d), d = p(p+1)/2
            The means of u_i u_j u_k u_l for the pairs i ≤ j and k ≤ l.
        """
        sums = self._known(1)
        if sums.products is None:
            raise ParameterError(
                f"order: expected a state of order 'all', got order {self.order}; the sums of all "
                "products of four columns were not kept. Accumulate again with order='all'."
            )
        return sums.central_products(A)

    def _known(self, rows: int) -> PowerSums:
        if self._sums is None or self._sums.n[0] < rows:
            raise DataError(
                f"state: expected at least {rows} row{'s' * (rows > 1)}, got {self.n_samples}; "
                "call update with data first."
            )
        return self._sums

    def __repr__(self) -> str:
        return (
            f"Moments(n_samples={self.n_samples}, n_features={self.n_features}, "
            f"order={self.order!r})"
        )
