"""The source of p-values and intervals, as JSON and back.

Each part is an object whose "kind" says what it is. Standard errors of precision entries are in the
result already and are not repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.bounds.bernstein import BernsteinRadius
from edgewise.bounds.concordance import ConcordanceRadius
from edgewise.bounds.radius import (
    ChebyshevRadius,
    ChiSquareRadius,
    HoeffdingRadius,
    NormalRadius,
    Radius,
)
from edgewise.bounds.transfer import (
    EntryTransfer,
    FrobeniusTransfer,
    RelativeTransfer,
    SpectralTransfer,
    Transfer,
    WhitenedTransfer,
)
from edgewise.inference.bound import Bound
from edgewise.inference.largest import LargestRadius
from edgewise.inference.measurement import Uncertainty
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import (
    AnytimeReference,
    Normal,
    Reference,
    Student,
    StudentOfEach,
)
from edgewise.inference.score import ScoreTest
from edgewise.inference.sign_flip import SignFlip
from edgewise.inference.spread import Spread
from edgewise.results.json_document import Document

_LARGEST_COUNT = 2**53
_SMALLEST, _LARGEST = 1e-300, 1e300

#: The name of each kind in a file, and its numbers and vectors in the order of its fields.
_KINDS: dict[type, tuple[str, tuple[str, ...]]] = {
    Normal: ("normal", ()),
    Student: ("student", ("df",)),
    StudentOfEach: ("student of each", ("degrees",)),
    AnytimeReference: ("anytime", ("n_samples", "rho2", "student")),
    NormalRadius: ("normal", ("variance", "max_alpha")),
    ChiSquareRadius: ("chi2", ("spectrum", "counts", "slack")),
    HoeffdingRadius: ("hoeffding", ("unit", "n_samples", "n_entries")),
    BernsteinRadius: (
        "bernstein",
        ("n_samples", "reach", "covariance", "deviation", "scale"),
    ),
    ChebyshevRadius: ("chebyshev", ("variance",)),
    ConcordanceRadius: ("concordance", ("unit", "independent_pairs", "n_entries", "offset")),
    LargestRadius: ("largest", ("maxima", "student", "n_entries")),
    EntryTransfer: ("entries", ("errors",)),
    FrobeniusTransfer: ("frobenius", ("eigenvalues", "mu")),
    SpectralTransfer: ("spectral", ("smallest", "n_features")),
    WhitenedTransfer: ("whitened", ("diagonal",)),
    RelativeTransfer: ("relative", ("diagonal",)),
}


def uncertainty_document(uncertainty: Uncertainty | None) -> dict[str, Any] | None:
    """The parts by name, arrays as they are."""
    if isinstance(uncertainty, PerEdge):
        return {
            "kind": "per edge",
            "fisher_z": uncertainty.spread.fisher_z,
            "reference": _part(uncertainty.reference),
            "maxima": uncertainty.maxima,
            "exact": uncertainty.exact,
        }
    if isinstance(uncertainty, ScoreTest):
        return {
            "kind": "score",
            "n_samples": uncertainty.n_samples,
            "degrees": uncertainty.degrees,
            "second": uncertainty.second,
            "cross": uncertainty.cross,
            "ends": uncertainty.ends,
            "fourth": uncertainty.reference.fourth,
            "sixth": uncertainty.reference.sixth,
        }
    if isinstance(uncertainty, Bound):
        return {
            "kind": "bound",
            "radius": _part(uncertainty.radius),
            "transfer": _part(uncertainty.transfer),
        }
    return None


def _part(value: Any) -> dict[str, Any]:
    kind, names = _KINDS[type(value)]
    numbers = {name: getattr(value, name) for name in names}
    return {
        "kind": kind,
        **{
            name: _part(number) if type(number) in _KINDS else number
            for name, number in numbers.items()
        },
    }


def uncertainty_in(
    document: Document, p: int, standard_error: FloatArray | None
) -> Uncertainty | None:
    """Read it from a result's JSON; None if the file is from an older edgewise."""
    if document.fields["schema_version"] < 3 or document.field("uncertainty") is None:
        return None
    part = document.part("uncertainty")
    kind = part.text("kind")
    if kind == "bound":
        return Bound(_read(part, "radius", _RADII, p), _read(part, "transfer", _TRANSFERS, p))
    if kind not in ("per edge", "score") or standard_error is None:
        part.refuse("kind", "'per edge' or 'score' with standard errors, or 'bound'")
    if kind == "score":
        return _score(part, p, standard_error)
    spread = Spread(standard_error, part.matrix("fisher_z", p))
    maxima = part.unless_null("maxima", part.vector)
    reference, exact = _read(part, "reference", _REFERENCES, p), part.flag("exact")
    if exact and not isinstance(reference, Student):
        part.refuse("exact", "false without Student's reference")
    return PerEdge(spread, reference, maxima, exact)


def _score(part: Document, p: int, standard_error: FloatArray) -> ScoreTest:
    return ScoreTest(
        _count(part, "n_samples", 2),
        _degrees(part, p),
        part.matrix("second", p),
        part.matrix("cross", p),
        part.matrix("ends", p),
        SignFlip(part.matrix("fourth", p), part.matrix("sixth", p)),
        standard_error,
    )


def _degrees(part: Document, p: int) -> int | FloatArray:
    """One number for all pairs, or one for each."""
    if not isinstance(part.field("degrees"), list):
        return _count(part, "degrees", 1)
    degrees = part.matrix("degrees", p)
    if not (degrees >= 1).all() or not np.isfinite(degrees).all():
        part.refuse("degrees", "numbers from 1 on")
    return degrees


