"""Sample rows of a whole stream, as many of its beginning as of its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._base.types import FloatArray
from edgewise.errors import StateFileError
from edgewise.states.file_format import StateContents

#: At first every 25th row is kept.
FIRST_STEP = 25
_MOST_ROWS = 1024


@dataclass(frozen=True, eq=False, slots=True)
class RowSample:
    """Every `step`-th row of windows of rows; the step doubles when they become too many.

    Attributes
    ----------
    rows : ndarray of shape (n, p), or None
        The sample rows, in order; None before the first.
    step : int
        25 times a power of two.
    """

    rows: FloatArray | None = None
    step: int = FIRST_STEP

    def after(self, window: FloatArray, number: int) -> RowSample:
        """With rows of a further window, whose length is 25 times a power of two.

        Where the step is longer than a window, some windows have no row in the sample.
        """
        step = min(self.step, len(window))
        if number % (self.step // step):
            return self
        return self._with(window[::step])

    def followed_by(self, later: RowSample) -> RowSample:
        """The sample of two streams, one after the other."""
        step = max(self.step, later.step)
        made = RowSample(None, step)
        for one in (self, later):
            if one.rows is not None:
                made = made._with(one.rows[:: max(1, made.step // one.step)])
        return made

    def columns(self, places: slice | npt.NDArray[np.intp]) -> RowSample:
        """The same rows with the columns in another order."""
        return self if self.rows is None else RowSample(self.rows[:, places], self.step)

    def _with(self, more: FloatArray) -> RowSample:
        rows, step = more.copy(), self.step
        if self.rows is not None:
            rows = np.concatenate([self.rows, rows])
        while len(rows) > _MOST_ROWS:
            rows, step = rows[::2].copy(), 2 * step
        return RowSample(rows, step)

    @classmethod
    def of_contents(cls, contents: StateContents) -> RowSample:
        """The sample of a state file."""
        step = contents.whole("sample_step", FIRST_STEP)
        if "sample" not in contents.arrays:
            return cls(None, step)
        count = len(contents.arrays["sample"])
        rows = contents.floats("sample", (count, contents.width("sample")))
        if not np.isfinite(rows).all():
            raise StateFileError("state: expected a sample of finite numbers.")
        return cls(rows, step)
