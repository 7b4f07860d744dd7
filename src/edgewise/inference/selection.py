"""What each pair was adjusted for, where a method chooses that from the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._linalg import symmetric
from edgewise.sums.pairs import PairSets


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen neighbours of each column, by which a pair is adjusted for few columns.

    A pair is adjusted for the neighbours of both of its columns, without the two themselves.

    Attributes
    ----------
    penalty : float
        λ of the lasso that chose them, for columns in standard units.
    neighbours : tuple of tuples of int
        The places of the neighbours of each column.

    Examples
    --------
    >>> from edgewise.inference.selection import Selection
    >>> chain = Selection(0.2, ((1,), (0, 2), (1, 3), (2,)))
    >>> chain.adjusted_for(1, 2)
    (0, 3)
    >>> chain.sizes().tolist()
    [[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]]
    """

    penalty: float
    neighbours: tuple[tuple[int, ...], ...]

    def adjusted_for(self, i: int, j: int) -> tuple[int, ...]:
        """The places of the columns that the pair (i, j) was adjusted for.

        Parameters
        ----------
        i, j : int
            The places of its two columns.

        Returns
        -------
        tuple of int
            In the order of the columns.
        """
        return tuple(sorted({*self.neighbours[i], *self.neighbours[j]} - {i, j}))

    def sizes(self) -> npt.NDArray[np.int64]:
        """How many columns each pair was adjusted for.

        Returns
        -------
        ndarray of int of shape (p, p)
            Zero on the diagonal.
        """
        sizes = PairSets.of(self.neighbours).sizes()
        return np.asarray(symmetric(sizes, len(self.neighbours), diagonal=0), dtype=np.int64)
