"""Results as JSON and back: dataclasses, all the way down, by their type hints.

An object has the fields of its dataclass; where several classes are possible, `kind` names its own.
JSON has neither NaN nor infinity: in an array null is NaN, "Infinity" and "-Infinity" are texts,
as "NaN" is for a number outside of arrays. Reading checks every value before it is used and runs no
part of the text as code.
"""

from __future__ import annotations

import json
import math
import os
import reprlib
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, NoReturn, Self, get_args, get_origin, overload

import numpy as np

from edgewise._files import atomic_path
from edgewise._linalg import AnyArray, off_diagonal
from edgewise.errors import DataError, DataTypeError, EdgewiseError
from edgewise.inference.measurement import Selection
from edgewise.inference.references import (
    AnytimeReference,
    Normal,
    Reference,
    Student,
    StudentOfEach,
)
from edgewise.inference.uncertainty import Bound, LargestRadius, PerEdge, ScoreTest, Uncertainty
from edgewise.paper.bernstein import BernsteinRadius
from edgewise.paper.radii import (
    ChebyshevRadius,
    ChiSquareRadius,
    ConcordanceRadius,
    HoeffdingRadius,
    NormalRadius,
    Radius,
)
from edgewise.paper.transfers import (
    EntryTransfer,
    FrobeniusTransfer,
    RelativeTransfer,
    SpectralTransfer,
    Transfer,
    WhitenedTransfer,
)

_CLASSES: dict[Any, tuple[type, ...]] = {
    Uncertainty: (PerEdge, ScoreTest, Bound),
    Reference: (Normal, Student, StudentOfEach, AnytimeReference),
    Radius: (
        *(NormalRadius, ChiSquareRadius, HoeffdingRadius, BernsteinRadius, ChebyshevRadius),
        *(ConcordanceRadius, LargestRadius),
    ),
    Transfer: (
        *(FrobeniusTransfer, SpectralTransfer, EntryTransfer, WhitenedTransfer, RelativeTransfer),
    ),
}
# Arrays are p × p, but for these; None is any length above zero.
_SHAPES: dict[str, tuple[str | None, ...]] = {
    **dict.fromkeys(("reach", "eigenvalues", "diagonal"), ("p",)),
    **dict.fromkeys(("spectrum", "counts", "maxima", "largest"), (None,)),
    "each": (None, "pairs"),
}
_INF, _POSITIVE, _COUNT = math.inf, math.ulp(0.0), float(2**53)
_FLOAT = float(np.finfo(float).max)
# What a number of this name may be. Beyond it results would be NaN, or computing them never end.
_LIMITS = {
    "alpha": (_POSITIVE, math.nextafter(1, 0)),
    **dict.fromkeys(("pvalue", "adjusted_pvalue", "global_pvalue"), (_POSITIVE, 1 + 1e-9)),
    "log_pvalue": (-_INF, 1e-9),
    **dict.fromkeys(("partial_correlation_a", "partial_correlation_b"), (-1 - 1e-9, 1 + 1e-9)),
    "partial_correlation": (-1 - 1e-9, 1 + 1e-9),
    **dict.fromkeys(("n_samples", "n_tests", "n_entries", "permutations"), (1, _COUNT)),
    **dict.fromkeys(("n_dropped", "n_missing", "n_dropped_alone", "pair_rows"), (0, _COUNT)),
    **dict.fromkeys(("rows", "rows_needed"), (0, _INF)),
    **dict.fromkeys(("df", "rho2", "unit", "independent_pairs", "mu"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("degrees", "errors", "penalty", "max_alpha"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("variance", "slack", "offset", "diagonal", "counts"), (0, _FLOAT)),
    **dict.fromkeys(("maxima", "largest", "each", "standard_error"), (0, _INF)),
    **dict.fromkeys(("reach", "deviation"), (0, 1)),
    "spectrum": (0, 1e300),
    "scale": (0, 1e150),
    "smallest": (-_FLOAT, _FLOAT),
}
_NAMES = ("NaN", "Infinity", "-Infinity")
_DEEPEST_OPTION = 16


class _WrongValueError(ValueError):
    """A value that a result cannot have: "field …: expected …, got …"."""


def _refuse(field: str, expected: str, got: object) -> NoReturn:
    raise _WrongValueError(f"field {field!r}: expected {expected}, got {_short(got)}")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else reprlib.repr(value)
    return text.replace("\n", " ") if len(text) <= 60 else f"{text[:60]!r}…"


class Serialized:
    """A dataclass that is written as JSON and read back."""

    _format: ClassVar[str]

    @overload
    def to_json(self, path: None = None, *, indent: int | None = None) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str], *, indent: int | None = None) -> None: ...
    def to_json(
        self, path: str | os.PathLike[str] | None = None, *, indent: int | None = None
    ) -> str | None:
        """The whole result as JSON, which `from_json` reads; every number to its last bit.

        JSON has neither NaN nor infinity: in an array null is NaN, and "Infinity" is a text.

        Parameters
        ----------
        path : str or path, optional
            A file to write, in UTF-8; it appears when it is complete. By default the text is
            returned.
        indent : int, optional
            Spaces by which each level is indented; by default everything is on one line.

        Returns
        -------
        str or None
            The text; None if it was written to a file.
        """
        return write_json({"format": self._format, **_encoded(self, top=True)}, path, indent)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Self:
        """The result that `to_json` wrote, equal in every number.

        Reading runs no part of the text as code.

        Parameters
        ----------
        source : str or path
            The text, if it starts with a brace, or else the path of a file of it.

        Returns
        -------
        result
            Of this class.
        """
        text, where = _text_of(source)
        try:
            document = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{where} is not JSON: {error}; write it again with to_json."
            ) from error
        if not isinstance(document, dict) or document.get("format") != cls._format:
            found = document.get("format") if isinstance(document, dict) else None
            raise DataError(
                f"{where} is not a result that this edgewise reads: expected a JSON object with "
                f"the format {cls._format!r}, got {_short(repr(found))}; make one with to_json."
            )
        try:
            with np.errstate(all="ignore"):
                return typing.cast("Self", _decoded(cls, document, "", 0))
        except _WrongValueError as error:
            raise DataError(f"{where}: {error}; write it again with to_json.") from error


