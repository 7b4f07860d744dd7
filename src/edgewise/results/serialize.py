"""Results from JSON: dataclasses by their type hints, every value checked before it is used."""

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
from typing import Any, ClassVar, NoReturn, Self, get_args, get_origin

import numpy as np

from edgewise._linalg import AnyArray, off_diagonal, pairs_of
from edgewise._shown import Shown, encoded
from edgewise.errors import DataError, DataTypeError, EdgewiseError
from edgewise.inference.cautions import Caution
from edgewise.inference.decide import Decision
from edgewise.inference.measurement import Measurement, Selection
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
    **dict.fromkeys(("reach", "eigenvalues", "diagonal", "origin", "offset"), ("p",)),
    **dict.fromkeys(("log_pvalue", "log_adjusted", "reject"), ("pairs",)),
    **dict.fromkeys(("spectrum", "counts", "maxima", "largest"), (None,)),
    "each": (None, "pairs"),
}
_INF, _POSITIVE, _COUNT = math.inf, math.ulp(0.0), float(2**53)
_FLOAT = float(np.finfo(float).max)
# What a number of this name may be. Beyond it results would be NaN, or computing them never end.
_LIMITS = {
    "alpha": (_POSITIVE, math.nextafter(1, 0)),
    "partial_correlation": (-1 - 1e-9, 1 + 1e-9),
    **dict.fromkeys(("log_pvalue", "log_adjusted", "log_global", "log_level"), (-_INF, 1e-9)),
    **dict.fromkeys(("n_samples", "n_tests", "n_entries", "permutations"), (1, _COUNT)),
    **dict.fromkeys(
        ("n_dropped", "n_missing", "n_dropped_alone", "pair_rows", "n_clusters", "n_copies"),
        (0, _COUNT),
    ),
    **dict.fromkeys(("rows", "rows_needed", "n_without_level"), (0, _INF)),
    **dict.fromkeys(("df", "rho2", "unit", "independent_pairs", "mu"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("degrees", "errors", "penalty", "max_alpha"), (_POSITIVE, _FLOAT)),
    **dict.fromkeys(("variance", "slack", "diagonal", "counts"), (0, _FLOAT)),
    **dict.fromkeys(("maxima", "largest", "each", "standard_error"), (0, _INF)),
    **dict.fromkeys(("reach", "deviation"), (0, 1)),
    "ConcordanceRadius.offset": (0, _FLOAT),
    "min_effect": (0, _FLOAT),
    "for_all": (0, 1),
    "effective_rows": (0, _FLOAT),
    "spectrum": (0, 1e300),
    "BernsteinRadius.scale": (0, 1e150),
    "smallest": (-_FLOAT, _FLOAT),
}
_SYMMETRIC = ("covariance", "precision", "partial_correlation", "statistic", "tested")
_NAMES = ("NaN", "Infinity", "-Infinity")
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
    _derived: ClassVar[tuple[str, ...]] = ()

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"format": self._format}
        for name in self._derived:
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
        if not isinstance(document, dict) or document.get("format") != cls._format:
            found = document.get("format") if isinstance(document, dict) else None
            raise DataError(
                f"{where} is not a result that this edgewise reads: expected a JSON object with "
                f"the format {cls._format!r}, got {_short(repr(found))}; make one with to_json."
            )
        try:
            with np.errstate(all="ignore"):
                made = _decoded(cls, document, "", _n_features(document))
                _check_result(made)
        except _WrongValueError as error:
            raise DataError(f"{where}: {error}; write it again with to_json.") from error
        return typing.cast("Self", made)


