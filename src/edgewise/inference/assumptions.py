"""What the guarantee of a method assumes about the rows."""

from __future__ import annotations

from enum import Flag, auto


class Assumes(Flag):
    """What a method's guarantee assumes about the rows; the data may contradict it.

    `FOURTH_MOMENTS_IF_SKEWED` is for methods that need fourth moments only where the rows far out
    lie on one side and are far out in several columns at once. `MANY_ROWS_PER_COLUMN` is for
    methods whose p-values are too small with few rows; other methods lose only power.
    `CONTINUOUS_COLUMNS` is for methods whose latent variables need columns without many ties.
    """

    NOTHING = 0
    INDEPENDENT_ROWS = auto()
    GAUSSIAN_ROWS = auto()
    FOURTH_MOMENTS = auto()
    FOURTH_MOMENTS_IF_SKEWED = auto()
    MANY_ROWS_PER_COLUMN = auto()
    CONTINUOUS_COLUMNS = auto()
