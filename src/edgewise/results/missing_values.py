"""How a result tells of values that were missing, and of rows that count differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

_NAMED = 3
_NAME_WIDTH = 30
# From this share of rows on, it is said how to lose fewer.
_MANY = 0.1


def told_of_missing(result: EdgeTestResult) -> list[str]:
    """Sentences about missing values and weights; none if there were none."""
    told = []
    if result.n_dropped:
        told.append(_dropped(result))
    if result.pair_rows is not None:
        told.append(_pairwise(result))
    if "effective_rows" in result.options:
        told.append(
            f"Rows are weighted by {weights_text(result)}: they are worth "
            f"{result.options['effective_rows']:,.0f} rows of equal weight."
        )
    return told


class Lacking(NamedTuple):
    """A column, how many values it lacks, and their share of the rows."""

    name: str
    values: int
    share: float

    @property
    def percent(self) -> str:
        """The share in words: two digits, of which 100 has three."""
        return percent(self.share)


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def lacking(result: EdgeTestResult) -> list[Lacking]:
    """The columns that lack values, those that lack most first."""
    n = result.n_samples + result.n_dropped
    counts = result.n_missing
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    return [Lacking(result.feature_names[i], counts[i], counts[i] / n) for i in order if counts[i]]


def bars(result: EdgeTestResult, most: int = 10) -> list[str]:
    """A line with a small bar for each column that lacks values."""
    found = lacking(result)
    if not found:
        return []
    width = min(max(len(one.name) for one in found[:most]), _NAME_WIDTH)
    lines = [
        f"  {_cut(one.name, width)} {_bar(one.share)} {one.values:,} missing ({one.percent})"
        for one in found[:most]
    ]
    more = len(found) - most
    return [*lines, f"  … and {more} more column{'s' * (more > 1)}"] if more > 0 else lines


def _cut(name: str, width: int) -> str:
    return name.ljust(width) if len(name) <= width else name[: width - 1] + "…"


def _bar(share: float) -> str:
    """Ten characters, full where all values are missing."""
    eighths = max(round(share * 10 * 8), 1)
    bar: str = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
    return bar.ljust(10, "·")


def weights_text(result: EdgeTestResult) -> str:
    """What the rows are weighted by, as part of a sentence."""
    name = result.options.get("weights")
    return "given weights" if name == "given" else f"column {name!r}"


def _dropped(result: EdgeTestResult) -> str:
    n = result.n_dropped
    text = f"{n:,} row{'s' * (n != 1)} with missing values {'were' if n != 1 else 'was'} left out"
    cost = _most(result, result.n_dropped_alone)
    if cost:
        text += f"; left out because of one column alone: {cost}"
    elif any(result.n_missing):
        text += f"; most values are missing in {_most(result, result.n_missing)}"
    if n > _MANY * (n + result.n_samples):
        text += ". With missing='pairwise' (score, wald, batch) they would count"
    return text + "."


def _pairwise(result: EdgeTestResult) -> str:
    rows = pair_row_range(result)
    missing = sum(result.n_missing)
    share = percent(missing / (result.n_samples * result.n_features))
    return (
        f"{missing:,} value{'s' * (missing != 1)} ({share}) are missing, most in "
        f"{_most(result, result.n_missing)}. Each pair rests on the rows that have both of its "
        f"columns, {rows}."
    )


def pair_row_range(result: EdgeTestResult) -> str:
    """The rows that pairs rest on, from the fewest to the most."""
    rows = () if result.pair_rows is None else result.pair_rows[result.tested_pairs()]
    low, high = int(np.min(rows)), int(np.max(rows))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _most(result: EdgeTestResult, counts: tuple[int, ...]) -> str:
    """The columns with the largest counts."""
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:_NAMED]
    return ", ".join(f"{result.feature_names[i]} ({counts[i]:,})" for i in order if counts[i])
