"""Bounds on all entries at once: the paper's Algorithm 1, and sharper ones.

Each has a radius around Σ̂ and its transfer to Θ̂. `Trace` and `Eig` are the paper's; `Spectral` and
`Whitened` choose among several radii; `Entrywise` bounds the entries of Θ̂ themselves.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from edgewise._linalg import FloatArray, population_covariance
from edgewise.errors import DataError, ParameterError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import MaxStatistic
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Student
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import Bound, LargestRadius, degrees_of_freedom, floored_spread
from edgewise.methods.batch import working_batches
from edgewise.methods.leave_one_out import left_out_batches
from edgewise.methods.method import (
    Assumes,
    BoundMethod,
    Method,
    batches_option,
    option,
    seed_option,
)
from edgewise.paper.covcov import (
    SOLVERS,
    chosen_solver,
    frobenius_trace,
    trace_from_quartics,
)
from edgewise.paper.radii import (
    TRACE_MAX_ALPHA,
    BernsteinRadius,
    ChebyshevRadius,
    ChiSquareRadius,
    HoeffdingRadius,
    NormalRadius,
    Radius,
    kernel_ranges,
    relative_variance,
)
from edgewise.paper.transfers import (
    EntryTransfer,
    FrobeniusTransfer,
    RelativeTransfer,
    SpectralTransfer,
)
from edgewise.sums.blocks import Centre
from edgewise.sums.power import square_products
from edgewise.tables.table import Rows, Sums

#: The radii that hold for every n, because the range of each column is declared.
WITH_SUPPORT = ("hoeffding", "bernstein")
RADII = ("trace", "chi2", "eig", *WITH_SUPPORT)
# So many standard errors above what was declared contradict it.
_STANDARD_ERRORS = 4
# The spectrum of a d × d matrix takes about a second at this size; above it, it is estimated.
_LARGEST_SPECTRUM = 2016  # d at p = 63


def _radius_option(choices: Sequence[str]) -> Any:
    return option("trace", "How far Σ̂ may be from Σ, and by which argument.", choices=choices)


def _standardize_option() -> Any:
    return option(False, "Divide the columns by their standard deviations first.", kind=bool)


def _solver_option() -> Any:
    return option(
        "auto", "How the eigenvalues for the radii eig and chi2 are found.", choices=SOLVERS
    )


# The paper's Algorithm 1 ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Algorithm1(BoundMethod):
    """The paper's Algorithm 1: t = μ √Σ_k (ε/(α̂_k(α̂_k − ε)))², α̂ the eigenvalues of Σ̂."""

    mu: float = option(1.0, "The paper's constant.", kind=float)
    standardize: bool = _standardize_option()

    effect_scale: ClassVar[str] = "precision"

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return ((f"{cls.name} (paper)", cls()),)

    @abstractmethod
    def _radius(
        self, sample: Sample, estimate: PrecisionEstimate, A: FloatArray | None
    ) -> tuple[NormalRadius, dict[str, Any]]:
        """ε in the coordinates A c, whose covariance is that of the estimate, and how it came."""

    def measure(self, sample: Sample) -> Measurement:
        estimate, A = self.estimate(sample), None
        if self.standardize:
            estimate, A = estimate.standardized(), estimate.standardization
        radius, solved = self._radius(sample, estimate, A)
        eigenvalues: FloatArray = np.linalg.eigvalsh(estimate.covariance).astype(np.float64)
        bound = Bound(radius, FrobeniusTransfer(eigenvalues, self.mu))
        options = {"mu": self.mu, "standardize": self.standardize, **solved}
        return self.bounded(sample, estimate, bound, options)


@dataclass(frozen=True)
class Trace(_Algorithm1):
    """Algorithm 1 with the trace radius, ε = √(2 Tr Cov(U(Σ̂))) z_{1−α/2}.

    With probability 1 − α no zero of Θ is declared an edge, for independent rows with fourth
    moments and α ≤ 0.2152 (Corollary 1). P-values above that limit are 1: no proven level rejects.

    Parameters
    ----------
    mu : float
        The paper's constant.
    standardize : bool
        Divide the columns by their standard deviations first.
    """

    name: ClassVar[str] = "trace"
    guarantee: ClassVar[str] = "all at once, in the limit"

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True, products=True) if self.standardize else Needs(order=4)

    def _radius(
        self, sample: Sample, estimate: PrecisionEstimate, A: FloatArray | None
    ) -> tuple[NormalRadius, dict[str, Any]]:
        n = estimate.n_samples
        s = population_covariance(estimate.covariance, n)
        trace = trace_from_quartics(n, s, sample.quartics(A))
        return NormalRadius(2 * trace, TRACE_MAX_ALPHA, for_all=TRACE_MAX_ALPHA), {}


