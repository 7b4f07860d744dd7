"""Which effect would a number of rows find? The question of a plan, the other way round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from edgewise._checks import check_real
from edgewise._linalg import FloatArray, root_outer
from edgewise.inference.corrections import log_critical_level
from edgewise.methods.planning import typical_effect
from edgewise.methods.registry import registered
from edgewise.results.result import EdgeTestResult

_LARGEST = 0.999  # effect
# A curve goes from an eighth of the rows to 64 times as many, in steps of √2.
_EXPONENTS = np.arange(-6, 13) / 2


class DetectableCurve(NamedTuple):
    """Which partial correlation would be found, for each number of rows.

    Attributes
    ----------
    rows : ndarray
        Numbers of rows, rising, evenly on a logarithmic scale; the rows of the result are one.
    effects : ndarray
        The partial correlation that a typical pair must have, for each of them; NaN where so few
        rows find none.
    """

    rows: FloatArray
    effects: FloatArray


def detected_effect(result: EdgeTestResult, power: float = 0.8, rows: float | None = None) -> float:
    """The partial correlation that the rows of a result find, or as many as `rows` like them.

    It needs no data, and is what `detectable_effect` finds from them: for the median of the tested
    pairs, at the level of the first, strictest step of the correction. Bounds have no power: their
    effect is the one that the threshold has come down to. Under a `min_effect` it is what is found
    to exceed it. NaN if no effect is found.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.results.detectable import detected_effect
    >>> returns = ew.datasets.load_sp500_returns()
    >>> round(detected_effect(ew.edge_test(returns, method="score")), 2)
    0.06
    """
    power = check_real("power", power, above=0, below=1)
    kind = registered()[result.method]
    first_step = "bonferroni" if result.correction else None
    least = _least_effect(result)
    tested = np.zeros(result.precision.shape, dtype=bool)
    tested[result.tested_pairs()] = True
    effect = typical_effect(
        kind(**kind.options_in(result.options)),
        result,  # pyright: ignore[reportArgumentType]
        result.n_samples,
        result.n_samples if rows is None else rows,
        tested,
        power,
        log_critical_level(result.n_pairs, 0, result.alpha, first_step),
        alpha=result.alpha,
        least=least,
    )
    if result.uncertainty.simultaneous:
        # A partial correlation is scaled by the diagonal of Θ̂, for which the bound allows too.
        scaled = result.question.effect[1] == "partial_correlation"
        effect += least * (1 + effect) if scaled else least
    return effect if effect < _LARGEST else math.nan


def detectable_curve(result: EdgeTestResult, power: float = 0.8) -> DetectableCurve:
    """The partial correlation that rows like those of a result find, for each number of rows."""
    rows = np.unique(np.round(result.n_samples * 2.0**_EXPONENTS))
    return DetectableCurve(rows, np.array([detected_effect(result, power, n) for n in rows]))


def _least_effect(result: EdgeTestResult) -> float:
    """The partial correlation that an edge must exceed in this test; the median pair's."""
    effect, scale = result.question.effect
    if not effect or scale != "precision":
        return effect
    unit = root_outer(result.precision)[result.tested_pairs()]
    return min(float(np.median(effect / unit)), _LARGEST)
