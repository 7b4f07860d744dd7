"""State files: what `numpy.savez` writes, with a header of JSON and a checksum of the content.

The archive holds arrays of float64 or int64 and, as its first member, the header: kind, columns,
n_samples, further facts, and the SHA-256 of all of them. Nothing in a file is ever run as code, and
no more memory is allocated than the file is long.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from edgewise._files import atomic_path
from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import StateFileError

if TYPE_CHECKING:
    from edgewise.sums.batches import BatchMoments
    from edgewise.sums.concordance import ConcordanceMoments
    from edgewise.sums.moments import Moments
    from edgewise.sums.pairwise import PairwiseMoments
    from edgewise.sums.sequence import SequenceMoments

    AnyState: TypeAlias = (
        Moments | BatchMoments | ConcordanceMoments | PairwiseMoments | SequenceMoments
    )


_FORMAT = 2
_HEADER = "edgewise_state"
# A zip archive whose first member is the header: a local file header has 30 bytes before the name.
_MAGIC, _NAME, _NAME_AT = b"PK\3\4", f"{_HEADER}.npy".encode(), 30
_DTYPES = ("<f8", "<i8")


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


def fingerprint(contents: StateContents) -> str:
    """SHA-256 of the content: the same for two states of the same rows."""
    facts = (contents.kind, contents.columns, contents.n_samples, contents.meta)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name, array in sorted(contents.arrays.items()):
        little = _little_endian(array)
        digest.update(repr((name, little.dtype.str, little.shape)).encode())
        digest.update(little.data)
    return digest.hexdigest()


def write_state(path: str | os.PathLike[str], contents: StateContents) -> None:
    """Write to a temporary file, then rename: an old state stays until the new one is complete."""
    header = {
        "format": _FORMAT,
        "kind": contents.kind,
        "columns": contents.columns,
        "n_samples": contents.n_samples,
        "meta": contents.meta,
        "sha256": fingerprint(contents),
    }
    arrays: dict[str, Any] = {_HEADER: np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    arrays |= {name: _little_endian(array) for name, array in contents.arrays.items()}
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)


def _little_endian(array: AnyArray) -> AnyArray:
    # Not `ascontiguousarray` alone, which makes an array of one axis from a number.
    return np.asarray(array, dtype="<i8" if array.dtype.kind == "i" else "<f8", order="C")


def is_state_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a state file; a pipe is none, and reading would empty it."""
    try:
        return os.path.isfile(path) and _begins_like_a_state(Path(path))
    except (OSError, ValueError):
        return False


def _begins_like_a_state(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_NAME_AT + len(_NAME))
    return start.startswith(_MAGIC) and start[_NAME_AT:] == _NAME


