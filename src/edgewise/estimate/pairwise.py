"""The precision matrix where every pair of columns has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._linalg import FloatArray, upper_pairs
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
    if pooled.incomplete:
        _check_overlap(pooled, names)
    if pooled.weighted:
        _check_effective_rows(pooled, names)
    covariance = pooled.covariance()
    scale = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    if np.isfinite(scale).all() and (scale > 0).all():
        _check_definite(unscaled(covariance, scale), pooled, names)
    return estimate_precision(pooled, names, first_look)


def _check_overlap(pooled: PooledPairs, names: Sequence[str]) -> None:
    rows, p = pooled.pair_rows, len(names)
    empty = [names[int(i)] for i in np.flatnonzero(rows.diagonal() == 0)]
    if empty:
        raise DataError(
            f"X: expected values in every column, got none in column {listed(_quoted(empty))}; "
            "leave it out (exclude=..., --exclude)."
        )
    i, j = upper_pairs(p)
    fewest = int(rows[i, j].min())
    if fewest == 0:
        raise DataError(
            "X: expected every pair of columns together in some rows, got none for "
            f"{least_overlap(pooled, names, 0)}; {_WHAT_TO_DO}."
        )
    if fewest <= p + 1:
        raise DataError(
            f"X: expected more than {p + 1} rows with both columns of every pair, because there "
            f"are {p} columns, got {least_overlap(pooled, names, p + 1)}; {_WHAT_TO_DO}."
        )


def _check_effective_rows(pooled: PooledPairs, names: Sequence[str]) -> None:
    p, least = len(names), float(pooled.effective_rows.min())
    if least <= p + 1:
        raise DataError(
            f"weights: expected an effective sample size (Σw)²/Σw² above {p + 1}, because there are "
            f"{p} columns, got {least:.3g}: few rows have most of the weight; trim the largest "
            "weights, or test fewer columns."
        )


def _check_definite(correlation: FloatArray, pooled: PooledPairs, names: Sequence[str]) -> None:
    """Refuse correlations that no complete rows can have."""
    if pooled.incomplete and float(np.linalg.eigvalsh(correlation)[0]) <= NEGATIVE:
        raise not_definite(pooled, names)


def not_definite(pooled: PooledPairs, names: Sequence[str], without: str = "") -> DataError:
    """The error for a covariance that is not positive definite, with all rows or without some."""
    if without:
        return DataError(
            f"X: the covariances{without} do not fit together (their matrix is not positive "
            "definite), so missing='pairwise' cannot be trusted here. Either a few rows far out "
            "decide them (look at these, or take logarithms), or too many values are missing. The "
            f"pairs with least overlap are {least_overlap(pooled, names)}; {_WHAT_TO_DO}."
        )
    return DataError(
        "X: too many values are missing for missing='pairwise': the covariances do not fit "
        "together (their matrix is not positive definite). The pairs with least overlap are "
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


def _quoted(names: Sequence[str]) -> list[str]:
    return [repr(name) for name in names]
