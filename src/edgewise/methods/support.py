"""The range of values that the user declares for each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.rows.block import Rows
from edgewise.rows.passes import Sums


def plain_support(support: Any) -> Any:
    """The declared ranges as tuples, which compare and hash; anything else stays as it is."""
    try:
        listed = np.asarray(support, dtype=np.float64).tolist()
    except (TypeError, ValueError):
        return support
    if not isinstance(listed, list):
        return support
    return tuple(tuple(one) if isinstance(one, list) else one for one in listed)


def checked_support(support: Any, evidence: Evidence) -> FloatArray:
    """`support` as p intervals, after a pass that finds no row outside them.

    A bound that uses the support is worthless if the support is wrong or was taken from the data,
    so a row outside it is an error, never a wider interval.
    """
    names = evidence.feature_names
    try:
        intervals = np.asarray(support, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _bad_support(support, len(names)) from error
    if intervals.shape == (2,):
        intervals = np.tile(intervals, (len(names), 1))
    if intervals.shape != (len(names), 2) or not np.isfinite(intervals).all():
        raise _bad_support(support, len(names))
    if not (intervals[:, 0] < intervals[:, 1]).all():
        raise _bad_support(support, len(names))
    evidence.sums(partial(_check_rows, intervals=intervals, names=names))
    return intervals


def _check_rows(batches: Iterator[Rows], intervals: FloatArray, names: Sequence[str]) -> Sums:
    for batch in batches:
        if batch.shape[0]:
            rows = np.asarray(batch)
            _check_inside(rows.min(axis=0), rows.max(axis=0), intervals, names)
    return ()


def _check_inside(low: Any, high: Any, intervals: FloatArray, names: Sequence[str]) -> None:
    outside = np.flatnonzero((low < intervals[:, 0]) | (high > intervals[:, 1]))
    if outside.size:
        i = int(outside[0])
        value = low[i] if low[i] < intervals[i, 0] else high[i]
        raise DataError(
            f"support: expected every value of column {names[i]!r} between {intervals[i, 0]:g} and "
            f"{intervals[i, 1]:g}, got {float(value):g}; declare the range that the column can "
            "take, not the one it took."
        )


def _bad_support(support: Any, p: int) -> ParameterError:
    return ParameterError(
        f"support: expected one finite interval (low, high), or one for each of {p} columns, got "
        f"{' '.join(repr(support).split())}."
    )
