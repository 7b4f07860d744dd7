"""One pair of variables in two groups, and all pairs as a list or a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from edgewise.results.difference import EdgeDifferenceResult


class EdgeDifference(NamedTuple):
    """One pair of variables, and whether its partial correlation differs between two groups.

    Attributes
    ----------
    source : str
        Name of the first variable.
    target : str
        Name of the second variable.
    partial_correlation_a, partial_correlation_b : float
        Their estimated correlations given all other variables, in the first and the second group.
    standard_error_a, standard_error_b : float
        Of the two.
    difference : float
        The first minus the second.
    standard_error : float
        Of the difference.
    interval_low, interval_high : float
        Interval of the difference, of the level and the family that the result's `interval_label`
        says.
    statistic : float
        The difference of Fisher's z over its standard error.
    pvalue : float
        The p-value of this pair alone.
    adjusted_pvalue : float
        The p-value corrected for the number of pairs.
    reject : bool
        Whether the pair differs.
    n_samples_a, n_samples_b : int
        Rows of each group.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.compare_groups(returns[:4000], returns[4000:])
    >>> first = result.pairs()[0]
    >>> first.source, first.target, first.reject
    ('GE', 'WMT', True)
    """

    source: str
    target: str
    partial_correlation_a: float
    standard_error_a: float
    partial_correlation_b: float
    standard_error_b: float
    difference: float
    standard_error: float
    interval_low: float
    interval_high: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    reject: bool
    n_samples_a: int
    n_samples_b: int


def all_differences(result: EdgeDifferenceResult) -> list[EdgeDifference]:
    """Every tested pair of variables, the smallest p-value first."""
    rows, columns = result.tested_pairs()
    size, log_p = np.abs(result.statistic[rows, columns]), result.log_pvalue[rows, columns]
    order = np.lexsort((-size, log_p))  # permutations give many pairs the same p-value
    at = rows[order], columns[order]
    matrices = (
        result.partial_correlation_a,
        result.standard_error_a,
        result.partial_correlation_b,
        result.standard_error_b,
        result.difference,
        result.standard_error,
        *result.shown_interval(),
        result.statistic,
        result.pvalue,
        result.adjusted_pvalue,
        result.reject,
    )
    names = np.array(result.feature_names, dtype=object)
    values = [matrix[at].tolist() for matrix in matrices]
    rows_of_each = [[count] * len(order) for count in result.n_samples]
    return list(map(EdgeDifference, names[at[0]], names[at[1]], *values, *rows_of_each))
