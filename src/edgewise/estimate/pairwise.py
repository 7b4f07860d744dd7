"""The precision matrix where every pair of columns has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray, upper_pairs
from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate, estimate_precision, unscaled
from edgewise.sums.blocks import Centre
from edgewise.sums.concordance import Concordance, kendall_tau
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
        _check_worth(pooled, names)
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


def _check_worth(pooled: PooledPairs, names: Sequence[str]) -> None:
    p, least = len(names), float(pooled.worth.min())
    if least <= p + 1:
        raise DataError(
            f"weights: expected them to be worth more than {p + 1} rows of equal weight, because "
            f"there are {p} columns, got {least:.3g} ((Σw)²/Σw²): few rows have most of the "
            "weight. Trim the largest weights, or test fewer columns."
        )


def _check_definite(correlation: FloatArray, pooled: PooledPairs, names: Sequence[str]) -> None:
    """Refuse correlations that no complete rows can have."""
    if pooled.incomplete and float(np.linalg.eigvalsh(correlation)[0]) <= NEGATIVE:
        raise not_definite(pooled, names)


def not_definite(pooled: PooledPairs, names: Sequence[str], without: str = "") -> DataError:
    """The error for a covariance that is not positive definite, with all rows or without some.

    If it is with all rows, too much is missing; if only without some, these may also be far out.
    """
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


_MOST_STEPS, _CLOSE = 1000, 1e-10


def nearest_correlation(matrix: FloatArray, smallest: float = 0.0) -> FloatArray:
    """The nearest matrix with ones on the diagonal and no eigenvalue below `smallest`.

    Nearest in the Frobenius norm, by alternating projections on the two sets with Dykstra's
    correction (Higham, IMA J. Numer. Anal. 2002).
    """
    nearest, correction = matrix.copy(), np.zeros_like(matrix)
    for _ in range(_MOST_STEPS):
        before = nearest
        moved = nearest - correction
        values, vectors = np.linalg.eigh(moved)
        definite = (vectors * np.maximum(values, smallest)) @ vectors.T
        correction = definite - moved
        nearest = (definite + definite.T) / 2
        np.fill_diagonal(nearest, 1.0)
        if np.abs(nearest - before).max() < _CLOSE:
            break
    # The last step set the diagonal, which can lower eigenvalues by as much as it changed it.
    lowest = float(np.linalg.eigvalsh(nearest)[0])
    if lowest < smallest:
        share = (smallest - lowest) / (1 - lowest)
        nearest = (1 - share) * nearest
        np.fill_diagonal(nearest, 1.0)
    return nearest


# The least eigenvalue of what replaces a matrix that is not positive definite.
_SMALLEST = 0.01
# τ of columns of which one is an increasing or decreasing function of the other.
_SAME_ORDER = 1 - 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class LatentMoments:
    """Mean and covariance of the latent variables: zero, and their correlations."""

    n_samples: int
    correlation: FloatArray

    @property
    def n_features(self) -> int:
        return len(self.correlation)

    def mean(self) -> FloatArray:
        return np.zeros(self.n_features)

    def covariance(self) -> FloatArray:
        return self.correlation.copy()

    def centre(self) -> Centre:
        return Centre(self.mean(), None)


@dataclass(frozen=True, eq=False, slots=True)
class LatentEstimate:
    """The estimate, and whether the latent correlations had to be made positive definite."""

    estimate: PrecisionEstimate
    replaced: bool


def latent_estimate(concordance: Concordance, names: Sequence[str]) -> LatentEstimate:
    """Invert sin(πτ/2), or the nearest correlation matrix if that is not positive definite.

    Constant columns, and those that order the rows alike, are refused by name.
    """
    _refuse_useless(concordance.total, names)
    correlation = concordance.correlation()
    replaced = not definite(correlation)
    if replaced:
        correlation = nearest_correlation(correlation, _SMALLEST)
    moments = LatentMoments(concordance.n_samples, correlation)
    return LatentEstimate(estimate_precision(moments, names), replaced)


def definite(matrices: FloatArray) -> bool:
    """Whether all matrices, which may be stacked, are positive definite."""
    try:
        np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return False
    return True


def _refuse_useless(total: FloatArray, names: Sequence[str]) -> None:
    constant = np.flatnonzero(total.diagonal() == 0)
    if constant.size:
        more = f" (and {constant.size - 1} more)" if constant.size > 1 else ""
        raise DataError(
            f"X: expected columns that vary, got the constant column {names[constant[0]]!r}{more}; "
            "drop it."
        )
    tau = kendall_tau(total)
    np.fill_diagonal(tau, 0.0)
    alike = np.argwhere(np.triu(np.abs(tau) >= _SAME_ORDER))
    if len(alike):
        i, j = alike[0]
        order = "the same order" if tau[i, j] > 0 else "opposite orders"
        raise DataError(
            f"X: columns {names[i]!r} and {names[j]!r} put the rows in {order}, so each is a "
            "function of the other; drop one of them."
        )
