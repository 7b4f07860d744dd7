"""Columns that leave the covariance without an inverse: what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from edgewise._linalg import COLLINEAR, BoolArray, FloatArray
from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.tables.first_look import FirstLook

# The standard deviations whose squares, and the inverses of these, are ordinary numbers.
_SMALLEST_SCALE, _LARGEST_SCALE = 1e-152, 1e152
# A spread is compared with the step from one number to the next, near the mean. Constant columns
# have less than a millionth of a step: that is rounding. One row in 10⁹ that differs would make
# more. With a spread of fewer than four steps, the rounding of the values would be tested too.
_CONSTANT_STEPS, _FEWEST_STEPS = 1e-6, 4.0
# Where the mean is smaller, the square of such a step may be zero.
_SMALLEST_MEAN = 1e-130


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
