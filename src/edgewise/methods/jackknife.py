"""The delete-one-batch jackknife: estimates without each batch of rows in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import off_diagonal
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.spread import Spread, floored_spread
from edgewise.states.batches import BatchMoments

# Correlation matrices whose smallest eigenvalue may be below this, times p, count as singular.
_SINGULAR = 1e-12
# What is added to the diagonal of those.
_ADDED = 1e-8
# Partial correlations are kept off ±1, where Fisher's z is infinite.
ALMOST_ONE = 1 - 1e-12
# Numbers worked on at once.
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class LeftOut:
    """How the estimates vary when one batch is left out.

    `fisher_z` are the z without each batch minus their mean, of shape (batches, p, p); `squares` is
    the sum of squares of the same for the precision, in units of √(Θ̂_iiΘ̂_jj). `precision` are
    these differences themselves, if they were asked for.
    """

    fisher_z: FloatArray
    squares: FloatArray
    precision: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.fisher_z)

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Those of the precision, in units of Θ_iiΘ_jj, and of Fisher's z."""
        share = (len(self) - 1) / len(self)
        squares_z = np.einsum("bij,bij->ij", self.fisher_z, self.fisher_z)
        return share * self.squares, share * squares_z

    def spread(self, estimate: PrecisionEstimate, rows: FloatArray | None = None) -> Spread:
        """Standard errors from this variation, never below those of (so many) Gaussian rows."""
        return floored_spread(estimate, *self.variances(), rows=rows)


def leave_one_out(
    state: BatchMoments, estimate: PrecisionEstimate, *, entries: bool = False
) -> LeftOut:
    """Σ̂ without each batch follows from the sums of all and of that batch; then K inverses.

    With `entries` those of the precision are kept too, which takes as much memory again.
    """
    counts = state.batch_counts().astype(np.float64)
    n, batches, p = estimate.n_samples, len(counts), len(estimate.precision)
    if batches < 2:
        raise DataError(
            f"n_batches: expected at least 2 batches of rows, got {batches} of {n} rows; collect "
            "more rows."
        )
    left = n - counts
    if left.min() <= p:
        raise DataError(
            f"n_batches: expected more than {p} rows without any one batch, got "
            f"{int(left.min())}; use more batches, or collect more rows."
        )
    # In units of the columns' deviations, which may be far apart.
    scale = np.sqrt(estimate.covariance.diagonal())
    whole = estimate.covariance / scale / scale[:, np.newaxis] * (n - 1)
    sums = state._sums_about(estimate.centre)
    rest = (
        covariances_without(whole, sums.second[some], sums.first[some], left[some], scale)
        for some in portions(batches, p)
    )
    return variation(rest, batches, estimate, scale, entries=entries)


def portions(batches: int, p: int) -> Iterator[slice]:
    """Batches whose p × p matrices are worked on at once."""
    step = max(1, _CHUNK // (p * p))
    for start in range(0, batches, step):
        yield slice(start, min(start + step, batches))


def variation(
    covariances: Iterable[FloatArray],
    batches: int,
    estimate: PrecisionEstimate,
    scale: FloatArray | float = 1.0,
    *,
    entries: bool = False,
) -> LeftOut:
    """How the estimates vary between covariances without each batch, which come in portions.

    The covariances are those of columns divided by `scale`.
    """
    p = len(estimate.precision)
    # In units of the estimate from all rows.
    unit = np.sqrt(estimate.precision.diagonal()) * scale
    rho = np.where(off_diagonal(p), estimate.partial_correlation, 0.0)
    centre_z, centre = np.arctanh(np.clip(rho, -ALMOST_ONE, ALMOST_ONE)), -rho + np.eye(p)
    fisher_z = np.empty((batches, p, p))
    kept = np.empty((batches, p, p)) if entries else None
    total, squares = np.zeros((2, p, p))
    start = 0
    for rest in covariances:
        some = slice(start, start + len(rest))
        start += len(rest)
        z, precision = _estimates(rest, unit)
        fisher_z[some] = z - centre_z
        precision -= centre
        if kept is not None:
            kept[some] = precision
        total += precision.sum(axis=0)
        squares += np.einsum("bij,bij->ij", precision, precision)
    fisher_z -= fisher_z.mean(axis=0)
    if kept is not None:
        kept -= total / batches
    return LeftOut(fisher_z, np.maximum(squares - total**2 / batches, 0.0), kept)


def covariances_without(
    whole: FloatArray, second: FloatArray, first: FloatArray, left: FloatArray, scale: FloatArray
) -> FloatArray:
    """The covariance without each batch, in units of the deviations of all rows."""
    rest = whole - second / scale / scale[:, np.newaxis]
    # Without the batch the mean moves too.
    shift = first / scale
    rest -= shift[:, :, np.newaxis] * (shift / left[:, np.newaxis])[:, np.newaxis, :]
    rest /= (left - 1)[:, np.newaxis, np.newaxis]
    return rest


def _estimates(covariances: FloatArray, unit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fisher's z, and the precision in the given units."""
    p = len(unit)
    inverse = inverses(covariances)
    root = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2))
    rho = inverse / root[:, :, np.newaxis]
    rho /= -root[:, np.newaxis, :]
    rho[:, np.arange(p), np.arange(p)] = 0.0
    np.clip(rho, -ALMOST_ONE, ALMOST_ONE, out=rho)
    inverse /= unit
    inverse /= unit[:, np.newaxis]
    return np.arctanh(rho, out=rho), inverse


def inverses(correlations: FloatArray) -> FloatArray:
    """Inverses of matrices with diagonals of about one; a little is added where there is none.

    Without the only batch in which it is not zero, a column is constant: it then has nothing in
    common with the others.
    """
    p = correlations.shape[-1]
    try:
        inverse: FloatArray = np.linalg.inv(correlations).astype(np.float64, copy=False)
        size = np.abs(inverse).sum(axis=2).max(axis=1)
        singular = ~(size * (_SINGULAR * p) < 1)
    except np.linalg.LinAlgError:
        inverse, singular = np.empty_like(correlations), np.ones(len(correlations), dtype=bool)
    if singular.any():
        inverse[singular] = np.linalg.inv(correlations[singular] + _ADDED * np.eye(p))
    return inverse
