"""What to do with missing values: refuse them, leave out their rows, or use what each pair has."""

from __future__ import annotations

from edgewise._base.checks import check_choice, check_flag
from edgewise.errors import ParameterError
from edgewise.rows.table import Part, Table
from edgewise.rows.views import View

MISSING = ("raise", "drop", "pairwise")


def missing_of(missing: object, drop_missing: object) -> str:
    """The checked choice; `drop_missing` is the former way to say "drop"."""
    check_choice("missing", missing, MISSING)
    if not check_flag("drop_missing", drop_missing):
        return str(missing)
    if missing == "pairwise":
        raise ParameterError(
            "drop_missing: expected False with missing='pairwise', got True; leave one of the two "
            "out."
        )
    return "drop"


def refuse_pairwise(missing: str, what: str) -> None:
    """Refuse pairs of columns with rows of their own, where that has no meaning yet."""
    if missing == "pairwise":
        raise ParameterError(
            f"missing: expected 'raise' or 'drop' with {what}, got 'pairwise'; drop such rows, or "
            "fill values in several times and pool the results (edgewise.pool)."
        )


class PartialTable(View):
    """A table whose rows may lack values: NaN or infinity stands for a missing one."""

    def __init__(self, table: Table) -> None:
        super().__init__(table, _as_it_is)


def _as_it_is(part: Part) -> Part:
    return part


def may_lack_values(table: object) -> bool:
    """Whether it is a table that was opened so that its rows may lack values."""
    while isinstance(table, View):
        if isinstance(table, PartialTable):
            return True
        table = table.below
    return False
