"""States of rows: how they take rows, add up, and are saved, as `numpy.savez` does.

A header of JSON has the kind, columns, n_samples and the SHA-256 of everything.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_names
from edgewise._files import atomic_path
from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError, StateFileError
from edgewise.tables.arrays import check_rows
from edgewise.tables.table import ColumnBlock, Rows, column_places, raise_for_nonfinite

_FORMAT = 2
_HEADER = "edgewise_state"
# A zip archive whose first member is the header: a local file header has 30 bytes before the name.
_MAGIC, _NAME, _NAME_AT = b"PK\3\4", f"{_HEADER}.npy".encode(), 30


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

    def counts(self, name: str) -> npt.NDArray[np.int64]:
        n = self.arrays.get(name)
        if n is None or n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
            raise StateFileError("state: expected units of at least one row.")
        return n

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
        value = self.meta.get(name)
        if type(value) is not int or value < at_least:
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
        if not os.path.isfile(path):
            return False
        with Path(path).open("rb") as file:
            start = file.read(_NAME_AT + len(_NAME))
    except (OSError, ValueError):
        return False
    return start.startswith(_MAGIC) and start[_NAME_AT:] == _NAME


def read_state(path: str | os.PathLike[str], kind: str | None = None) -> StateContents:
    """The contents of a state file, of one kind if named, or a `StateFileError`."""
    where = f"state file '{os.fspath(path)}'"
    try:
        file = Path(path).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StateFileError(f"{where} cannot be read: {reason}.") from error
    with file:
        if not is_state_file(path):
            raise StateFileError(
                f"{where} is not one that edgewise wrote, or is cut short; make it with "
                "`edgewise accumulate` or a state's save method."
            )
        try:
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
    with np.load(file, allow_pickle=False) as archive:
        arrays = dict(archive)
    header = json.loads(arrays.pop(_HEADER).tobytes())
    if header["format"] != _FORMAT:
        raise StateFileError(f"it is of format {header['format']!r}, expected {_FORMAT}")
    kind, columns, n, meta = (header[key] for key in ("kind", "columns", "n_samples", "meta"))
    sound = isinstance(kind, str) and isinstance(columns, list | None) and isinstance(meta, dict)
    sound = sound and type(n) is int and all(isinstance(name, str) for name in columns or ())
    if not sound or any(array.dtype not in (np.float64, np.int64) for array in arrays.values()):
        raise StateFileError("it does not hold what a state needs")
    contents = StateContents(kind, None if columns is None else tuple(columns), n, meta, arrays)
    if fingerprint(contents) != header["sha256"]:
        raise StateFileError("its checksum does not match")
    return contents


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
    def _restored(cls, contents: StateContents) -> Self:
        """The state that a file holds, after checking that its parts fit each other."""

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        state = cls._restored(contents)
        if state.n_samples != contents.n_samples:
            raise StateFileError(
                f"state: expected sums of {contents.n_samples} rows in all, got {state.n_samples}."
            )
        return state

    def merge(self, other: Self) -> Self:
        """Add the rows that another state has seen; the state itself is refused."""
        merged = self + other
        vars(self).update(vars(merged))
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file that `load` reads, and that appears when it is complete."""
        write_state(path, self._contents())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a state that `save` wrote; loading never runs code from the file."""
        return cls._from_contents(read_state(path, cls.kind))


class RowSums(ABC):
    """Sums of rows of columns; values are replaced, never changed, so that a shallow copy is a
    copy.
    """

    #: Rows seen, and their columns.
    n_samples: int = 0
    n_features: int | None = None
    feature_names: tuple[str, ...] | None
    _shown: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _empty(self) -> Self:
        """A state of the same kind that has seen no rows."""

    @abstractmethod
    def _take(self, rows: Rows) -> None:
        """Add rows that follow the earlier ones."""

    @abstractmethod
    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        """The state of the rows of both; `order` says where our columns are among theirs."""

    @abstractmethod
    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""

    def update(self, X: Rows) -> Self:
        """Add more rows, which follow the earlier ones; after an error the state is as before.

        The columns of a data frame are matched by name.
        """
        with vars(self).setdefault("_lock", threading.Lock()):
            longer = self.copy()
            rows, longer.feature_names = self._aligned(X)
            if rows.shape[0]:
                longer.add(rows)
                vars(self).update(vars(longer))
        return self

    def add(self, rows: Rows) -> None:
        """Add rows of these columns, in their order; after an error the state means nothing."""
        (n, p), names = rows.shape, self.feature_names
        width = len(names) if self.n_features is None and names else self.n_features
        if width not in (None, p):
            raise DataError(
                f"X has {p} features, but {width} features were seen before; pass the same columns "
                "each time."
            )
        try:
            self._take(rows)
        except NonFiniteError:
            # The block counted only its own rows; the message counts all rows.
            raise_for_nonfinite(rows, names)
        self.n_samples, self.n_features = self.n_samples + n, p

    def _aligned(self, X: Any) -> tuple[Rows, tuple[str, ...] | None]:
        """More rows with the columns in our order, matched by name if they have names, and our
        names.
        """
        ours, theirs, width = self.feature_names, None, self.n_features
        if not isinstance(X, np.ndarray | ColumnBlock):
            # The `columns` of an Arrow table are its values.
            names = getattr(X, "column_names", getattr(X, "columns", None))
            theirs = check_names(names) if isinstance(names, Iterable) else None
        if theirs and ours is not None and set(theirs) != set(ours):
            # A frame without names has numbers in their place.
            theirs = None if theirs == tuple(map(str, range(len(theirs)))) else theirs
        if ours is None or theirs is None or ours == theirs:
            rows = check_rows(X)
            if ours is None and width is None and theirs and len(theirs) == rows.shape[1]:
                ours = theirs
            return rows, ours
        places = column_places(
            ours,
            theirs,
            lambda difference: DataError(
                "X: expected the columns of the rows before, got a table that differs: "
                f"{difference}. Pass the same columns each time."
            ),
        )
        return np.asarray(check_rows(X))[:, places], ours

    def copy(self) -> Self:
        """An independent state of the same rows."""
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        vars(copied).pop("_lock", None)
        return copied

    def __repr__(self) -> str:
        facts = {name: getattr(self, name) for name in ("n_samples", "n_features", *self._shown)}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in facts.items())})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        if other is self and self.n_samples:
            raise ParameterError(
                "other: expected another state, got the state itself, whose rows would count "
                "twice; if that is meant, add its copy()."
            )
        if None is not self.n_features != other.n_features is not None:
            raise ParameterError(
                f"other: expected a state of {self.n_features} columns, got one of "
                f"{other.n_features}; only states of the same columns add up."
            )
        if self.n_samples and other.n_samples:
            order = None
            if self.feature_names is not None and other.feature_names is not None:
                order = column_places(
                    self.feature_names,
                    other.feature_names,
                    lambda difference: ParameterError(
                        "other: expected a state of the same columns, got one that differs: "
                        f"{difference}. Only states of the same columns add up."
                    ),
                )
            total = self._joined(other, order)
            total.n_samples, total.n_features = self.n_samples + other.n_samples, self.n_features
        else:
            # An empty state is neutral, whatever its options.
            total = (other if other.n_samples else self).copy()
        for state in sorted((self, other), key=lambda state: not state.n_samples):
            names = state.feature_names
            if names and total.n_features in (None, len(names)):
                total.feature_names = names
                break
        return total


class RowState(RowSums, State):
    """A state that a pass over rows fills, that a file holds, and that a test takes as data."""

    @abstractmethod
    def mean(self) -> FloatArray:
        """Mean of each column, from the rows that have it."""

    @abstractmethod
    def covariance(self) -> FloatArray:
        """Unbiased covariances (divisor n − 1), each from the rows that have both columns."""


# By the names of their classes: one is in `api`, which `sums` does not import.
KINDS = {
    "moments": "edgewise.sums.moments.Moments",
    "batches": "edgewise.sums.batches.BatchMoments",
    "pairwise": "edgewise.sums.pairwise.PairwiseMoments",
    "concordance": "edgewise.sums.concordance.ConcordanceMoments",
    "sequence": "edgewise.api.confidence_sequence.ConfidenceSequence",
}


def state_class(kind: str) -> Any:
    """The class of a kind of state; a `KeyError` where there is none."""
    module, _, name = KINDS[kind].rpartition(".")
    return getattr(import_module(module), name)


def load_state(path: str | os.PathLike[str]) -> Any:
    """Read a state file of any kind; loading never runs code from the file.

    Parameters
    ----------
    path : str or path
        A file that the `save` of a state wrote.

    Returns
    -------
    Moments, BatchMoments, PairwiseMoments, ConcordanceMoments or ConfidenceSequence
        The state, of the kind that was saved.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import edgewise as ew
    >>> state = ew.accumulate(np.random.default_rng(0).standard_normal((100, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     ew.load_state(f"{folder}/rows.state")
    Moments(n_samples=100, n_features=3, order=4)
    """
    contents = read_state(path)
    if contents.kind not in KINDS:
        raise StateFileError(
            f"state file '{os.fspath(path)}' holds a {contents.kind!r}, expected one of "
            f"{', '.join(KINDS)}."
        )
    return state_class(contents.kind)._from_contents(contents)


def as_state(data: Any) -> Any:
    """The state in `data`, which may also be the path of a state file; None if there is none."""
    if isinstance(data, State):
        return data
    if isinstance(data, str | os.PathLike) and is_state_file(data):
        return load_state(data)
    return None
