"""How the results of parts become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_tree(items: Sequence[T], merge: Callable[[T, T], T]) -> T:
    """Merge neighbours in pairs until one is left: only their number decides the tree.

    Examples
    --------
    >>> in_tree(["a", "b", "c", "d", "e"], lambda left, right: f"({left}{right})")
    '(((ab)(cd))e)'
    """
    left = list(items)
    while len(left) > 1:
        pairs = [merge(*left[i : i + 2]) for i in range(0, len(left) - 1, 2)]
        left = pairs + left[2 * len(pairs) :]
    return left[0]
