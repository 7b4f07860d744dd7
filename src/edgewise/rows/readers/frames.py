"""pandas data frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from edgewise._base.checks import check_names
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import check_numeric, fixed_blocks, unreadable
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, batch_rows


class PandasTable(LocalTable):
    """A pandas data frame, converted a slice at a time; its index is not a variable."""

    named = True
    rescannable = True
    in_memory = True

    def __init__(
        self,
        frame: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        names = check_names(frame.columns)
        self.feature_names = selected_names(names, columns, exclude, "X", along)
        self._along = tuple(along)
        if self.feature_names != names:
            place = {name: i for i, name in enumerate(names)}
            frame = frame.iloc[:, [place[name] for name in self.feature_names]]
        self._frame = frame
        schema = self._slice(0, 1000).schema
        check_numeric((field for field in schema if field.name not in self._along), "X")

    @property
    def n_rows(self) -> int | None:
        return len(self._frame)

    def _slice(self, start: int, rows: int) -> pa.Table:
        part = self._frame.iloc[start : start + rows]
        try:
            return pa.Table.from_pandas(part, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise unreadable(self._frame, error) from error

    def entries(self) -> Sequence[int]:
        return range(max(len(self._frame), 1))

    def blocks(self) -> Iterator[Rows]:
        return self.blocks_from(0)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        p = len(self.feature_names)
        rows = batch_rows(p)
        starts = range(row, len(self._frame), rows)
        slices = (self._slice(start, rows) for start in starts)
        batches = (batch for table in slices for batch in table.to_batches())
        return fixed_blocks(batches, p, along=self._along)
