"""The answer on standard output, all else on standard error, whatever these streams are."""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning
from edgewise.plots.safe_names import printable

if TYPE_CHECKING:
    from edgewise.tables.files import FileRead


def prepare_streams() -> None:
    """Give each stream a file, and let it write any character in its own encoding."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Started without it, as by `>&-`. No file that is opened later may take its number,
            # and what is written to standard output must fail rather than vanish.
            number = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper) and name != "stdin":
            stream.reconfigure(errors="backslashreplace")


def wrapped(text: str, stream: Any) -> str:
    """A text in lines that end between words, if it goes to a terminal."""
    if not stream.isatty():
        return text
    width = max(shutil.get_terminal_size().columns - 1, 40)
    return textwrap.fill(
        text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def output(sentence: str = "") -> None:
    """Print a sentence of the answer."""
    print(wrapped(printable(sentence), sys.stdout), flush=True)


def write_bytes(data: bytes) -> None:
    """Write data to standard output as they are: in UTF-8, whatever the terminal shows."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def info(sentence: str, prefix: str = "edgewise: ", keep: str = "") -> None:
    """Print a line on standard error; where it cannot be written nobody is left to read it."""
    text = prefix + printable(sentence, keep)
    try:
        print(text if keep else wrapped(text, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Let a stream that failed swallow the rest, which Python would try to write at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print our own warnings as they come, except those that a result repeats as cautions."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EdgewiseWarning)
        warnings.simplefilter("ignore", BrokenAssumptionWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, EdgewiseWarning):
                info(str(message))
            else:
                others(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def info_dropped(n_dropped: int) -> None:
    """Say how many rows were left out."""
    if n_dropped:
        info(f"left out {_rows(n_dropped)} with missing or infinite values.")


def info_files(files: Sequence[FileRead]) -> None:
    """Say which files were read, and how many rows each has."""
    for file in files:
        info(f"read {'rows' if file.rows is None else _rows(file.rows)} of '{file.path}'.")


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
