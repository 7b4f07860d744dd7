"""P-values from their logarithms."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray

_TINY = float(np.finfo(float).tiny)


def probabilities(log_p: FloatArray, draws: int | None = None) -> FloatArray:
    """exp, but never zero: zero would claim a certainty that no test gives.

    Of so many draws, the p-values are multiples of 1/(draws + 1), to the last digit: rounding must
    not lift one above a level that it keeps.
    """
    p = np.maximum(np.exp(log_p), _TINY)
    return p if draws is None else np.rint(p * (draws + 1)) / (draws + 1)
