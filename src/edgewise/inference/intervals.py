"""Confidence intervals for the entries of a precision matrix and for partial correlations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from edgewise._linalg import FloatArray, root_outer


class ConfidenceInterval(NamedTuple):
    """Ends of the intervals of all entries; `low, high = …` unpacks it.

    Attributes
    ----------
    low : ndarray of shape (p, p)
        Lower ends.
    high : ndarray of shape (p, p)
        Upper ends.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> interval = ew.edge_test(X).confidence_interval(level=0.9)
    >>> bool((interval.low < interval.high).all())
    True
    """

    low: FloatArray
    high: FloatArray


def around_fisher_z(partial: FloatArray, half: FloatArray) -> ConfidenceInterval:
    """tanh(atanh ρ̂_ij ± half)."""
    z = np.arctanh(np.where(np.eye(len(partial), dtype=bool), 0.0, partial))
    return with_unit_diagonal(np.tanh(z - half), np.tanh(z + half))


def on_precision_scale(
    precision: FloatArray, interval: ConfidenceInterval, half: FloatArray
) -> ConfidenceInterval:
    """Θ̂_ij ± half, with the end next to zero moved so that it leaves zero where that for ρ_ij
    does.
    """
    unit = root_outer(precision)
    slack = half.diagonal() / precision.diagonal()
    least = unit * np.exp(-np.add.outer(slack, slack) / 2)
    low, high = precision - half, precision + half
    from_low, from_high = -interval.high, -interval.low
    positive, negative = from_low > 0, from_high < 0
    neither = ~(positive | negative)
    low = np.where(positive, np.maximum(low, from_low * least), low)
    high = np.where(negative, np.minimum(high, from_high * least), high)
    low = np.where(neither, np.minimum(low, from_low * unit), low)
    high = np.where(neither, np.maximum(high, from_high * unit), high)
    diagonal = np.eye(len(precision), dtype=bool)
    return ConfidenceInterval(
        np.where(diagonal, precision - half, low), np.where(diagonal, precision + half, high)
    )


def within_precision_bounds(
    precision: FloatArray, partial: FloatArray, half: FloatArray
) -> ConfidenceInterval:
    """The extremes of ρ = −Θ_ij/√(Θ_iiΘ_jj) given |Θ̂ − Θ| ≤ half."""
    slack = half.diagonal() / precision.diagonal()
    most, least = np.sqrt(1 + slack), np.sqrt(np.maximum(1 - slack, 0.0))
    largest, smallest = np.outer(most, most), np.outer(least, least)
    shift = half / root_outer(precision)
    bottom, top = partial - shift, partial + shift
    # If the diagonal may be zero, the fraction has no bound: it is clipped to ±1.
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(bottom >= 0, bottom / largest, bottom / smallest)
        high = np.where(top >= 0, top / smallest, top / largest)
    return with_unit_diagonal(
        np.clip(np.nan_to_num(low, nan=-1.0), -1, 1), np.clip(np.nan_to_num(high, nan=1.0), -1, 1)
    )


def with_unit_diagonal(low: FloatArray, high: FloatArray) -> ConfidenceInterval:
    """The correlation of a variable with itself is one."""
    np.fill_diagonal(low, 1.0)
    np.fill_diagonal(high, 1.0)
    return ConfidenceInterval(low, high)