@dataclass(frozen=True)
class Eig(_Algorithm1):
    """Algorithm 1 with the eigenvalue radius, ε = √(2 λ_max(Cov(U(Σ̂)))) z_{1−α/2}.

    The paper's Lemma 1 is not a bound on ‖Σ̂ − Σ‖₂: the error of a single entry has probability at
    most α in the limit, that of all entries together was conservative in every simulation.

    Parameters
    ----------
    mu, standardize : optional
        As for `Trace`.
    solver : {"auto", "full", "matrix-free"}
        "full" builds the covariance matrix of all entries of Σ̂; "matrix-free" only multiplies with
        it, and adds an error bar to the eigenvalue. "auto" takes the faster one.
    """

    solver: str = _solver_option()

    name: ClassVar[str] = "eig"
    guarantee: ClassVar[str] = "each entry; for all a heuristic"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, as far as simulations go "
        "(its radius is not a proven bound)"
    )

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True, products=self.solver != "matrix-free")

    @property
    def slow_with_many_columns(self) -> bool:
        return True

    def _radius(
        self, sample: Sample, estimate: PrecisionEstimate, A: FloatArray | None
    ) -> tuple[NormalRadius, dict[str, Any]]:
        largest, solved = covcov_largest(sample, A, self.solver)
        return NormalRadius(2 * largest, for_all=0.0), solved


# Other radii and transfers --------------------------------------------------------------------


def support_of_text(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ParameterError(
            f"support: expected two numbers separated by a comma, as in 0,1; got {text!r}."
        ) from error
    return low, high


@dataclass(frozen=True)
class RadiusMethod(BoundMethod):
    """A bound with the options `radius`, `support` and `solver`."""

    radius: str = _radius_option(RADII)
    support: Sequence[Any] | None = option(
        None,
        "The range of every column's values, for --radius hoeffding and bernstein.",
        parse=support_of_text,
        metavar="LOW,HIGH",
    )
    solver: str = _solver_option()

    guarantee: ClassVar[str] = "all at once, in the limit"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.support is not None) != (self.radius in WITH_SUPPORT):
            raise ParameterError(
                "support: expected with radius='hoeffding' or 'bernstein' and only there, got "
                f"radius={self.radius!r} and support={self.support!r}; declare each column's "
                "(lowest, highest) value for a finite-sample bound."
            )
        object.__setattr__(self, "support", _hashable(self.support))

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

    def radius_of(
        self, sample: Sample, A: FloatArray | None, *, whitened: bool = False
    ) -> tuple[Radius, dict[str, Any]]:
        """The radius of Σ̂ in the coordinates A c, and what a result records about it."""
        options: dict[str, Any] = {"radius": self.radius}
        if self.radius in WITH_SUPPORT:
            options["support"] = np.asarray(self.support).tolist()
            bounded = hoeffding_radius if self.radius == "hoeffding" else bernstein_radius
            return bounded(sample, A, self.support), options
        if self.radius == "trace":
            return NormalRadius(_frobenius_trace(sample, A), TRACE_MAX_ALPHA), options
        if self.radius == "eig":
            largest, solved = covcov_largest(sample, A, self.solver, frobenius=True)
            return NormalRadius(largest, for_all=0.0), options | solved
        p = len(sample.feature_names)
        small = self.solver == "auto" and p * (p + 1) // 2 <= _LARGEST_SPECTRUM
        if self.solver == "full" or small:
            matrix = sample.covcov_matrix(A, frobenius=True, left_out=whitened)
            spectrum: FloatArray = np.linalg.eigvalsh(matrix).astype(np.float64)
            return ChiSquareRadius(np.maximum(spectrum, 0.0)), options | {"solver": "full"}
        # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
        from edgewise.paper.spectrum import estimate_spectrum

        operator = sample.covcov_operator(A, frobenius=True, left_out=whitened)
        trace = _frobenius_trace(sample, A, left_out=whitened)
        radius = ChiSquareRadius.estimated(*estimate_spectrum(operator, trace))
        solved = _matrix_free(operator.passes, operator.products, radius.slack)
        return radius, options | solved