def _n_features(document: dict[str, Any]) -> int:
    """How many columns the document says it is about; every measurement must have as many."""
    count = document.get("n_features")
    if type(count) is not int or not 2 <= count <= 10**5:
        _refuse("n_features", "a number of columns", count)
    return count


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass, or of a named tuple."""
    names = [known.name for known in fields(kind)] if is_dataclass(kind) else kind._fields
    hints = typing.get_type_hints(kind)
    return {name: hints[name] for name in names}


def _decoded(hint: Any, value: Any, field: str, p: int, kind: str = "") -> Any:
    """A value of the type that is hinted at, checked; `field` is where it is, in a `kind`."""
    origin, parts, name = get_origin(hint), get_args(hint), field.rpartition(".")[2]
    if origin in (UnionType, typing.Union):
        if value is None and NoneType in parts:
            return None
        is_array = [get_origin(part) in (np.ndarray, tuple) for part in parts]
        is_object = [_is_object(part) for part in parts]
        chosen = is_array if isinstance(value, list) else is_object
        right = [part for part, is_it in zip(parts, chosen, strict=True) if is_it]
        if not isinstance(value, list | dict) or not right:
            right = [*(one for one in parts if one in (int, float, str, bool)), *parts]
        return _decoded(right[0], value, field, p, kind)
    if _is_object(hint):
        return _decoded_object(hint, value, field, p)
    if origin is np.ndarray:
        return _array(value, get_args(parts[1])[0], field, kind, p)
    if origin is tuple:
        if not isinstance(value, list) or (parts[-1] is not ... and len(value) != len(parts)):
            _refuse(field, "a list" if parts[-1] is ... else f"a list of {len(parts)}", value)
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        return tuple(
            _decoded(one, inner, field, p, kind) for one, inner in zip(kinds, value, strict=True)
        )
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            _refuse(field, "an object", value)
        if _is_deep(value, _DEEPEST):
            _refuse(field, f"values nested at most {_DEEPEST} deep", "deeper ones")
        return value
    if hint is float:
        value = _number(value, field)
    elif type(value) is not hint:
        words = {int: "a whole number", str: "a text", bool: "true or false"}
        _refuse(field, words.get(hint, "another value"), value)
    low, high = _limits(kind, name)
    if hint in (int, float) and not low <= value <= high:
        _refuse(field, f"a number from {low:g} to {high:g}", value)
    return value


def _is_object(hint: Any) -> bool:
    return hint in _CLASSES or hint is Caution or is_dataclass(hint) or hasattr(hint, "_fields")


def _limits(kind: str, name: str) -> tuple[float, float]:
    return _LIMITS.get(f"{kind}.{name}", _LIMITS.get(name, (-_INF, _INF)))


def _is_deep(value: Any, most: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most == 0 or any(_is_deep(one, most - 1) for one in inside)


def _decoded_object(hint: Any, value: Any, field: str, p: int) -> Any:
    if not isinstance(value, dict):
        _refuse(field or "format", "an object", value)
    kinds = {kind.__name__: kind for kind in _CLASSES.get(hint, (hint,))}
    name = value.get("kind") if hint in _CLASSES else hint.__name__
    if not isinstance(name, str) or name not in kinds:
        _refuse(f"{field}.kind", f"one of {', '.join(kinds)}", name)
    kind = kinds[name]
    hints = {"text": str, "kind": str, "breaks": bool} if kind is Caution else _hints(kind)
    found: dict[str, Any] = {}
    for known, inner in hints.items():
        where = f"{field}.{known}".lstrip(".")
        if known not in value:
            _refuse(where, "a value", "none")
        found[known] = _decoded(inner, value[known], where, p, name)
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


def _array(value: Any, dtype: Any, field: str, kind: str, p: int) -> AnyArray:
    name = field.rpartition(".")[2]
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
    own: set[type] = {bool} if dtype is np.bool_ else {int}
    if dtype is np.float64:
        own = {int, float}
    if dtype is np.float64 and not types <= own:
        rows = [[math.nan if one is None else one for one in row] for row in rows]
        rows = [[one if one != one else _number(one, field) for one in row] for row in rows]
    elif not types <= own:
        _refuse(field, "true or false" if bool in own else "numbers", value)
    try:
        array = np.array(rows, dtype=dtype)
    except (OverflowError, ValueError):
        _refuse(field, "numbers below 1.8e308", value)
    if types <= own and not np.isfinite(array).all():
        _refuse(field, "numbers below 1.8e308", "a larger one")
    low, high = _limits(kind, name)
    right = ((array >= low) & (array <= high)) | ((low == -_INF) & np.isnan(array))
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
    elif isinstance(made, Measurement):
        if len({*made.feature_names}) != p or len(made.feature_names) != p:
            _refuse(f"{field}.feature_names", "every name once", made.feature_names)
        for name in ("n_missing", "n_dropped_alone"):
            counts = getattr(made.provenance, name)
            if len(counts) not in (0, p):
                _refuse(f"{field}.{name}", f"{p} numbers or none", counts)
    elif isinstance(made, Decision):
        tested = off_diagonal(p) if made.tested is None else made.tested
        if made.tested is not None and (not tested.any() or (tested & ~off_diagonal(p)).any()):
            _refuse(f"{field}.tested", "some pairs, or null for all", "others")
        if (made.reject & ~pairs_of(tested)).any():
            _refuse(f"{field}.reject", "edges among the tested pairs", "others")
        for name in ("log_pvalue", "log_adjusted"):
            if np.isnan(getattr(made, name)[pairs_of(tested)]).any():
                _refuse(f"{field}.{name}", "a number for every tested pair", "NaN")


def _check_result(made: Any) -> None:
    """That everything can be computed from it that pages and tables show."""
    try:
        made.summary()
        made.edges()
        if hasattr(made, "threshold"):
            made.confidence_interval(0.9, "precision")
    except (EdgewiseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        _refuse("uncertainty", "one that gives intervals", str(error))


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
