"""How many rows are worked on at once."""

from __future__ import annotations

from collections.abc import Iterator

from edgewise._types import AnyArray

# Half a megabyte of float64: a block, its square and a product stay in a core's L2 cache.
_BLOCK_ELEMENTS = 1 << 16
# Below this many rows merging p × p sums costs as much as making them.
_MIN_BLOCK_ROWS = 4096


def block_rows(n_features: int) -> int:
    """Rows per block for data of `n_features` columns."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // max(n_features, 1))


def row_blocks(X: AnyArray, rows: int | None = None) -> Iterator[AnyArray]:
    """Views of consecutive rows of `X`; never a copy."""
    step = rows or block_rows(X.shape[1])
    for start in range(0, X.shape[0], step):
        yield X[start : start + step]
