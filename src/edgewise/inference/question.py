"""The question to a measurement: the level, the correction, the smallest effect, and which pairs.

All columns are in the model, whichever pairs are tested. Estimates, statistics and p-values of the
tested pairs are those of a test of all pairs; only what counts the pairs (corrections, simultaneous
intervals, planned levels) counts fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from edgewise._checks import check_columns, check_known, check_real
from edgewise._linalg import BoolArray, off_diagonal
from edgewise._text import listed
from edgewise.errors import DataError, ParameterError

#: What effects are measured in.
SCALES = ("partial_correlation", "precision")
Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a measurement; see `Method.question`, which checks it.

    `min_effect`: H₀ is |effect| ≤ this.
    `effect_scale`: What the effect is.
    `given`: Columns that are adjusted for; no pair with one of them is tested.
    `pairs`: The only pairs to test; None for all that have no given column.
    """

    alpha: float
    correction: str | None
    min_effect: float = 0.0
    effect_scale: str = "partial_correlation"
    given: tuple[str, ...] = ()
    pairs: Pairs | None = None

    @property
    def effect(self) -> tuple[float, str]:
        """The smallest effect, and its scale."""
        return self.min_effect, self.effect_scale

    def tested(self, names: Sequence[str]) -> BoolArray | None:
        """Which pairs of these columns are tested, as a symmetric matrix; None where all are."""
        return family_mask(names, self.given, self.pairs)


def checked_effect(value: object, scale: str) -> tuple[float, str]:
    """The smallest effect, and its scale."""
    if isinstance(value, Real) and value == 0:
        return 0.0, scale
    below = 1.0 if scale == "partial_correlation" else np.inf
    return check_real("min_effect", value, above=0, below=below), scale


def checked_family(
    given: object = None, pairs: object = None, *, columns: Any = None, exclude: Any = None
) -> tuple[tuple[str, ...], Pairs | None]:
    """`given` and `pairs`, as far as they can be checked without the data, each name once.

    `columns` and `exclude` are those of the same call.
    """
    names = tuple(dict.fromkeys(check_columns("given", given) or ()))
    chosen = None if pairs is None else _checked_pairs(pairs)
    left_out = set(check_columns("exclude", exclude) or ())
    model = check_columns("columns", columns)
    wanted = [("given", name) for name in names]
    wanted += [("pairs", name) for pair in chosen or () for name in pair]
    for argument, name in wanted:
        if name in left_out:
            raise ParameterError(
                f"{argument}: {name!r} is also in exclude, which leaves it out of the model; "
                "name it in only one of the two."
            )
        if model is not None and name not in model:
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
    return names, chosen


def family_mask(
    names: Sequence[str], given: Sequence[str] = (), pairs: Pairs | None = None
) -> BoolArray | None:
    """Which pairs of these columns are tested, as a symmetric matrix; None where all are."""
    if not given and pairs is None:
        return None
    check_known("given", given, names)
    place = {name: i for i, name in enumerate(names)}
    tested = off_diagonal(len(names))
    left_out = [place[name] for name in given]
    tested[left_out, :] = tested[:, left_out] = False
    if not tested.any():
        left = [repr(name) for name in names if name not in given]
        raise DataError(
            "given: expected at least 2 columns that are not given, to test their pairs, got "
            f"{len(left)}{f' ({listed(left)})' if left else ''}; give fewer columns."
        )
    if pairs is not None:
        check_known("pairs", [name for pair in pairs for name in pair], names)
        rows, columns = np.array([[place[a], place[b]] for a, b in pairs]).T
        tested = np.zeros_like(tested)
        tested[rows, columns] = tested[columns, rows] = True
    return None if (tested == off_diagonal(len(names))).all() else tested


def _checked_pairs(pairs: object) -> Pairs:
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