def write_json(
    document: dict[str, Any], path: str | os.PathLike[str] | None, indent: int | None
) -> str | None:
    """The document as JSON text, or None after it was written to a file."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # A name that is not proper Unicode (half a surrogate pair) can still be escaped.
        text = json.dumps(document, indent=indent, allow_nan=False)
    if path is None:
        return text
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    return None


def _encoded(value: Any, *, option: bool = False, top: bool = False) -> Any:
    """A value as JSON has it; in an option a text stays a text, and so NaN is an object."""
    if is_dataclass(value):
        names = [known.name for known in fields(value)]
        found = {} if top else {"kind": type(value).__name__}
        found |= {name: _encoded(getattr(value, name), option=name == "options") for name in names}
        for name in getattr(value, "_derived", ()):
            more = getattr(value, name)
            found[name] = _encoded(more() if callable(more) else more)
        return found
    if isinstance(value, np.ndarray) and not option:
        if value.dtype.kind != "f" or np.isfinite(value).all():
            return value.tolist()
        cells = value.astype(object)
        cells[np.isnan(value)] = None
        cells[np.isposinf(value)], cells[np.isneginf(value)] = "Infinity", "-Infinity"
        return cells.tolist()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, list | tuple):
        return [_encoded(part, option=option) for part in value]
    if isinstance(value, Mapping):
        return {str(name): _encoded(part, option=option) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {"float": name} if option else name
    return value


def _decoded_option(value: Any, depth: int = _DEEPEST_OPTION) -> Any:
    if isinstance(value, dict | list) and depth == 0:
        _refuse("options", f"values nested at most {_DEEPEST_OPTION} deep", "deeper ones")
    if isinstance(value, list):
        return [_decoded_option(item, depth - 1) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"float"} and value["float"] in _NAMES:
            return float(value["float"])
        return {key: _decoded_option(item, depth - 1) for key, item in value.items()}
    return value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass, or of a named tuple."""
    names = [known.name for known in fields(kind)] if is_dataclass(kind) else kind._fields
    hints = typing.get_type_hints(kind)
    return {name: hints[name] for name in names}


