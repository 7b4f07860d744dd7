"""Results from JSON: dataclasses by their type hints, every value checked before it is used."""

from __future__ import annotations

import json
import math
import os
import reprlib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, NoReturn, Self, get_args, get_origin

import numpy as np

from edgewise._linalg import AnyArray, off_diagonal, pairs_of, symmetric
from edgewise._shown import Shown, encoded
from edgewise.errors import DataError, DataTypeError
from edgewise.inference import references, uncertainty
from edgewise.inference.cautions import Caution
from edgewise.inference.decide import Decision
from edgewise.inference.measurement import Measurement, Selection
from edgewise.paper import radii, transfers

#: What a value of these types may be.
_KINDS: dict[Any, tuple[type, ...]] = {
    uncertainty.Uncertainty: (uncertainty.PerEdge, uncertainty.ScoreTest, uncertainty.Bound),
    references.Reference: (
        references.Normal,
        references.Student,
        references.AnytimeReference,
    ),
    radii.Radius: (
        radii.NormalRadius,
        radii.ChiSquareRadius,
        radii.HoeffdingRadius,
        radii.ChebyshevRadius,
        radii.BernsteinRadius,
        uncertainty.LargestRadius,
    ),
    transfers.Transfer: (
        transfers.FrobeniusTransfer,
        transfers.SpectralTransfer,
        transfers.EntryTransfer,
        transfers.RelativeTransfer,
    ),
}
# Arrays are p × p, but for these; None is any length above zero.
_SHAPES: dict[str, tuple[str | None, ...]] = {
    **dict.fromkeys(("reach", "eigenvalues", "diagonal", "origin", "offset"), ("p",)),
    **dict.fromkeys(("log_pvalue", "log_adjusted", "reject"), ("pairs",)),
    **dict.fromkeys(("spectrum", "counts", "maxima", "largest"), (None,)),
    "each": (None, "pairs"),
}
_POSITIVE, _COUNT, _FLOAT = math.ulp(0.0), float(2**53), float(np.finfo(float).max)
# What a number of this name may be. Beyond it results would be NaN, or computing them never end.
_LIMITS = {
    "alpha": (_POSITIVE, math.nextafter(1, 0)),
    "partial_correlation": (-1 - 1e-9, 1 + 1e-9),
    **dict.fromkeys(("log_pvalue", "log_adjusted", "log_global", "log_level"), (-math.inf, 1e-9)),
    **dict.fromkeys(("n_samples", "n_tests", "n_entries", "permutations"), (1, _COUNT)),
    **dict.fromkeys(
        ("n_dropped", "n_missing", "n_dropped_alone", "pair_rows", "n_clusters", "n_copies"),
        (0, _COUNT),
    ),
    **dict.fromkeys(("rows", "rows_needed", "n_without_level"), (0, math.inf)),
    **dict.fromkeys(("df", "rho2", "unit", "independent_pairs", "mu"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("degrees", "errors", "penalty", "max_alpha"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("variance", "slack", "diagonal", "min_effect", "effective_rows"), (0, _FLOAT)),
    **dict.fromkeys(("maxima", "largest", "each", "standard_error"), (0, math.inf)),
    **dict.fromkeys(("reach", "deviation", "for_all"), (0, 1)),
    "counts": (0, 1e8),
    "spectrum": (0, 1e300),
    "BernsteinRadius.covariance": (-1, 1),
    "BernsteinRadius.scale": (0, 1e150),
    "HoeffdingRadius.offset": (0, _FLOAT),
}
_SYMMETRIC = ("covariance", "precision", "partial_correlation", "statistic", "tested")
_WORDS: dict[Any, str] = {int: "a whole number", str: "a text", bool: "true or false"}
_DEEPEST = 16


class _WrongValueError(ValueError):
    """A value that a result cannot have: "field …: expected …, got …"."""


def _refuse(field: str, expected: str, got: object) -> NoReturn:
    raise _WrongValueError(f"field {field!r}: expected {expected}, got {_short(got)}")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else reprlib.repr(value)
    return text.replace("\n", " ") if len(text) <= 60 else f"{text[:60]!r}…"


class Serialized(Shown):
    """A result that is read back from what `to_json` wrote."""

    _format: ClassVar[str]
    #: What stands at the top of the file, for readers: properties, and methods without arguments.
    _derived: ClassVar[str] = ""

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"format": self._format}
        for name in self._derived.split():
            value = getattr(self, name)
            document[name] = encoded(value() if callable(value) else value)
        document["cautions"] = [*map(str, getattr(self, "cautions", ()))]
        document |= encoded(self)
        return document

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
        found = document.get("format") if isinstance(document, dict) else None
        if found != cls._format:
            raise DataError(
                f"{where} is not a result that this edgewise reads: expected a JSON object with "
                f"the format {cls._format!r}, got {_short(repr(found))}; make one with to_json."
            )
        try:
            p = document.get("n_features")
            if type(p) is not int or not 2 <= p <= 10**5:
                _refuse("n_features", "a number of columns", p)
            with np.errstate(all="ignore"):
                made = _object(cls, document, "", p)
                _compute(made)
        except _WrongValueError as error:
            raise DataError(f"{where}: {error}; write it again with to_json.") from error
        return typing.cast("Self", made)


def _compute(made: Any) -> None:
    """All that pages and tables show: whatever a file holds, it must give numbers."""
    try:
        made.summary()
        made.edges()
        if hasattr(made, "threshold"):
            made.confidence_interval(0.9, "precision")
    except Exception as error:
        _refuse("uncertainty", "one that gives intervals", str(error))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass, of a named tuple, or of a caution."""
    if kind is Caution:
        return {"text": str, "kind": str, "breaks": bool}
    names: Sequence[str] = getattr(kind, "_fields", ())
    if is_dataclass(kind):
        names = [known.name for known in fields(kind) if known.metadata.get("written", True)]
    hints = typing.get_type_hints(kind)
    return {name: hints[name] for name in names}


def _is_object(hint: Any) -> bool:
    return hint in _KINDS or hint is Caution or is_dataclass(hint) or hasattr(hint, "_fields")


def _object(hint: Any, value: Any, field: str, p: int) -> Any:
    """A dataclass or named tuple of this type, or of one of the kinds that there are of it."""
    if not isinstance(value, dict):
        _refuse(field or "format", "an object", value)
    kinds = {kind.__name__: kind for kind in _KINDS.get(hint, (hint,))}
    name = value.get("kind") if hint in _KINDS else hint.__name__
    if not isinstance(name, str) or name not in kinds:
        _refuse(f"{field}.kind", f"one of {', '.join(kinds)}", name)
    found: dict[str, Any] = {}
    for known, inner in _hints(kinds[name]).items():
        where = f"{field}.{known}".lstrip(".")
        if known not in value:
            _refuse(where, "a value", "none")
        found[known] = _decoded(inner, value[known], where, p, name)
    made = kinds[name](**found)
    _check(made, field, p)
    return made


def _decoded(hint: Any, value: Any, field: str, p: int, kind: str) -> Any:
    """A value of the type that is hinted at, checked; `field` is where it is, in a `kind`."""
    if get_origin(hint) in (UnionType, typing.Union):
        hint = _member(get_args(hint), value)
    origin, parts = get_origin(hint), get_args(hint)
    if hint is NoneType:
        return None
    if _is_object(hint):
        return _object(hint, value, field, p)
    if origin is np.ndarray:
        return _array(value, get_args(parts[1])[0], field, kind, p)
    if origin is tuple:
        length = None if parts[-1] is ... else len(parts)
        if not isinstance(value, list) or length not in (None, len(value)):
            _refuse(field, "a list" if length is None else f"a list of {length}", value)
        kinds = [parts[0]] * len(value) if length is None else parts
        each = zip(kinds, value, strict=True)
        return tuple(_decoded(one, inner, field, p, kind) for one, inner in each)
    if origin in (dict, Mapping):
        if not isinstance(value, dict) or _is_deep(value, _DEEPEST):
            _refuse(field, f"an object, nested at most {_DEEPEST} deep", "another value")
        return value
    if hint is float:
        value = _number(value, field)
    elif type(value) is not hint:
        _refuse(field, _WORDS.get(hint, "another value"), value)
    low, high = _limits(kind, field)
    if hint in (int, float) and not low <= value <= high:
        _refuse(field, f"a number from {low:g} to {high:g}", value)
    return value


def _member(parts: tuple[Any, ...], value: Any) -> Any:
    """The type among those of a union that a value of JSON can be."""
    if value is None and NoneType in parts:
        return NoneType
    parts = tuple(part for part in parts if part is not NoneType)
    for part in parts:
        is_list = get_origin(part) in (np.ndarray, tuple)
        if is_list == isinstance(value, list) and _is_object(part) == isinstance(value, dict):
            return part
    return parts[0]


def _limits(kind: str, field: str) -> tuple[float, float]:
    name = field.rpartition(".")[2]
    return _LIMITS.get(f"{kind}.{name}", _LIMITS.get(name, (-math.inf, math.inf)))


def _is_deep(value: Any, most: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most == 0 or any(_is_deep(one, most - 1) for one in inside)


def _number(value: Any, field: str) -> float:
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    # Python reads 1e999 as infinity, without an error.
    if type(value) not in (int, float) or not abs(value) <= _FLOAT:
        _refuse(field, "a number below 1.8e308", value)
    return float(value)


def _array(value: Any, dtype: Any, field: str, kind: str, p: int) -> AnyArray:
    name, sizes = field.rpartition(".")[2], {"p": p, "pairs": p * (p - 1) // 2}
    shape = tuple(sizes.get(one or "") for one in _SHAPES.get(name, ("p", "p")))
    rows = value if len(shape) == 2 else [value]
    width, height = shape[-1], shape[0] if len(shape) == 2 else 1
    triangle = _is_triangle(rows) and width in (None, len(rows)) and height in (None, len(rows))
    if triangle:  # of a symmetric matrix
        rows, width, height = [[*chain.from_iterable(rows)]], None, 1
    expected = f"{f'{height} rows of ' if height else 'rows of '}{width or 'some'} values"
    if not isinstance(rows, list) or not rows or height not in (None, len(rows)):
        _refuse(field, expected, value)
    for row in rows:
        if not isinstance(row, list) or not row or width not in (None, len(row)):
            _refuse(field, expected, row)
    types: set[type] = set().union(*(map(type, row) for row in rows))
    if dtype is np.float64:
        if not types <= {int, float}:
            rows = [
                [math.nan if one is None else _number(one, field) for one in row] for row in rows
            ]
    elif types != {int}:
        _refuse(field, "whole numbers", value)
    try:
        array = np.array(rows, dtype=np.int64 if dtype is np.bool_ else dtype)
    except (OverflowError, ValueError):
        _refuse(field, "numbers below 1.8e308", value)
    if types <= {int, float} and not np.isfinite(array).all():
        _refuse(field, "numbers below 1.8e308", "a larger one")
    if triangle:
        array = symmetric(array[0], len(value))
    low, high = (0, 1) if dtype is np.bool_ else _limits(kind, field)
    right = ((array >= low) & (array <= high)) | ((low == -math.inf) & np.isnan(array))
    if shape == (p, p):
        right |= np.isnan(array) & ~off_diagonal(p)
    elif shape == (sizes["pairs"],):
        right |= np.isnan(array)  # of pairs that were not tested
    if not right.all():
        _refuse(field, f"numbers from {low:g} to {high:g}", "others")
    if name in _SYMMETRIC and shape == (p, p):
        size = np.abs(array, where=np.isfinite(array), out=np.zeros(array.shape)).max()
        if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * size, equal_nan=True):
            _refuse(field, "a symmetric matrix", "another")
    array = array.astype(dtype, copy=False)
    return array if len(shape) == 2 else array[0]


def _is_triangle(rows: Any) -> bool:
    """Whether each of some lists is shorter by one than the one before, down to one value."""
    return (
        isinstance(rows, list)
        and len(rows) > 1
        and all(isinstance(row, list) and len(row) == len(rows) - i for i, row in enumerate(rows))
    )


def _check(made: Any, field: str, p: int) -> None:
    """What must hold among the values of an object, where nothing that is computed would fail."""
    if isinstance(made, Selection):
        others = [sorted({*own} - {i}) for i, own in enumerate(made.neighbours)]
        in_order = others == [[*own] for own in made.neighbours]
        if len(others) != p or not in_order or not all(0 <= j < p for own in others for j in own):
            _refuse(f"{field}.neighbours", f"{p} lists of other columns in order", made.neighbours)
    elif isinstance(made, radii.ChiSquareRadius):
        if ((made.spectrum > 0) & (made.spectrum < 1e-300)).any():
            _refuse(f"{field}.spectrum", "0, or numbers from 1e-300", "a smaller one")
    elif isinstance(made, Measurement):
        if len({*made.feature_names}) != p or len(made.feature_names) != p:
            _refuse(f"{field}.feature_names", "every name once", made.feature_names)
        for name in ("n_missing", "n_dropped_alone"):
            if len(counts := getattr(made.provenance, name)) not in (0, p):
                _refuse(f"{field}.provenance.{name}", f"{p} numbers or none", counts)
    elif isinstance(made, Decision):
        if (made.threshold is None) == (made.log_level is None):
            _refuse(f"{field}.threshold", "either this or a log_level", made.threshold)
        tested = off_diagonal(p) if made.tested is None else made.tested
        if not tested.any() or (tested & ~off_diagonal(p)).any():
            _refuse(f"{field}.tested", "some pairs, or null for all", "others")
        for name in ("log_pvalue", "log_adjusted"):
            if np.isnan(getattr(made, name)[pairs_of(tested)]).any():
                _refuse(f"{field}.{name}", "a number for every tested pair", "NaN")


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
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, UnicodeDecodeError):
            reason = f"it is not UTF-8 text (byte {error.start})"
        raise DataError(
            f"{where} cannot be read: {reason}; pass the text that to_json gives, or the path of a "
            "file of it."
        ) from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")
