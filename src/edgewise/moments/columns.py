"""Matching the columns of two states by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edgewise.errors import ParameterError


def merge_order(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> npt.NDArray[np.intp] | None:
    """Where each of our columns stands among theirs; None where nothing has to move.

    States without names are matched by position.
    """
    if ours is None or theirs is None or ours == theirs:
        return None
    missing = [name for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    if missing or extra:
        parts = [
            f"{what} {', '.join(map(repr, names))}"
            for what, names in (("it lacks", missing), ("it has in addition", extra))
            if names
        ]
        raise ParameterError(
            f"other: expected a state of the same columns, got one that differs: "
            f"{'; '.join(parts)}. Only states of the same columns add up."
        )
    return np.array([theirs.index(name) for name in ours], dtype=np.intp)