def _decoded(hint: Any, value: Any, field: str, p: int) -> Any:
    """A value of the type that is hinted at, checked; `field` is where it is."""
    origin, parts, name = get_origin(hint), get_args(hint), field.rpartition(".")[2]
    if origin in (UnionType, typing.Union):
        if value is None and NoneType in parts:
            return None
        arrays = [part for part in parts if get_origin(part) is np.ndarray]
        others = [part for part in parts if part is not NoneType and part not in arrays]
        right = arrays if not others or (arrays and isinstance(value, list)) else others
        return _decoded(right[0], value, field, p)
    if hint in _CLASSES or is_dataclass(hint) or hasattr(hint, "_fields"):
        return _decoded_object(hint, value, field, p)
    if origin is np.ndarray:
        return _array(value, get_args(parts[1])[0], field, name, p)
    if origin is tuple:
        if not isinstance(value, list) or (parts[-1] is not ... and len(value) != len(parts)):
            _refuse(field, "a list" if parts[-1] is ... else f"a list of {len(parts)}", value)
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        return tuple(_decoded(kind, one, field, p) for kind, one in zip(kinds, value, strict=True))
    if origin is dict:
        if not isinstance(value, dict):
            _refuse(field, "an object", value)
        if name == "options":
            return _decoded_option(value)
        if not value:
            _refuse(field, "at least one result", value)
        return {key: _decoded(parts[1], one, f"{field}.{key}", p) for key, one in value.items()}
    if hint is float:
        value = _number(value, field)
    elif type(value) is not hint:
        words = {int: "a whole number", str: "a text", bool: "true or false"}
        _refuse(field, words.get(hint, "another value"), value)
    low, high = _LIMITS.get(name, (-_INF, _INF))
    if hint in (int, float) and not low <= value <= high:
        _refuse(field, f"a number from {low:g} to {high:g}", value)
    return value


def _decoded_object(hint: Any, value: Any, field: str, p: int) -> Any:
    if not isinstance(value, dict):
        _refuse(field or "format", "an object", value)
    kinds = {kind.__name__: kind for kind in _CLASSES.get(hint, (hint,))}
    name = value.get("kind") if hint in _CLASSES else hint.__name__
    if not isinstance(name, str) or name not in kinds:
        _refuse(f"{field}.kind", f"one of {', '.join(kinds)}", name)
    kind = kinds[name]
    hints = _hints(kind)
    if "feature_names" in hints:
        p = _decoded(int, value.get("n_features"), "n_features", 0)
        names = value.get("feature_names")
        if not isinstance(names, list) or not 2 <= p == len(names):
            _refuse("feature_names", "a list of at least two names, as many as n_features", names)
    found: dict[str, Any] = {}
    for known, inner in hints.items():
        if known not in value:
            _refuse(f"{field}.{known}".lstrip("."), "a value", "none")
        found[known] = _decoded(inner, value[known], f"{field}.{known}".lstrip("."), p)
    made = kind(**found)
    _check(made, field, p)
    return made


def _number(value: Any, field: str) -> float:
    if value in _NAMES:
        return float(value)
    try:
        # Python reads 1e999 as infinity, without an error.
        if type(value) in (int, float) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    _refuse(field, "a number below 1.8e308", value)


