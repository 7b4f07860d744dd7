"""The files that a path, a folder or a pattern stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence

from edgewise.errors import DataError
from edgewise.rows.readers.file_kinds import in_folder

StrPath = str | os.PathLike[str]


def expand_paths(paths: Sequence[StrPath]) -> list[str]:
    """All files, sorted: those of known kinds in a folder, and those that match a pattern."""
    given = [os.fspath(path) for path in paths]
    if "-" in given:
        if len(given) > 1:
            raise DataError("data: expected '-' (standard input) alone, got other files too.")
        return given
    found: list[str] = []
    for path in given:
        if "://" in path and not os.path.exists(path):
            raise DataError(
                f"data: expected a path on this machine, got '{path}'; read it with DuckDB, polars "
                "or Dask, and pass the data frame."
            )
        if not os.path.exists(path) and glob.has_magic(path):
            matches = sorted(glob.glob(path, recursive=True))
            if not matches:
                raise DataError(f"data: no file matches '{path}'.")
            for match in matches:
                found += _files_at(match)
        else:
            found += _files_at(path)
    if not found:
        raise DataError("data: expected at least one file, got none.")
    _refuse_repeated(found)
    return found


def _files_at(path: str) -> list[str]:
    """The path, or the files of a folder except hidden ones, whose names begin with . or _."""
    if not os.path.isdir(path):
        return [path]
    inside: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        inside += [os.path.join(folder, name) for name in names if in_folder(name)]
    if not inside:
        raise DataError(
            f"data: folder '{path}' has no .csv, .parquet, .arrow, .npy, .xlsx or .jsonl file."
        )
    return sorted(inside)


def file_identity(path: str) -> object:
    """What a file has in common with its links; None if there is no such file."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    # A file has one number, whatever its paths; without numbers there is only the path.
    return (known.st_dev, known.st_ino) if known.st_ino else os.path.realpath(path)


def _refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also by a link: its rows would count twice."""
    seen: dict[object, str] = {}
    for path in paths:
        key = file_identity(path)
        if key is None:
            continue  # told when it is opened
        if key in seen:
            also = "" if seen[key] == path else f" (also as '{seen[key]}')"
            raise DataError(
                f"data: expected every file once, got '{path}' twice{also}; its rows would count "
                "twice."
            )
        seen[key] = path