def _read(
    document: Document, name: str, readers: dict[str, Callable[[Document, int], Any]], p: int
) -> Any:
    part = document.part(name)
    kind = part.text("kind")
    if kind not in readers:
        part.refuse("kind", f"one of {', '.join(readers)}")
    return readers[kind](part, p)


def _count(part: Document, name: str, at_least: int) -> int:
    """A whole number that a float holds exactly."""
    value = part.whole(name, at_least)
    if value > _LARGEST_COUNT:
        part.refuse(name, f"a whole number up to {_LARGEST_COUNT}")
    return value


def _positive(part: Document, name: str) -> float:
    return part.number(name, above=0.0)


def _from_zero(part: Document, name: str) -> float:
    return part.number(name, above=math.nextafter(0.0, -1.0))


def _vector(part: Document, name: str, length: int, *, signed: bool = False) -> FloatArray:
    values = part.vector(name, signed=signed)
    if len(values) != length:
        part.refuse(name, f"{length} numbers", f"{len(values)}")
    return values


def _student(part: Document, p: int) -> Student:
    return Student(_positive(part, "df"))


def _student_of_each(part: Document, p: int) -> StudentOfEach:
    degrees = part.matrix("degrees", p)
    if not (degrees > 0).all() or not np.isfinite(degrees).all():
        part.refuse("degrees", "numbers above 0")
    return StudentOfEach(degrees)


def _anytime(part: Document, p: int) -> AnytimeReference:
    return AnytimeReference(
        _count(part, "n_samples", 1),
        _positive(part, "rho2"),
        _read(part, "student", {"student": _student}, p),
    )


def _chi2(part: Document, p: int) -> ChiSquareRadius:
    spectrum = part.vector("spectrum")
    # Beyond these limits quantiles overflow, and the search for one would never end.
    if not ((spectrum == 0) | ((spectrum > _SMALLEST) & (spectrum < _LARGEST))).all():
        part.refuse("spectrum", f"0, or numbers between {_SMALLEST:g} and {_LARGEST:g}")
    counts = part.unless_null("counts", part.vector)
    if counts is not None and len(counts) != len(spectrum):
        part.refuse("counts", "one for each value of the spectrum", f"{len(counts)}")
    if counts is not None and counts.sum() > p * (p + 1):
        part.refuse("counts", f"at most {p * (p + 1)} in all", f"{counts.sum():g}")
    return ChiSquareRadius(spectrum, counts, _from_zero(part, "slack"))


def _bernstein(part: Document, p: int) -> BernsteinRadius:
    """Columns of range one: their moments, and how far their means are from an end, are at most 1.

    A larger scale would overflow.
    """
    reach = _vector(part, "reach", p)
    if (reach > 1).any():
        part.refuse("reach", "numbers from 0 to 1")
    covariance = _bounded_matrix(part, "covariance", p, -1.0, 1.0)
    if (covariance.diagonal() < 0).any():
        part.refuse("covariance", "numbers from 0 on on its diagonal")
    return BernsteinRadius(
        _count(part, "n_samples", 2),
        reach,
        covariance,
        _bounded_matrix(part, "deviation", p, 0.0, 1.0),
        _bounded_matrix(part, "scale", p, 0.0, math.sqrt(_LARGEST)),
    )


def _bounded_matrix(part: Document, name: str, p: int, low: float, high: float) -> FloatArray:
    matrix = part.matrix(name, p)
    if not ((matrix >= low) & (matrix <= high)).all():
        part.refuse(name, f"numbers from {low:g} to {high:g}")
    return matrix


def _largest(part: Document, p: int) -> LargestRadius:
    maxima = part.vector("maxima")
    if not len(maxima):
        part.refuse("maxima", "at least one number", "none")
    return LargestRadius(
        np.sort(maxima)[::-1],
        _read(part, "student", {"student": _student}, p),
        _count(part, "n_entries", 1),
    )


def _entries(part: Document, p: int) -> EntryTransfer:
    errors = part.matrix("errors", p)
    if not (errors > 0).all() or not np.isfinite(errors).all():
        part.refuse("errors", "numbers above 0")
    return EntryTransfer(errors)


def _frobenius(part: Document, p: int) -> FrobeniusTransfer:
    # Rounding may leave the smallest eigenvalue a little below zero.
    eigenvalues = _vector(part, "eigenvalues", p, signed=True)
    return FrobeniusTransfer(eigenvalues, _positive(part, "mu"))


_REFERENCES: dict[str, Callable[[Document, int], Reference]] = {
    "normal": lambda part, p: Normal(),
    "student": _student,
    "student of each": _student_of_each,
    "anytime": _anytime,
}
_RADII: dict[str, Callable[[Document, int], Radius]] = {
    "normal": lambda part, p: NormalRadius(
        _from_zero(part, "variance"), _positive(part, "max_alpha")
    ),
    "chi2": _chi2,
    "hoeffding": lambda part, p: HoeffdingRadius(
        _positive(part, "unit"), _count(part, "n_samples", 2), _count(part, "n_entries", 1)
    ),
    "bernstein": _bernstein,
    "chebyshev": lambda part, p: ChebyshevRadius(_positive(part, "variance")),
    "concordance": lambda part, p: ConcordanceRadius(
        _positive(part, "unit"),
        _positive(part, "independent_pairs"),
        _count(part, "n_entries", 1),
        _from_zero(part, "offset"),
    ),
    "largest": _largest,
}
_TRANSFERS: dict[str, Callable[[Document, int], Transfer]] = {
    "frobenius": _frobenius,
    "spectral": lambda part, p: SpectralTransfer(part.number("smallest"), p),
    "entries": _entries,
    "whitened": lambda part, p: WhitenedTransfer(_vector(part, "diagonal", p)),
    "relative": lambda part, p: RelativeTransfer(_vector(part, "diagonal", p)),
}
