"""The question to a measurement: the level, the correction, the smallest effect, which pairs.

All columns are in the model, whichever pairs are tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from edgewise._checks import check_columns, check_known
from edgewise._linalg import BoolArray, off_diagonal
from edgewise._text import listed
from edgewise.errors import DataError, ParameterError

Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a measurement; see `Method.question`, which checks it.

    H₀ is |effect| ≤ `min_effect`; no pair with a `given` column is tested, only `pairs` if not
    None.
    """

    alpha: float
    correction: str | None
    min_effect: float = 0.0
    effect_scale: str = "partial_correlation"
    given: tuple[str, ...] = ()
    pairs: Pairs | None = None

    @property
    def effect(self) -> tuple[float, str]:
        return self.min_effect, self.effect_scale

    def tested(self, names: Sequence[str]) -> BoolArray | None:
        """Which pairs of these columns are tested, as a symmetric matrix; None where all are."""
        if not self.given and self.pairs is None:
            return None
        check_known("given", self.given, names)
        place = {name: i for i, name in enumerate(names)}
        tested = off_diagonal(len(names))
        left_out = [place[name] for name in self.given]
        tested[left_out, :] = tested[:, left_out] = False
        if not tested.any():
            left = [repr(name) for name in names if name not in self.given]
            raise DataError(
                "given: expected at least 2 columns that are not given, to test their pairs, got "
                f"{len(left)}{f' ({listed(left)})' if left else ''}; give fewer columns."
            )
        if self.pairs is not None:
            check_known("pairs", [name for pair in self.pairs for name in pair], names)
            rows, columns = np.array([[place[a], place[b]] for a, b in self.pairs]).T
            tested = np.zeros_like(tested)
            tested[rows, columns] = tested[columns, rows] = True
        return None if (tested == off_diagonal(len(names))).all() else tested


def checked_family(
    given: object = None, pairs: object = None
) -> tuple[tuple[str, ...], Pairs | None]:
    """`given` and `pairs`, as far as they can be checked without the data, each name once."""
    names = tuple(dict.fromkeys(check_columns("given", given) or ()))
    if pairs is None:
        return names, None
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
        raise ParameterError(
            "pairs: expected a sequence of pairs of names, as in [('a', 'b')], got "
            f"{type(pairs).__name__}."
        )
    found: dict[frozenset[str], tuple[str, str]] = {}
    for pair in pairs:
        one = isinstance(pair, str | bytes | Mapping) or not isinstance(pair, Iterable)
        own = () if one else tuple(map(str, pair))
        if len(own) != 2 or own[0] == own[1]:
            raise ParameterError(f"pairs: expected two different names in each pair, got {pair!r}.")
        for name in set(own).intersection(names):
            raise ParameterError(
                f"pairs: {own!r} has the column {name!r}, which is in given and so not tested; "
                "leave it out of one of the two."
            )
        found.setdefault(frozenset(own), own)
    if not found:
        raise ParameterError("pairs: expected at least one pair, got none; leave it out for all.")
    return names, tuple(found.values())
