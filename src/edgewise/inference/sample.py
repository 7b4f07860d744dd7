"""What a method may ask for, from rows, from a saved state, or from fourth moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from edgewise._checks import FEWEST_WIDE_ROWS, check_testable_shape, check_wide_shape
from edgewise._linalg import FloatArray, population_covariance
from edgewise.errors import DataError
from edgewise.estimate.inverse import SampleMoments
from edgewise.sums.batches import DEFAULT_BATCHES, BatchMoments
from edgewise.sums.blocks import Centre
from edgewise.sums.clusters import ClusterMoments
from edgewise.sums.concordance import Concordance, ConcordanceMoments
from edgewise.sums.moments import Moments, RowState
from edgewise.sums.pairs import ExactPairs, PairSums
from edgewise.sums.pairwise import PairwiseMoments, PooledPairs
from edgewise.sums.power import CentralQuartics
from edgewise.sums.score import Leverage, ScoreSums
from edgewise.tables.file_read import FileRead
from edgewise.tables.first_look import FirstLook
from edgewise.tables.table import Pass, Sums

if TYPE_CHECKING:
    from edgewise.inference.diagnosis import Diagnosis
    from edgewise.paper.operator import CovcovOperator


@dataclass(frozen=True, slots=True)
class Needs:
    """What a method works from, with the options it was given.

    Attributes
    ----------
    order : {2, 4}
        The order of the moments that the first pass keeps.
    in_batches : bool
        Keep the moments of batches of rows instead.
    n_batches : int or None
        How many batches; None for the usual number.
    reads_again : bool
        Whether the rows are read after the first pass; if not, a state is enough.
    wide : bool
        Whether there may be as many columns as rows, or more.
    concordance : bool
        Of batches, keep the concordance of rows instead.
    undecided : bool
        The first pass decides between methods; batches are for rows that are read only once.
    """

    order: int = 2
    in_batches: bool = False
    n_batches: int | None = None
    reads_again: bool = False
    wide: bool = False
    concordance: bool = False
    undecided: bool = False

    @property
    def uneven_state(self) -> PairwiseMoments:
        """The state that the first pass fills where rows lack values or count differently."""
        return PairwiseMoments(self.n_batches if self.in_batches else 2)

    def check_shape(self, n_samples: int, n_features: int) -> None:
        """Refuse a table with too few rows."""
        few = self.undecided and n_samples < FEWEST_WIDE_ROWS
        if self.wide and n_samples <= n_features and not few:
            check_wide_shape(n_samples, n_features)
        else:
            check_testable_shape(n_samples, n_features)

    def empty_state(self) -> RowState:
        """The state that the first pass fills."""
        if not self.in_batches:
            return Moments(order=self.order)
        if self.concordance:
            return ConcordanceMoments(self.n_batches or DEFAULT_BATCHES)
        return BatchMoments(self.n_batches)


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence(ABC):
    """The sums that methods are made of.

    A method never asks where they come from. If something is not available, such as another pass
    over the rows of a state, the error says so and names the method that asked.

    Attributes
    ----------
    feature_names : tuple of str
        The columns.
    asked_by : str
        The method or function that asks, for messages.
    n_dropped : int
        Rows left out because of missing values.
    in_memory : bool
        Whether another pass over the rows costs next to nothing.
    first_look : FirstLook or None
        What the first pass noted besides sums; a saved state has none.
    clusters : ClusterMoments or None
        The moments of each group, where the user said which rows belong together.
    clusters_name : str or None
        The column of these clusters, if it has a name.
    weights_name : str or None
        The column of weights, if rows have weights and it has a name.
    files : tuple of FileRead
        The files that the rows came from.
    given : tuple of str
        The columns that every pair is to be adjusted for, where a method chooses among columns.
    transform : str or None
        What replaced the values of the columns.
    facts : Diagnosis or None
        What is known of the rows already.
    why : str
        Why this method was chosen, if the user did not choose it.
    """

    feature_names: tuple[str, ...]
    asked_by: str
    n_dropped: int = 0
    in_memory: bool = True
    first_look: FirstLook | None = None
    clusters: ClusterMoments | None = None
    clusters_name: str | None = None
    weights_name: str | None = None
    files: tuple[FileRead, ...] = ()
    given: tuple[str, ...] = ()
    transform: str | None = None
    facts: Diagnosis | None = None
    why: str = ""

    @abstractmethod
    def moments(self) -> SampleMoments:
        """Mean and covariance of all rows."""

    @abstractmethod
    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        """Fourth moments of the columns and of the norm of A(x − mean), or of x − mean.

        With `left_out`, where A whitens the rows, each is in units of the covariance without it.
        """

    def batches(self) -> BatchMoments:
        """Moments of consecutive batches of rows."""
        raise DataError(
            f"data: {self.asked_by} needs the moments of batches, got a Moments state; accumulate "
            "a BatchMoments state, or pass the rows."
        )

    def in_batches(self) -> Evidence:
        """The same rows with the moments of batches, read once more if need be."""
        return self

    def uneven_batches(self) -> PairwiseMoments:
        """The same where rows lack values or count differently; see `uneven`."""
        raise DataError(f"data: {self.asked_by} needs sums of pairs of columns, got none.")

    def concordance(self, n_batches: int | None = None) -> Concordance:
        """How often columns go up together between two rows; the units left out are batches."""
        raise DataError(
            f"data: {self.asked_by} needs the order of rows, got a state of sums; accumulate a "
            "ConcordanceMoments state, or pass the rows."
        )

    def pair_sums(self, leverage: Leverage) -> PairSums:
        """Fourth-order sums of the residuals of all pairs."""
        self._lacks_rows()

    def exact_pairs(
        self, leverage: Leverage, partial: FloatArray, nearly_one: float
    ) -> ExactPairs | None:
        """The same for the pairs whose partial correlation is above `nearly_one` in size."""
        self._lacks_rows()

    def score_sums(self, leverage: Leverage, partial: FloatArray, nearly_one: float) -> ScoreSums:
        """What the score test needs of the residuals of all pairs."""
        self._lacks_rows()

    def covcov_matrix(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> FloatArray:
        """The d × d matrix Cov(U(Σ̂)), d = p(p+1)/2, of A(x − mean)."""
        self._lacks_rows()

    def covcov_operator(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> CovcovOperator:
        """Products with that matrix, which is never built."""
        self._lacks_rows()

    def sums(self, one_pass: Pass) -> Sums:
        """The sums of the method's own pass over all rows."""
        self._lacks_rows()

    def inside(self, intervals: FloatArray) -> Evidence:
        """The evidence of the rows whose values all lie in the intervals of their columns."""
        self._lacks_rows()

    def leading_rows(self, most: int) -> FloatArray:
        """The first rows, up to a maximum, minus the mean; features first."""
        self._lacks_rows()

    @property
    def uneven(self) -> PooledPairs | None:
        """The sums of all pairs, where rows lack values or count differently; else None."""
        return None

    @property
    def n_samples(self) -> int:
        """Rows."""
        return self.moments().n_samples

    @cached_property
    def centre(self) -> Centre:
        """The mean of all rows, as exact as it is known."""
        return self.moments().centre()

    def central_covariance(self, A: FloatArray | None = None) -> FloatArray:
        """The covariance of A(x − mean) with the divisor n, as fourth moments have it."""
        moments = self.moments()
        s = population_covariance(moments.covariance(), moments.n_samples)
        return s if A is None else np.asarray(A @ s @ A.T)

    def _lacks_rows(self) -> NoReturn:
        raise DataError(
            f"data: {self.asked_by} reads the rows twice, got a state without rows; pass the "
            "rows, or choose method='batch' with a BatchMoments state, or 'trace' or 'fisher'."
        )