@dataclass(frozen=True)
class Spectral(RadiusMethod):
    r"""Edge where \|Θ̂_ij\| ≥ ε/(α̂_p(α̂_p − ε)), for all entries at once: never above the paper's.

    Parameters
    ----------
    radius, support, solver : optional
        As for `Whitened`.
    standardize : bool
        Divide the columns by their standard deviations first.
    """

    standardize: bool = _standardize_option()

    name: ClassVar[str] = "spectral"

    @property
    def needs(self) -> Needs:
        if self.radius == "trace" and not self.standardize:
            return Needs(order=4)
        products = self.support is None and self.solver != "matrix-free"
        return Needs(reads_again=True, products=products)

    def measure(self, sample: Sample) -> Measurement:
        estimate, A = self.estimate(sample), None
        if self.standardize:
            estimate, A = estimate.standardized(), estimate.standardization
        radius, options = self.radius_of(sample, A)
        smallest = float(np.linalg.eigvalsh(estimate.covariance)[0])
        bound = Bound(radius, SpectralTransfer(np.ones(len(estimate.covariance)), smallest))
        return self.bounded(sample, estimate, bound, options | {"standardize": self.standardize})


@dataclass(frozen=True)
class Whitened(RadiusMethod):
    r"""Edge where \|ρ̂_ij\| ≥ ε, a bound on the whitened covariance, for all entries at once.

    Parameters
    ----------
    radius : {"trace", "chi2", "eig", "hoeffding", "bernstein", "chebyshev"}
        In the limit: "trace" (α ≤ 0.2152), the sharper "chi2", and "eig", a heuristic for many
        variables. For every n: "hoeffding" and the sharper "bernstein" within the declared
        `support`, "chebyshev" for a kurtosis of at most the declared one.
    support : interval or intervals, optional
        The lowest and the highest value that every column, or each one, can take.
    solver : {"auto", "full", "matrix-free"}
        How eigenvalues are found. Above 63 columns "chi2" estimates them, and widens ε.
    kurtosis : float, optional
        The most that Mardia's kurtosis can be, in multiples of that of Gaussian rows.
    """

    radius: str = _radius_option((*RADII, "chebyshev"))
    kurtosis: float | None = option(
        None,
        "How many times the kurtosis of Gaussian rows it can be at most, for --radius chebyshev.",
        kind=float,
    )

    name: ClassVar[str] = "whitened"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.kurtosis is not None) != (self.radius == "chebyshev"):
            raise ParameterError(
                "kurtosis: expected with radius='chebyshev' and only there, got "
                f"radius={self.radius!r} and kurtosis={self.kurtosis!r}; declare how many times "
                "the kurtosis of Gaussian rows it can be at most."
            )

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=self.kurtosis is None)

    def measure(self, sample: Sample) -> Measurement:
        estimate = self.estimate(sample)
        diagonal = estimate.precision.diagonal()
        if self.kurtosis is not None:
            # A bound on Σ̂ relative to Σ, which needs no more than Σ̂.
            p = len(diagonal)
            least = p / (p + 2)  # (E‖z‖²)² = p² ≤ E‖z‖⁴
            if self.kurtosis < least:
                raise ParameterError(
                    f"kurtosis: expected at least {least:.4g} with {p} columns, below which no "
                    f"distribution is, got {self.kurtosis:g}; 1 is that of Gaussian rows."
                )
            variance = relative_variance(sample.n_samples, p, self.kurtosis)
            bound = Bound(ChebyshevRadius(variance), RelativeTransfer(diagonal))
            options = {"radius": self.radius, "kurtosis": self.kurtosis}
            measured = self.bounded(sample, estimate, bound, options)
            cautions = _about_kurtosis(sample, estimate, self.kurtosis)
            return replace(measured, cautions=(*cautions, *measured.cautions))
        radius, options = self.radius_of(sample, estimate.whitening, whitened=True)
        # Those for every n bound the error in units of Σ̂, the others in units of Σ.
        transfer = (
            SpectralTransfer(diagonal)
            if self.radius in WITH_SUPPORT
            else RelativeTransfer(diagonal, limit=1.0)
        )
        return self.bounded(sample, estimate, Bound(radius, transfer), options)


