"""From the user's data to evidence: the only place that distinguishes a state from rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from edgewise._checks import (
    check_names,
    check_testable_shape,
    check_wide_memory,
    default_names,
)
from edgewise.errors import DataError, ParameterError
from edgewise.inference.sample import Evidence, Needs
from edgewise.inference.sample_of_rows import RowEvidence
from edgewise.inference.sample_of_state import StateEvidence
from edgewise.sums.accumulate import first_pass
from edgewise.sums.clusters import ClusterMoments
from edgewise.sums.moments import RowState
from edgewise.tables.file_read import files_read
from edgewise.tables.first_look import FirstLook
from edgewise.tables.open import as_table
from edgewise.tables.options import options_of
from edgewise.tables.table import SameRows, Table, on_cores, rows_up_to

# With fewer columns, the first pass takes less time than counting the rows before it.
_MANY_COLUMNS = 300


def open_evidence(
    data: Any,
    needs: Needs,
    asked_by: str,
    *,
    feature_names: Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    missing: str = "raise",
    client: Any = None,
    clusters: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | None = None,
    check_names_of: Callable[[Sequence[str]], object] | None = None,
) -> Evidence:
    """What `needs` asks for, from rows (read once, here) or from a state.

    `check_names_of` is called with the names of the columns, before any row is read.
    """
    if isinstance(data, RowState):
        choices = columns, exclude, client, clusters, weights, transform
        if missing != "raise" or any(one is not None for one in choices):
            raise ParameterError(
                "transform, clusters, weights, columns, exclude, missing, client: "
                "expected with rows only, got a state, which has no rows."
            )
        evidence = evidence_of_state(data, asked_by, feature_names)
        if check_names_of is not None:
            check_names_of(evidence.feature_names)
        return evidence
    table = as_table(
        data,
        columns=columns,
        exclude=exclude,
        feature_names=feature_names,
        missing=missing,
        client=client,
        clusters=clusters,
        weights=weights,
        weight_kind=weight_kind,
        transform=transform,
    )
    if check_names_of is not None:
        check_names_of(table.feature_names)
    return evidence_of_table(table, needs, asked_by)


def evidence_of_state(
    state: RowState, asked_by: str, feature_names: Sequence[str] | None = None
) -> StateEvidence:
    """Evidence from a state; the columns have the given names, its own, or x0, x1, …"""
    own = state.feature_names or default_names(state.n_features or 0)
    names = check_names(own if feature_names is None else feature_names, state.n_features)
    return StateEvidence(feature_names=names, asked_by=asked_by, state=state)


def evidence_of_table(table: Table, needs: Needs, asked_by: str) -> Evidence:
    """Make the first pass over the rows; the evidence can make further ones."""
    options = options_of(table)
    if options.clusters:
        return _evidence_of_groups(table, asked_by)
    if needs.reads_again and not table.rescannable:
        other = "" if needs.wide else "use method='batch', or "
        raise DataError(
            f"data: {asked_by} reads the rows twice, and this stream can be read only once; "
            f"{other}write the rows to a Parquet file first."
        )
    p = len(table.feature_names)
    if needs.undecided and table.rescannable:
        needs = replace(needs, in_batches=False, wide=True)
    elif needs.wide:
        check_wide_memory(p)
    if p > _MANY_COLUMNS and (few := rows_up_to(table, p)) is not None:
        # Fail now: the sums would need p² numbers or more.
        needs.check_shape(few, p)
    read = on_cores(table)
    state, n_dropped, first_look = _first_pass(read, needs)
    needs.check_shape(state.n_samples, p)
    if options.weights == "frequency":
        first_look = first_look.without_copies()
    given: dict[str, Any] = {
        "feature_names": table.feature_names,
        "asked_by": asked_by,
        "n_dropped": n_dropped,
        "in_memory": table.in_memory,
        "first_look": first_look,
        "files": files_read(table),
        "state": state,
        "transform": options.transform,
        "weights_name": options.along_name if options.weights == "sampling" else None,
    }
    if not table.rescannable:
        return StateEvidence(**given)
    return RowEvidence(rows=SameRows(read, state.n_samples), **given)


def _first_pass(table: Table, needs: Needs) -> tuple[RowState, int, FirstLook]:
    """The state that the method works from, of rows that may lack values or count differently."""
    weighted = options_of(table).weights == "sampling"
    if not weighted and options_of(table).missing != "pairwise":
        return first_pass(needs.empty_state(), table)
    in_order = needs.in_batches
    uneven, n_dropped, first_look = first_pass(needs.uneven_state, table, in_order=in_order)
    if weighted and not uneven.n_samples:
        raise DataError("weights: expected a positive weight for some row, got none.")
    needs.check_shape(uneven.n_samples, len(table.feature_names))
    pooled = uneven.pooled()
    if table.rescannable and not pooled.incomplete and not pooled.weighted:
        # Nothing is missing, and all rows count the same: the ordinary way says more.
        return first_pass(needs.empty_state(), table)
    return uneven, n_dropped, first_look.filled()


def _evidence_of_groups(table: Table, asked_by: str) -> StateEvidence:
    """One pass is enough: all that is needed follows from the moments of each group."""
    state, n_dropped, first_look = first_pass(ClusterMoments(), table)
    check_testable_shape(state.n_samples, len(table.feature_names))
    if state.n_clusters < 2:
        name = options_of(table).along_name
        where = "" if name is None else f" in column {name!r}"
        raise DataError(
            f"clusters: expected at least 2 clusters of rows, got 1{where}: every row has the same "
            "label. Name the column that says which rows belong together."
        )
    return StateEvidence(
        feature_names=table.feature_names,
        asked_by=asked_by,
        n_dropped=n_dropped,
        in_memory=table.in_memory,
        first_look=first_look,
        state=state.pooled(),
        clusters=state,
        clusters_name=options_of(table).along_name,
        files=files_read(table),
        transform=options_of(table).transform,
    )