def _array(value: Any, dtype: Any, field: str, name: str, p: int) -> AnyArray:
    sizes = {"p": p, "pairs": p * (p - 1) // 2}
    shape = tuple(sizes.get(one or "") for one in _SHAPES.get(name, ("p", "p")))
    rows = value if len(shape) == 2 else [value]
    width, height = shape[-1], shape[0] if len(shape) == 2 else 1
    expected = f"{f'{height} rows of ' if height else 'rows of '}{width or 'some'} values"
    if not isinstance(rows, list) or not rows or height not in (None, len(rows)):
        _refuse(field, expected, value)
    for row in rows:
        if not isinstance(row, list) or not row or width not in (None, len(row)):
            _refuse(field, expected, row)
    types: set[type] = set().union(*(map(type, row) for row in rows))
    known: dict[Any, set[type]] = {np.float64: {int, float}, np.bool_: {bool}}
    own = known.get(dtype, {int})
    if dtype is np.float64 and not types <= own:
        rows = [[math.nan if one is None else one for one in row] for row in rows]
        numbers = [[one if one != one else _number(one, field) for one in row] for row in rows]
        array = np.array(numbers)
    elif not types <= own:
        _refuse(field, "true or false" if bool in own else "numbers", value)
    else:
        try:
            array = np.array(rows, dtype=dtype)
        except (OverflowError, ValueError):
            _refuse(field, "numbers below 1.8e308", value)
        if not np.isfinite(array).all():
            _refuse(field, "numbers below 1.8e308", "a larger one")
    if name in _LIMITS:
        low, high = _LIMITS[name]
        right = (array >= low) & (array <= high)
        if shape == (p, p):
            # A diagonal may have no value; in the matrices of a result, pairs not tested have none.
            right |= np.isnan(array) & (~off_diagonal(p) | ("uncertainty" not in field))
        if not right.all():
            _refuse(field, f"numbers from {low:g} to {high:g}", "others")
    return array if len(shape) == 2 else array[0]


def _check(made: Any, field: str, p: int) -> None:
    """What must hold among the values of an object."""
    if isinstance(made, Selection):
        for i, own in enumerate(made.neighbours):
            if sorted({*own} - {i}) != [*own] or not all(0 <= j < p for j in own):
                _refuse(f"{field}.neighbours", "other columns in order", own)
        if len(made.neighbours) != p:
            _refuse(f"{field}.neighbours", f"{p} lists of columns", len(made.neighbours))
    elif isinstance(made, PerEdge):
        if made.exact and not isinstance(made.reference, Student):
            _refuse(f"{field}.exact", "false without Student's reference", True)
    elif isinstance(made, ChiSquareRadius):
        if ((made.spectrum > 0) & (made.spectrum < 1e-300)).any():
            _refuse(f"{field}.spectrum", "0, or numbers from 1e-300", "a smaller one")
        counts = made.counts
        if counts is not None and (
            counts.shape != made.spectrum.shape or counts.sum() > p * (p + 1)
        ):
            _refuse(f"{field}.counts", "one for each value of the spectrum", counts)
    elif isinstance(made, BernsteinRadius):
        if not (np.abs(made.covariance) <= 1).all() or (made.covariance.diagonal() < 0).any():
            _refuse(f"{field}.covariance", "covariances of columns of range one", "others")
    elif isinstance(made, SpectralTransfer) and made.n_features != p:
        _refuse(f"{field}.n_features", f"{p}", made.n_features)
    elif hasattr(made, "feature_names"):
        _check_result(made, field, p)


def _check_result(made: Any, field: str, p: int) -> None:
    prefix = f"{field}." if field else ""
    if len(set(made.feature_names)) != p:
        _refuse(f"{prefix}feature_names", "every name once", made.feature_names)
    for name in ("n_missing", "n_dropped_alone"):
        if len(getattr(made, name, ())) not in (0, p):
            _refuse(f"{prefix}{name}", f"{p} numbers or none", getattr(made, name))
    tested = off_diagonal(p) if made.tested is None else made.tested
    if made.tested is not None and (not tested.any() or (tested & ~off_diagonal(p)).any()):
        _refuse(f"{prefix}tested", "some pairs, or null for all", "others")
    if (made.reject & ~tested).any():
        _refuse(f"{prefix}reject", "edges among the tested pairs", "others")
    for known in fields(made):
        value = getattr(made, known.name)
        if not isinstance(value, np.ndarray):
            continue
        size = np.abs(value, where=np.isfinite(value), out=np.zeros(value.shape)).max()
        if not np.allclose(value, value.T, rtol=1e-6, atol=1e-9 * size, equal_nan=True):
            _refuse(f"{prefix}{known.name}", "a symmetric matrix", "another")
        if known.name in _LIMITS and np.isnan(np.where(tested, value, 0.0)).any():
            _refuse(f"{prefix}{known.name}", "a number for every tested pair", "NaN")
    try:
        made.edges()
    except (EdgewiseError, ArithmeticError, ValueError) as error:
        _refuse(f"{prefix}uncertainty", "one that gives intervals", str(error))


def _text_of(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and its name in messages."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("{"):
        return source.lstrip("\ufeff"), "result text"
    if not isinstance(source, str | os.PathLike):
        raise DataTypeError(
            "source: expected the text that to_json gives, or the path of a file of it, got "
            f"{type(source).__name__}."
        )
    path = os.fsdecode(source)
    where = f"result file {path!r}" if len(path) < 300 else f"result file {_short(path)}"
    try:
        return Path(path).read_bytes().decode("utf-8-sig"), where
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not UTF-8 text (byte {error.start}); write it with to_json."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            f"{where} cannot be read: {reason}; pass the text that to_json gives, or the path of a "
            "file of it."
        ) from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")
