"""The Gaussian distribution that has the estimated mean and precision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate


@dataclass(frozen=True, eq=False, slots=True)
class Gaussian:
    """N(location, Θ⁻¹), with Θ_ij = r_i R_ij r_j, R of unit diagonal.

    Columns may be in any unit: no product of two scales is made.
    """

    location: FloatArray
    root: FloatArray
    scaled: FloatArray

    @classmethod
    def of(cls, estimate: PrecisionEstimate) -> Gaussian:
        """In the units of the rows, also if the test standardised the columns."""
        centre = estimate.centre
        location = centre.origin + (0.0 if centre.offset is None else centre.offset)
        location.flags.writeable = False
        # √Θ_ii and −ρ_ij are the same for standardised estimates.
        scaled = -estimate.partial_correlation
        np.fill_diagonal(scaled, 1.0)
        return cls(location, estimate.residual_map.diagonal(), scaled)

    def log_likelihood(self, mean: FloatArray, covariance: FloatArray) -> float:
        """Per row, for rows of this mean and this covariance (divisor n)."""
        p = len(self.location)
        with np.errstate(over="ignore", invalid="ignore"):
            shift = (mean - self.location) * self.root
            about = covariance * self.root * self.root[:, np.newaxis] + np.outer(shift, shift)
            distance = float(np.sum(about * self.scaled))
        half = np.log(self._root().diagonal()).sum()
        log_determinant = 2 * (np.log(self.root).sum() + half)
        return float(log_determinant - distance - p * math.log(2 * math.pi)) / 2

    def _root(self) -> FloatArray:
        """The Cholesky factor of R; an estimate made entry by entry may have none."""
        try:
            return np.asarray(np.linalg.cholesky(self.scaled))
        except np.linalg.LinAlgError as error:
            raise DataError(
                "X: this estimate of Θ, made entry by entry, is not positive definite: no Gaussian "
                "distribution has it, and rows have no likelihood or distance. Use method='score' "
                "with more rows than columns."
            ) from error

    def check_definite(self) -> None:
        """Refuse a Θ for which squared distances could be negative."""
        self._root()

    def squared_distances(self, rows: AnyArray) -> FloatArray:
        """(x − location)ᵀΘ(x − location) of each row x."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = (rows - self.location) * self.root
            return np.asarray(np.einsum("ki,ki->k", z @ self.scaled, z))
