"""How much a row decides about its own fitted values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.sums.score_sums import row_tau, score_weight

# A row that others determine has a leverage of one and residuals of zero: any weight will do.
_LEAST = 1e-10


def left_out_factor(squares: FloatArray, n_samples: int) -> FloatArray:
    """1/(1 − h) of whitened rows, from ‖w‖² of each: what ‖w‖² grows by without the row's own part.

    A row is part of the Σ̂ that whitens it, which keeps ‖w‖² below (n−1)²/n, however far out the
    row is. By Sherman and Morrison's formula, ‖w‖² in units of Σ̂ without the row is this factor
    times as large, h = 1/n + ‖w‖²/(n−1) the row's leverage.
    """
    kept = (1 - 1 / n_samples) - squares / (n_samples - 1)
    return np.asarray(1 / np.maximum(kept, _LEAST))


@dataclass(frozen=True, eq=False, slots=True)
class Leverage:
    """What makes v = Bᵀc and the leverage h = 1/n + Σ √Θ_ii v_i c_i/(n−1) of a centred row c.

    Residuals that were fitted are smaller than the errors they stand for, by about √(1 − h): the
    tests undo this row by row.

    cᵀΘc is never above `most` times Σv², where that is known. With `own_scale`, the products of a
    row's residuals have the weights of the score test, which allow for the row's own scale.
    """

    B: FloatArray
    root: FloatArray
    n_samples: int
    most: float = math.inf
    own_scale: bool = False

    def surely_below(self, limit: float, squares: FloatArray) -> bool:
        """Whether no leverage reaches the limit, seen from Σv² of the rows: half the work."""
        n = self.n_samples
        room = (limit - 1 / n) * (n - 1) / self.most
        return room > 0 and bool(squares.max(initial=0.0) < room)

    def complement(self, v: FloatArray, c: FloatArray, room: FloatArray) -> FloatArray:
        """1 − h of each row, never quite zero."""
        n = self.n_samples
        h = (self.root / (n - 1)) @ np.multiply(v, c, out=room)
        np.subtract(1 - 1 / n, h, out=h)
        return np.maximum(h, _LEAST, out=h)

    def divisor(self, complement: FloatArray, square: FloatArray) -> FloatArray:
        """What the product of two residuals of each row is divided by; `square` holds their v².

        It is 1 − h, which is too much where all rows have the same scale; or with `own_scale` what
        the row's scale calls for, between √(1 − h) and 1 − h.
        """
        if not self.own_scale:
            return complement
        tau = row_tau(square, complement, self.n_samples)
        return np.asarray(1 / np.sqrt(score_weight(complement, tau)))
