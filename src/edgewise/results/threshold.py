"""The threshold of a result, which is found when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.inference.decide import PerEdgeThreshold

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

T = TypeVar("T")


class ThresholdField:
    """A field of a frozen result that holds a number, a matrix, or how to find one.

    Summaries, edges and tables do not need it.
    """

    def __get__(self, result: EdgeTestResult | None, owner: type | None = None) -> Any:
        if result is None:
            return self
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


def found_late(result: type[T]) -> type[T]:
    """The class of results, with a threshold that is found when it is asked for."""
    # After the dataclass is made, which would take it for a default.
    result.threshold = ThresholdField()  # type: ignore[attr-defined]
    return result
