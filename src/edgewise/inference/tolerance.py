"""How large the error of Θ̂ may be so that an entry is still an edge."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.inference.effect import MinEffect


def relative_units(precision: FloatArray, units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """a = u_ij/√(Θ̂_iiΘ̂_jj) and g = u_ii/Θ̂_ii: how τ changes a partial correlation."""
    diagonal = precision.diagonal()
    root = np.sqrt(diagonal)
    return units / root / root[:, np.newaxis], units.diagonal() / diagonal


def bearable_tau(
    precision: FloatArray, partial: FloatArray, units: FloatArray, effect: MinEffect
) -> FloatArray:
    """The largest τ at which the bound still excludes every effect up to the minimal one."""
    size = np.abs(precision)
    if effect.value == 0 or effect.scale == "precision":
        return (size - effect.value) / units
    # |ρ| is at least (r − aτ)/√((1 + g_iτ)(1 + g_jτ)); equal to v at the smaller root of
    # (a² − v²g_ig_j)τ² − (2ra + v²(g_i + g_j))τ + r² − v² = 0.
    a, g = relative_units(precision, units)
    r, v2 = np.abs(partial), effect.value**2
    quadratic = a**2 - v2 * np.outer(g, g)
    linear = 2 * r * a + v2 * (g[:, np.newaxis] + g)
    constant = r**2 - v2
    discriminant = np.sqrt(np.maximum(linear**2 - 4 * quadratic * constant, 0.0))
    return np.where(constant > 0, 2 * constant / (linear + discriminant), -1.0)
