"""Rows that depend on earlier rows: they break tests that count rows as independent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from edgewise._base.checks import check_real
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.simulate.distributions.distribution import Distribution
from edgewise.simulate.distributions.elliptical import Gaussian

_UNIT_ROUNDING = 1e-17
# A longer memory needs more rows to reach equilibrium than anyone draws.
_LONGEST_MEMORY = 0.9999


@dataclass(frozen=True)
class AutoRegressive(Distribution):
    """Rows with a memory: x_t = memory·x_{t−1} + √(1 − memory²)·e_t, started in equilibrium.

    Parameters
    ----------
    innovations : Distribution
        The law of the e_t, which are independent of each other; by default Gaussian.
    memory : float
        The correlation of a row with the row before it, between −1 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.simulate import AutoRegressive, StudentT
    >>> X = AutoRegressive(StudentT(df=8), memory=0.9).rows(np.random.default_rng(0), 10_000, 2)
    >>> round(float(np.corrcoef(X[1:, 0], X[:-1, 0])[0, 1]), 1)
    0.9
    """

    innovations: Distribution = field(default_factory=Gaussian)
    memory: float = 0.7

    def __post_init__(self) -> None:
        check_real("memory", self.memory, above=-_LONGEST_MEMORY, below=_LONGEST_MEMORY)
        if not isinstance(self.innovations, Distribution) or isinstance(
            self.innovations, AutoRegressive
        ):
            raise ParameterError(
                "innovations: expected a Distribution of independent rows, got "
                f"{self.innovations!r}."
            )

    def rows(self, rng: np.random.Generator, n: int, p: int) -> FloatArray:
        return self.stream(rng, p)(n)

    def stream(self, rng: np.random.Generator, p: int) -> Callable[[int], FloatArray]:
        from scipy.signal import lfilter

        fresh = math.sqrt(1 - self.memory**2)
        last = np.zeros((1, p))

        def more(n: int) -> FloatArray:
            nonlocal last
            if not n:
                return np.empty((0, p))
            new = fresh * self.innovations.rows(rng, n, p)
            series, last = lfilter([1.0], [1.0, -self.memory], new, axis=0, zi=last)
            rows: FloatArray = series
            return rows

        if self.memory:
            # After this many rows, what came before them has no weight left.
            more(math.ceil(math.log(_UNIT_ROUNDING) / math.log(abs(self.memory))))
        return more

    def mardia_kurtosis(self, n_features: int) -> float:
        # Fourth cumulants of a sum of independent rows add up, with weights ψ⁴.
        gaussian = n_features * (n_features + 2)
        excess = self.innovations.mardia_kurtosis(n_features) - gaussian
        return gaussian + excess * (1 - self.memory**2) / (1 + self.memory**2)
