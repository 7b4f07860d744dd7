"""From the p-values of many edges to decisions about all of them.

Everything runs on logarithms, so that p-values below 1e-308 stay different from each other.
"""

from __future__ import annotations

import math

import numpy as np

from edgewise._linalg import FloatArray

CORRECTIONS = ("holm", "bonferroni", "bh", "by", "maxt", None)


class Unasked(str):
    """The default correction, which a bound may ignore.

    With a bound, a correction that the user named is an error. The type tells the two apart, even
    after scikit-learn has copied or pickled the value.
    """

    __slots__ = ()


#: The default correction.
HOLM = Unasked("holm")


def adjust(log_p: FloatArray, correction: str | None) -> FloatArray:
    """Logarithms of adjusted p-values: a pair with at most log α is rejected at level α.

    Parameters
    ----------
    log_p : ndarray of shape (m,)
        Logarithms of the p-values.
    correction : {"holm", "bonferroni", "bh", "by", None}
        Holm and Bonferroni control the probability of any false edge; Benjamini–Hochberg and,
        under any dependence, Benjamini–Yekutieli the expected share of false edges.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(adjust(np.log([0.01, 0.04, 0.03]), "holm")).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    m = log_p.shape[0]
    if correction is None or m == 0:
        return log_p.copy()
    if correction == "bonferroni":
        return np.minimum(log_p + math.log(m), 0.0)
    order = np.argsort(log_p, kind="stable")
    rank = np.arange(1, m + 1)
    if correction == "holm":
        stepped = np.maximum.accumulate(log_p[order] + np.log(m - rank + 1))
    else:
        scaled = log_p[order] + np.log(m / rank) + _yekutieli_log(m, correction)
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(stepped, 0.0)
    return adjusted


def log_critical_level(m: int, rejected: int, alpha: float, correction: str | None) -> float:
    """Log of the per-edge level that separates the rejected edges from the others.

    Step-wise procedures find the level from the data. Once `rejected` is known, they are the same
    as comparing every p-value with this number.
    """
    if correction is None or m == 0:
        return math.log(alpha)
    if correction == "bonferroni":
        return math.log(alpha) - math.log(m)
    if correction == "holm":
        return math.log(alpha) - math.log(max(m - rejected, 1))
    return math.log(alpha) + math.log(max(rejected, 1) / m) - _yekutieli_log(m, correction)


def _yekutieli_log(m: int, correction: str) -> float:
    """Log of Σ 1/k, the factor for arbitrary dependence."""
    return math.log(np.sum(1 / np.arange(1, m + 1))) if correction == "by" else 0.0
