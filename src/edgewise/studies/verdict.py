"""What a test of edges says about one data set, in the form that `calibrate` counts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from edgewise._base.matrices import pairs_of, upper_pairs
from edgewise._base.types import AnyArray, BoolArray, FloatArray
from edgewise.errors import ParameterError
from edgewise.inference.corrections import adjust
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.results.result import EdgeTestResult


class Verdict(NamedTuple):
    """What a test says about one data set; None for what it does not say.

    Parameters
    ----------
    reject : ndarray of bool of shape (p, p)
        The edges it declares.
    pvalue : ndarray of shape (p, p), optional
        The p-value of each edge, without a correction for the number of edges.
    interval : ConfidenceInterval, optional
        For the entries of Θ, at level 1 − alpha.

    Examples
    --------
    A test of your own, for `calibrate`, that calls correlations above a half edges:

    >>> import numpy as np
    >>> from edgewise.studies import Verdict
    >>> def test(X):
    ...     return Verdict(np.abs(np.corrcoef(X, rowvar=False)) > 0.5)
    >>> test(np.random.default_rng(0).standard_normal((100, 3))).reject.sum()
    np.int64(3)
    """

    reject: BoolArray
    pvalue: FloatArray | None = None
    interval: ConfidenceInterval | None = None


def as_verdict(said: Any, p: int, alpha: float, correction: str | None) -> Verdict:
    """The value that a test returned, as a verdict."""
    if isinstance(said, EdgeTestResult):
        interval = None
        if said.uncertainty is not None:
            interval = said.confidence_interval(level=1 - alpha)
        return Verdict(said.reject, said.pvalue, interval)
    if isinstance(said, Verdict):
        reject = _square("reject", said.reject, p)
        if reject.dtype != bool:
            raise ParameterError(f"test: expected a boolean reject, got dtype {reject.dtype}.")
        pvalue = None if said.pvalue is None else _pvalues(_square("pvalue", said.pvalue, p))
        interval = said.interval
        if interval is not None:
            low, high = (_square("interval", end, p) for end in interval)
            interval = ConfidenceInterval(low, high)
        return Verdict(reject, pvalue, interval)
    matrix = _square("edges or p-values", said, p)
    if matrix.dtype == bool:
        return Verdict(matrix)
    if matrix.dtype.kind in "iu":
        raise ParameterError(
            f"test: expected a boolean array of edges or p-values as floats, got dtype "
            f"{matrix.dtype}; turn an adjacency matrix A of 0 and 1 into booleans: A.astype(bool)."
        )
    pvalues = _pvalues(matrix)
    rows, columns = upper_pairs(p)
    reject = np.zeros((p, p), dtype=bool)
    with np.errstate(divide="ignore"):
        decided = adjust(np.log(pvalues[rows, columns]), correction) <= math.log(alpha)
    reject[rows, columns] = reject[columns, rows] = decided
    return Verdict(reject, pvalues)


def _square(name: str, value: Any, p: int) -> AnyArray:
    try:
        matrix = np.asarray(value)
    except ValueError:
        matrix = np.empty(0)
    if matrix.shape != (p, p) or matrix.dtype.kind not in "biuf":
        raise ParameterError(
            f"test: expected a {p} × {p} array of {name}, got one of shape {matrix.shape} and "
            f"dtype {matrix.dtype}."
        )
    return matrix


def _pvalues(matrix: AnyArray) -> FloatArray:
    """The p-values, once they are checked; the diagonal does not matter."""
    values = pairs_of(matrix).astype(np.float64)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise ParameterError(
            f"test: expected p-values between 0 and 1, got {float(values[wrong][0]):.4g}."
        )
    return matrix.astype(np.float64)
