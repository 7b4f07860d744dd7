"""The counting of `calibrate`: one draw, and several draws that a worker makes together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.matrices import upper_pairs
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import ParameterError
from edgewise.studies.study import generator
from edgewise.studies.verdict import as_verdict


@dataclass(frozen=True, eq=False)
class Trial:
    """A test and the law of the data it is tried on."""

    test: Callable[[FloatArray], Any]
    sampler: Callable[[int, np.random.Generator], AnyArray]
    theta: FloatArray
    n_samples: int

    def shares(
        self, rng: np.random.Generator, alpha: float, correction: str | None
    ) -> tuple[FloatArray, FloatArray]:
        """The rates of one draw, in the order of RATES, and the p-values of its null pairs."""
        X = np.asarray(self.sampler(self.n_samples, rng))
        expected = (self.n_samples, len(self.theta))
        if X.shape != expected:
            raise ParameterError(
                f"sampler: expected rows of shape {expected}, as n_samples and precision say, got "
                f"an array of shape {X.shape}."
            )
        verdict = as_verdict(self.test(X), len(self.theta), alpha, correction)
        upper = upper_pairs(len(self.theta))
        theta = self.theta[upper]
        null, edge = theta == 0, theta != 0
        found = verdict.reject[upper]
        pvalues = np.full(int(null.sum()), np.nan)
        if verdict.pvalue is not None:
            pvalues = verdict.pvalue[upper][null]
        covered = np.full(theta.shape, np.nan)
        if verdict.interval is not None:
            low, high = (np.asarray(end)[upper] for end in verdict.interval)
            covered = ((low <= theta) & (theta <= high)).astype(float)
        false = int(found[null].sum())
        rates = [
            _mean(np.where(np.isnan(pvalues), np.nan, pvalues <= alpha)),
            float(false > 0) if null.any() else math.nan,
            false / max(int(found.sum()), 1),
            _mean(found[edge].astype(float)),
            _mean(covered),
        ]
        return np.array(rates), pvalues


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else math.nan


#: For each draw, its rates and the p-values of its null pairs.
Shares = list[tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Unit:
    """The draws from `start` to before `stop`, which a worker makes together."""

    trial: Trial
    alpha: float
    correction: str | None
    seed: int
    start: int
    stop: int

    def __call__(self) -> Shares:
        made = []
        for draw in range(self.start, self.stop):
            rng = generator(self.seed, "calibrate", draw)
            try:
                made.append(self.trial.shares(rng, self.alpha, self.correction))
            except Exception as error:
                error.add_note(f"in draw {draw} of seed {self.seed}")
                raise
        return made

    def __str__(self) -> str:
        return f"draws {self.start} to {self.stop - 1} of seed {self.seed}"
