"""How a result tells of missing values and weights."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.results.summary import lacking, missing_value_notes

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def gaps(rows):
    X = np.array(rows)
    X[:80, 1] = np.nan
    X[100:120, 2] = np.nan
    X[70:90, 3] = np.nan
    return X


@pytest.fixture(scope="module")
def pairwise(gaps):
    return ew.edge_test(gaps, missing="pairwise", feature_names=NAMES)


@pytest.fixture(scope="module")
def dropped(gaps):
    return ew.edge_test(gaps, missing="drop", feature_names=NAMES)


@pytest.fixture(scope="module")
def weighted(rows):
    w = np.random.default_rng(0).exponential(size=400) + 0.1
    return ew.edge_test(np.column_stack([rows, w]), weights="x4")


class TestFields:
    def test_rows_of_each_edge(self, pairwise, dropped):
        for edge in pairwise.pairs():
            i, j = NAMES.index(edge.source), NAMES.index(edge.target)
            assert edge.n_samples == pairwise.provenance.pair_rows[i, j]
            assert type(edge.n_samples) is int
        assert {edge.n_samples for edge in dropped.edges()} == {290}

    def test_rows_of_tested_pairs(self, gaps):
        one = ew.edge_test(gaps, missing="pairwise", pairs=[("x0", "x1")])
        assert "of its columns, 320." in one.summary()


class TestSentences:
    def test_pairwise(self, pairwise):
        (told,) = missing_value_notes(pairwise)
        assert told == (
            "120 values (7.5 %) are missing, most in b (80), c (20), d (20). Each pair rests on "
            "the rows that have both of its columns, 300 to 380."
        )
        assert "from 400 rows, some with missing values (method" in pairwise.headline()
        assert told in pairwise.summary()

    def test_dropped(self, dropped):
        (told,) = missing_value_notes(dropped)
        assert told == (
            "110 rows with missing values were left out; left out because of one column alone: "
            "b (70), c (20), d (10). With missing='pairwise' (score, wald, batch) they would count."
        )
        assert told in dropped.summary()

    def test_one_row(self, rows):
        X = np.array(rows)
        X[0, 0] = np.nan
        assert missing_value_notes(ew.edge_test(X, missing="drop")) == [
            "1 row with missing values was left out; left out because of one column alone: x0 (1)."
        ]

    def test_rows_that_lack_several_values(self, rows):
        X = np.array(rows)
        X[:3, :2] = np.nan
        assert missing_value_notes(ew.edge_test(X, missing="drop")) == [
            "3 rows with missing values were left out; most values are missing in x0 (3), x1 (3)."
        ]

    def test_only_how_many_rows(self, dropped):
        older = dropped.with_measured(n_missing=(), n_dropped_alone=(), n_dropped=7)
        assert missing_value_notes(older) == ["7 rows with missing values were left out."]

    def test_weights(self, weighted, rows):
        (told,) = missing_value_notes(weighted)
        effective = weighted.options["effective_rows"]
        assert 150 < effective < 300
        assert told == (
            f"Rows are weighted by column 'x4': the effective sample size is {effective:,.0f}."
        )
        assert "from 400 rows, weighted (method" in weighted.headline()
        given = ew.edge_test(rows, weights=np.arange(400) + 1)
        assert "Rows are weighted by given weights: the" in given.summary()

    def test_of_each_column(self, pairwise, dropped):
        """Those that lack most first, with the share of all rows, also of those that are gone."""
        assert [one[0] for one in lacking(pairwise)] == ["b", "c", "d"]
        assert lacking(pairwise)[0] == lacking(dropped)[0] == ("b", 80, 0.2)

    def test_both(self, gaps):
        result = ew.edge_test(gaps, missing="pairwise", weights=np.arange(400) + 1)
        assert len(missing_value_notes(result)) == 2
        assert "rows, weighted, some with missing values (" in result.headline()

    def test_nothing(self, rows):
        result = ew.edge_test(rows)
        assert missing_value_notes(result) == lacking(result) == []
