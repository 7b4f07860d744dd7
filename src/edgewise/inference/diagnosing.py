"""From the first pass over the rows to facts about them; no row is read again."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.dependence import (
    FEWEST_ROWS,
    dependence_pvalue,
    level_columns,
    row_medians,
)
from edgewise.inference.diagnosis import Diagnosis, DominantRow
from edgewise.tables.glance import Glance

_TAIL_SHARE = 0.02  # the share of the rows that counts as the tail, or √n rows if that is more
# Rows far out lie on one side if the mean of their directions is longer than this, and are far out
# in several columns if the sum of the fourth powers of a direction is usually below that.
_ONE_SIDED, _SHARED = 0.25, 0.7
_DOMINANT = 0.3
_FEWEST_FOR_DOMINANCE = 50  # of fewer rows, each carries a large share
_NAMED_PAIRS = 3
_FIRST_ROWS = 64  # enough to see that a column is continuous
_MEDIAN_ROWS = 255
# What pandas calls its index, where it has become a column.
_INDEX_NAME = re.compile(
    r"|index|level_\d+|unnamed: \d+(\.\d+)?|__index_level_\d+__", re.IGNORECASE
)
_FEWEST_COUNTED = 10  # rows that must go up by one; a ramp of fewer may be chance
# The check for dependence needs events that follow each other by chance in more rows than this.
_FEWEST_COINCIDENCES = 20


def diagnosis_of(
    estimate: PrecisionEstimate, glance: Glance | None, names: Sequence[str]
) -> Diagnosis:
    """What the first pass says about the rows; without a glance at them, only their number.

    Parameters
    ----------
    estimate : PrecisionEstimate
        The estimate from the same rows, also if its columns were standardised.
    glance : Glance or None
        What the first pass noted.
    names : sequence of str
        The columns.
    """
    # The same for standardised estimates: √Θ̂_ii, and the standard deviations of the columns.
    root = estimate.residual_map.diagonal()
    scale = np.sqrt(estimate.covariance.diagonal() * estimate.precision.diagonal()) / root
    facts: dict[str, Any] = {
        "n_samples": estimate.n_samples,
        "n_features": len(names),
        "kurtosis_ratio": math.nan,
        "dependence_pvalue": math.nan,
        "scale_ratio": float(scale.max() / scale.min()),
    }
    if glance is None or not len(glance.leading):
        return Diagnosis(**facts)
    leading, p = glance.leading, len(names)
    columns = np.ascontiguousarray(leading.T)
    centred = estimate.centre.subtract_from(leading, np.empty_like(columns))
    residuals = estimate.residual_map.T @ centred
    standard = centred / scale[:, np.newaxis]
    # cᵀΘ̂c, from v = Θ̂c/√Θ̂_ii
    squared = np.maximum((root * scale) @ (standard * residuals), 0.0)
    facts["kurtosis_ratio"] = float(squared @ squared) / len(leading) / (p * (p + 2))
    events = _event_shares(columns)
    often = len(leading) * events**2 >= _FEWEST_COINCIDENCES
    facts["dependence_pvalue"] = dependence_pvalue(residuals if often.all() else residuals[often])
    facts |= _tail_facts(np.sqrt(squared), standard)
    facts["dominant_rows"] = _dominant_rows(glance, estimate, scale, names)
    facts |= _rare_pairs(events, estimate.n_samples, names)
    discrete = _discrete(columns)
    facts["discrete_columns"] = _named(discrete, names)
    counting = _counting(columns, names)
    facts["counting_columns"] = _named(counting, names)
    # A column of groups, one after the other, is no level.
    known = {*discrete, *counting}
    levels = [column for column in level_columns(standard).tolist() if column not in known]
    facts["level_columns"] = _named(levels, names)
    return Diagnosis(**facts)


def _counting(columns: FloatArray, names: Sequence[str]) -> list[int]:
    """The columns that go up by one from row to row, as the numbers of rows do.

    Where rows were left out, their numbers go up by more; then the name tells.
    """
    first = columns[:, :_FEWEST_COUNTED]
    if first.shape[1] < _FEWEST_COUNTED:
        return []
    found = []
    for column in np.flatnonzero((first[:, 1:] > first[:, :-1]).all(axis=1)).tolist():
        steps = np.diff(columns[column])
        rising = bool(((steps > 0) & (steps == np.floor(steps))).all())
        if (steps == 1).all() or (rising and _INDEX_NAME.fullmatch(names[column])):
            found.append(column)
    return found


def _named(columns: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[column] for column in columns)


def _tail_facts(radii: FloatArray, standard: FloatArray) -> dict[str, Any]:
    n = len(radii)
    if n < FEWEST_ROWS:
        return {}  # too few to tell
    count = max(math.isqrt(n), int(_TAIL_SHARE * n))
    # The last row that does not count as the tail comes first.
    order = np.argpartition(radii, n - count - 1)[n - count - 1 :]
    farthest = np.sort(radii[order])
    index = tail_index(farthest)
    if not math.isfinite(index):
        return {}
    far = standard[:, order[1:]]
    directions = far / np.sqrt(np.add.reduce(far * far, axis=0))
    mean = np.add.reduce(directions, axis=1) / count
    return {
        "tail_index": index,
        "tail_index_error": index / math.sqrt(count),
        "farther_tail_index": tail_index(farthest[-max(count // 4, 1) - 1 :]),
        "skewed_tails": bool(
            math.sqrt(mean @ mean) > _ONE_SIDED + 1 / math.sqrt(count)
            and np.mean(np.sum(directions**4, axis=0)) < _SHARED
        ),
    }


def tail_index(farthest: FloatArray) -> float:
    """Hill's estimate of the tail index, from the distances of rows far out, in rising order."""
    least = float(farthest[0])
    excess = float(np.add.reduce(np.log(farthest[1:] / least))) if least > 0 else 0.0
    return (len(farthest) - 1) / excess if excess > 0 else math.inf


