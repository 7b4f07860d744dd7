"""Which columns of a table are variables, and their places in another table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_known, check_names
from edgewise._base.text import listed
from edgewise.errors import DataError, EdgewiseError


def selected_names(
    names: Sequence[str],
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
    where: str,
    along: Sequence[str] = (),
    unasked: Sequence[str] = (),
) -> tuple[str, ...]:
    """Those of `columns` (all of `names` when None) that are not in `exclude`.

    The columns `along` are no variables: they are read along, after the others. Those `unasked`
    are left out unless they are among `columns`.
    """
    names = check_names(names)
    everything = [name for name in names if name not in unasked]
    columns = everything if columns is None else check_names(columns)
    exclude = () if exclude is None else exclude
    left_out = {*exclude, *along}
    for argument, wanted in (("columns", columns), ("exclude", exclude), ("groups", along)):
        check_known(argument, wanted, names, where)
    left = tuple(name for name in columns if name not in left_out)
    if names and not left:
        raise DataError(f"columns: expected at least 2 columns of {where} to test, got none.")
    return left + tuple(along)


def column_places(
    ours: Sequence[str], theirs: Sequence[str], differ: Callable[[str], EdgewiseError]
) -> npt.NDArray[np.intp] | None:
    """The place of each of our columns among theirs; None if nothing has to move.

    `differ` makes the error if the columns differ, from words that say how.

    Examples
    --------
    >>> column_places(["a", "b"], ["b", "a"], DataError)
    array([1, 0])
    >>> column_places(["a", "b"], ["a", "c"], lambda what: DataError(f"file 2: {what}."))
    Traceback (most recent call last):
    edgewise.errors.DataError: file 2: it lacks 'b'; it also has 'c'.
    """
    if tuple(ours) == tuple(theirs):
        return None
    mine, place = set(ours), {name: i for i, name in enumerate(theirs)}
    missing = [name for name in ours if name not in place]
    extra = [name for name in theirs if name not in mine]
    if missing or extra:
        words = (("it lacks", missing), ("it also has", extra))
        said = [f"{what} {listed([*map(repr, names)])}" for what, names in words if names]
        raise differ("; ".join(said))
    return np.array([place[name] for name in ours], dtype=np.intp)
