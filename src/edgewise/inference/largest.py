"""The radius of the largest standardised error of all entries, from draws and a union."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise.inference.max_statistic import critical_of_maxima
from edgewise.inference.reference import Student


@dataclass(frozen=True, eq=False, slots=True)
class LargestRadius:
    """ε: max |Θ̂_ij − Θ_ij|/se_ij over all entries stays below it with probability 1 − α.

    Whichever is smaller: the quantile of draws of the maximum (`MaxStatistic.largest`), which know
    how the entries depend on each other; or Student's at α divided by the number of entries, which
    holds whatever their dependence. The union is the upper end of ε, and all there is at levels
    below those that the draws can tell.
    """

    maxima: FloatArray
    student: Student
    n_entries: int

    def epsilon(self, alpha: float) -> float:
        most = self.of_union(alpha)
        # The share of draws above it counts the data themselves too: none of them may be left.
        if alpha * (1 + len(self.maxima)) < 1:
            return most
        return min(float(critical_of_maxima(self.maxima, math.log(alpha), self.student)), most)

    def of_union(self, alpha: float) -> float:
        """The upper end: Bonferroni over all entries."""
        return self.student.critical(math.log(alpha) - math.log(self.n_entries))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        log_tail = self.student.log_two_sided(epsilon)
        z = -special.ndtri_exp(log_tail - math.log(2))
        # As many as are at least as large; the draws run from the largest to the smallest.
        exceeding = np.searchsorted(-self.maxima, -z, side="right")
        drawn = np.log((1 + exceeding) / (1 + len(self.maxima)))
        return np.minimum(np.minimum(drawn, math.log(self.n_entries) + log_tail), 0.0)