def read_state(path: str | os.PathLike[str], kind: str | None = None) -> StateContents:
    """The contents of a state file, of one kind if named, or a `StateFileError`."""
    where = f"state file '{os.fspath(path)}'"
    try:
        if not _begins_like_a_state(Path(path)):
            raise StateFileError(
                f"{where} is not one that edgewise wrote, or is cut short; make it with "
                "`edgewise accumulate` or a state's save method."
            )
    except (OSError, ValueError) as error:
        if isinstance(error, StateFileError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise StateFileError(f"{where} cannot be read: {reason}.") from error
    try:
        with Path(path).open("rb") as file:
            contents = _contents(file)
    # Whatever zipfile, json and NumPy stumble over in a file that was tampered with.
    except Exception as error:
        own = isinstance(error, StateFileError)
        reason = str(error) if own else "it was cut, or changed"
        raise StateFileError(f"{where} is damaged: {reason}; write it again.") from error
    if kind not in (None, contents.kind):
        raise StateFileError(
            f"{where} holds a state of kind {contents.kind!r}, expected {kind!r}; load it as what "
            "it is."
        )
    return contents


def _contents(file: IO[bytes]) -> StateContents:
    size = file.seek(-22, os.SEEK_END) + 22
    if file.read(4) != b"PK\5\6":  # with which the last record of an archive begins
        raise StateFileError("it does not end like a state file")
    with zipfile.ZipFile(file) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        # Neither compressed nor twice the same bytes: a small file stays small in memory.
        if sum(info.file_size for info in members.values()) > size or any(
            info.compress_type != zipfile.ZIP_STORED for info in members.values()
        ):
            raise StateFileError("its arrays are larger than the file")
        text = _array(archive, members.pop(_HEADER), ("|u1",)).tobytes()
        header = json.loads(text)
        if header["format"] != _FORMAT:
            raise StateFileError(f"it is of format {header['format']!r}, expected {_FORMAT}")
        arrays = {name: _array(archive, info, _DTYPES) for name, info in members.items()}
    kind, columns, n, meta = (header[key] for key in ("kind", "columns", "n_samples", "meta"))
    sound = isinstance(kind, str) and isinstance(columns, list | None) and isinstance(meta, dict)
    sound = sound and all(isinstance(name, str) for name in columns or ())
    if not (sound and type(n) is int and 0 <= n < 1 << 62):
        raise StateFileError("its header lacks what a state needs")
    names = None if columns is None else tuple(columns)
    contents = StateContents(kind, names, n, meta, arrays)
    if fingerprint(contents) != header["sha256"]:
        raise StateFileError("its checksum does not match")
    return contents


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, dtypes: tuple[str, ...]) -> AnyArray:
    """A member of an archive, whose shape is believed only when there are as many numbers."""
    with archive.open(info) as member:
        np.lib.format.read_magic(member)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
        content = member.read()
    if fortran or dtype.str not in dtypes or len(content) != dtype.itemsize * math.prod(shape):
        raise StateFileError("it does not hold plain arrays")
    return np.frombuffer(content, dtype).reshape(shape).astype(dtype.newbyteorder("="))


class State(ABC):
    """Sums of rows that add up, and that a file can hold."""

    #: Its name in a state file.
    kind: ClassVar[str]
    #: The method that tests such a state by default.
    default_method: str

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Rows seen."""

    @abstractmethod
    def __add__(self, other: Any) -> Any:
        """The state of the rows that both have seen."""

    @abstractmethod
    def _contents(self) -> StateContents:
        """The content of its state file."""

    @classmethod
    @abstractmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        """The state that a file holds, after checking that its parts fit each other."""

    def merge(self, other: Self) -> Self:
        """Add the rows that `other` has seen, as rows that follow.

        Parameters
        ----------
        other : state of the same kind
            A state of the same columns and options. It is not changed. The state itself is refused,
            because its rows would count twice; merge a copy if you mean it.

        Returns
        -------
        state
            The state itself.
        """
        merged = self + other
        self.__dict__.update(merged.__dict__)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file that `load` reads.

        Parameters
        ----------
        path : str or path
            Where to write it; the file appears when it is complete.
        """
        write_state(path, self._contents())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a state that `save` wrote; loading never runs code from the file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        state
            The state.
        """
        return cls._from_contents(read_state(path, cls.kind))


# By the names of their classes: one is in `api`, which `sums` does not import.
KINDS = {
    "moments": "edgewise.sums.moments.Moments",
    "batches": "edgewise.sums.batches.BatchMoments",
    "pairwise": "edgewise.sums.pairwise.PairwiseMoments",
    "concordance": "edgewise.sums.concordance.ConcordanceMoments",
    "sequence": "edgewise.sums.sequence.SequenceMoments",
}


def state_class(kind: str) -> Any:
    """The class of a kind of state; a `KeyError` where there is none."""
    module, _, name = KINDS[kind].rpartition(".")
    return getattr(import_module(module), name)


def load_state(path: str | os.PathLike[str]) -> AnyState:
    """Read a state file of any kind; loading never runs code from the file."""
    contents = read_state(path)
    if contents.kind not in KINDS:
        raise StateFileError(
            f"state file '{os.fspath(path)}' holds a {contents.kind!r}, expected one of "
            f"{', '.join(KINDS)}."
        )
    return cast("AnyState", state_class(contents.kind)._from_contents(contents))


def as_state(data: Any) -> AnyState | None:
    """The state in `data`, which may also be the path of a state file; None if there is none."""
    if isinstance(data, State):
        return cast("AnyState", data)
    if isinstance(data, str | os.PathLike) and is_state_file(data):
        return load_state(data)
    return None
