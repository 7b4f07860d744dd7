"""Precision matrices of known graphs."""

from __future__ import annotations

import numpy as np

from edgewise._types import FloatArray
from edgewise._validation import check_real


def chain_precision(n_features: int, weight: float = 0.3) -> FloatArray:
    """Precision matrix of a chain, Θ ∝ I + weight·(neighbours), scaled to unit variances.

    Examples
    --------
    >>> chain_precision(3).round(3).tolist()
    [[1.11, 0.349, 0.0], [0.349, 1.22, 0.349], [0.0, 0.349, 1.11]]
    """
    check_real("weight", weight, above=-0.5, below=0.5)
    neighbours = np.eye(n_features, k=1) + np.eye(n_features, k=-1)
    precision = np.eye(n_features) + weight * neighbours
    deviation = np.sqrt(np.linalg.inv(precision).diagonal())
    return precision * np.outer(deviation, deviation)