def covcov_largest(
    sample: Sample, A: FloatArray | None, solver: str, *, frobenius: bool = False
) -> tuple[float, dict[str, Any]]:
    """λ_max of Cov(U(Σ̂)), or its upper error bar, and what a result records about the solver."""
    n, p = sample.n_samples, len(sample.feature_names)
    # Without the rows there is nothing to multiply.
    solver = "full" if solver == "auto" and sample.rows is None else solver
    if chosen_solver(solver, n, p, in_memory=sample.in_memory) == "full":
        matrix = sample.covcov_matrix(A, frobenius=frobenius)
        return float(np.linalg.eigvalsh(matrix)[-1]), {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.paper.spectrum import largest_eigenvalue

    operator = sample.covcov_operator(A, frobenius=frobenius)
    # Vectors multiplied in one pass: of files, reading costs as much as a product.
    found = largest_eigenvalue(operator, block=1 if sample.in_memory else 4)
    return found.upper, _matrix_free(found.passes, found.products, found.width)


def _matrix_free(passes: int, products: int, width: float) -> dict[str, Any]:
    return {"solver": "matrix-free", "iterations": passes, "products": products, "width": width}


def _frobenius_trace(sample: Sample, A: FloatArray | None, *, left_out: bool = False) -> float:
    quartics = sample.quartics(A, left_out=left_out)
    trace = frobenius_trace(sample.n_samples, sample.central_covariance(A), quartics)
    return max(trace, 0.0)


def _about_kurtosis(
    sample: Sample, estimate: PrecisionEstimate, kurtosis: float
) -> tuple[Caution, ...]:
    look = sample.first_look
    if look is None or not len(look.leading):
        return ()
    facts = diagnosis_of(estimate, look, sample.feature_names)
    n, p = len(look.leading), facts.n_features
    # Of Gaussian rows, Mardia's kurtosis has the standard error √(8p(p + 2)/n).
    most = kurtosis * (1 + _STANDARD_ERRORS * math.sqrt(8 / (p * (p + 2) * n)))
    if not facts.kurtosis_ratio > most:
        return ()
    return (
        Caution(
            f"The first rows have {facts.kurtosis_ratio:.3g} times the kurtosis of Gaussian rows, "
            f"and at most {kurtosis:g} times was declared: some of its edges may be false. Declare "
            "a larger one, from what is known about the rows.",
            "kurtosis",
            True,
        ),
    )


# Rows in a declared range: for every number of rows -------------------------------------------


def _hashable(support: Any) -> Any:
    """The declared ranges as tuples; what cannot be ranges stays as it is."""
    try:
        listed = np.asarray(support, dtype=np.float64).tolist()
    except (TypeError, ValueError):
        return support
    if not isinstance(listed, list):
        return support
    return tuple(tuple(one) if isinstance(one, list) else one for one in listed)


def intervals_of(support: Any, names: Sequence[str]) -> FloatArray:
    """`support` as p intervals."""
    p = len(names)
    try:
        intervals = np.asarray(support, dtype=np.float64)
    except (TypeError, ValueError):
        intervals = np.empty(0)
    if intervals.shape == (2,):
        intervals = np.tile(intervals, (p, 1))
    fits = intervals.shape == (p, 2) and bool(np.isfinite(intervals).all())
    if not (fits and (intervals[:, 0] < intervals[:, 1]).all()):
        raise ParameterError(
            f"support: expected one finite interval (low, high), or one for each of {p} columns, "
            f"got {' '.join(repr(support).split())}."
        )
    return intervals


def checked_batches(
    batches: Iterator[Rows], intervals: FloatArray, names: Sequence[str]
) -> Iterator[Rows]:
    """The same batches; a row outside the declared support is an error, never a wider interval."""
    for batch in batches:
        if batch.shape[0]:
            rows = np.asarray(batch)
            low, high = rows.min(axis=0), rows.max(axis=0)
            outside = np.flatnonzero((low < intervals[:, 0]) | (high > intervals[:, 1]))
            if outside.size:
                i = int(outside[0])
                value = low[i] if low[i] < intervals[i, 0] else high[i]
                raise DataError(
                    f"support: expected every value of column {names[i]!r} between "
                    f"{intervals[i, 0]:g} and {intervals[i, 1]:g}, got {float(value):g}; declare "
                    "the range that the column can take, not the one it took."
                )
        yield batch


def check_rows(batches: Iterator[Rows], intervals: FloatArray, names: Sequence[str]) -> Sums:
    """A pass that finds no row outside the intervals, or refuses the rows."""
    for _ in checked_batches(batches, intervals, names):
        pass
    return ()


def checked_square_products(
    batches: Iterator[Rows], centre: Centre, intervals: FloatArray, names: Sequence[str]
) -> Sums:
    scale = 1 / (intervals[:, 1] - intervals[:, 0])
    return square_products(checked_batches(batches, intervals, names), centre, scale)


def hoeffding_radius(sample: Sample, A: FloatArray | None, support: Any) -> HoeffdingRadius:
    """Hoeffding's radius after a pass that finds no row outside; of a state, support is believed."""
    p = len(sample.feature_names)
    intervals = intervals_of(support, sample.feature_names)
    if sample.rows is not None or sample.first_look is not None:
        sample.scan(partial(check_rows, intervals=intervals, names=sample.feature_names))
    ranges = kernel_ranges(intervals[:, 1] - intervals[:, 0])
    if A is not None:
        ranges = np.abs(A) @ ranges @ np.abs(A).T
    return HoeffdingRadius(
        float(np.linalg.norm(ranges, 2)), float(sample.n_samples // 2), p * (p + 1) // 2
    )


def bernstein_radius(sample: Sample, A: FloatArray | None, support: Any) -> BernsteinRadius:
    """The empirical Bernstein radius in the coordinates A c; one pass finds all it needs."""
    names = sample.feature_names
    intervals = intervals_of(support, names)
    low, high = intervals.T
    lengths = high - low
    one_pass = partial(
        checked_square_products, centre=sample.moments().centre(), intervals=intervals, names=names
    )
    (squares,) = sample.scan(one_pass)
    n, mean = sample.n_samples, sample.moments().mean()
    covariance = sample.central_covariance() / lengths / lengths[:, np.newaxis]
    variance = squares / n - covariance**2
    return BernsteinRadius(
        n_samples=n,
        # Rounding may leave a mean a little outside the range.
        reach=np.clip(np.maximum(mean - low, high - mean) / lengths, 0.5, 1.0),
        covariance=covariance,
        deviation=np.sqrt(np.maximum(variance, 0.0)),
        scale=np.diag(lengths) if A is None else np.abs(A) * lengths,
    )


# The entries themselves -----------------------------------------------------------------------


@dataclass(frozen=True)
class Entrywise(BoundMethod):
    r"""Edge where \|Θ̂_ij\| ≥ c se_ij: each entry has its own threshold, and all hold at once.

    se is the delete-one-batch jackknife's, never below that of Gaussian rows. c is the 1 − α
    quantile of the largest \|Θ̂_ij − Θ_ij\|/se_ij over the entries, from a multiplier bootstrap
    over the batches, and never above Student's at α over their number.

    Parameters
    ----------
    n_batches : int, optional
        At least that many batches, less than twice as many; by default 100, or fewer.
    random_state : int
        Seed of the bootstrap.
    """

    n_batches: int | None = batches_option()
    random_state: int = seed_option("Seed of the bootstrap.")

    name: ClassVar[str] = "entrywise"
    guarantee: ClassVar[str] = "all at once, own thresholds"
    condition: ClassVar[str] = (
        "rows of any distribution with fourth moments whose dependence dies out in a batch"
    )
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches)

    def measure(self, sample: Sample) -> Measurement:
        state = working_batches(self.n_batches, sample.batches())
        estimate = self.estimate(sample)
        left_out = left_out_batches(state, estimate)
        influence = left_out.precision()
        p = len(sample.feature_names)
        maxima = MaxStatistic(partial(np.asarray, influence), self.random_state, diagonal=True)
        # Batches − 1 degrees of freedom, and fewer where tails are heavy.
        squares = influence**2
        mean = np.maximum(squares.mean(axis=0), np.finfo(float).tiny)
        kurtosis = np.asarray(np.median(np.mean((squares / mean) ** 2, axis=0)))
        batches = len(influence)
        student = Student(min(float(degrees_of_freedom(batches, kurtosis)), batches - 1.0))
        radius = LargestRadius(maxima.largest(), student, p * (p + 1) // 2)
        bound = Bound(
            radius,
            EntryTransfer(
                floored_spread(estimate, left_out.variance, left_out.variance_z).precision
            ),
        )
        return self.measurement(
            sample,
            estimate,
            estimate.precision,
            bound,
            maxima=maxima,
            options={"n_batches": left_out.batches},
        )
