"""`compare_methods`: every method on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.api.compare_methods import all_variants, compare_methods
from edgewise.errors import DataError, ParameterError
from edgewise.tables.open import as_table

VARIANTS = dict(all_variants())
TRACE_RADIUS = {"whitened, trace", "spectral, trace"}


@pytest.fixture(scope="module")
def lines(rows):
    return {
        line.label: line for line in compare_methods(as_table(rows), alpha=0.05, correction="holm")
    }


def test_a_line_for_each(lines):
    assert list(lines) == list(VARIANTS)
    for label, line in lines.items():
        assert line.method == VARIANTS[label]
        assert line.guarantee == VARIANTS[label].guarantee
        assert line.result.method == line.method.name
        assert line.failure == ""
        assert line.seconds > 0


def test_the_threshold_is_the_median_of_the_pairs(lines):
    line = lines["score"]
    root = np.sqrt(line.result.precision.diagonal())
    relative = (line.result.threshold / np.outer(root, root))[np.triu_indices(4, k=1)]
    assert line.threshold_on_partial_correlation() == pytest.approx(np.median(relative))
    strengths = np.abs(line.result.partial_correlation)[np.triu_indices(4, k=1)]
    np.testing.assert_array_equal(
        strengths >= relative, line.result.reject[np.triu_indices(4, k=1)]
    )


def test_what_fails_for_one_is_its_line(rows):
    lines = compare_methods(as_table(rows), alpha=0.3, correction="holm")
    assert {line.label for line in lines if line.result is None} == TRACE_RADIUS
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
        return lambda: compare_methods(as_table(data), alpha, correction)

    refuses(compare(rows, alpha=2), ParameterError, "alpha", "got 2")
    refuses(compare(rows, correction="nope"), ParameterError, "correction", "'nope'")
    refuses(compare(rows[:4]), DataError, "4 rows and 4 columns")
    refuses(compare(rows * [1, 1, 0, 1]), DataError, "constant column 'x2'")


class TestChosenMethods:
    def test_names_and_objects(self, rows, same_result):
        chosen = [
            "fisher",
            ew.methods.Batch(n_batches=20),
            ew.methods.Whitened(radius="chi2"),
            "trace",
        ]
        lines = compare_methods(rows, methods=chosen)
        assert [line.label for line in lines] == [
            "fisher",
            "Batch(n_batches=20, lags=0, random_state=0)",
            "whitened, chi2",
            "trace (paper)",
        ]
        same_result(lines[1].result, ew.edge_test(rows, method="batch", n_batches=20))


class TestCorrection:
    def test_maxt_where_there_is_one(self, rows):
        for line in compare_methods(rows, correction="maxt"):
            if not line.method.simultaneous:
                wanted = "maxt" if "maxt" in line.method.supports else "holm"
                assert line.result.correction == wanted


def test_every_line_is_about_the_same_pairs(rows):
    family = {"pairs": [("x0", "x1"), ("x1", "x3")]}
    methods = ["score", "batch", "entrywise", "fisher"]
    for line in ew.compare_methods(rows, methods=methods, **family):
        expected = ew.edge_test(rows, method=line.label, **family)
        assert line.result.n_pairs == 2
        np.testing.assert_array_equal(line.result.reject, expected.reject)
        relative = expected.threshold / np.sqrt(
            np.outer(expected.precision.diagonal(), expected.precision.diagonal())
        )
        own = np.median([relative[0, 1], relative[1, 3]])
        assert line.threshold_on_partial_correlation() == pytest.approx(own, rel=1e-12)
