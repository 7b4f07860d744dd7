"""Comparisons of groups as CSV."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from typing import TextIO

from edgewise._base.atomic import atomic_path
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.difference_pairs import EdgeDifference
from edgewise.results.differences import EdgeDifferences
from edgewise.results.transformed import meaning
from edgewise.view.export import comment_line, safe_cell
from edgewise.view.graph_files import distinct_texts


def write_difference_csv(
    result: EdgeDifferenceResult | EdgeDifferences, path: str | os.PathLike[str]
) -> None:
    """Write every pair of variables as one line, the smallest p-value first.

    As `write_csv` does for a test: lines at the head that start with "#" say what the groups and
    the intervals are, and each caution. With more than two groups the first column is the group.

    Parameters
    ----------
    result : EdgeDifferenceResult or EdgeDifferences
        The comparison to write.
    path : str or path
        The file, which is replaced if there is one.
    """
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        write_lines(result, file)


def write_lines(result: EdgeDifferenceResult | EdgeDifferences, file: TextIO) -> None:
    """The same into an open file."""
    several = isinstance(result, EdgeDifferences)
    results = [*result.values()] if isinstance(result, EdgeDifferences) else [result]
    file.writelines(map(comment_line, _remarks(results)))
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow((*(["group"] if several else []), *EdgeDifference._fields))
    cells = distinct_texts(results[0].feature_names, safe_cell)
    for one in results:
        group = [safe_cell(one.group_names[0])] if several else []
        for pair in one.pairs():
            writer.writerow([*group, cells[pair.source], cells[pair.target], *pair[2:]])


def _remarks(results: list[EdgeDifferenceResult]) -> Iterator[str]:
    for one in results:
        yield one.headline()
    yield from meaning(results[0].options)
    yield f"interval_low and interval_high: {results[0].interval_label}, of the difference"
    for one in results:
        yield from (f"caution: {caution}" for caution in one.cautions)
