"""The methods side by side show what the comparison found."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from edgewise import datasets
from edgewise.api.compare_methods import compare_methods
from edgewise.plots.plots import plot_ladder
from edgewise.tables.open import as_table


@pytest.fixture(scope="module")
def lines():
    found = compare_methods(as_table(datasets.load_sachs()), 0.05, "holm")
    # One that failed, as a method may on some data.
    failed = replace(found[1], result=None, failure="The rows are too few for $x$.")
    return [found[0], failed, *found[2:]]


def test_every_method_has_a_line_with_its_guarantee(lines):
    labels = [label.get_text() for label in plot_ladder(lines).get_yticklabels()]
    assert labels == [f"{line.label}\n{line.guarantee}" for line in lines]


def test_dots_are_the_thresholds_and_arrows_the_infinite_ones(lines):
    axes = plot_ladder(lines)
    thresholds = [line.threshold_on_partial_correlation() for line in lines]
    assert {math.isinf(value) for value in thresholds} == {True, False}
    dots = {
        int(dot.get_ydata()[0]): dot.get_xdata()[0] for dot in axes.lines if dot.get_marker() == "o"
    }
    arrows = {int(dot.get_ydata()[0]) for dot in axes.lines if dot.get_marker() == ">"}
    assert dots == {y: value for y, value in enumerate(thresholds) if math.isfinite(value)}
    assert arrows == {y for y, value in enumerate(thresholds) if math.isinf(value)}
    assert axes.get_xscale() == "log"
    left, right = axes.get_xlim()
    assert left < min(dots.values())
    assert right > max(1, *dots.values())


def test_beside_each_stands_what_it_found_or_needs_or_why_not(lines):
    written = {round(text.xy[1]): text for text in plot_ladder(lines).texts}
    assert len(written) == len(lines)
    for y, line in enumerate(lines):
        text = written[y].get_text()
        if line.result is None:
            assert text == line.failure
            continue
        assert f"{line.result.n_edges} edge" in text
        if line.result.rows_needed is not None:
            assert f"{line.result.rows_needed:,} rows" in text
    assert not any(text.get_parse_math() for text in written.values())
