"""The score test as a conditional independence test of tigramite, for time series."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgewise._linalg import FloatArray, IndexArray
from edgewise._optional import stand_in
from edgewise.api.pair import ConditionalTest
from edgewise.errors import ParameterError
from edgewise.results.pair import PairTest

__all__ = ["ScoreCI"]

try:
    from tigramite.independence_tests.independence_tests_base import CondIndTest
except ImportError as _error:
    CondIndTest = stand_in("tigramite>=5.2.8", "tigramite", _error)

# A condition whose part that others do not determine is below this share counts as redundant.
_DETERMINED = 1e-7


class ScoreCI(CondIndTest):  # type: ignore[misc]
    """The score test, for `PCMCI` and the other methods of tigramite, in place of `ParCorr`.

    The value is the partial correlation, as there.

    Parameters
    ----------
    **options
        Those of tigramite's `CondIndTest`, such as ``confidence="analytic"`` and ``mask_type``. The
        score test takes the rows as independent given what is conditioned on.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.integrations.tigramite import ScoreCI
    >>> from tigramite.data_processing import DataFrame
    >>> from tigramite.pcmci import PCMCI
    >>> series = np.random.default_rng(0).standard_t(5, (500, 2))
    >>> series[1:, 1] += 0.5 * series[:-1, 0]
    >>> found = PCMCI(DataFrame(series), ScoreCI()).run_pcmci(tau_max=1)
    >>> np.argwhere(found["p_matrix"] < 0.001).tolist()  # from, to, lag
    [[0, 1, 1]]
    """

    measure = "score"
    two_sided = True
    residual_based = False

    def __init__(self, **options: Any) -> None:
        for name, wrong in (("recycle_residuals", True), ("significance", "shuffle_test")):
            if options.get(name) == wrong:
                raise ParameterError(
                    f"{name}: expected another value than {wrong!r}; the score test needs the rows "
                    "and has its own p-values."
                )
        # tigramite asks for the value first, with the rows, and then for its p-value without them.
        self._value = math.nan
        self._answer: PairTest | None = None
        super().__init__(**options)

    def get_dependence_measure(
        self, array: FloatArray, xyz: IndexArray, data_type: object = None
    ) -> float:
        """The partial correlation; 0 where X or Y is constant."""
        x, y, given = (np.flatnonzero(np.asarray(xyz) == role) for role in range(3))
        if x.size != 1 or y.size != 1:
            raise ParameterError(
                f"X, Y: expected one variable each, got {x.size} and {y.size}; ask about them one "
                "by one."
            )
        varies = np.ptp(array, axis=1) > 0
        self._value, self._answer = 0.0, None
        if varies[x[0]] and varies[y[0]]:
            rows = array[[x[0], y[0], *_not_redundant(array, given[varies[given]])]].T
            self._answer = ConditionalTest(rows)(0, 1, range(2, rows.shape[1]))
            self._value = self._answer.partial_correlation
        return self._value

    def get_analytic_significance(
        self, value: float, T: int, dim: int, xyz: IndexArray | None = None
    ) -> float:
        """The p-value of the last question; 1 where X or Y is constant."""
        self._check_last(value)
        return 1.0 if self._answer is None else self._answer.pvalue

    def get_analytic_confidence(
        self, value: float, df: int, conf_lev: float
    ) -> tuple[float, float]:
        """The interval in the last question, from −1 to 1 where X or Y is constant."""
        self._check_last(value)
        if self._answer is None:
            return -1.0, 1.0
        low, high = self._answer.confidence_interval(conf_lev)
        return low, high

    def get_model_selection_criterion(
        self, j: int, parents: list[tuple[int, int]], tau_max: int = 0, **options: Any
    ) -> float:
        """Akaike's criterion, by which `PCMCI` can choose ``pc_alpha``; as of `ParCorr`."""
        from tigramite.independence_tests.parcorr import ParCorr

        usual = ParCorr(mask_type=self.mask_type)
        usual.set_dataframe(self.dataframe)
        return float(usual.get_model_selection_criterion(j, parents, tau_max, **options))

    def _check_last(self, value: float) -> None:
        if value != self._value:
            raise ParameterError(
                f"value: expected {self._value}, the last partial correlation that this object "
                f"found, got {value}; the score test needs the rows, so call run_test or "
                "run_test_raw."
            )


def _not_redundant(array: FloatArray, given: IndexArray) -> list[int]:
    """The conditions without those that others determine: they change nothing."""
    from scipy.linalg import qr

    if len(given) < 2:
        return [int(one) for one in given]
    rows = array[given] - array[given].mean(axis=1, keepdims=True)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    triangle, order = qr(rows.T, mode="r", pivoting=True)
    size = np.abs(np.diagonal(triangle))
    kept = given[order[: len(size)][size > _DETERMINED * size[0]]]
    return sorted(int(one) for one in kept)
