"""Rubin's rules (1987), with the degrees of freedom of Barnard and Rubin (Biometrika 86, 1999)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.inference.references import CERTAIN

# Student's t has no critical values without any.
_FEWEST_DEGREES = 1e-3


class Pooled(NamedTuple):
    """What m imputed copies say together; `missing` is λ = (1 + 1/m)B/T, `degrees` those of T."""

    mean: FloatArray
    standard_error: FloatArray
    missing: FloatArray
    degrees: FloatArray


def pool_estimates(
    estimates: Sequence[FloatArray], errors: Sequence[FloatArray], degrees: Sequence[FloatArray]
) -> Pooled:
    """Rubin's rules for every entry; `degrees` are those of each copy if no value were missing.

    1/ν = 1/ν_old + 1/ν_obs, ν_old = (m − 1)/λ² and ν_obs = (ν_com + 1)/(ν_com + 3) · ν_com (1 − λ).
    """
    m = len(estimates)
    # About the first copy, so that equal copies have no variance, not even one of rounding.
    apart = np.stack([one - estimates[0] for one in estimates])
    between = (1 + 1 / m) * apart.var(axis=0, ddof=1)
    total = np.mean([np.square(one) for one in errors], axis=0) + between
    complete = m / np.sum([1 / one for one in degrees], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # An error that is not known is infinite, and no value that is missing could add to it.
        missing = np.where(np.isinf(total), 0.0, between / total)
        of_copies = np.square(missing) / (m - 1)
        observed = (complete + 1) / (complete + 3) * complete * (1 - missing)
        pooled = 1 / (of_copies + 1 / observed)
    return Pooled(
        estimates[0] + apart.mean(axis=0),
        np.sqrt(total),
        missing,
        np.clip(pooled, _FEWEST_DEGREES, CERTAIN),
    )
