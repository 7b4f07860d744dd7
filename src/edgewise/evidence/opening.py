"""From whatever the user passed to evidence: the one place that tells a state from rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edgewise._base.checks import check_names, check_testable_shape, default_names
from edgewise.errors import DataError, ParameterError
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.evidence.from_rows import RowEvidence
from edgewise.evidence.from_state import StateEvidence
from edgewise.rows.block import Rows
from edgewise.rows.clusters.detect import partitioned_source
from edgewise.rows.opening import as_source
from edgewise.rows.passes import Scan
from edgewise.rows.table import Source, in_memory
from edgewise.rows.views import FiniteRows, RenamedColumns
from edgewise.states.batches import BatchMoments
from edgewise.states.first_pass import read_once
from edgewise.states.moments import Moments


def open_evidence(
    data: Any,
    needs: Needs,
    asked_by: str,
    *,
    feature_names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
) -> Evidence:
    """What `needs` asks for, from rows (read once, here) or from a state."""
    if isinstance(data, Moments | BatchMoments):
        if drop_missing or any(given is not None for given in (columns, exclude, client)):
            raise ParameterError(
                "columns, exclude, drop_missing, client: expected with rows only, got a state, "
                "whose rows are gone."
            )
        return evidence_of_state(data, asked_by, feature_names)
    distant = partitioned_source(data, client=client, columns=columns, exclude=exclude)
    if distant is not None:
        if drop_missing:
            distant = distant.without_missing()
        p = len(distant.feature_names)
        names = distant.feature_names if feature_names is None else check_names(feature_names, p)
        kept: dict[str, Any] = (
            {"order": needs.order} if needs.n_batches is None else {"n_batches": needs.n_batches}
        )
        state = distant.accumulate(**kept)
        check_testable_shape(state.n_samples, p)
        return RowEvidence(
            feature_names=names,
            asked_by=asked_by,
            n_dropped=distant.n_dropped,
            in_memory=False,
            state=state,
            rows=distant.rows(state.n_samples),
        )
    source = as_source(data, columns=columns, exclude=exclude)
    if feature_names is not None:
        source = RenamedColumns(source, check_names(feature_names, len(source.feature_names)))
    if drop_missing:
        source = FiniteRows(source)
    return evidence_of_rows(source, needs, asked_by)


def evidence_of_state(
    state: Moments | BatchMoments, asked_by: str, feature_names: Sequence[str] | None = None
) -> StateEvidence:
    """What a state knows, under the names that it has, that are given, or x0, x1, …"""
    own = state.feature_names or default_names(state.n_features or 0)
    names = check_names(own if feature_names is None else feature_names, state.n_features)
    return StateEvidence(feature_names=names, asked_by=asked_by, state=state)


def evidence_of_rows(source: Source, needs: Needs, asked_by: str) -> Evidence:
    """The first pass over the rows, and the way to further ones."""
    if needs.reads_again and not source.rescannable:
        raise DataError(
            f"data: {asked_by} reads the rows twice, and this stream can be read only "
            "once; use method='batch', or write the rows to a Parquet file first."
        )
    state: Moments | BatchMoments
    if needs.n_batches is None:
        state = read_once(source, order=needs.order)
    else:
        state = read_once(source, n_batches=needs.n_batches)
    check_testable_shape(state.n_samples, len(source.feature_names))
    n_dropped = source.n_dropped if isinstance(source, FiniteRows) else 0
    given: dict[str, Any] = {
        "feature_names": source.feature_names,
        "asked_by": asked_by,
        "n_dropped": n_dropped,
        "in_memory": in_memory(source),
        "state": state,
    }
    if not source.rescannable:
        return StateEvidence(**given)
    return RowEvidence(rows=_same_rows_again(source, state.n_samples), **given)


def _same_rows_again(source: Source, n_samples: int) -> Scan:
    """Further passes, which must see as many rows as the first one."""

    def scan() -> Iterator[Rows]:
        rows = 0
        for batch in source.batches():
            rows += batch.shape[0]
            yield batch
        if rows != n_samples:
            raise DataError(
                f"data: the first pass read {n_samples} rows, the second {rows}; the data changed "
                "in between or can be read only once. Use method='batch', which reads them once."
            )

    return scan
