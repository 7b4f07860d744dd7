"""Which columns of a table are variables."""

from __future__ import annotations

from collections.abc import Sequence

from edgewise._base.checks import check_names
from edgewise._base.text import listed
from edgewise.errors import DataError


def selected_names(
    names: Sequence[str],
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
    where: str,
) -> tuple[str, ...]:
    """Those of `columns` (all of `names` when None) that are not in `exclude`."""
    check_names(names)
    columns = names if columns is None else check_names(columns)
    exclude = () if exclude is None else exclude
    for argument, wanted in (("columns", columns), ("exclude", exclude)):
        for name in wanted:
            if name not in names:
                have = listed([*map(repr, names)])
                raise DataError(f"{argument}: {where} has no column {name!r}; it has {have}.")
    left = tuple(name for name in columns if name not in exclude)
    if names and not left:
        raise DataError(f"columns: expected at least 2 columns of {where} to test, got none.")
    return left
