"""What a method may ask of the data: moments, and one more pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from edgewise._checks import (
    FEWEST_WIDE_ROWS,
    check_names,
    check_testable_shape,
    check_wide_memory,
    default_names,
)
from edgewise._linalg import FloatArray, population_covariance
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.estimate.inverse import SampleMoments
from edgewise.inference.measurement import Provenance
from edgewise.paper.covcov import covcov_matrix, covcov_of_moments
from edgewise.sums.accumulate import first_pass
from edgewise.sums.batches import DEFAULT_BATCHES, BatchMoments, ClusterMoments
from edgewise.sums.blocks import Centre
from edgewise.sums.concordance import Concordance, ConcordanceMoments
from edgewise.sums.moments import MOST_PRODUCTS_COLUMNS, Moments
from edgewise.sums.pairwise import PairwiseMoments, PooledPairs
from edgewise.sums.power import CentralQuartics, transformed_quartics
from edgewise.sums.save import RowState
from edgewise.tables.first_look import FirstLook
from edgewise.tables.open import as_table
from edgewise.tables.options import (
    NORMAL_SCORES,
    left_out_notes,
    options_of,
    view,
    without_columns,
)
from edgewise.tables.table import (
    ROW_NUMBERS,
    FileRead,
    Partition,
    Pass,
    Rescan,
    Sums,
    Table,
    rows_up_to,
)

if TYPE_CHECKING:
    from edgewise.estimate.inverse import PrecisionEstimate
    from edgewise.inference.diagnosis import Diagnosis
    from edgewise.paper.operator import CovcovOperator

# With fewer columns, the first pass takes less time than counting the rows before it.
_MANY_COLUMNS = 300


@dataclass(frozen=True, slots=True)
class Needs:
    """What a method works from, with the options it was given.

    `products`: The moments of all products of four columns serve in place of the rows.
    `undecided`: The first pass decides between methods; batches are for rows read only once.
    """

    order: int | str = 2
    in_batches: bool = False
    n_batches: int | None = None
    reads_again: bool = False
    wide: bool = False
    concordance: bool = False
    products: bool = False
    undecided: bool = False

    def check_shape(self, n_samples: int, n_features: int) -> None:
        few = self.undecided and n_samples < FEWEST_WIDE_ROWS
        wide = self.wide and n_samples <= n_features and not few
        check_testable_shape(n_samples, n_features, wide=wide)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """The sums that methods are made of, from rows or a saved state.

    If something is not available, the error says so in one sentence with the `purpose`. `given` are
    columns that every pair is to be adjusted for, `estimate` that of these moments, if known.
    """

    state: RowState
    feature_names: tuple[str, ...]
    purpose: str
    pairwise: PooledPairs | None = None
    rows: Rescan | None = None
    first_look: FirstLook | None = None
    clusters: ClusterMoments | None = None
    clusters_name: str | None = None
    weights_name: str | None = None
    n_dropped: int = 0
    files: tuple[FileRead, ...] = ()
    transform: str | None = None
    lags: int = 0
    given: tuple[str, ...] = ()
    facts: Diagnosis | None = None
    estimate: PrecisionEstimate | None = None
    why: str = ""
    notes: tuple[str, ...] = ()

    # The first pass.

    @property
    def n_samples(self) -> int:
        return self.state.n_samples

    @property
    def in_memory(self) -> bool:
        """Whether another pass costs next to nothing."""
        return self.rows is None or self.rows.table.in_memory

    def moments(self) -> SampleMoments:
        if self.pairwise is not None:
            return self.pairwise
        if isinstance(self.state, BatchMoments):
            return self.state.pooled()
        if not isinstance(self.state, Moments):
            self._lacks("means and covariances")
        return self.state

    def central_covariance(self, A: FloatArray | None = None) -> FloatArray:
        """The covariance of A(x − mean) with the divisor n, as fourth moments have it."""
        moments = self.moments()
        s = population_covariance(moments.covariance(), moments.n_samples)
        return s if A is None else np.asarray(A @ s @ A.T)

    def batches(self) -> BatchMoments:
        if not isinstance(self.state, BatchMoments):
            self._lacks("the moments of batches")
        return self.state

    def pairwise_batches(self) -> PairwiseMoments:
        if not isinstance(self.state, PairwiseMoments):
            self._lacks("sums of pairs of columns")
        return self.state

    def concordance(self, n_batches: int | None = None) -> Concordance:
        """How often columns go up together between two rows; the units left out are batches."""
        state = self.state
        if not isinstance(state, ConcordanceMoments):
            self._lacks("the order of rows")
        if n_batches is not None and n_batches > state.n_samples:
            raise ParameterError(
                f"n_batches: expected at most the {state.n_samples} rows, got {n_batches}; use "
                "fewer batches."
            )
        if n_batches not in (None, state.n_batches):
            raise ParameterError(
                f"n_batches: the state was accumulated with {state.n_batches}, got {n_batches}; "
                "leave it out, or accumulate again."
            )
        return state.concordance(n_batches)

    @property
    def provenance(self) -> Provenance:
        look, pairwise = self.first_look, self.pairwise
        found: dict[str, Any] = {}
        if pairwise is not None and pairwise.incomplete:
            found["n_missing"] = tuple(pairwise.n_missing.tolist())
            found["pair_rows"] = pairwise.pair_rows
        elif look is not None and look.missing is not None:
            values, alone = look.missing
            found["n_missing"] = tuple(values.tolist())
            found["n_dropped_alone"] = tuple(alone.tolist())
        if pairwise is not None and pairwise.weighted:
            found["weights"] = self.weights_name or "given"
            found["effective_rows"] = float(pairwise.effective_rows.diagonal().max())
        if self.clusters is not None:
            found["clusters"] = self.clusters_name
            found["n_clusters"] = self.clusters.n_clusters
        return Provenance(self.n_dropped, self.files, transform=self.transform, **found)

    # Further passes.

    def rows_again(self) -> Rescan:
        return self.rows or self._lacks("the rows a second time")

    def scan(self, kernel: Pass) -> Sums:
        return self.rows_again().sums(kernel)

    def _has_products(self, left_out: bool) -> bool:
        """Whether the state stands for rows that are gone, which only `left_out` needs."""
        order = self.state.order if isinstance(self.state, Moments) else None
        return order == "all" and self.rows is None and not left_out

    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        """Fourth moments of A(x − mean); `left_out` whitens each row without itself."""
        state = self.state
        kept = isinstance(state, Moments) and state.order != 2 and A is None
        if isinstance(state, Moments) and (kept or self._has_products(left_out)):
            return state.quartics(A)
        if A is None and self.rows is None:
            self._lacks("fourth-order sums")
        A = np.eye(len(self.feature_names)) if A is None else A
        whitened_by = self.n_samples if left_out else None
        return transformed_quartics(
            self.rows_again(), self.moments().centre(), A, whitened_by=whitened_by
        )

    def leading_rows(self, most: int) -> FloatArray:
        """The first rows, up to a maximum, minus the mean; features first."""
        one_pass = partial(_leading_of, most=most, centre=self.moments().centre())
        return self.rows_again().table.reduce(
            one_pass, lambda a, b: np.concatenate([a, b], axis=1)[:, :most]
        )

    def covcov_matrix(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> FloatArray:
        """The d × d matrix Cov(U(Σ̂)), d = p(p+1)/2, of A(x − mean)."""
        state = self.state
        if isinstance(state, Moments) and self._has_products(left_out):
            return covcov_of_moments(state, A=A, frobenius=frobenius)
        if self.rows is None and not left_out:
            self._lacks("the rows a second time, or all products of four columns (order='all')")
        return covcov_matrix(
            self.rows_again(),
            self._complete_moments(),
            A=A,
            frobenius=frobenius,
            left_out=left_out,
        )

    def covcov_operator(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> CovcovOperator:
        # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
        from edgewise.paper.operator import CovcovOperator

        own: dict[str, Any] = {"A": A, "frobenius": frobenius, "left_out": left_out}
        return CovcovOperator(  # pyright: ignore[reportCallIssue]
            self.rows_again(), self._complete_moments(), in_memory=self.in_memory, **own
        )

    def _complete_moments(self) -> Moments:
        moments = self.moments()
        if not isinstance(moments, Moments):
            self._lacks("complete rows of equal weight")
        return moments

    def in_batches(self) -> Sample:
        """The same rows with the moments of batches, read once more if need be."""
        if self.rows is None or isinstance(self.state, BatchMoments):
            return self
        empty = BatchMoments() if self.pairwise is None else PairwiseMoments()
        state = first_pass(empty, self.rows.table)[0]
        self.rows.check(state.n_samples)
        pairwise = state.pooled() if isinstance(state, PairwiseMoments) else None
        return replace(self, state=state, pairwise=pairwise, estimate=None)

    def _lacks(self, what: str) -> NoReturn:
        other = self.state.default_method
        use = "" if repr(other) in self.purpose else f", or use method={other!r}"
        raise DataError(
            f"data: {self.purpose} needs {what}, which a {type(self.state).__name__} state does "
            f"not have; pass the rows{use}."
        )


def _leading_of(part: Partition, most: int, centre: Centre) -> FloatArray:
    centred, rows = [np.empty((len(part.feature_names), 0))], 0
    for block in part.blocks():
        centred.append(centre.subtract_from(block, np.empty(block.shape[::-1])))
        rows += block.shape[0]
        if rows >= most:
            break
    return np.concatenate(centred, axis=1)[:, :most]


# From the user's data -------------------------------------------------------------------------


def open_sample(
    data: Any,
    needs: Needs,
    purpose: str,
    *,
    feature_names: Sequence[str] | None = None,
    missing: str = "auto",
    check_names_of: Callable[[Sequence[str]], object] | None = None,
    pairwise: bool = False,
    leave_out: bool = False,
    **rows: Any,
) -> Sample:
    """What `needs` asks for, from rows (read once, here) or from a state.

    `check_names_of` is called with the columns before any row is read; `leave_out` lets columns
    that turn out to say nothing go.
    """
    check = check_names_of or (lambda names: None)
    if isinstance(data, RowState):
        if missing not in ("auto", "raise") or any(one is not None for one in rows.values()):
            raise ParameterError(
                "transform, clusters, weights, columns, exclude, missing, client: "
                "expected with rows only, got a state, which has no rows."
            )
        own = data.feature_names or default_names(data.n_features or 0)
        names = check_names(own if feature_names is None else feature_names, data.n_features)
        check(names)
        pooled = data.pooled() if isinstance(data, PairwiseMoments) else None
        return Sample(state=data, feature_names=names, purpose=purpose, pairwise=pooled)
    table = as_table(data, feature_names=feature_names, missing=missing, **rows)
    check(table.feature_names)
    pairwise &= missing == "auto"
    sample = sample_of_table(table, needs, purpose, pairwise=pairwise)
    if leave_out and rows.get("columns") is None and table.named and sample.rows is not None:
        left_out = _columns_that_say_nothing(sample)
        kept = [name for name in table.feature_names if name not in left_out]
        try:
            check(kept)
        except DataError:  # the question names one of them, which the test will refuse
            kept = []
        if left_out and len(kept) > 1:
            table = without_columns(table, left_out)
            sample = sample_of_table(table, needs, purpose, pairwise=pairwise)
    return replace(sample, notes=left_out_notes(table)) if table.left_out else sample


def _columns_that_say_nothing(sample: Sample) -> dict[str, str]:
    """The columns that are constant, without values, or only count the rows."""
    if not isinstance(sample.state, Moments | BatchMoments | PairwiseMoments):
        return {}
    scatter, look, n = sample.state._column_scatter(), sample.first_look, sample.n_samples
    found = {}
    for j in np.flatnonzero(scatter == 0):
        empty = sample.pairwise is not None and sample.pairwise.n_missing[j] == n
        found[sample.feature_names[j]] = "no values" if empty else "constant"
    if look is None or sample.transform is not None or sample.n_dropped or len(look.leading) < 10:
        return found
    # The numbers of n rows have the scatter n(n² − 1)/12.
    counts = np.abs(scatter - n * (n**2 - 1) / 12) <= 1e-9 * scatter
    counts &= (np.diff(look.leading, axis=0) == 1).all(axis=0)
    return found | {sample.feature_names[j]: ROW_NUMBERS for j in np.flatnonzero(counts)}


def sample_of_table(table: Table, needs: Needs, purpose: str, *, pairwise: bool = False) -> Sample:
    """Make the first pass over the rows; that of `pairwise` sums where values turn out to be
    missing.
    """
    options, p = options_of(table), len(table.feature_names)
    weighted, clusters = options.weights, None
    pairwise &= options.missing == "auto" and table.rescannable and not options.clusters
    pairwise &= options.transform != NORMAL_SCORES
    if needs.products and p <= MOST_PRODUCTS_COLUMNS and not table.rescannable:
        needs = Needs(order="all")  # products of columns stand for the rows
    if needs.reads_again and not table.rescannable and not options.clusters:
        other = "" if needs.wide else "use method='batch', or "
        raise DataError(
            f"data: {purpose} reads the rows twice, and this stream can be read only once; "
            f"{other}write the rows to a Parquet file first."
        )
    if needs.undecided and table.rescannable:
        needs = replace(needs, in_batches=False, wide=True)
    elif needs.wide:
        check_wide_memory(p)
    if p > _MANY_COLUMNS and (few := rows_up_to(table, p)) is not None:
        # Fail now: the sums would need p² numbers or more.
        needs.check_shape(few, p)
    empty: RowState = Moments(order=needs.order)
    if needs.concordance:
        empty = ConcordanceMoments(needs.n_batches or DEFAULT_BATCHES)
    elif needs.in_batches:
        empty = BatchMoments(needs.n_batches)
    state: RowState | None = None
    pooled: PooledPairs | None = None
    read = table.on_cores()
    if options.clusters:
        # One pass is enough: all that is needed follows from the moments of each cluster.
        clusters, n_dropped, first_look = first_pass(ClusterMoments(), table)
        check_testable_shape(clusters.n_samples, p)
        if clusters.n_clusters < 2:
            where = "" if options.along_name is None else f" in column {options.along_name!r}"
            raise DataError(
                f"clusters: expected at least 2 clusters of rows, got 1{where}: every row has the "
                "same label. Name the column that says which cluster a row belongs to."
            )
        state = clusters.pooled()
    elif not weighted and (options.missing != "pairwise" or table.rescannable):
        able = pairwise or options.missing == "pairwise"
        try:  # perhaps nothing is missing
            state, n_dropped, first_look = first_pass(empty, read, describe=not able)
        except NonFiniteError:
            if not able:
                raise
            read = view(table, missing="pairwise")
    if state is None:
        sums, n_dropped, first_look = first_pass(
            PairwiseMoments(needs.n_batches if needs.in_batches else 2),
            read,
            in_order=needs.in_batches,
        )
        if weighted and not sums.n_samples:
            raise DataError("weights: expected a positive weight for some row, got zeros only.")
        needs.check_shape(sums.n_samples, p)
        state, first_look, pooled = sums, first_look.filled(), sums.pooled()
        if weighted and table.rescannable and not pooled.incomplete and not pooled.weighted:
            # All rows count the same: the ordinary way says more.
            state, n_dropped, first_look = first_pass(empty, read)
            pooled = None
    needs.check_shape(state.n_samples, p)
    again = table.rescannable and clusters is None
    return Sample(
        state=state,
        feature_names=table.feature_names,
        purpose=purpose,
        pairwise=pooled,
        rows=Rescan(read, state.n_samples) if again else None,
        first_look=first_look,
        clusters=clusters,
        clusters_name=None if clusters is None else options.along_name,
        weights_name=options.along_name if weighted else None,
        n_dropped=n_dropped,
        files=table.files,
        transform=options.transform,
        lags=options.lags,
    )
