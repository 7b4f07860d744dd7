"""Every method on the same data."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

from edgewise.dispatch import edge_test
from edgewise.edges.registry import METHODS
from edgewise.edges.result import EdgeTestResult
from edgewise.errors import DataError, TooFewRowsWarning
from edgewise.sources.source import Source


@dataclass(frozen=True)
class Comparison:
    """One method's line: its result, or why there is none."""

    method: str
    guarantee: str
    result: EdgeTestResult | None
    failure: str
    seconds: float


def compare_methods(source: Source, alpha: float, correction: str | None) -> list[Comparison]:
    """Run every method. What fails for all of them is raised; what fails for one is its line."""
    lines = []
    errors = []
    for method in METHODS.values():
        start = time.perf_counter()
        result, failure = None, ""
        try:
            with warnings.catch_warnings():
                # The table shows an infinite threshold and the rows it needs.
                warnings.simplefilter("ignore", TooFewRowsWarning)
                result = edge_test(source, method=method.name, alpha=alpha, correction=correction)
        except (DataError, ValueError) as error:
            failure = str(error)
            errors.append(error)
        lines.append(
            Comparison(method.name, method.guarantee, result, failure, time.perf_counter() - start)
        )
    if len(errors) == len(lines):
        raise errors[0]
    return lines
