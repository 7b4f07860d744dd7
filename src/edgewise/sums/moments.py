"""The moments of all rows: up to the second or fourth order, or of all products of four columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice, check_count, check_names
from edgewise._linalg import FloatArray
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.sums.blocks import Centre, quiet
from edgewise.sums.power import (
    CentralQuartics,
    PowerSums,
    power_sums,
    product_map,
)
from edgewise.sums.save import RowState, StateContents
from edgewise.tables.table import Rows

# An error of the mean below this many standard deviations is below rounding everywhere.
_NEGLIGIBLE = 1e-14
#: The most columns of which all products of four are kept: their sums take 28 MB.
MOST_PRODUCTS_COLUMNS = 60
_ORDERS = 4, 2, "all"


class Moments(RowState):
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

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.states import Moments
    >>> X = np.array([[1.0, 2.0], [3.0, 5.0], [5.0, 5.0], [7.0, 9.0]])
    >>> state = Moments().update(X[:1]) + Moments().update(X[1:])
    >>> state
    Moments(n_samples=4, n_features=2, order=4)
    >>> bool(np.allclose(state.covariance(), np.cov(X, rowvar=False)))
    True
    >>> state.copy().merge(Moments().update(X)).mean()
    array([4.  , 5.25])
    """

    kind: ClassVar[str] = "moments"
    default_method: str = "trace"
    _shown: ClassVar[tuple[str, ...]] = ("order",)

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

        By default the means are 0 and the names those of a data frame. The state has order 2: for
        "fisher", and "spectral" with radius="hoeffding".

        Examples
        --------
        >>> import edgewise as ew
        >>> R = [[1.0, 0.5, 0.3], [0.5, 1.0, 0.6], [0.3, 0.6, 1.0]]
        >>> state = ew.states.Moments.from_covariance(200, R, names=["a", "b", "c"])
        >>> [(edge.source, edge.target) for edge in ew.edge_test(state, method="fisher").edges()]
        [('b', 'c'), ('a', 'b')]
        """
        n = check_count("n_samples", n_samples, at_least=2)
        names = getattr(covariance, "columns", None) if names is None else names
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
        names = None if names is None else check_names(names, len(S))
        second = (n - 1) * (S + S.T)[np.newaxis] / 2
        sums = PowerSums(np.array([n]), means[np.newaxis], np.zeros((1, len(S))), second)
        return cls._of(sums, 2, names)

    @classmethod
    def _of(cls, sums: PowerSums, order: int | str, feature_names: Sequence[str] | None) -> Self:
        moments = cls(order=order, feature_names=feature_names)
        moments._sums = sums
        moments.n_samples, moments.n_features = int(sums.n[0]), sums.origin.shape[1]
        return moments

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
        total, theirs = self._empty(), other._known()
        total._sums = self._known().plus(theirs if order is None else theirs.permuted(order))
        return total

    def _column_scatter(self) -> FloatArray:
        sums = self._sums
        if sums is None:
            return np.zeros(0)
        with quiet():
            return np.asarray(sums.second[0].diagonal() - sums.first[0] ** 2 / sums.n)

    def _contents(self) -> StateContents:
        arrays = {} if self._sums is None else self._sums.named()
        meta = {"order": self.order}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        order = contents.meta.get("order")
        if order not in _ORDERS:
            raise StateFileError(f"state: expected an order of sums, got {order!r}.")
        sums = PowerSums.of_contents(contents)
        if sums is None:
            return cls(order=order, feature_names=contents.columns)
        higher = sums.fourth is not None, sums.products is not None
        if len(sums) > 1 or higher != (order == 4, order == "all"):
            raise StateFileError(f"state: expected the sums of order {order!r} of a single unit.")
        return cls._of(sums, order, contents.columns)

    def mean(self) -> FloatArray:
        return np.asarray(self._known().mean()[0])

    def centre(self) -> Centre:
        """The mean, as exactly as the state knows it."""
        sums = self._known()
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
        sums = self._known(2)
        n, first, second = sums.n[0], sums.first[0], sums.second[0]
        with quiet():
            half = np.multiply.outer(first / n, first / 2)
            return np.asarray((second - (half + half.T)) / (n - 1))

    def quartics(self, A: FloatArray | None = None) -> CentralQuartics:
        """Central fourth-order moments (divisor n) of the rows, or of A(x − mean).

        These are the mean cᵢ⁴ of each column, and the mean ‖c‖⁴. A map A needs a state of order
        "all".
        """
        if A is not None or self.order == "all":
            return CentralQuartics.of_products(self.products(A))
        sums = self._known().central()
        if sums.fourth is None or sums.norm4 is None:
            raise ParameterError(
                "order: expected a state of order 4, got order 2; the fourth-order sums were "
                "not kept. Accumulate again with Moments(order=4)."
            )
        return CentralQuartics(sums.fourth[0] / sums.n[0], float(sums.norm4[0] / sums.n[0]))

    def products(self, A: FloatArray | None = None) -> FloatArray:
        """The means of u_i u_j u_k u_l, u = A(x − mean) or x − mean, for the pairs i ≤ j and k ≤ l."""
        sums = self._known().central()
        if sums.products is None:
            raise ParameterError(
                f"order: expected a state of order 'all', got order {self.order}; the sums of all "
                "products of four columns were not kept. Accumulate again with order='all'."
            )
        first = sums.origin.shape[1] + 1  # of the products of two columns
        products = sums.products[0, first:, first:] / sums.n[0]
        if A is None:
            return np.asarray(products)
        mapped = product_map(A)
        return np.asarray(mapped @ products @ mapped.T)

    def _known(self, rows: int = 1) -> PowerSums:
        if self._sums is None or self._sums.n[0] < rows:
            raise DataError(
                f"state: expected at least {rows} row{'s' * (rows > 1)}, got {self.n_samples}; "
                "call update with data first."
            )
        return self._sums
