"""What p-values and intervals are made from, as JSON and back.

Each part is an object whose "kind" says what it is. Standard errors of precision entries are in the
result already and are not repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.bounds.radius import ChiSquareRadius, HoeffdingRadius, NormalRadius, Radius
from edgewise.bounds.transfer import FrobeniusTransfer, SpectralTransfer, Transfer, WhitenedTransfer
from edgewise.inference.bound import Bound
from edgewise.inference.measurement import Uncertainty
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import AnytimeReference, Normal, Reference, Student
from edgewise.inference.spread import Spread
from edgewise.results.json_document import Document

#: What each kind is called in a file, and its numbers and vectors in the order of its fields.
_KINDS: dict[type, tuple[str, tuple[str, ...]]] = {
    Normal: ("normal", ()),
    Student: ("student", ("df",)),
    AnytimeReference: ("anytime", ("n_samples", "rho2", "student")),
    NormalRadius: ("normal", ("variance", "max_alpha")),
    ChiSquareRadius: ("chi2", ("spectrum", "counts", "slack")),
    HoeffdingRadius: ("hoeffding", ("unit", "n_samples", "n_entries")),
    FrobeniusTransfer: ("frobenius", ("eigenvalues", "mu")),
    SpectralTransfer: ("spectral", ("smallest", "n_features")),
    WhitenedTransfer: ("whitened", ("diagonal",)),
}


def uncertainty_document(uncertainty: Uncertainty | None) -> dict[str, Any] | None:
    """The parts by name, arrays as they are."""
    if isinstance(uncertainty, PerEdge):
        return {
            "kind": "per edge",
            "fisher_z": uncertainty.spread.fisher_z,
            "degrees": uncertainty.spread.degrees,
            "reference": _part(uncertainty.reference),
            "maxima": uncertainty.maxima,
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
    """What a result's JSON says of it; None where it comes from an older edgewise."""
    if document.fields["schema_version"] < 2 or document.field("uncertainty") is None:
        return None
    part = document.part("uncertainty")
    kind = part.text("kind")
    if kind == "bound":
        return Bound(_read(part, "radius", _RADII, p), _read(part, "transfer", _TRANSFERS, p))
    if kind != "per edge" or standard_error is None:
        part.refuse("kind", "'per edge' with standard errors, or 'bound'")
    spread = Spread(
        standard_error,
        part.matrix("fisher_z", p),
        part.unless_null("degrees", part.matrix, p),
    )
    maxima = part.unless_null("maxima", part.vector)
    return PerEdge(spread, _read(part, "reference", _REFERENCES, p), maxima)


def _read(
    document: Document, name: str, readers: dict[str, Callable[[Document, int], Any]], p: int
) -> Any:
    part = document.part(name)
    kind = part.text("kind")
    if kind not in readers:
        part.refuse("kind", f"one of {', '.join(readers)}")
    return readers[kind](part, p)


def _positive(part: Document, name: str) -> float:
    return part.number(name, above=0.0)


def _from_zero(part: Document, name: str) -> float:
    return part.number(name, above=math.nextafter(0.0, -1.0))


def _vector(part: Document, name: str, length: int) -> FloatArray:
    values = part.vector(name)
    if len(values) != length:
        part.refuse(name, f"{length} numbers", f"{len(values)}")
    return values


def _student(part: Document, p: int) -> Student:
    return Student(_positive(part, "df"))


def _anytime(part: Document, p: int) -> AnytimeReference:
    return AnytimeReference(
        part.whole("n_samples", at_least=1),
        _positive(part, "rho2"),
        _read(part, "student", {"student": _student}, p),
    )


def _chi2(part: Document, p: int) -> ChiSquareRadius:
    spectrum = part.vector("spectrum")
    counts = part.unless_null("counts", part.vector)
    if counts is not None and len(counts) != len(spectrum):
        part.refuse("counts", "one for each value of the spectrum", f"{len(counts)}")
    return ChiSquareRadius(spectrum, counts, _from_zero(part, "slack"))


def _frobenius(part: Document, p: int) -> FrobeniusTransfer:
    return FrobeniusTransfer(_eigenvalues(part, p), _positive(part, "mu"))


def _eigenvalues(part: Document, p: int) -> FloatArray:
    # Rounding may leave the smallest one a little below zero.
    values = part.field("eigenvalues")
    if (
        not isinstance(values, list)
        or len(values) != p
        or not all(type(value) in (int, float) and math.isfinite(value) for value in values)
    ):
        part.refuse("eigenvalues", f"{p} numbers")
    return np.array(values, dtype=np.float64)


_REFERENCES: dict[str, Callable[[Document, int], Reference]] = {
    "normal": lambda part, p: Normal(),
    "student": _student,
    "anytime": _anytime,
}
_RADII: dict[str, Callable[[Document, int], Radius]] = {
    "normal": lambda part, p: NormalRadius(
        _from_zero(part, "variance"), _positive(part, "max_alpha")
    ),
    "chi2": _chi2,
    "hoeffding": lambda part, p: HoeffdingRadius(
        _positive(part, "unit"), part.whole("n_samples", 2), part.whole("n_entries", 1)
    ),
}
_TRANSFERS: dict[str, Callable[[Document, int], Transfer]] = {
    "frobenius": _frobenius,
    "spectral": lambda part, p: SpectralTransfer(part.number("smallest"), p),
    "whitened": lambda part, p: WhitenedTransfer(_vector(part, "diagonal", p)),
}
