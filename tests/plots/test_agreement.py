"""Pairs against methods: a mark where a method calls a pair an edge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise import datasets
from edgewise.plots import style
from edgewise.plots.plots import plot_agreement


@pytest.fixture(scope="module")
def lines():
    return ew.compare_methods(datasets.load_sachs(), methods=["score", "batch", "fisher"])


def marks(axes, colours):
    """Places of the marks of these colours."""
    return {
        (int(mark.get_xdata()[0]), int(mark.get_ydata()[0]))
        for mark in axes.lines
        if mark.get_color() in colours
    }


def test_marks_are_the_decisions(lines):
    axes = plot_agreement(lines, most=100)
    names = lines[0].result.feature_names
    found = marks(axes, {style.POSITIVE, style.NEGATIVE})
    for y, label in enumerate(axes.get_yticklabels()):
        i, j = (names.index(name) for name in label.get_text().split(" – "))
        for x, line in enumerate(lines):
            assert ((x, y) in found) == line.result.reject[i, j]
    assert len(axes.get_yticklabels()) == sum(
        any(line.result.reject[i, j] for line in lines) for i in range(11) for j in range(i)
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        f"{line.label}: {line.result.n_edges}" for line in lines
    ]


def test_pairs_that_differ_are_kept_first_and_the_rest_is_counted(lines):
    axes = plot_agreement(lines, most=2)
    assert len(axes.get_yticklabels()) == 2
    assert {text.get_text() for text in axes.texts} <= {"1 of 3", "2 of 3"}
    some = np.any([line.result.reject for line in lines], axis=0).sum() // 2
    assert f"{some - 2} left out" in axes.get_title().replace("\n", " ")


def test_methods_without_a_result_or_an_edge(lines):
    failed = replace(lines[1], result=None, failure="too few rows")
    one = lines[0].result
    decision = replace(one.decision, reject=np.zeros(55, dtype=bool))
    nothing = replace(one, decision=decision)
    axes = plot_agreement([lines[0], failed, replace(lines[2], result=nothing)], most=100)
    assert [label.get_text() for label in axes.get_xticklabels()][1] == "batch: no result"
    assert len(axes.get_xticklabels()) == 2
    assert "1 further method finds no edge" in axes.get_title()
    empty = plot_agreement([replace(lines[2], result=nothing)])
    assert empty.get_title() == "No pair is an edge by any of 1 method"
