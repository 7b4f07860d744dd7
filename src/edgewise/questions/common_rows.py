"""Signs that two groups are not independent: rows in common, or rows that are pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from edgewise._base.normal_tail import log_upper_tail
from edgewise._base.types import FloatArray
from edgewise.inference.cautions import Caution

# Discrete rows are equal by chance. Groups share rows if far more are equal than within a group.
_SHARED = 0.2
_ALMOST_ALL_DIFFERENT = 0.9
# Rows that are pairs have clearly correlated columns; also where many columns are looked at.
_SURELY = math.log(1e-6)


def row_cautions(a: FloatArray, b: FloatArray, name: str) -> tuple[Caution, ...]:
    """What the rows of two groups, with the same columns, say against their independence.

    Parameters
    ----------
    a, b : ndarray of shape (n, p)
        The rows of the groups.
    name : str
        The name of the second group.

    Examples
    --------
    >>> before = np.random.default_rng(0).standard_normal((50, 3))
    >>> [caution.kind for caution in row_cautions(before, before[:20], "after")]
    ['common rows']
    >>> [caution.kind for caution in row_cautions(before, before + 0.1, "after")]
    ['paired rows']
    """
    return tuple(_told(a, b, name))


def _told(a: FloatArray, b: FloatArray, name: str) -> Iterator[Caution]:
    common = _common(a, b)
    if common:
        yield Caution(
            f"{common:,} of its rows are also in {name!r}. The test needs groups without common "
            "rows: its p-values are wrong.",
            "common rows",
            True,
        )
    elif (correlation := _paired(a, b)) is not None:
        yield Caution(
            f"Row by row it goes along with {name!r} (correlation {correlation:.2f} of a column). "
            "If the same subjects are in both groups, or both are sorted alike, the test does not "
            "hold: it needs different subjects. For the same subjects before and after, test the "
            "changes.",
            "paired rows",
            True,
        )


def _common(a: FloatArray, b: FloatArray) -> int:
    """How many rows are in both, if rows of a group are almost all different."""
    of_a, of_b = (np.unique(one, axis=0) for one in (a, b))
    if len(of_a) < _ALMOST_ALL_DIFFERENT * len(a) or len(of_b) < _ALMOST_ALL_DIFFERENT * len(b):
        return 0
    together = len(np.unique(np.concatenate([of_a, of_b]), axis=0))
    common = len(of_a) + len(of_b) - together
    return common if common > _SHARED * min(len(of_a), len(of_b)) else 0


def _paired(a: FloatArray, b: FloatArray) -> float | None:
    """The largest correlation of a column with itself, row by row, if it is no chance."""
    n, p = a.shape
    if len(b) != n or n < 10:
        return None
    # Ranks, so that a few large values in the same row do not decide.
    x, y = (np.argsort(np.argsort(one, axis=0), axis=0) - (n - 1) / 2 for one in (a, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(np.einsum("ki,ki->i", x, y) / (x**2).sum(axis=0))
    largest = int(np.argmax(np.abs(r)))
    z = math.atanh(min(abs(float(r[largest])), 1 - 1e-12)) * math.sqrt(n - 3)
    log_p = math.log(2 * p) + log_upper_tail(z)
    return float(r[largest]) if log_p < _SURELY else None
