"""How a result tells that columns, or missing values, were replaced before they were tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgewise.results.pooled import pooling

# What a result records, the words of a headline, and what they mean.
_TOLD = {
    "normal-scores": (
        "of normal scores",
        "Partial correlations are those of the normal scores of the columns: right if the rows are "
        "Gaussian up to an increasing change of each column.",
    )
}


def transformed(options: Mapping[str, Any]) -> str:
    """What was tested in place of the columns, as in "of normal scores"; empty if they were.

    Examples
    --------
    >>> transformed({"transform": "normal-scores"})
    'of normal scores'
    """
    return _TOLD.get(str(options.get("transform")), ("", ""))[0]


def meaning(options: Mapping[str, Any]) -> list[str]:
    """Sentences about what partial correlations then are; none if rows were tested as they are."""
    said = _TOLD.get(str(options.get("transform")))
    return [*([] if said is None else [said[1]]), *pooling(options)]
