"""Mistakes that data often have and that no error shows, seen in the first rows.

Codes for missing values, rows repeated by a join, a transposed table, columns that add up to a
constant, columns standardised within blocks of rows, identifiers. Each is seen in at most 1 % of
clean tables (tests/statistical/test_auto.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from edgewise._linalg import AnyArray, BoolArray, FloatArray
from edgewise._text import listed
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution

Ends: TypeAlias = tuple[FloatArray, FloatArray]  # the smallest and the largest values

_FEWEST = 20  # rows that tell anything
_CODE = re.compile(r"-?([789])\1*")
_FEWEST_CODES, _FREQUENT = 3, 10
# The share of rows that a join repeats, at least.
_REPEATED = 0.05
# How unlike the scales of rows must be (a standard deviation of logarithms), those of columns not.
_UNLIKE_ROWS, _ALIKE = 1.0, 0.25
# A column that follows from others: its variance over what the others leave of it, and how near
# its coefficients are to one.
_FOLLOWS, _NEAR, _LEFT = 100.0, 0.05, 1e-3
_EXACT = 2.0**53
_ID = re.compile(
    r"(?:.*[\W_])?(?:id|ids|uid|uuid|guid|key|isbn|ssn|phone|zip|zipcode|zip_code|postcode|plz)"
    r"|.*[a-z](?:Id|ID|Key)"
)


def mistakes(
    columns: FloatArray, different: FloatArray, estimate: PrecisionEstimate, names: Sequence[str]
) -> tuple[Caution, ...]:
    """What looks like a mistake, each in a sentence that names the columns.

    `columns` are the first rows, features first; `different` is the share of different values
    among the first of each.
    """
    if columns.shape[1] < _FEWEST:
        return ()
    ends = columns.min(axis=1), columns.max(axis=1)
    found = [
        *_codes(columns, ends, names),
        *_repeated(columns, different > 0.2),
        *_identifiers(columns, ends, names),
        *_within_blocks(columns, ends, different > 0.95, names),
    ]
    if estimate.n_samples < len(names):
        found += _transposed(columns)
    else:
        found += _sums(estimate, names)
    return tuple(found)


def _codes(columns: FloatArray, ends: Ends, names: Sequence[str]) -> Iterator[Caution]:
    """Values such as −999 or 99 that are far out, frequent and made of one digit."""
    found = []
    for end in ends:
        likely = (np.abs(end) >= 7) & (np.abs(end) < 1e7)
        if likely.any():
            likely &= end == np.floor(end)
        for column in np.flatnonzero(likely).tolist():
            value = float(end[column])
            if _CODE.fullmatch(f"{value:.0f}") and _is_code(columns[column], value):
                found.append(f"{value:.0f} in {names[column]!r}")
    if found:
        one = len(found) == 1
        yield Caution(
            f"{listed(found)} look{'s' * one} like {'a code' if one else 'codes'} for missing "
            "values: far from all others, and frequent. Turn such values into missing ones "
            "(na_values=, --na-values), or they decide the result.",
            "codes",
        )


def _is_code(column: FloatArray, value: float) -> bool:
    others = np.unique(column[column != value])
    count = len(column) - int((column != value).sum())
    if count < _FEWEST_CODES or len(others) < 2:
        return False
    gap = float(np.abs(others - value).min())
    if abs(value) < 10:  # among answers from 1 to 5, or 0 and 1
        return gap >= 0.9 * float(others[-1] - others[0])
    if gap >= float(others[-1] - others[0]) / 2:
        return True
    counts = np.unique(column[column != value], return_counts=True)[1]
    often = count >= max(_FREQUENT, 1.5 * float(counts.max()), 3 * float(counts.mean()))
    return often and gap >= 3 * float(np.median(np.diff(others)))


def _repeated(columns: FloatArray, continuous: BoolArray) -> Iterator[Caution]:
    """Rows that are there more than once, as after a join."""
    if not continuous.any():
        return
    key, n = columns[int(np.argmax(continuous))], columns.shape[1]
    in_order = np.sort(key)
    if (in_order[1:] == in_order[:-1]).sum() < _REPEATED * n:
        return
    order = np.argsort(key, kind="stable")
    alike = np.flatnonzero(key[order][1:] == key[order][:-1])
    count = int((columns[:, order[alike]] == columns[:, order[alike + 1]]).all(axis=0).sum())
    # How many pairs of rows are equal by chance, if columns are not related.
    chance = float(np.prod([*map(_share_of_ties, columns)])) * n
    if count >= _REPEATED * n and chance < _REPEATED / 10:
        yield Caution(
            f"{count:,} of the first {n:,} rows are copies of others, in every column. If "
            "a join repeated them, p-values are too small: remove the copies, or pass how often "
            "a row counts as weights of the kind 'frequency'.",
            "repeated rows",
        )


def _share_of_ties(column: FloatArray) -> float:
    counts = np.unique(column, return_counts=True)[1]
    return float(counts @ counts) / len(column) ** 2


def _identifiers(columns: FloatArray, ends: Ends, names: Sequence[str]) -> Iterator[Caution]:
    low, high = ends
    labels = (low >= 0) & (high >= columns.shape[1] / 2)
    if not labels.any():
        return
    long = labels & (low >= _EXACT) & (high < 2.0**64)  # of this size, all numbers are whole
    if long.any():
        yield Caution(
            f"{_named(long, names)} hold whole numbers beyond 2⁵³, of which double precision "
            "keeps the first 16 digits only. If they are identifiers, leave them out (exclude=, "
            "--exclude).",
            "identifiers",
        )
    labels &= ~long
    for k in np.flatnonzero(labels).tolist():
        labels[k] = _ID.fullmatch(names[k]) and (columns[k] == np.floor(columns[k])).all()
    if labels.any():
        yield Caution(
            f"{_named(labels, names)} look like identifiers by name and values. If they are, "
            "leave them out (exclude=, --exclude): every pair is adjusted for them.",
            "identifiers",
        )


def _named(columns: BoolArray, names: Sequence[str]) -> str:
    found = [repr(names[k]) for k in np.flatnonzero(columns).tolist()]
    return f"Column{'s' * (len(found) > 1)} {listed(found)}"


def _within_blocks(
    columns: FloatArray, ends: Ends, continuous: BoolArray, names: Sequence[str]
) -> Iterator[Caution]:
    """Columns whose sums return to zero in the same rows: each block of rows has the mean zero."""
    places = np.flatnonzero(continuous)
    if not places.size:
        return
    first = places[0]  # no deviation is larger than the range
    if (np.abs(np.cumsum(columns[first])) < 1e-5 * (ends[1][first] - ends[0][first])).sum() < 3:
        return
    columns = columns[places]
    scale = columns.std(axis=1, keepdims=True) + np.finfo(float).tiny
    zeros = np.abs(np.cumsum(columns, axis=1)) < 1e-5 * scale
    blocks = zeros[:, zeros[:3].all(axis=0)]
    if blocks.shape[1] < 3:
        return
    standardised = np.zeros(len(names), dtype=bool)
    standardised[places[blocks.mean(axis=1) > 0.9]] = True
    yield Caution(
        f"{_named(standardised, names)} have the mean zero in each of {blocks.shape[1]:,} or more blocks of "
        "rows: standardised within clusters, as it seems. Rows of a cluster then depend on each "
        "other; say which belong together (clusters=, --clusters).",
        "standardised blocks",
    )


def _transposed(columns: FloatArray) -> Iterator[Caution]:
    """Rows that differ as variables do, and columns that do not."""
    of_rows, of_columns = (
        float(np.log(columns.std(axis=k) + np.finfo(float).tiny).std()) for k in (0, 1)
    )
    if of_rows > _UNLIKE_ROWS and of_columns < _ALIKE * of_rows:
        yield Caution(
            f"There are {len(columns):,} columns and {columns.shape[1]:,} rows, and rows differ as "
            "variables do. If the variables are the rows, transpose the table.",
            "transposed",
        )


def _sums(estimate: PrecisionEstimate, names: Sequence[str]) -> Iterator[Caution]:
    """Columns of which one is a constant plus or minus the others, but for rounding."""
    precision, covariance = estimate.precision, estimate.covariance
    variance = covariance.diagonal()
    follows = precision.diagonal() * variance
    first = int(np.argmax(follows))
    if not follows[first] > _FOLLOWS:
        return
    share = precision[first] / precision[first, first]
    columns = np.abs(share) > 0.5
    rest = np.abs(share[~columns]) * np.sqrt(variance[~columns])
    near = (np.abs(np.abs(share[columns]) - 1) < _NEAR).all()
    if not near or columns.sum() < 3 or (rest > _NEAR * np.sqrt(variance[first])).any():
        return
    signs: AnyArray = np.where(columns, np.sign(share), 0.0)
    if signs @ covariance @ signs > _LEFT * variance[columns].sum():
        return
    minus = [repr(names[k]) for k in np.flatnonzero(signs < 0).tolist()]
    what = f"{_named(signs > 0, names)} add up to nearly the same number in every row"
    if minus:
        what = f"{_named(signs > 0, names)} less {listed(minus)} is nearly the same in every row"
    yield Caution(
        f"{what}, so each follows from the others, and their partial correlations say only that. "
        "Leave one out, or test ratios.",
        "constant sum",
    )
