"""The radii around Σ̂ that the bounds can use."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from edgewise._base import special
from edgewise._base.checks import check_choice, check_real
from edgewise._base.types import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.inference.cautions import Caution
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Evidence
from edgewise.methods.method import Assumes, BoundMethod, Method
from edgewise.methods.options import (
    WITH_SUPPORT,
    outside_option,
    radius_option,
    solver_option,
    support_option,
)
from edgewise.paper.bernstein import BernsteinRadius
from edgewise.paper.covcov import (
    SOLVERS,
    chosen_solver,
    frobenius_trace,
    vectors_at_once,
)
from edgewise.paper.radii import (
    TRACE_MAX_ALPHA,
    ChebyshevRadius,
    ChiSquareRadius,
    HoeffdingRadius,
    NormalRadius,
    Radius,
    kernel_ranges,
    relative_variance,
)
from edgewise.sums.centre import Centre
from edgewise.sums.products import mirrored
from edgewise.sums.quartics import square_products
from edgewise.tables.table import Rows, Sums

# A share of rows outside is contradicted if as many would be that by chance only this often.
_CONTRADICTED = 1e-3


def plain_support(support: Any) -> Any:
    """The declared ranges as tuples, which compare and hash; anything else stays as it is."""
    try:
        listed = np.asarray(support, dtype=np.float64).tolist()
    except (TypeError, ValueError):
        return support
    if not isinstance(listed, list):
        return support
    return tuple(tuple(one) if isinstance(one, list) else one for one in listed)


def intervals_of(support: Any, names: Sequence[str]) -> FloatArray:
    """`support` as p intervals."""
    try:
        intervals = np.asarray(support, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _bad_support(support, len(names)) from error
    if intervals.shape == (2,):
        intervals = np.tile(intervals, (len(names), 1))
    if intervals.shape != (len(names), 2) or not np.isfinite(intervals).all():
        raise _bad_support(support, len(names))
    if not (intervals[:, 0] < intervals[:, 1]).all():
        raise _bad_support(support, len(names))
    return intervals


def check_rows(batches: Iterator[Rows], intervals: FloatArray, names: Sequence[str]) -> Sums:
    """A pass that finds no row outside the intervals, or refuses the rows."""
    for _ in _checked(batches, intervals, names):
        pass
    return ()


def checked_square_products(
    batches: Iterator[Rows], centre: Centre, intervals: FloatArray, names: Sequence[str]
) -> Sums:
    """Σ z_i²z_j² of columns of range one, in a pass that also finds no row outside."""
    scale = 1 / (intervals[:, 1] - intervals[:, 0])
    return square_products(_checked(batches, intervals, names), centre, scale)


def _checked(
    batches: Iterator[Rows], intervals: FloatArray, names: Sequence[str]
) -> Iterator[Rows]:
    """The same batches.

    A bound that uses the support is worthless if the support is wrong or was taken from the data,
    so a row outside it is an error, never a wider interval.
    """
    for batch in batches:
        if batch.shape[0]:
            rows = np.asarray(batch)
            _check_inside(rows.min(axis=0), rows.max(axis=0), intervals, names)
        yield batch


@dataclass(frozen=True, eq=False, slots=True)
class Inside:
    """The rows inside the support, how many there are in all, and which share may be outside."""

    evidence: Evidence
    n_samples: int
    outside: float

    @classmethod
    def of(cls, evidence: Evidence, support: Any, outside: float) -> Inside:
        """Leave out the rows outside; refuse a share that their number contradicts."""
        intervals = intervals_of(support, evidence.feature_names)
        kept = cls(evidence.inside(intervals), evidence.moments().n_samples, outside)
        if kept.n_outside and kept.chance() < _CONTRADICTED:
            raise DataError(
                f"outside: expected at most {outside:g} of the rows outside the support, got "
                f"{kept.n_outside:,} of {kept.n_samples:,} rows; declare a wider support, or a "
                "larger share."
            )
        return kept

    @property
    def n_outside(self) -> int:
        return self.n_samples - self.evidence.moments().n_samples

    def chance(self) -> float:
        """The probability that as many rows or more are outside, if that share may be."""
        inside = self.n_samples - self.n_outside
        return float(special.betainc(self.n_outside, inside + 1, self.outside))

    def marked(self, measurement: Measurement) -> Measurement:
        """The measurement, which says how many rows it is not about."""
        record = {**measurement.record, "outside": self.outside, "n_outside": self.n_outside}
        share = f"{100 * self.outside:.4g} %"
        told = Caution(
            f"{self.n_outside:,} of {self.n_samples:,} rows lie outside the declared support and "
            f"were left out (up to {share} were allowed). What holds for every number of rows "
            "holds for the distribution of the rows inside the support: its partial correlations "
            "can differ from those of all rows.",
            "outside the support",
        )
        return replace(measurement, record=record, cautions=(*measurement.cautions, told))


def _check_inside(low: Any, high: Any, intervals: FloatArray, names: Sequence[str]) -> None:
    outside = np.flatnonzero((low < intervals[:, 0]) | (high > intervals[:, 1]))
    if outside.size:
        i = int(outside[0])
        value = low[i] if low[i] < intervals[i, 0] else high[i]
        raise DataError(
            f"support: expected every value of column {names[i]!r} between {intervals[i, 0]:g} and "
            f"{intervals[i, 1]:g}, got {float(value):g}; declare the range that the column can "
            "take, not the one it took, or with `outside` the share of rows that may leave it."
        )


def _bad_support(support: Any, p: int) -> ParameterError:
    return ParameterError(
        f"support: expected one finite interval (low, high), or one for each of {p} columns, got "
        f"{' '.join(repr(support).split())}."
    )


_STANDARD_ERRORS = 4


def hoeffding_radius(evidence: Evidence, A: FloatArray | None, support: Any) -> HoeffdingRadius:
    """Hoeffding's radius in the coordinates A c, after a pass that finds no row outside."""
    p = len(evidence.feature_names)
    intervals = intervals_of(support, evidence.feature_names)
    evidence.sums(partial(check_rows, intervals=intervals, names=evidence.feature_names))
    ranges = kernel_ranges(intervals[:, 1] - intervals[:, 0])
    if A is not None:
        ranges = np.abs(A) @ ranges @ np.abs(A).T
    n_samples = evidence.moments().n_samples
    return HoeffdingRadius(float(np.linalg.norm(ranges, 2)), n_samples, p * (p + 1) // 2)


def bernstein_radius(evidence: Evidence, A: FloatArray | None, support: Any) -> BernsteinRadius:
    """The empirical Bernstein radius in the coordinates A c; one pass finds all it needs."""
    intervals = intervals_of(support, evidence.feature_names)
    low, high = intervals.T
    lengths = high - low
    one_pass = partial(
        checked_square_products,
        centre=evidence.centre,
        intervals=intervals,
        names=evidence.feature_names,
    )
    (squares,) = evidence.sums(one_pass)
    moments = evidence.moments()
    n, mean = moments.n_samples, moments.mean()
    covariance = evidence.central_covariance() / lengths / lengths[:, np.newaxis]
    variance = mirrored(squares) / n - covariance**2
    return BernsteinRadius(
        n_samples=n,
        # Rounding may leave a mean a little outside the range.
        reach=np.clip(np.maximum(mean - low, high - mean) / lengths, 0.5, 1.0),
        covariance=covariance,
        deviation=np.sqrt(np.maximum(variance, 0.0)),
        scale=np.diag(lengths) if A is None else np.abs(A) * lengths,
    )


def chebyshev_radius(evidence: Evidence, kurtosis: float) -> ChebyshevRadius:
    """Chebyshev's radius of Σ̂ relative to Σ, from the declared kurtosis alone."""
    p = len(evidence.feature_names)
    least = p / (p + 2)  # (E‖z‖²)² = p² ≤ E‖z‖⁴
    if kurtosis < least:
        raise ParameterError(
            f"kurtosis: expected at least {least:.4g} with {p} columns, below which no "
            f"distribution is, got {kurtosis:g}; 1 is that of Gaussian rows."
        )
    return ChebyshevRadius(relative_variance(evidence.moments().n_samples, p, kurtosis))


def contradicted_kurtosis(
    measurement: Measurement, evidence: Evidence, kurtosis: float
) -> Measurement:
    """The measurement, with a caution if the rows show more than the declared kurtosis."""
    if evidence.first_look is None or not len(evidence.first_look.leading):
        return measurement
    facts = diagnosis_of(measurement.estimate, evidence.first_look, evidence.feature_names)
    # The kurtosis is that of the rows that were kept.
    n, p = len(evidence.first_look.leading), facts.n_features
    # Of Gaussian rows, Mardia's kurtosis has the standard error √(8p(p + 2)/n).
    most = kurtosis * (1 + _STANDARD_ERRORS * math.sqrt(8 / (p * (p + 2) * n)))
    if not facts.kurtosis_ratio > most:
        return measurement
    told = Caution(
        f"The first rows have {facts.kurtosis_ratio:.3g} times the kurtosis of Gaussian rows, and "
        f"at most {kurtosis:g} times was declared: some of its edges may be false. Declare a "
        "larger one, from what is known about the rows.",
        "kurtosis",
        True,
    )
    return replace(measurement, cautions=(told, *measurement.cautions))


# The spectrum of a d × d matrix takes about a second at this size; above it, it is estimated.
_LARGEST_SPECTRUM = 2016  # d at p = 63


def check_support_goes_with(radius: str, support: Any) -> None:
    """Refuse a finite-sample radius without a support, and a support with another radius."""
    if (support is not None) != (radius in WITH_SUPPORT):
        raise ParameterError(
            "support: expected with radius='hoeffding' or 'bernstein' and only there, got "
            f"radius={radius!r} and support={support!r}; declare each column's (lowest, highest) "
            "value for a finite-sample bound."
        )


def radius_of(
    kind: str,
    evidence: Evidence,
    A: FloatArray | None,
    *,
    support: Any,
    solver: str,
    whitened: bool = False,
) -> tuple[Radius, dict[str, Any]]:
    """The radius of Σ̂ in the coordinates A c, and what a result records about it.

    `whitened` says that A whitens the rows. The chi-square radius, which has no slack, then takes
    each row in units of the covariance without it.
    """
    record: dict[str, Any] = {"radius": kind}
    if kind in WITH_SUPPORT:
        record["support"] = np.asarray(support).tolist()
        bounded = hoeffding_radius if kind == "hoeffding" else bernstein_radius
        return bounded(evidence, A, support), record
    if kind == "trace":
        return NormalRadius(_frobenius_trace(evidence, A), TRACE_MAX_ALPHA), record
    if kind == "eig":
        largest, how = covcov_largest(evidence, A, solver=solver, frobenius=True)
        return NormalRadius(largest), record | how
    radius, how = _chi_square(evidence, A, solver, left_out=whitened)
    return radius, record | how


def covcov_largest(
    evidence: Evidence, A: FloatArray | None, *, solver: str, frobenius: bool = False
) -> tuple[float, dict[str, Any]]:
    """λ_max of Cov(U(Σ̂)), or its upper error bar, and what a result records about the solver."""
    n, p = evidence.moments().n_samples, len(evidence.feature_names)
    if chosen_solver(solver, n, p, in_memory=evidence.in_memory) == "full":
        matrix = evidence.covcov_matrix(A, frobenius=frobenius)
        return float(np.linalg.eigvalsh(matrix)[-1]), {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.paper.spectrum import largest_eigenvalue

    operator = evidence.covcov_operator(A, frobenius=frobenius)
    found = largest_eigenvalue(operator, block=vectors_at_once(in_memory=evidence.in_memory))
    record = {
        "solver": "matrix-free",
        "iterations": found.passes,
        "products": found.products,
        "width": found.width,
    }
    return found.upper, record


def _chi_square(
    evidence: Evidence, A: FloatArray | None, solver: str, *, left_out: bool
) -> tuple[ChiSquareRadius, dict[str, Any]]:
    p = len(evidence.feature_names)
    if solver == "full" or (solver == "auto" and p * (p + 1) // 2 <= _LARGEST_SPECTRUM):
        matrix = evidence.covcov_matrix(A, frobenius=True, left_out=left_out)
        spectrum: FloatArray = np.linalg.eigvalsh(matrix).astype(np.float64)
        return ChiSquareRadius(np.maximum(spectrum, 0.0)), {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.paper.spectrum import estimate_spectrum

    operator = evidence.covcov_operator(A, frobenius=True, left_out=left_out)
    seen = estimate_spectrum(operator, _frobenius_trace(evidence, A, left_out=left_out))
    radius = ChiSquareRadius.estimated(seen.values, seen.counts)
    return radius, {
        "solver": "matrix-free",
        "iterations": operator.passes,
        "width": radius.slack,
        "products": operator.products,
    }


def _frobenius_trace(evidence: Evidence, A: FloatArray | None, *, left_out: bool = False) -> float:
    n = evidence.moments().n_samples
    quartics = evidence.quartics(A, left_out=left_out)
    trace = frobenius_trace(n, evidence.central_covariance(A), quartics)
    return max(trace, 0.0)


@dataclass(frozen=True)
class RadiusMethod(BoundMethod):
    """A bound with the options `radius`, `support`, `outside` and `solver`."""

    radius: str = radius_option()
    support: Sequence[Any] | None = support_option()
    outside: float = outside_option()
    solver: str = solver_option()

    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        check_choice("radius", self.radius, self.radii())
        check_choice("solver", self.solver, SOLVERS)
        check_support_goes_with(self.radius, self.support)
        object.__setattr__(self, "support", plain_support(self.support))
        object.__setattr__(self, "outside", _checked_share(self.outside, self.support))

    @classmethod
    def radii(cls) -> tuple[str, ...]:
        """The radii that it can have."""
        (field,) = (field for field in dataclasses.fields(cls) if field.name == "radius")
        return tuple(field.metadata["choices"])

    @abstractmethod
    def measure_inside(self, evidence: Evidence) -> Measurement:
        """The measurement, from rows of which none may be outside the support."""

    def measure(self, evidence: Evidence) -> Measurement:
        if not self.outside:
            return self.measure_inside(evidence)
        inside = Inside.of(evidence, self.support, self.outside)
        return inside.marked(self.measure_inside(inside.evidence))

    @property
    def relies_on(self) -> Assumes:
        if self.support is None:
            return self.assumes
        return self.assumes & ~Assumes.FOURTH_MOMENTS  # values in a known range have all moments

    @property
    def slow_with_many_columns(self) -> bool:
        return self.radius in ("chi2", "eig")

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return ((f"{cls.name}, chi2", cls(radius="chi2")), (f"{cls.name}, trace", cls()))


def _checked_share(outside: object, support: Any) -> float:
    if type(outside) in (int, float) and outside == 0:
        return 0.0
    hint = " With 0, the default, a row outside the support is an error."
    share = check_real("outside", outside, above=0, below=1, hint=hint)
    if support is None:
        raise ParameterError(
            f"outside: expected with a support, got {share:g} and no support; declare each "
            "column's (lowest, highest) value."
        )
    return share
