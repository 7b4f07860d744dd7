"""`check_null`: real columns without edges, and who finds one all the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

import edgewise as ew
from edgewise.api import null as module
from edgewise.api.diagnose import diagnose
from edgewise.api.null import NullComparison, check_null, even_sample
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.methods.registry import registered
from edgewise.simulate import make_chain_precision, sample
from edgewise.tables.open import as_table
from edgewise.tables.options import view

PER_EDGE = [name for name, method in registered().items() if not method.simultaneous]


def facts(lines):
    return [(line.label, line.n_shuffles, line.n_with_edges, line.failure) for line in lines]


class TestShares:
    def test_fisher_keeps_its_level_on_gaussian_columns(self):
        """Whose edges, before the shuffles, every method finds."""
        X = np.random.default_rng(1).standard_normal((200, 5)).cumsum(axis=1)
        assert ew.edge_test(X, method="fisher").n_edges == 4
        n = 400
        (line,) = check_null(X, methods=["fisher"], n_shuffles=n)
        assert line.share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n)
        assert line.band[0] <= 0.05

    @pytest.mark.parametrize(("found", "n"), [(0, 100), (4, 100), (100, 100), (1, 2)])
    def test_the_band_is_clopper_and_pearsons(self, found, n):
        line = NullComparison("score", ew.methods.Score(), 400, n + 3, found, n_failed=3)
        expected = binomtest(found, n).proportion_ci(0.95)
        assert line.share == found / n
        assert line.band == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


class TestMethods:
    def test_by_default_those_per_edge(self, rows):
        lines = check_null(rows, n_shuffles=2)
        assert [line.label for line in lines] == PER_EDGE
        for line in lines:
            assert line.guarantee == registered()[line.label].guarantee
            assert (line.n_samples, line.n_shuffles, line.n_failed) == (400, 2, 0)
            assert line.seconds > 0


class TestData:
    def test_chosen_columns_and_complete_rows(self, rows):
        X = rows.copy()
        X[7, 1] = np.nan
        (line,) = check_null(X, methods=["fisher"], n_shuffles=1, exclude="x3", missing="drop")
        assert line.n_samples == 399

    def test_long_data_are_sampled_evenly(self):
        X = np.random.default_rng(3).standard_normal((25_000, 3))
        sample = even_sample(X)
        np.testing.assert_array_equal(sample.rows, X[::3])
        assert (sample.n_available, sample.n_dropped) == (25_000, 0)
        (line,) = check_null(X, methods=["fisher"], n_shuffles=2)
        assert line.n_samples == 8334


class TestErrors:
    def test_shuffles_that_cannot_be_tested_are_counted(self):
        """Two columns with a single one each: where the ones meet, the columns are the same."""
        X = np.random.default_rng(4).standard_normal((12, 3))
        X[:, :2] = 0
        X[0, :2] = 1
        lines = check_null(X, methods=["fisher", "wald"], n_shuffles=60)
        n = lines[0].n_failed
        assert 0 < n < 30
        for line in lines:
            assert line.n_failed == n
            assert "column 'x1' duplicates column 'x0'" in line.failure
            assert line.share == line.n_with_edges / (60 - n)

    @pytest.mark.parametrize(
        ("asked", "fragments"),
        [
            ({"n_shuffles": 0}, ["n_shuffles: expected a whole number from 1 on", "got 0"]),
            ({"n_shuffles": 2.5}, ["n_shuffles", "2.5"]),
            ({"random_state": -1}, ["random_state", "from 0 on", "-1"]),
            ({"alpha": 2}, ["alpha", "got 2"]),
            ({"correction": "nope"}, ["correction", "'nope'"]),
            ({"methods": ["nope"]}, ["method: expected one of", "'nope'"]),
            ({"methods": []}, ["methods", "at least one"]),
        ],
    )
    def test_arguments(self, rows, refuses, monkeypatch, asked, fragments):
        """Before any row is read."""
        monkeypatch.setattr(module, "even_sample", lambda *_, **__: pytest.fail("read"))
        refuses(lambda: check_null(rows, **asked), ParameterError, *fragments)

    def test_data(self, rows, refuses):
        def compare(data):
            return lambda: check_null(data, n_shuffles=2)

        refuses(compare(rows * [1, 1, 0, 1]), DataError, "constant column 'x2'")
        refuses(compare(rows[:4]), DataError, "at least 20 rows to choose among 4 columns")
        refuses(compare(rows[:, :1]), DataError, "minimum of 2")
        refuses(compare(ew.accumulate(rows)), DataError, "got a state")
        refuses(compare(iter([rows])), DataError, "read only once")
        missing = rows.copy()
        missing[3, 1] = np.nan
        refuses(compare(missing), NonFiniteError, "'x1' (1)")


def test_the_family_is_tested_in_every_shuffle(rows):
    """One pair without a correction and with one are the same."""
    asked = {"methods": ["fisher"], "n_shuffles": 40, "pairs": [("x0", "x1")], "alpha": 0.3}
    (with_one,) = ew.check_null(rows, correction="bonferroni", **asked)
    (without,) = ew.check_null(rows, correction=None, **asked)
    assert with_one.n_with_edges == without.n_with_edges > 0
    (covariate,) = ew.check_null(
        rows, methods=["fisher"], n_shuffles=5, given=["x0", "x1"], correction=None
    )
    assert covariate.n_failed == 0


# `diagnose`: what the data are like, and the test that speaks for.


def draw(distribution, n_samples=4000, n_features=4, seed=1):
    rng = np.random.default_rng(seed)
    return sample(distribution, make_chain_precision(n_features), n_samples, rng=rng)


def diagnosis_of(data):
    return diagnose(as_table(data))


def test_only_the_complete_rows_count():
    X = draw("gaussian")
    X[[1, 5], 0] = np.nan
    assert diagnose(view(as_table(X), missing="drop")).n_samples == 3998


def test_a_state_has_no_rows_to_diagnose(refuses):
    refuses(
        lambda: diagnose(ew.accumulate(draw("gaussian"))),
        DataError,
        "data: a diagnosis looks at rows, got a state",
    )
