"""Kendall's τ: the U-statistic that needs no moments, for latent partial correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from edgewise._linalg import FloatArray, off_diagonal, root_outer
from edgewise._text import listed
from edgewise.errors import TooFewRowsWarning, warn
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.estimate.latent import definite, latent_estimate
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import MaxStatistic
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Student
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import Bound, PerEdge, Spread
from edgewise.methods.leave_one_out import LeftOut, portions
from edgewise.methods.method import Assumes, Feature, Method, batches_option, option, seed_option
from edgewise.methods.planning import Measured
from edgewise.paper.radii import concordance_radius
from edgewise.paper.transfers import SpectralTransfer
from edgewise.sums.concordance import Concordance, left_by_ties, likely_units

# The share of tied pairs of rows above which a column does not look continuous; and, times √n, the
# square of that share above which the error that ties may make is no longer small beside chance.
_MANY_TIES, _TIES_THAT_SHOW = 0.05, 0.05


@dataclass(frozen=True)
class Kendall(Method):
    """Partial correlations of the latent variables behind the order of the rows; Student's t.

    If the columns are increasing changes of variables with an elliptical distribution, these have
    the correlations sin(πτ/2), whose inverse has the partial correlations that are tested, with the
    delete-one jackknife over rows or batches. Above 1024 rows, only rows within blocks are
    compared.

    Parameters
    ----------
    n_batches : int, optional
        Leave out at least that many batches of consecutive rows in turn; by default a few rows at a
        time, and above 12 800 rows 100 batches or more. Longer batches allow for dependent rows.
    random_state : int
        Seed of the bootstrap of ``correction="maxt"``.
    radius : {None, "hoeffding"}
        With "hoeffding", bound all entries at once instead, for every number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> from edgewise.simulate import make_chain_precision, sample
    >>> X = sample("gaussian", make_chain_precision(5), 1000, rng=0)
    >>> result = ew.edge_test(X, method=ew.methods.Kendall())
    >>> result.n_edges, ew.edge_test(np.exp(X), method=ew.methods.Kendall()).n_edges
    (4, 4)
    """

    n_batches: int | None = batches_option("Batches of rows; by default 100.")
    random_state: int = seed_option()
    radius: str | None = option(
        None, "How far Σ̂ may be from Σ, and by which argument.", choices=("hoeffding",)
    )

    name: ClassVar[str] = "kendall"
    guarantee: ClassVar[str] = "per edge, ranks, any tails"
    condition: ClassVar[str] = (
        "independent rows of continuous columns with an elliptical copula, without any moments"
    )
    supports: ClassVar[frozenset[Feature]] = frozenset({"maxt", "two groups", "latent variables"})
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.CONTINUOUS_COLUMNS

    def __new__(
        cls, *, n_batches: int | None = None, random_state: int = 0, radius: str | None = None
    ) -> Kendall:
        kind: type[Kendall] = cls if radius is None else KendallBound
        return object.__new__(kind)

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches, concordance=True)

    @property
    def relies_on(self) -> Assumes:
        # Batches of consecutive rows, if the user asks for them, allow for dependence between rows.
        own = self.n_batches is not None and not self.simultaneous
        return self.assumes & ~Assumes.INDEPENDENT_ROWS if own else self.assumes

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        return ((cls.name, cls()), (f"{cls.name}, bound", cls(radius="hoeffding")))

    def estimate(self, sample: Sample) -> PrecisionEstimate:
        return latent_estimate(sample.concordance(self.n_batches), sample.feature_names)[0]

    def measure(self, sample: Sample) -> Measurement:
        concordance = sample.concordance(self.n_batches)
        estimate, replaced = latent_estimate(concordance, sample.feature_names)
        # What is unusual about values says nothing here: only their order counts.
        if sample.first_look is not None:
            sample = replace(sample, first_look=sample.first_look.of_ranks())
        measured, certain = self._measured(sample, estimate, replaced, concordance)
        own = _cautions(replaced, certain, concordance, measured.feature_names)
        return replace(measured, cautions=(*own, *measured.cautions))

    def _measured(
        self,
        sample: Sample,
        estimate: PrecisionEstimate,
        replaced: bool,
        concordance: Concordance,
    ) -> tuple[Measurement, bool]:
        """The measurement, and whether the latent correlations surely have an inverse."""
        tied, units = concordance.tied(), len(concordance.touching)
        p = len(tied)

        def correlations() -> Iterator[FloatArray]:
            """Those without each unit, some at a time."""
            for some in portions(units, p):
                left = concordance.correlations_without(some)
                if not definite(left):
                    raise np.linalg.LinAlgError
                yield left

        try:
            left_out = None if replaced else LeftOut(correlations, estimate)
        except np.linalg.LinAlgError:  # without one of them there is no inverse
            left_out = None
        if left_out is not None:
            spread, influences = _spread(left_out, estimate, tied), left_out.fisher_z
        else:  # no pair can be declared an edge
            units = 2
            unknown = np.where(off_diagonal(p), np.inf, np.nan)
            spread = Spread(np.full((p, p), np.inf), unknown)
            # Any that are not zero would do: with infinite errors every statistic is.
            influences = partial(np.ones, (units, p * (p - 1) // 2))
        uncertainty = PerEdge(spread, Student(units - 1))
        measured = self.measurement(
            sample,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            maxima=MaxStatistic(influences, self.random_state),
            options=self._options() | {"n_units": len(concordance.touching)},
        )
        return measured, left_out is not None

    def _options(self) -> dict[str, Any]:
        return {} if self.n_batches is None else {"n_batches": self.n_batches}

    def degrees_at(self, measured: Measured, n_samples: int, rows: FloatArray) -> FloatArray:
        p = len(measured.precision)
        units = [likely_units(n, p, self.n_batches) for n in rows.ravel()]
        return np.reshape(units, rows.shape) - 1.0


@dataclass(frozen=True, repr=False)
class KendallBound(Kendall):
    """`Kendall` with a radius: a bound on all entries at once, for every number of rows."""

    guarantee: ClassVar[str] = "all at once, every n"
    supports: ClassVar[frozenset[Feature]] = frozenset({"latent variables"})
    simultaneous: ClassVar[bool] = True

    def __repr__(self) -> str:
        return super().__repr__().replace("KendallBound", "Kendall")  # as users make it

    def _measured(
        self,
        sample: Sample,
        estimate: PrecisionEstimate,
        replaced: bool,
        concordance: Concordance,
    ) -> tuple[Measurement, bool]:
        radius = concordance_radius(concordance, estimate.whitening, replaced)
        bound = Bound(radius, SpectralTransfer(estimate.precision.diagonal()))
        options = self._options() | {"radius": self.radius}
        measured = self.measurement(sample, estimate, estimate.precision, bound, options=options)
        return measured, not replaced


def _spread(left_out: LeftOut, estimate: PrecisionEstimate, tied: FloatArray) -> Spread:
    """Standard errors, never below those of independent columns with as many ties.

    For these n Var τ̂ ≤ (4/9) larger_i larger_j, larger = (1 − t²)/f(t); z changes π/2 times as
    fast.
    """
    p, n = len(estimate.precision), estimate.n_samples
    larger = (1 - tied**2) / left_by_ties(tied)
    least = np.pi**2 / 9 * np.outer(larger, larger) / max(n - p - 1, 1)
    variance_z = np.where(off_diagonal(p), np.maximum(left_out.variance_z, least), np.nan)
    # Θ̂_ij/√(Θ̂_iiΘ̂_jj) is −ρ̂_ij, and (1 − ρ²) dz = dρ; a diagonal entry has no such least error.
    rho = np.where(off_diagonal(p), estimate.partial_correlation, 1.0)
    variance = np.maximum(left_out.variance, least * (1 - rho**2) ** 2)
    return Spread(root_outer(estimate.precision) * np.sqrt(variance), np.sqrt(variance_z))


def _cautions(
    replaced: bool, certain: bool, concordance: Concordance, names: Sequence[str]
) -> Iterator[Caution]:
    n, p = concordance.n_samples, len(names)
    if not certain:
        shown = (
            "The latent correlations are not positive definite, so the nearest correlation matrix "
            "that is was inverted"
            if replaced
            else "The latent correlations are hardly positive definite: without some rows they are "
            "not"
        )
        text = (
            f"{shown}. {n:,} rows are too few for {p} columns, or columns determine each other. No "
            "edge can be declared; collect more rows, or test fewer columns."
        )
        warn(text, TooFewRowsWarning)
        yield Caution(text, "not definite")
    if concordance.order_matters:
        yield Caution(
            "Rows that are far apart have other coefficients than those that are near: they are "
            "sorted, or drift, and this method compares rows that are near each other: some of its "
            "edges may be false. Shuffle the rows.",
            "order",
            True,
        )
    tied = concordance.tied()
    showing = tied**2 * math.sqrt(concordance.n_samples) > _TIES_THAT_SHOW
    many = np.flatnonzero((tied > _MANY_TIES) | showing)
    if many.size:
        which = listed([repr(names[int(column)]) for column in many])
        one = many.size == 1
        yield Caution(
            f"Column{'s' * (not one)} {which} {'has' if one else 'have'} equal values: up to "
            f"{100 * float(tied.max()):.2g} % of the pairs of rows are tied. The method assumes a "
            "continuous variable behind each column. Where values are its classes, or are rounded, "
            "latent correlations are only nearly right, and some of its edges may be false.",
            "ties",
            True,
        )
