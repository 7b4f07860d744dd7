"""The delete-one-batch jackknife: estimates without each batch of rows in turn.

Batches are left out one after the other, and only sums over them are kept: p × p numbers, however
many batches there are. Whoever needs what every single one of them did asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise._linalg import (
    AnyArray,
    FloatArray,
    pairs_of,
    symmetric,
    symmetric_inverses,
    upper_pairs,
)
from edgewise._parallel import on_each
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.uncertainty import Spread, floored_spread
from edgewise.sums.batches import BatchMoments
from edgewise.sums.power import PowerSums

# Correlation matrices whose smallest eigenvalue may be below this, times p, count as singular.
_SINGULAR = 1e-12
# What is added to the diagonal of those.
_ADDED = 1e-8
# Partial correlations are kept off ±1, where Fisher's z is infinite.
ALMOST_ONE = 1 - 1e-12
# Numbers worked on at once: they stay in the cache.
_CHUNK = 1 << 17
# From so many columns on, batches are left out on all cores.
_MANY_COLUMNS = 64
# Up to this size, a few terms of the series of atanh are exact, in a fifth of the time.
_SMALL = 0.02

#: Covariances without each batch, in portions of a few batches; it can be called again.
Covariances = Callable[[], Iterator[FloatArray]]


@dataclass(frozen=True, eq=False, slots=True)
class LeftOut:
    """How the estimates vary when one batch is left out.

    `squares_z` and `squares` are sums of squares over the batches of z without each batch minus
    their mean, and of the same for the precision, in units of √(Θ̂_iiΘ̂_jj).
    """

    batches: int
    squares_z: FloatArray
    squares: FloatArray
    changes: _Changes

    def __len__(self) -> int:
        return self.batches

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Those of the precision, in units of Θ_iiΘ_jj, and of Fisher's z."""
        share = (len(self) - 1) / len(self)
        return share * self.squares, share * self.squares_z

    def spread(self, estimate: PrecisionEstimate, rows: FloatArray | None = None) -> Spread:
        """Standard errors from this variation, never below those of (so many) Gaussian rows."""
        return floored_spread(estimate, *self.variances(), rows=rows)

    def fisher_z(self) -> FloatArray:
        """z of each pair without each batch, minus their mean; of shape (batches, p(p−1)/2)."""
        return _about_mean([z for z, _, _ in self.changes])

    def precision(self) -> FloatArray:
        """The same of the entries of the precision: those of all pairs, then the diagonal."""
        return _about_mean([np.hstack(entries) for _, *entries in self.changes])


def _about_mean(portions: list[FloatArray]) -> FloatArray:
    influence = np.concatenate(portions)
    influence -= influence.mean(axis=0)
    return influence


def leave_one_out(state: BatchMoments, estimate: PrecisionEstimate) -> LeftOut:
    """Σ̂ without each batch follows from the sums of all and of that batch; then K inverses."""
    counts, n, p = state.batch_counts(), estimate.n_samples, len(estimate.precision)
    if len(counts) < 2:
        raise DataError(
            f"n_batches: expected at least 2 batches of rows, got {len(counts)} of {n} rows; "
            "collect more rows."
        )
    left = n - counts.max()
    if left <= p:
        raise DataError(
            f"n_batches: expected more than {p} rows without any one batch, got {left}; use more "
            "batches, or collect more rows."
        )
    rows = AllRows.of(estimate)
    return variation(partial(_each_without, state._seen(), rows), estimate, rows.scale)


def _each_without(parts: Sequence[PowerSums], rows: AllRows) -> Iterator[FloatArray]:
    for sums in parts:
        for some in portions(len(sums), len(rows.scale)):
            yield rows.without(sums[some])


@dataclass(frozen=True, eq=False, slots=True)
class AllRows:
    """The scatter of all rows in units of the columns' deviations, which may be far apart."""

    estimate: PrecisionEstimate
    scale: FloatArray
    unit: FloatArray
    scatter: FloatArray

    @staticmethod
    def of(estimate: PrecisionEstimate) -> AllRows:
        scale = np.sqrt(estimate.covariance.diagonal())
        unit = 1 / scale / scale[:, np.newaxis]
        return AllRows(estimate, scale, unit, estimate.covariance * unit * (estimate.n_samples - 1))

    def without(self, batches: PowerSums) -> FloatArray:
        """The covariance without each batch, in these units."""
        centre, count = self.estimate.centre, batches.n.astype(np.float64)[:, np.newaxis]
        left = self.estimate.n_samples - count
        # About the mean of all rows, as in `PowerSums.moved`.
        a = (centre.origin - batches.origin) + (0.0 if centre.offset is None else centre.offset)
        u = (batches.first - (count / 2) * a) / self.scale
        first = (batches.first - count * a) / self.scale
        a /= self.scale
        # Without the batch the mean moves too.
        shifts = np.stack([a, u, first / -left], axis=2)
        rest: FloatArray = shifts @ np.stack([u, a, first], axis=1)
        rest -= batches.second * self.unit
        rest += self.scatter
        rest /= (left - 1)[:, :, np.newaxis]
        return rest


