"""The weight of a row in the score test: what its residuals lack of the errors they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.types import FloatArray

# How much of a row's scale is believed: half of this with 12 columns, nearly all with hundreds.
_BELIEVED = 0.9
_COLUMNS_FOR_HALF = 12
# A row so many times as large as the average speaks for itself, however few its columns: half of
# the remaining doubt is gone.
_PLAIN_EXCESS = 60
# The smallest variance of a row, relative to that of all rows.
_LEAST_VARIANCE = 0.5


def score_weight(complement: Any, tau: Any) -> Any:
    """The weight σ²/E[e²] of e_i²e_j² in a row with 1 − h and τ = 1/σ²: 1/((1−h)(1−h+τh)).

    Let the errors of row k have the variance σ_k², 1 on average. Then Var(Σ e_ie_j) is Σ σ_k²g_k,
    g_k = E[e_k²] = (1−h_k)²σ_k² + Σ_{l≠k} h_kl²σ_l², and e_i²e_j² estimates g_k². If the
    other rows have the variance 1, g = (1−h)²σ² + h(1−h). So the weight is 1/(1−h) for rows of one
    scale, as the Gaussian ones, and 1/(1−h)² where the row's own scale dominates.
    """
    return 1 / (complement * (tau + (1 - tau) * complement))


def row_tau(square: FloatArray, complement: FloatArray, n: int) -> FloatArray:
    """τ = 1/σ² of each row, from the mean g of its squared residuals: σ² = (g − h(1−h))/(1−h)²."""
    p = len(square)
    own = np.full(p, (n - p) / (n - 1) / p) @ square
    # ((g/(1−h) − 1)/(1−h) + 1, in place: pairs of few rows are asked for by the thousand.
    own /= complement
    own -= 1
    own /= complement
    own += 1
    return believed_tau(own, p)


def believed_tau(variance: FloatArray, p: int) -> FloatArray:
    """1/σ² from the variance that a row of p columns shows, relative to that of all rows.

    With few columns that variance is mostly chance, so τ is drawn towards 1; the less, the further
    a row stands out.
    """
    variance = np.maximum(variance, _LEAST_VARIANCE)
    believed = _BELIEVED * (p - 2) / (p - 2 + _COLUMNS_FOR_HALF)
    doubt = np.maximum(variance, 1.0)
    doubt -= 1
    doubt *= doubt
    doubt += _PLAIN_EXCESS**2
    np.divide((1 - believed) * _PLAIN_EXCESS**2, doubt, out=doubt)
    # τ = 1 − (1 − doubt)(1 − 1/σ²)
    np.divide(1.0, variance, out=variance)
    doubt *= 1 - variance
    doubt += variance
    return np.asarray(doubt)
