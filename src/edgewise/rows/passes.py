"""Passes over rows: what they are, and how they run where the rows are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeAlias

from edgewise._base.types import AnyArray
from edgewise.rows.block import Rows

#: What a pass over some rows adds up to: arrays that add, piece by piece, to those of more rows.
Sums: TypeAlias = tuple[AnyArray, ...]


#: A pass over rows; it can be sent to where they are.
Pass: TypeAlias = Callable[[Iterator[Rows]], Sums]


class DistantRows(ABC):
    """Rows on other machines: a pass goes to them, and only its sums come back."""

    @abstractmethod
    def summed(self, one_pass: Pass) -> Sums:
        """The sums of all rows, added up in an order that does not depend on who was faster."""


#: Starts a fresh pass over rows that are here, or stands for rows that are elsewhere.
Scan: TypeAlias = Callable[[], Iterator[Rows]] | DistantRows


def summed(scan: Scan, one_pass: Pass) -> Sums:
    """What a pass over all rows adds up to, wherever they are."""
    if isinstance(scan, DistantRows):
        return scan.summed(one_pass)
    return one_pass(scan())
