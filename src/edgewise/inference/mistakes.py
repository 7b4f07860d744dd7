"""Mistakes that data often have and that no error shows, seen in the first rows.

Codes for missing values, rows repeated by a join, a transposed table, columns that add up to a
constant, columns standardised within blocks of rows, identifiers. Each is seen in at most 1 % of
clean tables (tests/statistical/test_auto.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from edgewise._linalg import FloatArray
from edgewise._text import listed
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution, columns_named

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
    """What looks like a mistake in the first rows (features first), in sentences that name columns."""
    p, n = columns.shape
    if n < _FEWEST:
        return ()
    found = []
    low, high = columns.min(axis=1), columns.max(axis=1)

    # Codes for missing values, such as −999 or 99: far out, frequent and made of one digit.
    codes = []
    for ends in (low, high):
        likely = (np.abs(ends) >= 7) & (np.abs(ends) < 1e7) & (ends == np.floor(ends))
        for k in np.flatnonzero(likely).tolist():
            text = f"{ends[k]:.0f}"
            if _CODE.fullmatch(text) and _is_code(columns[k], ends[k]):
                codes.append(f"{text} in {names[k]!r}")
    if codes:
        text = (
            f"What looks like a code for missing values: {listed(codes)}, far from all others, and "
            "frequent. Turn such values into missing ones (na_values=, --na-values), or they decide "
            "the result."
        )
        found.append(Caution(text, "codes"))

    # Rows that are there more than once, as after a join. One column with many values tells most.
    key = columns[int(np.argmax(different))]
    if different.max() > 0.2 and (np.diff(np.sort(key)) == 0).sum() >= _REPEATED * n:
        order = np.argsort(key, kind="stable")
        count = int((columns[:, order[1:]] == columns[:, order[:-1]]).all(axis=0).sum())
        # How many pairs of rows are equal by chance, if columns are not related.
        ties = [np.unique(column, return_counts=True)[1] / n for column in columns]
        chance = float(np.prod([share @ share for share in ties])) * n
        if count >= _REPEATED * n and chance < _REPEATED / 10:
            text = (
                f"{count:,} of the first {n:,} rows are copies of others, in every column. If a join "
                "repeated them, p-values are too small: remove the copies, or pass how often a row "
                "counts as weights of the kind 'frequency'."
            )
            found.append(Caution(text, "repeated rows"))

    # Identifiers. Beyond 2⁵³ all numbers are whole.
    labels = (low >= 0) & (high >= n / 2)
    long = labels & (low >= _EXACT) & (high < 2.0**64)
    if long.any():
        text = (
            f"{columns_named([names[k] for k in np.flatnonzero(long).tolist()])} hold whole numbers beyond "
            "2⁵³, of which double precision keeps the first 16 digits only. If they are identifiers, "
            "leave them out (exclude=, --exclude)."
        )
        found.append(Caution(text, "identifiers"))
    named = [
        names[k]
        for k in np.flatnonzero(labels & ~long).tolist()
        if _ID.fullmatch(names[k]) and (columns[k] == np.floor(columns[k])).all()
    ]
    if named:
        text = (
            f"{columns_named(named)} look like identifiers by name and values. If they are, leave "
            "them out (exclude=, --exclude): every pair is adjusted for them."
        )
        found.append(Caution(text, "identifiers"))

    # Sums that return to zero in the same rows: each block of rows has the mean zero.
    continuous = np.flatnonzero(different > 0.95)
    first = continuous[:1]  # no deviation is larger than the range
    small = 1e-5 * (high - low)[first, np.newaxis]
    if first.size and (np.abs(np.cumsum(columns[first], axis=1)) < small).sum() >= 3:
        scale = columns[continuous].std(axis=1, keepdims=True) + np.finfo(float).tiny
        zeros = np.abs(np.cumsum(columns[continuous], axis=1)) < 1e-5 * scale
        blocks = zeros[:, zeros[:3].all(axis=0)]
        if blocks.shape[1] >= 3:
            standardised = [names[int(k)] for k in continuous[blocks.mean(axis=1) > 0.9]]
            text = (
                f"{columns_named(standardised)} have the mean zero in each of {blocks.shape[1]:,} or "
                "more blocks of rows: standardised within clusters, as it seems. Rows of a cluster "
                "then depend on each other; say which belong together (clusters=, --clusters)."
            )
            found.append(Caution(text, "standardised blocks"))

    if estimate.n_samples >= len(names):
        return (*found, *_constant_sum(estimate, names))
    # Rows that differ as variables do, and columns that do not.
    of_rows, of_columns = (
        float(np.log(columns.std(axis=k) + np.finfo(float).tiny).std()) for k in (0, 1)
    )
    if of_rows > _UNLIKE_ROWS and of_columns < _ALIKE * of_rows:
        text = (
            f"There are {p:,} columns and {n:,} rows, and rows differ as variables do. If the "
            "variables are the rows, transpose the table."
        )
        found.append(Caution(text, "transposed"))
    return tuple(found)


def _is_code(column: FloatArray, value: float) -> bool:
    others, counts = np.unique(column[column != value], return_counts=True)
    count = len(column) - int(counts.sum())
    if count < _FEWEST_CODES or len(others) < 2:
        return False
    gap, reach = float(np.abs(others - value).min()), float(others[-1] - others[0])
    if abs(value) < 10:  # among answers from 1 to 5, or 0 and 1
        return gap >= 0.9 * reach
    often = count >= max(_FREQUENT, 1.5 * float(counts.max()), 3 * float(counts.mean()))
    return gap >= reach / 2 or (often and gap >= 3 * float(np.median(np.diff(others))))


def _constant_sum(estimate: PrecisionEstimate, names: Sequence[str]) -> tuple[Caution, ...]:
    """Columns of which one is a constant plus or minus the others, but for rounding."""
    precision, covariance = estimate.precision, estimate.covariance
    variance = covariance.diagonal()
    follows = precision.diagonal() * variance
    first = int(np.argmax(follows))
    if not follows[first] > _FOLLOWS:
        return ()
    share = precision[first] / precision[first, first]
    columns = np.abs(share) > 0.5
    rest = np.abs(share[~columns]) * np.sqrt(variance[~columns])
    near = (np.abs(np.abs(share[columns]) - 1) < _NEAR).all()
    if not near or columns.sum() < 3 or (rest > _NEAR * np.sqrt(variance[first])).any():
        return ()
    signs = np.where(columns, np.sign(share), 0.0)
    if signs @ covariance @ signs > _LEFT * variance[columns].sum():
        return ()
    plus, minus = ([names[k] for k in np.flatnonzero(signs == sign).tolist()] for sign in (1, -1))
    what = f"{columns_named(plus)} add up to nearly the same number in every row"
    if minus:
        what = (
            f"{columns_named(plus)} less {listed([*map(repr, minus)])} is nearly the same in every "
            "row"
        )
    text = (
        f"{what}, so each follows from the others, and their partial correlations say only that. "
        "Leave one out, or test ratios."
    )
    return (Caution(text, "constant sum"),)
