"""Which columns of a table are variables."""

from __future__ import annotations

from collections.abc import Sequence

from edgewise._validation import check_names
from edgewise.errors import DataError


def selected_names(
    names: Sequence[str],
    columns: str | Sequence[str] | None,
    exclude: str | Sequence[str] | None,
    where: str,
) -> tuple[str, ...]:
    """Those of `columns` (all of `names` when None) that are not in `exclude`."""
    check_names(names)
    columns, exclude = ([one] if isinstance(one, str) else one for one in (columns, exclude))
    for argument, wanted in (("columns", columns), ("exclude", exclude)):
        for name in wanted or ():
            if name not in names:
                have = ", ".join(map(repr, names))
                raise DataError(f"{argument}: {where} has no column {name!r}; it has {have}.")
    kept = names if columns is None else check_names(columns)
    left = tuple(name for name in kept if name not in (exclude or ()))
    if names and not left:
        raise DataError(f"columns: expected at least 2 columns of {where} to test, got none.")
    return left