def _dominant_rows(
    glance: Glance, estimate: PrecisionEstimate, scale: FloatArray, names: Sequence[str]
) -> tuple[DominantRow, ...]:
    """The rows that carry most of a column's variance, the largest share first."""
    n = estimate.n_samples
    if n < _FEWEST_FOR_DOMINANCE:
        return ()
    # A column that was never searched has no value far out.
    values = np.where(np.isfinite(glance.far), glance.far, estimate.centre.origin)
    centred = estimate.centre.subtract_from(values, np.empty(values.shape[::-1]))
    share = (centred / scale[:, np.newaxis]) ** 2 / (n - 1)
    dominant = share > _DOMINANT
    if not dominant.any():
        return ()
    found = [
        DominantRow(
            int(glance.far_row[side, column]) + 1,
            names[column],
            float(share[column, side]),
            float(glance.far[side, column]),
        )
        for column, side in np.argwhere(dominant)
    ]
    return tuple(sorted(found, key=lambda row: -row.share))


def _event_shares(columns: FloatArray) -> FloatArray:
    """For each column, the share of rows that differ from its usual value."""
    # A value that more than half of the rows have is their median, also of the first of them.
    usual = row_medians(columns[:, :_MEDIAN_ROWS])
    return np.asarray((columns != usual[:, np.newaxis]).sum(axis=1) / columns.shape[1])


def _rare_pairs(share: FloatArray, n: int, names: Sequence[str]) -> dict[str, Any]:
    """Pairs of columns that are expected to differ from their usual values in few rows together."""
    mostly_one = np.flatnonzero(share < 0.5)
    if mostly_one.size < 2:
        return {}
    order = mostly_one[np.argsort(share[mostly_one], kind="stable")]
    expected = n * share[order]  # events, the rarest column first
    # For each column, how many of the more frequent ones make a rare pair with it.
    enough = Diagnosis.fewest_joint * n / np.maximum(expected, 1e-9)
    partners = np.searchsorted(expected, enough) - np.arange(len(order)) - 1
    few = range(min(len(order), _NAMED_PAIRS))
    pairs = [sorted((order[i], order[j])) for j in few for i in range(j) if j <= i + partners[i]]
    return {
        "n_rare_pairs": int(np.maximum(partners, 0).sum()),
        "rare_pairs": tuple((names[i], names[j]) for i, j in pairs),
    }


def _discrete(columns: FloatArray) -> list[int]:
    """The columns of few different values."""
    most = Diagnosis.most_values
    if columns.shape[1] < _FIRST_ROWS:
        return []  # too few to tell
    first = np.sort(columns[:, :_FIRST_ROWS], axis=1)
    few = np.flatnonzero((first[:, 1:] != first[:, :-1]).sum(axis=1) < most)
    return [column for column in few.tolist() if len(np.unique(columns[column])) <= most]
