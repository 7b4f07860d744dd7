"""The common form of all open files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from edgewise._base.text import one_line
from edgewise.errors import DataError
from edgewise.rows.block import Rows


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What is known about a file before its rows are read, and how to read them.

    `read(columns, skip, along)` starts a pass over those columns from row `skip` on, of which those
    `along` hold labels; `first_text(column)` says where a column first holds something that is not
    a number, for kinds that can. At the rows `entries` a pass can start without reading the rows
    before.
    """

    path: str
    schema: pa.Schema
    named: bool
    n_rows: int | None
    estimated_rows: int | None
    read: Callable[..., Iterator[Rows]]
    first_text: Callable[[str], str] = lambda column: ""
    entries: Sequence[int] = (0,)


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn an error of a reader into one sentence that names the file."""
    try:
        yield
    except pa.ArrowException as error:
        raise DataError(
            f"data: file '{path}' cannot be read: {one_line(error)}. Is it complete, and of the "
            "kind that its name says?"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"data: file '{path}' is not UTF-8 text ({one_line(error)}); save it as UTF-8."
        ) from error
    except EOFError as error:
        raise DataError(f"data: file '{path}' is cut short ({one_line(error)}).") from error
    except OSError as error:
        reason = error.strerror or one_line(error)
        raise DataError(f"data: file '{path}' cannot be read: {reason}.") from error
