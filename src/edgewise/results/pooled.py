"""How a result tells that it was pooled from results of imputed copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What a pooled result records: how many copies, and the share of the variance of each pair that
#: is there because values are missing.
POOLED, MISSING = "pooled", "missing_information"


def imputed(options: Mapping[str, Any]) -> str:
    """How often the rows were imputed, as in "imputed 20 times"; empty if they were not.

    Examples
    --------
    >>> imputed({"pooled": 20})
    'imputed 20 times'
    """
    copies = options.get(POOLED)
    return "" if copies is None else f"imputed {copies} times"


def pooling(options: Mapping[str, Any]) -> list[str]:
    """Sentences about what the numbers then are; none if nothing was pooled.

    Examples
    --------
    >>> told = {"pooled": 20, "missing_information": {"mean": 0.2, "largest": 0.3}}
    >>> print(*pooling(told), sep="\\n")
    Numbers are pooled from 20 imputed copies of the rows by Rubin's rules. Missing values took
    20 % of the information about a pair on average, and at most 30 %.
    """
    if POOLED not in options:
        return []
    told = f"Numbers are pooled from {options[POOLED]} imputed copies of the rows by Rubin's rules."
    lost = options.get(MISSING)
    mean, largest = (
        (lost.get("mean"), lost.get("largest")) if isinstance(lost, Mapping) else (None, None)
    )
    # A file that somebody changed may have anything there.
    if isinstance(mean, float) and isinstance(largest, float):
        told += (
            f" Missing values took {100 * mean:.0f} % of the information about a pair on average, "
            f"and at most {100 * largest:.0f} %."
        )
    return [told]
