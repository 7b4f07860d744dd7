"""The threshold of a result, which is found when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.inference.decide import PerEdgeThreshold

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult


class ThresholdField:
    """A field of a frozen result that holds a number, a matrix, or how to find one.

    Summaries, edges and tables do not need it.
    """

    def __get__(self, result: EdgeTestResult | None, owner: type | None = None) -> Any:
        if result is None:
            raise AttributeError("threshold")  # so that the field has no default
        known = vars(result)["threshold"]
        if isinstance(known, PerEdgeThreshold):
            own: Any = result.uncertainty
            known = known.of(own, result, result.tested)
            self.__set__(result, known)
        return known

    def __set__(self, result: EdgeTestResult, value: float | FloatArray | PerEdgeThreshold) -> None:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        vars(result)["threshold"] = value


#: For the class body of a result, where the field has the type of what one gets.
THRESHOLD: Any = ThresholdField()
