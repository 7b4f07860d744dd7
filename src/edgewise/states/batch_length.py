"""How many batches rows are cut into, and how long that makes them."""

from __future__ import annotations

# How many batches there are unless the user says so: with p columns at most 16,000/p, because a
# batch takes p² numbers to keep and p³ operations to leave out, but never fewer than 16.
DEFAULT_BATCHES, _FEWEST_DEFAULT = 100, 16
_DEFAULT_TIMES_COLUMNS = 16_000


def default_batches(n_features: int) -> int:
    """How many batches rows of so many columns are cut into by default.

    Examples
    --------
    >>> [default_batches(p) for p in (10, 160, 500, 5000)]
    [100, 100, 32, 16]
    """
    affordable = _DEFAULT_TIMES_COLUMNS // max(n_features, 1)
    return max(_FEWEST_DEFAULT, min(DEFAULT_BATCHES, affordable))


def batch_length(n_rows: int, n_batches: int, length: int = 1) -> int:
    """Rows of a batch after a state of so many batches has seen this many rows.

    `length` is that of its first batches.
    """
    while n_rows // length >= 2 * n_batches:
        length *= 2
    return length
