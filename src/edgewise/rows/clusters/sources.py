"""The files that a cluster reads, as this process sees them: whether they change between passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from os.path import dirname
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from edgewise.rows.readers.file_marks import changed, mark_of

#: Asked before and after every pass; it is told whether the rows have never been read.
Check = Callable[[bool], None]
# What the objects of Hadoop's file systems say about themselves, also their owner and last use.
_HADOOP = re.compile(r"\b(length|modification_time|eTag|versionId)=([^;}\s,]+)")


def check_of(look: Callable[[], Mapping[str, object]]) -> Check | None:
    """Refuse files whose marks are no longer what they are now; None if nothing can be seen."""
    try:
        then = look()
    except Exception:
        return None  # another library's ways to its files, which may not be ours
    if not then:
        return None

    def check(never_read: bool) -> None:
        try:
            now = look()
        except FileNotFoundError as error:
            raise changed(str(error.filename or error), _GONE) from error
        except Exception:
            return  # whoever keeps the files does not answer now; the pass says if it matters
        for name, mark in then.items():
            if now.get(name) != mark:
                raise changed(name, _GONE if now.get(name) is None else "it was written anew")

    return check


_GONE = "there is no file of that name any more"


class StoredFile(NamedTuple):
    """A file of a file system of fsspec or of Arrow."""

    system: Any
    path: str


def marks_of(files: Sequence[StoredFile]) -> dict[str, object]:
    """The mark of each file: on this disk as always, elsewhere what its file system tells.

    fsspec calls that a checksum: the etag of an object of S3, else its size and times.
    """
    for system in {id(file.system): file.system for file in files}.values():
        with suppress(Exception):
            system.invalidate_cache()
            for folder in {dirname(file.path) for file in files if file.system is system}:
                system.ls(folder, detail=True)  # one request for all files in it
    return {file.path: _mark(file) for file in files}


def _mark(file: StoredFile) -> object:
    if type(file.system).__name__ == "LocalFileSystem":
        return mark_of(file.path)
    if hasattr(file.system, "get_file_info"):  # Arrow
        told = file.system.get_file_info(file.path)
        return told.size, told.mtime_ns
    return file.system.checksum(file.path)


def files_of_frame(frame: Any) -> list[StoredFile]:
    """The files that a Dask data frame reads, as far as its expression shows them."""
    found: dict[str, StoredFile] = {}
    for part in frame.expr.walk():
        about = getattr(part, "_dataset_info", None)
        if isinstance(about, Mapping):  # Parquet
            system = about.get("fs") or getattr(part, "fs", None)
            paths = about.get("all_files") or getattr(about.get("ds"), "files", None) or ()
            names = [str(getattr(path, "path", path)) for path in paths]
            found |= {name: StoredFile(system, name) for name in names if system is not None}
        elif hasattr(part, "iterables"):  # text, and other blocks of bytes
            found |= {file.path: file for file in files_within(part.iterables)}
    return list(found.values())


def files_within(thing: Any, depth: int = 6) -> Iterator[StoredFile]:
    """The files of fsspec among the arguments of tasks."""
    if hasattr(thing, "fs") and isinstance(getattr(thing, "path", None), str):
        yield StoredFile(thing.fs, thing.path)
    elif depth:
        for one in _inside(thing):
            yield from files_within(one, depth - 1)


def paths_within(thing: Any, known: Iterable[str], depth: int = 8) -> Iterator[str]:
    """Which known paths are among the arguments of tasks."""
    wanted = set(known)
    if isinstance(thing, str):
        yield from {thing} & wanted
    elif isinstance(getattr(thing, "path", None), str):
        yield from {thing.path} & wanted
    elif depth:
        for one in _inside(thing):
            yield from paths_within(one, wanted, depth - 1)


def _inside(thing: Any) -> Iterable[Any]:
    if isinstance(thing, Mapping):
        return thing.values()
    if isinstance(thing, list | tuple | set):
        return thing
    # Tasks of Dask, and functions with some of their arguments.
    held = [getattr(thing, name, ()) for name in ("args", "kwargs", "keywords", "value", "func")]
    return [one for one in held if isinstance(one, list | tuple | Mapping) or callable(one)]


def spark_marks(frame: Any) -> dict[str, object]:
    """The marks of the files that a Spark data frame reads; none where it is cached.

    Without a Java process of its own (Spark Connect) nothing can be asked.
    """
    session = frame.sparkSession
    java, configuration = session._jvm, session._jsc.hadoopConfiguration()
    names = [str(name) for name in frame.inputFiles()]
    marks: dict[str, object] = {}
    for name in names:
        if name.startswith("file:"):
            path = unquote(urlsplit(name).path)
            marks[path] = mark_of(path)
    elsewhere = [name for name in names if not name.startswith("file:")]
    for folder in sorted({dirname(name) for name in elsewhere}):
        path = java.org.apache.hadoop.fs.Path(java.java.net.URI(folder))
        # All at once: a question for each of many files would take minutes.
        told = java.org.apache.commons.lang3.ArrayUtils.toString(
            path.getFileSystem(configuration).listStatus(path)
        )
        marks |= hadoop_marks(told, [name for name in elsewhere if dirname(name) == folder])
    return marks


def hadoop_marks(told: str, names: Sequence[str]) -> dict[str, object]:
    """What a list of Hadoop's file states says about each of some files.

    Examples
    --------
    >>> told = "[S3AFileStatus{path=s3a://b/x.csv; length=9; access_time=0} eTag=0a, ...]"
    >>> hadoop_marks(told, ["s3a://b/x.csv"])
    {'s3a://b/x.csv': (('length', '9'), ('eTag', '0a'))}
    """
    found: dict[str, object] = {}
    for one in told.split("path=")[1:]:
        path, _, rest = one.partition(";")
        found[_plain(path)] = tuple(_HADOOP.findall(rest))
    return {name: found[_plain(name)] for name in names if _plain(name) in found}


def _plain(url: str) -> str:
    return unquote(url)
