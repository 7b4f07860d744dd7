"""The exponent of a power law, read off a log–log plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The least-squares slope of log y in log x."""
    return float(np.polynomial.polynomial.polyfit(np.log(x), np.log(y), 1)[1])


def fitted(x: Sequence[float], y: Sequence[float], exponent: float) -> list[float]:
    """The power law of that exponent through the middle of the points, at each x."""
    height = np.mean(np.log(y) - exponent * np.log(x))
    return [float(np.exp(height + exponent * np.log(at))) for at in x]
