"""A file of the corpus, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NAN = float("nan")


@dataclass(frozen=True)
class FileCase:
    """A file and its rows and notes, or the words of the one sentence that refuses it.

    If `told` is empty there must be no notes. `reading` is what the user says about the form, and
    `chosen` are the columns that are chosen or left out.
    """

    file: str
    content: bytes | Callable[[], bytes]
    names: Sequence[str] = ()
    rows: Sequence[Sequence[float]] = ()
    told: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)


#: The rows of most cases, and the names that go with them.
ROWS = ((1.5, 2.0), (2.0, 3.0), (2.5, 5.0))
NAMES = ("a", "b")


def reads(
    content: str | bytes | Callable[[], bytes],
    *told: str,
    file: str = "x.csv",
    encoding: str | None = None,
    names: Sequence[str] = NAMES,
    rows: Sequence[Sequence[float]] = ROWS,
    chosen: Mapping[str, Any] | None = None,
    **reading: Any,
) -> FileCase:
    """A file that is read as these columns and rows, with these fragments told.

    Text is written in the encoding; of bytes, it is what the user says.
    """
    raw = content.encode(encoding or "utf-8") if isinstance(content, str) else content
    if not isinstance(content, str) and encoding is not None:
        reading["encoding"] = encoding
    return FileCase(file, raw, tuple(names), rows, told, (), reading, chosen or {})


def refused(
    content: str | bytes | Callable[[], bytes],
    *error: str,
    file: str = "x.csv",
    encoding: str | None = None,
    chosen: Mapping[str, Any] | None = None,
    **reading: Any,
) -> FileCase:
    """A file that is refused with one sentence that has these fragments."""
    raw = content.encode(encoding or "utf-8") if isinstance(content, str) else content
    if not isinstance(content, str) and encoding is not None:
        reading["encoding"] = encoding
    return FileCase(file, raw, error=(*error, file), reading=reading, chosen=chosen or {})
