"""The precision matrix, its scale-free form, and the Gaussian distribution that has it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

import numpy as np

from edgewise._checks import check_testable_shape
from edgewise._linalg import (
    COLLINEAR,
    AnyArray,
    BoolArray,
    FloatArray,
    symmetric_inverses,
    upper_pairs,
)
from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments
from edgewise.sums.pairwise import PooledPairs
from edgewise.sums.score import Leverage
from edgewise.tables.first_look import FirstLook

# From so many columns on, the inverse is that of Cholesky's factors.
_MANY_COLUMNS = 400
# With more columns, the leverages themselves cost little beside the products of matrices.
_FEW_COLUMNS = 64
# With fewer rows, no leverage is negligible: each is 1/n or more.
_MANY_ROWS = 1000
_SAFELY_INVERTED = 1e-6
# Whether a column is near its fit in most rows shows in few rows; then more are looked at.
_ROWS_FOR_LUMP = 256
_QUANTILES, _FEWEST_FOR_LUMP = (0.6, 0.8, 0.9, 0.95, 0.98), 50
# A column is alive in a row if its residual is larger than this; the worst of both counts.
_ALIVE = (0.1, 0.3)
_MOST_NUMBERS, _CHUNK = 1 << 23, 1 << 16


# The standard deviations whose squares, and the inverses of these, are ordinary numbers.
_SMALLEST_SCALE, _LARGEST_SCALE = 1e-152, 1e152
# A spread is compared with the step from one number to the next, near the mean. Constant columns
# have less than a millionth of a step: that is rounding. One row in 10⁹ that differs would make
# more. With a spread of fewer than four steps, the rounding of the values would be tested too.
_CONSTANT_STEPS, _FEWEST_STEPS = 1e-6, 4.0
# Where the mean is smaller, the square of such a step may be zero.
_SMALLEST_MEAN = 1e-130
#: Mean and covariance of all rows, from a state that has them.
SampleMoments: TypeAlias = Moments | PooledPairs


@dataclass(frozen=True, eq=False, slots=True)
class PrecisionEstimate:
    """Σ̂, Θ̂ = Σ̂⁻¹ and the partial correlations ρ̂ = −Θ̂_ij/√(Θ̂_iiΘ̂_jj).

    `residual_map` is B with v = Bᵀ(x − x̄), the residuals given all other columns in unit variance,
    made without a product of two scales; a result that was read has none.
    """

    n_samples: int
    centre: Centre
    covariance: FloatArray
    precision: FloatArray
    partial_correlation: FloatArray
    residual_map: FloatArray = field(
        default_factory=lambda: np.zeros((0, 0)), metadata={"written": False}
    )
    live_share: FloatArray | float = 1.0

    @property
    def standardization(self) -> FloatArray:
        return np.diag(1 / np.sqrt(self.covariance.diagonal()))

    def standardized(self) -> PrecisionEstimate:
        scale = np.sqrt(self.covariance.diagonal())
        correlation = unscaled(self.covariance, scale)
        np.fill_diagonal(correlation, 1.0)
        return replace(
            self,
            covariance=correlation,
            precision=unscaled(self.precision, 1 / scale),
        )

    def leverage(self, *, own_scale: bool = False) -> Leverage:
        theta = self.precision
        root = np.sqrt(theta.diagonal())
        most = math.inf
        if len(theta) <= _FEW_COLUMNS and self.n_samples >= _MANY_ROWS:
            # cᵀΘc = vᵀR⁻¹v, R = Θ scaled to a diagonal of ones.
            least = float(np.linalg.eigvalsh(theta / np.outer(root, root))[0])
            most = 1 / least if least > _SAFELY_INVERTED else math.inf
        return Leverage(self.residual_map, root, self.n_samples, most, own_scale)

    @property
    def whitening(self) -> FloatArray:
        """L⁻¹ with Σ̂ = LLᵀ: rows L⁻¹(x − x̄) have identity covariance."""
        scale = np.sqrt(self.covariance.diagonal())
        correlation = unscaled(self.covariance, scale)
        whitening: FloatArray = np.linalg.inv(np.linalg.cholesky(correlation)) / scale
        return whitening


def estimate_precision(
    moments: SampleMoments, feature_names: Sequence[str], first_look: FirstLook | None = None
) -> PrecisionEstimate:
    """Invert the covariance through the correlation matrix; errors name the columns at fault."""
    check_testable_shape(moments.n_samples, moments.n_features or 0)
    covariance, mean = moments.covariance(), moments.mean()
    raise_if_not_measurable(covariance, mean, feature_names, first_look)
    scale = np.sqrt(covariance.diagonal())
    correlation = unscaled(covariance, scale)
    np.fill_diagonal(correlation, 1.0)
    inverse: FloatArray | None = None
    if len(scale) >= _MANY_COLUMNS:
        # A third of the operations; SciPy is slow to import, and the threads of its BLAS compete.
        (made,), (definite,) = symmetric_inverses(correlation[np.newaxis])
        inverse = made if definite else None
    else:
        with suppress(np.linalg.LinAlgError):
            made = np.asarray(np.linalg.inv(correlation), dtype=np.float64)
            inverse = (made + made.T) / 2
    # ‖R⁻¹‖₂ ≤ ‖R⁻¹‖_∞: this is usually enough, without the smallest eigenvalue.
    if inverse is None or not np.linalg.norm(inverse, np.inf) * COLLINEAR * len(scale) < 1:
        raise_if_collinear(correlation, scale, feature_names)
        inverse = np.asarray(np.linalg.inv(correlation), dtype=np.float64)
        inverse = (inverse + inverse.T) / 2
    root = np.sqrt(inverse.diagonal())
    partial = -unscaled(inverse, root)
    np.fill_diagonal(partial, 1.0)
    with np.errstate(over="ignore"):
        precision = unscaled(inverse, scale)
    if not np.isfinite(precision).all():
        raise_for_underflow(feature_names[int(np.argmax(precision.diagonal()))])
    residual_map = inverse / scale[:, np.newaxis] / root
    return PrecisionEstimate(
        n_samples=moments.n_samples,
        centre=moments.centre(),
        covariance=covariance,
        precision=precision,
        partial_correlation=partial,
        residual_map=residual_map,
        live_share=1.0
        if first_look is None
        else live_share(first_look.spread.rows - mean, residual_map, partial),
    )


def live_share(
    centred: FloatArray, residual_map: FloatArray, partial: FloatArray
) -> FloatArray | float:
    """The share of rows in which both columns of each pair vary, at most 1, from some of the rows.

    Where a column opens others, the Gaussian variance of all rows is too low a floor; that of the
    rows S where both residuals are alive is (Σ_S e_i²)(Σ_S e_j²)/|S|, and n of the floor becomes n
    times this share (docs/theory/per-edge.md).
    """
    lumpy, rows = lumpy_columns(centred, residual_map)
    if lumpy.size < 2:
        return 1.0
    # Single precision is exact enough for a share.
    v = (rows @ residual_map[:, lumpy]).T.astype(np.float32)
    share = np.ones_like(partial)
    first, second = upper_pairs(lumpy.size)
    step = max(1, _CHUNK // v.shape[1])
    for start in range(0, first.size, step):
        i, j = first[start : start + step], second[start : start + step]
        rho = partial[lumpy[i], lumpy[j], np.newaxis].astype(np.float32)
        found = share_alive(v[i] + rho * v[j], v[j] + rho * v[i])
        share[lumpy[i], lumpy[j]] = share[lumpy[j], lumpy[i]] = found
    return share


def lumpy_columns(centred: FloatArray, residual_map: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Columns whose residuals lump near 0, and as many of the rows as are needed to look at these.

    Many residuals are far below one that not many more are below.
    """
    sizes = np.abs(residual_map.T @ centred[:: max(len(centred) // _ROWS_FOR_LUMP, 1)].T)
    n = sizes.shape[1]
    far_below = (sizes < sizes.max(axis=1, keepdims=True) / 8).sum(axis=1)
    if n < _FEWEST_FOR_LUMP or (far_below <= 0.4 * n).all():
        return np.empty(0, dtype=np.intp), centred
    places = [int(q * n) for q in _QUANTILES]
    in_order = np.sort(sizes, axis=1)
    far_below = np.array([(sizes < in_order[:, [k]] / 8).sum(axis=1) for k in places])
    beyond = n - np.array(places)[:, np.newaxis]
    lumps = (far_below > 0.4 * n) & (n - far_below < 3 * beyond)
    lumpy = np.flatnonzero(lumps.any(axis=0))
    most = max(_ROWS_FOR_LUMP, _MOST_NUMBERS // max(lumpy.size, 1) ** 2)
    return lumpy, centred[:: -(-len(centred) // most)]


def share_alive(a: FloatArray, b: FloatArray) -> FloatArray:
    """The share of rows in which both residuals of a pair are alive; a row for each pair."""
    a, b = np.square(a), np.square(b)
    means = np.stack([a.mean(axis=1), b.mean(axis=1)])[..., np.newaxis]
    floor = np.ones(len(a))
    for least in _ALIVE:
        alive = a > least**2 * means[0]
        alive &= b > least**2 * means[1]
        ones = alive.astype(a.dtype)
        of_both = np.vecdot(a, ones) * np.vecdot(b, ones) / np.prod(means[..., 0], axis=0)
        floor = np.fmax(floor, of_both / (np.maximum(alive.sum(axis=1), 1) * a.shape[1]))
    return 1 / floor


def unscaled(matrix: FloatArray, scale: FloatArray) -> FloatArray:
    """D⁻¹MD⁻¹, symmetric to the last bit, without a product of two scales that could overflow."""
    divided = matrix / scale / scale[:, np.newaxis]
    return divided / 2 + divided.T / 2


# Columns that leave the covariance without an inverse: what is wrong with them ----------------


def measurable(scale: FloatArray, mean: FloatArray) -> BoolArray:
    """Whether float64 holds the standard deviation of each column, its square and its values."""
    steps = _FEWEST_STEPS * np.spacing(np.abs(mean))
    return (scale >= _SMALLEST_SCALE) & (scale <= _LARGEST_SCALE) & (scale >= steps)


def raise_if_not_measurable(
    covariance: FloatArray, mean: FloatArray, names: Sequence[str], first_look: FirstLook | None
) -> None:
    """Refuse columns whose variance is zero, or is not known to float64."""
    variance, step = covariance.diagonal(), np.spacing(np.abs(mean))
    large = ~(variance <= _LARGEST_SCALE**2)  # or NaN
    scale = np.sqrt(np.maximum(np.where(large, np.inf, variance), 0.0))
    if ((scale >= _SMALLEST_SCALE) & (scale >= _FEWEST_STEPS * step) & ~large).all():
        return
    small = (scale < _SMALLEST_SCALE) & (np.abs(mean) < _SMALLEST_MEAN)
    # Where squares are no ordinary numbers, the values themselves say whether they differ.
    same = mean == 0 if first_look is None else first_look.far[0] >= first_look.far[1]
    constant = np.where(small | large, same, scale <= _CONSTANT_STEPS * step)
    if constant.any():
        i, count = int(np.argmax(constant)), np.count_nonzero(constant)
        more = f" (and {count - 1} more)" if count > 1 else ""
        raise DataError(
            f"X: expected columns that vary, got the constant column {names[i]!r} "
            f"(every value is {mean[i]:.6g}){more}; drop it."
        )
    if large.any():
        name = names[int(np.argmax(large))]
        raise DataError(
            f"X: the variance of column {name!r} overflows; divide the column by 1e200."
        )
    if small.any():
        raise_for_underflow(names[int(np.argmax(small))])
    if (coarse := scale < _FEWEST_STEPS * step).any():
        i = int(np.argmax(coarse))
        raise DataError(
            f"X: column {names[i]!r} varies by only {scale[i]:.2g} around {mean[i]:.6g}, where "
            f"float64 has steps of {step[i]:.2g}; subtract a constant from it before it is stored "
            "as float64, or drop it."
        )


def raise_for_underflow(name: str) -> NoReturn:
    """Say that the squares of a column's values are below the range of float64."""
    raise DataError(
        f"X: the values of column {name!r} are so small that its variance underflows; multiply "
        "the column by 1e200, or drop it if it is constant."
    )


def raise_if_collinear(correlation: FloatArray, scale: FloatArray, names: Sequence[str]) -> None:
    """Find the first column that is determined by the columns before it, and say how."""
    if np.linalg.eigvalsh(correlation)[0] > COLLINEAR * len(names):
        return
    residual = correlation.copy()
    kept: list[int] = []
    worst, worst_left = 0, np.inf
    for k in range(len(names)):
        left = residual[k, k]
        if kept and left < worst_left:
            worst, worst_left = k, left
        if kept and left <= 10 * COLLINEAR * len(names):
            break
        residual -= np.outer(residual[:, k], residual[k]) / left
        kept.append(k)
    before = np.arange(worst)
    weights = np.linalg.lstsq(
        correlation[np.ix_(before, before)], correlation[before, worst], rcond=1e-12
    )[0]
    used = before[np.abs(weights) > 1e-6]
    if used.size == 1:
        raise_for_duplicate(names[worst], names[int(used[0])])
    terms = [
        f"{weights[i] * scale[worst] / scale[i]:+.4g}·{names[int(i)]!r}"
        for i in used[np.argsort(-np.abs(weights[used]))]
    ]
    raise DataError(
        f"X: column {names[worst]!r} is a linear combination of others "
        f"({names[worst]!r} = {' '.join(terms).removeprefix('+')} up to a constant), so the "
        "covariance has no inverse; drop one of them."
    )


def raise_if_duplicated(correlation: FloatArray, names: Sequence[str]) -> None:
    """Refuse two columns that are perfectly correlated; with many columns, all that can be seen."""
    same = np.argwhere(np.abs(np.triu(correlation, k=1)) > 1 - 10 * COLLINEAR)
    if len(same):
        raise_for_duplicate(names[int(same[0, 1])], names[int(same[0, 0])])


def raise_for_duplicate(name: str, other: str) -> NoReturn:
    """Say that a column is another one in other units."""
    raise DataError(
        f"X: column {name!r} duplicates column {other!r} (they are perfectly correlated); drop one "
        "of the two."
    )


def raise_for_dependent(
    correlation: FloatArray, scale: FloatArray, columns: Sequence[int], names: Sequence[str]
) -> NoReturn:
    """Say that the last of some columns is, to working precision, determined by the others."""
    chosen, names = correlation[np.ix_(columns, columns)], [names[column] for column in columns]
    raise_if_collinear(chosen, scale[list(columns)], names)
    others = listed([repr(name) for name in names[:-1]])
    raise DataError(
        f"X: column {names[-1]!r} is nearly a linear combination of {others}, so nothing is left "
        "of it to test; drop one of them."
    )
