"""The rows of DATA, opened as the options of a command say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from edgewise.cli.options import column_names, missing_asked
from edgewise.cli.reading import reading_of
from edgewise.cli.telling import remark

if TYPE_CHECKING:
    from edgewise.rows.readers.files import FileTable
    from edgewise.rows.table import Table


@contextmanager
def opened_table(asked: dict[str, Any]) -> Iterator[Table]:
    """The chosen columns of DATA."""
    from edgewise.rows.readers.files import FileTable
    from edgewise.rows.weighting import weighted_columns

    data = asked["data"]
    _refuse_states(data)
    chosen: dict[str, Any] = {name: column_names(asked[name]) for name in ("columns", "exclude")}
    if asked.get("weights") is not None:
        read = weighted_columns(chosen["columns"], chosen["exclude"], asked["weights"])
        chosen = {"columns": read[0], "exclude": read[1]}
    chosen["reading"] = reading_of(asked)
    groups = asked.get("groups")
    chosen["along"] = () if groups is None else (groups,)
    yield told(FileTable(data, **chosen))


def told(files: FileTable) -> FileTable:
    """The files; a remark says what was guessed about them, if it is unusual."""
    for note in files.notes:
        remark(note)
    return files


def _refuse_states(data: tuple[str, ...]) -> None:
    from edgewise.errors import DataError
    from edgewise.states.registry import as_state

    for path in data:
        if as_state(path) is not None:
            raise DataError(
                f"data: expected rows, got the state file '{path}'; `edgewise test` takes a single "
                "state, `edgewise merge` several."
            )


@contextmanager
def watched(
    asked: dict[str, Any], table: Table, what: str, passes: int | None = None
) -> Iterator[Table]:
    """The chosen rows, with a progress bar."""
    from edgewise.cli.progress import progress_bar
    from edgewise.rows.opening import open_table

    named = ("groups", "weights", "transform")
    how: dict[str, Any] = {name: asked.get(name) for name in named}
    how |= {"missing": missing_asked(asked), "weight_kind": asked.get("weight_kind", "sampling")}
    rows = table.estimated_rows
    # How often normal scores read the rows depends on whether they fit in memory.
    known = rows is not None and passes is not None and how["transform"] is None
    total = rows * passes if known else None  # type: ignore[operator]
    with progress_bar(total, what) as tell:
        yield open_table(table, progress=tell, **how)