def portions(batches: int, p: int) -> Iterator[slice]:
    """Batches whose p × p matrices are worked on at once."""
    step = max(1, _CHUNK // (p * p))
    for start in range(0, batches, step):
        yield slice(start, min(start + step, batches))


def variation(
    covariances: Covariances, estimate: PrecisionEstimate, scale: FloatArray | float = 1.0
) -> LeftOut:
    """How the estimates vary between covariances without each batch.

    The covariances are those of columns divided by `scale`.
    """
    p = len(estimate.precision)
    changes = _Changes.of(covariances, estimate, scale)
    batches, z, pairs, diagonal = 0, *(_Squares(m) for m in (changes.rho.size, changes.rho.size, p))
    for of_z, of_pairs, of_diagonal in changes:
        batches += len(of_z)
        z.add(of_z)
        pairs.add(of_pairs)
        diagonal.add(of_diagonal)
    return LeftOut(
        batches,
        symmetric(z.about_mean(batches), p, diagonal=0.0),
        symmetric(pairs.about_mean(batches), p, diagonal=diagonal.about_mean(batches)),
        changes,
    )


class _Squares:
    """Sums, and sums of squares, over batches."""

    def __init__(self, size: int) -> None:
        self._first, self._second = np.zeros((2, size))

    def add(self, values: FloatArray) -> None:
        self._first += values.sum(axis=0)
        self._second += np.einsum("bi,bi->i", values, values)

    def about_mean(self, batches: int) -> FloatArray:
        return np.maximum(self._second - self._first**2 / batches, 0.0)


@dataclass(frozen=True, eq=False, slots=True)
class _Changes:
    """What leaving out each batch changes: Fisher's z, and the precision in its own units.

    `rho` are the partial correlations of all pairs, `unit` is √Θ̂_ii in units of the scales.
    """

    covariances: Covariances
    rho: FloatArray
    unit: FloatArray

    @staticmethod
    def of(
        covariances: Covariances, estimate: PrecisionEstimate, scale: FloatArray | float
    ) -> _Changes:
        unit = np.sqrt(estimate.precision.diagonal()) * scale
        rho = pairs_of(estimate.partial_correlation)
        return _Changes(covariances, np.clip(rho, -ALMOST_ONE, ALMOST_ONE), unit)

    def __iter__(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Those of z and of the precision, of all pairs and of the diagonal, a few at a time."""
        p = len(self.unit)
        i, j = upper_pairs(p)
        change = partial(self._of, places=i * p + j, unit=self.unit[i] * self.unit[j])
        # Small matrices take less time than handing them to other threads.
        return (on_each if p >= _MANY_COLUMNS else map)(change, self.covariances())

    def _of(
        self, rest: FloatArray, places: AnyArray, unit: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        p = len(self.unit)
        i, j = upper_pairs(p)
        inverse = inverses(rest).reshape(len(rest), p * p)
        diagonal = inverse[:, :: p + 1]
        root = np.sqrt(diagonal)
        pairs = inverse.take(places, axis=1)
        rho = root.take(i, axis=1)
        rho *= root.take(j, axis=1)
        np.divide(pairs, rho, out=rho)
        np.negative(rho, out=rho)
        np.clip(rho, -ALMOST_ONE, ALMOST_ONE, out=rho)
        pairs /= unit
        pairs += self.rho
        return _difference_of_z(rho, self.rho), pairs, diagonal / self.unit**2 - 1


def _difference_of_z(rho: FloatArray, centre: FloatArray) -> FloatArray:
    """atanh ρ − atanh of the centre, in the memory of ρ: atanh((ρ − centre)/(1 − ρ centre))."""
    under = rho * centre
    np.subtract(1.0, under, out=under)
    rho -= centre
    rho /= under
    np.clip(rho, -ALMOST_ONE, ALMOST_ONE, out=rho)
    if max(rho.max(initial=0.0), -rho.min(initial=0.0)) > _SMALL:
        return np.arctanh(rho, out=rho)
    # x(1 + x²/3 + x⁴/5 + x⁶/7 + …)
    square = np.multiply(rho, rho, out=under)
    series = square * (1 / 9)
    for power in (7, 5, 3):
        series += 1 / power
        series *= square
    series += 1
    rho *= series
    return rho


def inverses(correlations: FloatArray) -> FloatArray:
    """Inverses of matrices with diagonals of about one; a little is added where there is none.

    Without the only batch in which it is not zero, a column is constant: it then has nothing in
    common with the others.
    """
    p = correlations.shape[-1]
    inverse, definite = symmetric_inverses(correlations)
    # The largest eigenvalue is at most the trace.
    size = np.where(definite, np.trace(inverse, axis1=1, axis2=2), np.inf)
    singular = ~(size * (_SINGULAR * p) < 1)
    if singular.any():
        inverse[singular] = np.linalg.inv(correlations[singular] + _ADDED * np.eye(p))
    return inverse
