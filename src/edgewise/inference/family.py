"""The family: which pairs are tested, and what is only adjusted for.

All columns are in the model, whatever the family. Estimates, statistics and p-values of the tested
pairs are those of a test of all pairs; only what counts the pairs (corrections, simultaneous
intervals, planned levels) counts fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._checks import check_columns, check_known
from edgewise._linalg import BoolArray, off_diagonal
from edgewise._text import listed
from edgewise.errors import DataError, ParameterError


@dataclass(frozen=True, slots=True)
class Family:
    """The tested pairs, by the names of their columns: by default all pairs.

    Attributes
    ----------
    given : tuple of str
        Columns that are adjusted for; no pair with one of them is tested.
    pairs : tuple of pairs of str, or None
        The only pairs to test; None for all that have no given column.
    """

    given: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def checked(
        cls, given: object = None, pairs: object = None, *, columns: Any = None, exclude: Any = None
    ) -> Family:
        """What a user asks for, as far as it can be checked without the data.

        `columns` and `exclude` are those of the same call. A pair or a name that is there more than
        once counts once.
        """
        names = tuple(dict.fromkeys(check_columns("given", given) or ()))
        chosen = None if pairs is None else _checked_pairs(pairs)
        left_out = set(check_columns("exclude", exclude) or ())
        kept = check_columns("columns", columns)
        wanted = [("given", name) for name in names]
        wanted += [("pairs", name) for pair in chosen or () for name in pair]
        for argument, name in wanted:
            if name in left_out:
                raise ParameterError(
                    f"{argument}: {name!r} is also in exclude, which leaves it out of the model; "
                    "name it in only one of the two."
                )
            if kept is not None and name not in kept:
                raise ParameterError(
                    f"{argument}: {name!r} is not in columns, which has all columns of the model; "
                    "add it there."
                )
        for pair in chosen or ():
            for name in set(pair).intersection(names):
                raise ParameterError(
                    f"pairs: {pair!r} has the column {name!r}, which is in given and so not "
                    "tested; leave it out of one of the two."
                )
        return cls(names, chosen)

    def tested(self, names: Sequence[str]) -> BoolArray | None:
        """Which pairs of these columns are tested, as a symmetric matrix; None where all are.

        Examples
        --------
        >>> Family(given=("c",)).tested(["a", "b", "c"])
        array([[False,  True, False],
               [ True, False, False],
               [False, False, False]])
        """
        if not self.given and self.pairs is None:
            return None
        check_known("given", self.given, names)
        place = {name: i for i, name in enumerate(names)}
        pairs = off_diagonal(len(names))
        left_out = [place[name] for name in self.given]
        pairs[left_out, :] = pairs[:, left_out] = False
        if not pairs.any():
            left = [repr(name) for name in names if name not in self.given]
            raise DataError(
                "given: expected at least 2 columns that are not given, to test their pairs, got "
                f"{len(left)}{f' ({listed(left)})' if left else ''}; give fewer columns."
            )
        if self.pairs is not None:
            check_known("pairs", [name for pair in self.pairs for name in pair], names)
            rows, columns = np.array([[place[a], place[b]] for a, b in self.pairs]).T
            pairs = np.zeros_like(pairs)
            pairs[rows, columns] = pairs[columns, rows] = True
        return None if (pairs == off_diagonal(len(names))).all() else pairs


def _checked_pairs(pairs: object) -> tuple[tuple[str, str], ...]:
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
        raise ParameterError(
            "pairs: expected a sequence of pairs of names, as in [('a', 'b')], got "
            f"{type(pairs).__name__}."
        )
    found: dict[frozenset[str], tuple[str, str]] = {}
    for pair in pairs:
        if isinstance(pair, str | bytes | Mapping) or not isinstance(pair, Iterable):
            raise ParameterError(f"pairs: expected two names in each pair, got {pair!r}.")
        names = tuple(str(name) for name in pair)
        if len(names) != 2:
            raise ParameterError(
                f"pairs: expected two names in each pair, got {len(names)}: {names!r}."
            )
        if names[0] == names[1]:
            raise ParameterError(
                f"pairs: expected two different columns, got {names[0]!r} twice; an edge joins "
                "two columns."
            )
        found.setdefault(frozenset(names), names)
    if not found:
        raise ParameterError("pairs: expected at least one pair, got none; leave it out for all.")
    return tuple(found.values())
