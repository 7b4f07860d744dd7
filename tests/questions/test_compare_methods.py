"""`compare_methods`: every method on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.methods.registry import METHODS
from edgewise.questions.compare_methods import LADDER, Comparison, compare_methods
from edgewise.rows.opening import open_table

TRACE_RADIUS = {"whitened, trace", "spectral, trace", "trace (paper)"}


@pytest.fixture(scope="module")
def lines(rows):
    return {
        line.rung.label: line
        for line in compare_methods(open_table(rows), alpha=0.05, correction="holm")
    }


def test_every_method_is_on_the_ladder():
    assert {rung.method for rung in LADDER} == set(METHODS)
    assert len({rung.label for rung in LADDER}) == len(LADDER)
    for rung in LADDER:
        assert rung.label.startswith(rung.method)
        assert set(rung.options) <= METHODS[rung.method].options


def test_a_line_a_rung(lines):
    assert list(lines) == [rung.label for rung in LADDER]
    for line in lines.values():
        assert line.guarantee == METHODS[line.rung.method].guarantee
        assert line.result.method == line.rung.method
        assert line.failure == ""
        assert line.seconds > 0


@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
@pytest.mark.parametrize("rung", LADDER, ids=lambda rung: rung.label)
def test_a_line_is_what_edge_test_says(lines, rows, same_result, rung):
    expected = ew.edge_test(rows, method=rung.method, **rung.options)
    same_result(lines[rung.label].result, expected)


def test_level_and_correction_reach_every_rung(rows):
    for line in compare_methods(open_table(rows), alpha=0.01, correction="bh"):
        assert line.result.alpha == 0.01
        wanted = None if METHODS[line.rung.method].simultaneous else "bh"
        assert line.result.correction == wanted


def test_the_threshold_as_a_partial_correlation(lines):
    """For the whitened bound it is ε/(1 − ε), the same for all pairs."""
    line = lines["whitened, chi2"]
    radius = line.result.radius
    assert line.threshold_on_partial_correlation() == pytest.approx(radius / (1 - radius))
    assert lines["trace (paper)"].threshold_on_partial_correlation() == math.inf


def test_the_threshold_is_the_median_of_the_pairs(lines):
    line = lines["score"]
    root = np.sqrt(line.result.precision.diagonal())
    relative = (line.result.threshold / np.outer(root, root))[np.triu_indices(4, k=1)]
    assert line.threshold_on_partial_correlation() == pytest.approx(np.median(relative))
    strengths = np.abs(line.result.partial_correlation)[np.triu_indices(4, k=1)]
    np.testing.assert_array_equal(
        strengths >= relative, line.result.reject[np.triu_indices(4, k=1)]
    )


def test_shared_edges(lines):
    score = lines["score"].result
    assert lines["score"].shared_edges(score) == score.n_edges == 3
    assert lines["trace (paper)"].shared_edges(score) == 0
    for line in lines.values():
        both = {edge[:2] for edge in line.result.edges()} & {edge[:2] for edge in score.edges()}
        assert line.shared_edges(score) == len(both)


def test_what_fails_for_one_is_its_line(rows):
    lines = compare_methods(open_table(rows), alpha=0.3, correction="holm")
    assert {line.rung.label for line in lines if line.result is None} == TRACE_RADIUS
    score = lines[0].result
    for line in lines:
        assert (line.failure == "") == (line.result is not None)
        if line.result is None:
            assert "0.2151" in line.failure
            assert "radius='chi2'" in line.failure
            assert math.isnan(line.threshold_on_partial_correlation())
            assert line.shared_edges(score) == 0


def test_what_fails_for_all_is_raised(rows, refuses):
    def compare(data, alpha=0.05, correction="holm"):
        return lambda: compare_methods(open_table(data), alpha, correction)

    refuses(compare(rows, alpha=2), ew.ParameterError, "alpha", "got 2")
    refuses(compare(rows, correction="nope"), ew.ParameterError, "correction", "'nope'")
    refuses(compare(rows[:4]), ew.DataError, "4 rows and 4 columns")
    refuses(compare(rows * [1, 1, 0, 1]), ew.DataError, "constant column 'x2'")
    missing = rows.copy()
    missing[3, 1] = np.nan
    refuses(compare(missing), ew.NonFiniteError, "'x1' (1)")


def test_a_line_without_a_result():
    line = Comparison(LADDER[0], None, "why", 0.1)
    assert math.isnan(line.threshold_on_partial_correlation())
    assert line.guarantee == METHODS["score"].guarantee
