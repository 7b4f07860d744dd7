"""The common form of all open files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from edgewise.tables.text import TextFormat

from edgewise._text import one_line
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.file_marks import FileMark, unchanged
from edgewise.tables.table import Rows

#: What standard input is called in messages and lists of files.
STANDARD_INPUT = "standard input"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What is known about a file before `read(columns, skip, along)` reads its rows."""

    path: str
    names: tuple[str, ...]
    named: bool  # whether the names came with the file
    n_rows: int | None
    estimated_rows: int | None
    read: Callable[..., Iterator[Rows]]
    # The columns that do not hold numbers, and what they hold.
    texts: Mapping[str, str] = field(default_factory=dict)
    # Columns that only number or name the rows, and what to tell about each of them.
    index: tuple[str, ...] = ()
    index_notes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    first_text: Callable[[str], str] = lambda column: ""  # where a column first holds text
    labels: Callable[[str], list[Any]] | None = None  # all values of a column, if it may hold text
    entries: Sequence[int] = (0,)  # rows at which a pass can start without reading those before
    rescannable: bool = True
    form: TextFormat | None = None
    kind: str = "CSV"
    mark: FileMark | None = None
    held: bool = False  # in memory since it was opened, so that no change matters

    @property
    def where(self) -> str:
        """The file in a message."""
        return self.path if self.path == STANDARD_INPUT else f"file '{self.path}'"

    def note(self, left_out: Collection[str]) -> str:
        """What is unusual about how it was read, to follow its name in a sentence."""
        index = zip(self.index, self.index_notes, strict=True)
        notes = [*self.notes, *(note for name, note in index if note and name in left_out)]
        return "".join(
            f"{' ' if not k and not note.startswith('its ') else '; ' if k else ': '}{note}"
            for k, note in enumerate(notes)
        )

    def unchanged(self, *, may_grow: bool = False) -> AbstractContextManager[None]:
        """Refuse the file if it changes before or during a block that reads its rows."""
        return unchanged(self.path, None if self.held else self.mark, may_grow=may_grow)

    def values(self, name: str) -> list[Any]:
        """All values of a column, which may hold text; None where there is none."""
        with self.unchanged(), readable(self.path):
            if self.labels is not None:
                return self.labels(name)
            blocks = [np.asarray(block)[:, 0] for block in self.read([name], 0)]
            return list(np.concatenate(blocks).tolist()) if blocks else []


@contextmanager
def readable(path: str, *, whatever: bool = False) -> Iterator[None]:
    """Turn an error of a reader, with `whatever` any error, into a sentence that names the file."""
    try:
        yield
    except EdgewiseError:
        raise
    except UnicodeEncodeError as error:
        raise DataError(
            f"data: expected the name of a file in UTF-8, got {os.fsencode(path)!r}; rename it."
        ) from error
    except UnicodeError as error:
        raise DataError(
            f"data: file '{path}' is not text in the encoding of its first lines "
            f"({one_line(error)}); name its encoding (encoding=... of open_table, --encoding)."
        ) from error
    except EOFError as error:
        raise DataError(f"data: file '{path}' is cut short ({one_line(error)}).") from error
    except OSError as error:
        # The readers' own errors have no number: they say what is wrong with the bytes.
        reason = error.strerror or f"{one_line(error)}; is it complete"
        raise DataError(
            f"data: file '{path}' cannot be read: {reason}{'.' if error.strerror else '?'}"
        ) from error
    except Exception as error:
        # The errors of Arrow, which may not be installed, and of readers of other formats.
        if not whatever and type(error).__module__.partition(".")[0] not in _READERS:
            raise
        reason = one_line(error) or type(error).__name__
        raise DataError(
            f"data: file '{path}' cannot be read: {reason}. Is it complete, and of the kind that "
            "its name says?"
        ) from error


_READERS = ("pyarrow", "lzma", "zlib", "_lzma", "zipfile")
