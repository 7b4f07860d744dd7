"""State files: self-describing, checksummed, portable, and only data.

Layout, all numbers little-endian:

    8 bytes   magic, "EDGEWISE"
    4 bytes   format version
    4 bytes   length of the header
    …         header, JSON: kind, columns, n_samples, library version, names and shapes of arrays
    …         the arrays, float64 or int64, one after the other
    32 bytes  SHA-256 of everything before

Reading checks the header against the size of the file before it allocates memory, and the checksum
before it uses any content. No part of a file is ever run as code.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from edgewise._base.atomic import atomic_path
from edgewise._base.types import AnyArray, FloatArray
from edgewise._version import __version__
from edgewise.errors import StateFileError

MAGIC = b"EDGEWISE"
FORMAT_VERSION = 1
_PREFIX = struct.Struct("<8sII")
_DIGEST_BYTES = 32
_LARGEST_HEADER = 1 << 26
_DTYPES = {"<f8": np.dtype("<f8"), "<i8": np.dtype("<i8")}


@dataclass(frozen=True, eq=False, slots=True)
class StateContents:
    """The content of a state file, before it is written or after it is read."""

    kind: str
    columns: tuple[str, ...] | None
    n_samples: int
    meta: dict[str, Any]
    arrays: dict[str, AnyArray] = field(default_factory=dict)

    def array(self, name: str, shape: tuple[int, ...]) -> AnyArray:
        """An array that must be there and have this shape."""
        found = self.arrays.get(name)
        if found is None or found.shape != shape:
            have = "nothing" if found is None else f"shape {found.shape}"
            raise StateFileError(f"state: expected {name!r} of shape {shape}, got {have}.")
        return found

    def floats(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        return self.array(name, shape).astype(np.float64)

    def width(self, name: str) -> int:
        """The number of columns, from the last axis of an array; the names must agree."""
        found = self.arrays.get(name)
        if found is None or found.ndim == 0:
            raise StateFileError(f"state: expected an array {name!r}, got none.")
        width = int(found.shape[-1])
        if self.columns is not None and len(self.columns) != width:
            raise StateFileError(f"state: expected {width} column names, got {len(self.columns)}.")
        return width

    def whole(self, name: str, at_least: int) -> int:
        """A whole number from the header."""
        value = self.meta.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
            raise StateFileError(f"state: expected a whole number {name!r}, got {value!r}.")
        return value


def write_state(path: str | os.PathLike[str], contents: StateContents) -> None:
    """Write to a temporary file, then rename: an old state stays until the new one is complete."""
    arrays = {
        name: np.ascontiguousarray(array, dtype="<i8" if array.dtype.kind == "i" else "<f8")
        for name, array in contents.arrays.items()
    }
    header = json.dumps(
        {
            "kind": contents.kind,
            "columns": contents.columns,
            "n_samples": contents.n_samples,
            "edgewise": __version__,
            "meta": contents.meta,
            "arrays": [
                {"name": name, "dtype": array.dtype.str, "shape": array.shape}
                for name, array in arrays.items()
            ],
        },
        ensure_ascii=False,
    ).encode("utf-8", "surrogatepass")
    prefix = _PREFIX.pack(MAGIC, FORMAT_VERSION, len(header))
    digest = hashlib.sha256()
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        for part in (prefix, header, *(array.tobytes() for array in arrays.values())):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def fingerprint(contents: StateContents) -> bytes:
    """The same for two states of the same rows, whichever version of edgewise wrote them."""
    digest = hashlib.sha256(repr((contents.kind, contents.columns, contents.n_samples)).encode())
    for name, array in sorted(contents.arrays.items()):
        digest.update(name.encode())
        digest.update(array.tobytes())
    return digest.digest()


def is_state_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a state file; a pipe is none, and reading would empty it."""
    try:
        if not os.path.isfile(path):
            return False
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read_state(path: str | os.PathLike[str], kind: str | None = None) -> StateContents:
    """The contents of a state file, of one kind if named, or a `StateFileError`."""
    where = f"state file '{os.fspath(path)}'"
    try:
        size = os.path.getsize(path)
        with Path(path).open("rb") as file:
            start = file.read(_PREFIX.size)
            header_length = _check_prefix(start, size, where)
            header_bytes = file.read(header_length)
            header = _parse_header(header_bytes, where)
            layout = _array_layout(header, where)
            payload = sum(count for *_, count in layout)
            expected = _PREFIX.size + header_length + 8 * payload + _DIGEST_BYTES
            if size != expected:
                raise StateFileError(
                    f"{where} is damaged: its header describes {expected} bytes, the file has "
                    f"{size}; write it again."
                )
            body = file.read(8 * payload)
            digest = hashlib.sha256(start + header_bytes)
            digest.update(body)
            if digest.digest() != file.read(_DIGEST_BYTES):
                raise StateFileError(
                    f"{where} is damaged: its checksum does not match; write it again."
                )
    except (OSError, ValueError) as error:
        if isinstance(error, StateFileError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise StateFileError(f"{where} cannot be read: {reason}.") from error
    contents = _contents(header, layout, body, where)
    if kind is not None and contents.kind != kind:
        raise StateFileError(
            f"{where} holds a state of kind {contents.kind!r}, expected {kind!r}; load it as what "
            "it is."
        )
    return contents


def _check_prefix(start: bytes, size: int, where: str) -> int:
    if len(start) < _PREFIX.size or not start.startswith(MAGIC):
        raise StateFileError(
            f"{where} is not one that edgewise wrote, or is cut short; make it with "
            "`edgewise accumulate` or a state's save method."
        )
    _, version, header_length = _PREFIX.unpack(start)
    if version > FORMAT_VERSION:
        raise StateFileError(
            f"{where} is of format {version}, newer than the {FORMAT_VERSION} that this edgewise "
            f"({__version__}) reads; upgrade edgewise."
        )
    if version < 1 or header_length > min(size, _LARGEST_HEADER):
        raise StateFileError(f"{where} is damaged: its first bytes are wrong; write it again.")
    return int(header_length)


def _parse_header(text: bytes, where: str) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise StateFileError(
            f"{where} is damaged: its header is not JSON; write it again."
        ) from error
    if not isinstance(header, dict):
        raise StateFileError(f"{where} is damaged: its header is not a JSON object.")
    return header


def _array_layout(
    header: dict[str, Any], where: str
) -> list[tuple[str, np.dtype[Any], tuple[int, ...], int]]:
    """Name, kind, shape and number of elements of each array, from the header alone."""
    layout = []
    entries = header.get("arrays")
    for entry in entries if isinstance(entries, list) else [{}]:
        described = entry if isinstance(entry, dict) else {}
        shape, kind = described.get("shape"), described.get("dtype")
        if not _is_shape(shape) or not isinstance(kind, str) or kind not in _DTYPES:
            raise StateFileError(f"{where} is damaged: its header does not describe plain arrays.")
        layout.append((str(described.get("name")), _DTYPES[kind], tuple(shape), math.prod(shape)))
    return layout


def _is_shape(shape: Any) -> TypeGuard[list[int]]:
    return (
        isinstance(shape, list)
        and len(shape) <= 3
        and all(type(n) is int and 0 <= n < 1 << 40 for n in shape)
    )


def _contents(
    header: dict[str, Any],
    layout: list[tuple[str, np.dtype[Any], tuple[int, ...], int]],
    body: bytes,
    where: str,
) -> StateContents:
    arrays, start = {}, 0
    for name, dtype, shape, count in layout:
        part = np.frombuffer(body, dtype=dtype, count=count, offset=8 * start)
        arrays[name] = part.reshape(shape).astype(dtype.newbyteorder("="))
        start += count
    columns, n_samples, meta = (header.get(key) for key in ("columns", "n_samples", "meta"))
    names_fit = columns is None or (
        isinstance(columns, list) and all(isinstance(name, str) for name in columns)
    )
    counted = type(n_samples) is int and 0 <= n_samples < 1 << 62
    if not (names_fit and counted and isinstance(meta, dict)):
        raise StateFileError(f"{where} is damaged: its header lacks what a state needs.")
    names = None if columns is None else tuple(columns)
    return StateContents(str(header.get("kind")), names, int(n_samples or 0), dict(meta), arrays)
