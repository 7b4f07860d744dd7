"""The precision matrix where every pair of columns has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._linalg import upper_pairs
from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate, estimate_precision, unscaled
from edgewise.sums.pairwise import PooledPairs
from edgewise.tables.first_look import FirstLook

_WHAT_TO_DO = (
    "leave one of them out (exclude=..., --exclude), or fill values in several times and pool the "
    "results (edgewise.pool)"
)
_NAMED = 3
# An eigenvalue of a correlation matrix below this is negative, whatever is rounded.
NEGATIVE = -1e-10


def pairwise_precision(
    pooled: PooledPairs, names: Sequence[str], first_look: FirstLook | None = None
) -> PrecisionEstimate:
    """Invert a covariance whose entries come from different rows; errors name the columns."""
    p = len(names)
    if pooled.incomplete:
        rows = pooled.pair_rows
        empty = [repr(names[int(i)]) for i in np.flatnonzero(rows.diagonal() == 0)]
        if empty:
            raise DataError(
                f"X: expected values in every column, got none in column {listed(empty)}; leave it "
                "out (exclude=..., --exclude)."
            )
        if (fewest := int(rows.min())) <= p + 1:
            most = p + 1 if fewest else 0
            wanted = f"more than {p + 1} rows with both columns of every pair, because there are {p} columns"
            if not fewest:
                wanted = "every pair of columns together in some rows"
            raise DataError(
                f"X: expected {wanted}, got {'' if fewest else 'none for '}"
                f"{least_overlap(pooled, names, most)}; {_WHAT_TO_DO}."
            )
    if pooled.weighted and (least := float(pooled.effective_rows.min())) <= p + 1:
        raise DataError(
            f"weights: expected an effective sample size (Σw)²/Σw² above {p + 1}, because there are "
            f"{p} columns, got {least:.3g}: few rows have most of the weight; trim the largest "
            "weights, or test fewer columns."
        )
    covariance = pooled.covariance()
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    known = pooled.incomplete and np.isfinite(scale).all() and (scale > 0).all()
    # No complete rows can have such correlations.
    if known and float(np.linalg.eigvalsh(unscaled(covariance, scale))[0]) <= NEGATIVE:
        raise not_definite(pooled, names)
    return estimate_precision(pooled, names, first_look)


def not_definite(pooled: PooledPairs, names: Sequence[str], without: str = "") -> DataError:
    """The error for a covariance that is not positive definite, with all rows or without some."""
    why = "too many values are missing for missing='pairwise'"
    if without:
        why = (
            "missing='pairwise' cannot be trusted here: either a few rows far out decide (look at "
            "these, or take logarithms), or too many values are missing"
        )
    return DataError(
        f"X: {why}: the covariances{without} do not fit together (their matrix is not positive "
        "definite). The pairs with least overlap are "
        f"{least_overlap(pooled, names)}; {_WHAT_TO_DO}."
    )


def least_overlap(pooled: PooledPairs, names: Sequence[str], most: float = np.inf) -> str:
    """The pairs of columns that are in fewest rows together, at most in so many, in words."""
    i, j = upper_pairs(len(names))
    rows: list[int] = pooled.pair_rows[i, j].tolist()
    first: list[int] = np.argsort(rows, kind="stable")[:_NAMED].tolist()
    return "; ".join(
        f"{names[int(i[k])]!r} and {names[int(j[k])]!r} ({rows[k]:,} row{'s' * (rows[k] != 1)})"
        for k in first
        if rows[k] <= most
    )
