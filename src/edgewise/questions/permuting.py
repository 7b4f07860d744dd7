"""The statistics of two or more groups after permutations of their labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import ParameterError
from edgewise.methods.method import Method
from edgewise.methods.registry import registered
from edgewise.rows.normal_scores import normal_scores

_LARGEST = 1e300
_ZOfRows = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def permuted_statistics(
    groups: Sequence[FloatArray],
    method: Method,
    permutations: int,
    random_state: int,
    progress: Callable[[int], None] | None = None,
    *,
    transform: bool = False,
) -> FloatArray:
    """D of every pair, one permutation in each row.

    Of two groups, the first is compared with the second; of more, each with the others. `progress`
    is called with 1 after every permutation. With `transform`, ranks are found anew in the permuted
    groups, as they were in the groups themselves.
    """
    rows, k = np.concatenate(groups), len(groups)
    labels = np.repeat(np.arange(k), [len(group) for group in groups])
    rng = np.random.default_rng(random_state)
    found = []
    for _ in range(permutations):
        permuted = rng.permutation(labels)
        made = scored_within(rows, permuted, k) if transform else rows
        found.append(_statistics(made, permuted, k, method.fisher_z_of_rows))
        if progress is not None:
            progress(1)
    draws = np.array(found)
    # Without an inverse of the covariance there is no statistic: it counts as larger than any.
    return np.where(np.isnan(draws), _LARGEST, draws)


def check_permutable(method: Method) -> None:
    """Refuse a method that cannot measure permuted rows."""
    if not method.permutable:
        able = [repr(name) for name, kind in registered().items() if kind.permutable]
        raise ParameterError(
            f"permutations: expected with a method for independent rows that is quick enough "
            f"({', '.join(able)}), got {method.name!r}; leave permutations out, or use that method."
        )


def _statistics(rows: FloatArray, labels: AnyArray, k: int, z_of_rows: _ZOfRows) -> FloatArray:
    if k == 2:
        return _statistic(rows[labels == 0], rows[labels == 1], z_of_rows)
    rows = standardized_within(rows, labels, k)
    each = [_statistic(rows[labels == i], rows[labels != i], z_of_rows) for i in range(k)]
    return np.concatenate(each)


def _statistic(a: FloatArray, b: FloatArray, z_of_rows: _ZOfRows) -> FloatArray:
    (z_a, variance_a), (z_b, variance_b) = z_of_rows(a), z_of_rows(b)
    return np.asarray((z_a - z_b) / np.sqrt(variance_a + variance_b))


def standardized_within(rows: FloatArray, labels: AnyArray, k: int) -> FloatArray:
    """Every group centred and scaled by itself.

    Pooled as they are, groups with different means or variances would have partial correlations
    that none of them has.
    """
    made = np.empty_like(rows)
    for i in range(k):
        own = rows[labels == i]
        with np.errstate(divide="ignore", invalid="ignore"):
            made[labels == i] = (own - own.mean(axis=0)) / own.std(axis=0)
    return made


def scored_within(rows: FloatArray, labels: AnyArray, k: int) -> FloatArray:
    """The normal scores of every group by itself."""
    made = np.empty_like(rows)
    for i in range(k):
        made[labels == i] = normal_scores(rows[labels == i].T).T
    return made
