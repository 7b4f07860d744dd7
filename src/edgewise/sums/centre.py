"""The mean in twice the working precision, for passes after the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.tables.table import Rows, minus_origin


@dataclass(frozen=True, eq=False, slots=True)
class Centre:
    """Mean = origin + offset, kept apart because their sum would be rounded.

    At mean/std = 1e10 the rounded mean is off by 1e-6 standard deviations, which a second pass
    would see. Subtracting the origin is nearly exact; a negligible offset is left out.
    """

    origin: FloatArray
    offset: FloatArray | None

    def subtract_from(self, block: Rows, out: FloatArray) -> FloatArray:
        """Rows of `block` minus the mean, features first."""
        centred = minus_origin(block, self.origin, out)
        if self.offset is not None:
            centred -= self.offset[:, np.newaxis]
        return centred
