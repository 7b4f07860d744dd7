"""Normal scores of rows of every kind, against scipy.stats on the same rows in an array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.tables import options
from edgewise.tables.open import as_table
from edgewise.tables.options import normal_scores, options_of, values_of
from edgewise.tables.table import Table, all_rows

NAMES = list("abcd")
SCORES = {"transform": "normal-scores"}


def slow_scores(X):
    """The definition, column by column."""
    return stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))


@pytest.fixture(scope="module")
def mixed(rows):
    """Tails, skew, few values and a large offset."""
    X = np.array(rows)
    X[:, 1] = np.exp(X[:, 1])
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] += 1e8
    return X


@pytest.fixture(scope="module")
def expected(mixed):
    return slow_scores(mixed)


def check(table, expected):
    np.testing.assert_allclose(all_rows(table), expected, rtol=1e-12, atol=1e-14)


def test_scores_of_columns(monkeypatch):
    """Continuous, skewed, of few values, constant, of huge and tiny numbers, with signed zeros."""
    rng, n = np.random.default_rng(5), 500
    X = np.column_stack(
        [
            rng.standard_normal(n),
            rng.exponential(size=n) ** 3,
            rng.poisson(1.0, n),
            np.full(n, 7.0),
            rng.standard_normal(n) * 1e307,
            rng.standard_normal(n) * 1e-310,
            rng.choice([-1.0, -0.0, 0.0, 1.0], n),
        ]
    )
    expected = slow_scores(X)
    for many in (options._MANY, 10):  # on all cores, each column is still by itself
        monkeypatch.setattr(options, "_MANY", many)
        values = np.array(X.T)
        normal_scores(values, out=values)
        np.testing.assert_allclose(values.T, expected, rtol=1e-12, atol=1e-14)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_ties(values):
    column = np.array(values, dtype=float)[:, np.newaxis]
    np.testing.assert_allclose(normal_scores(column.T).T, slow_scores(column), atol=1e-13)


def test_rows_of_every_kind(save, mixed, expected, require, tmp_path):
    class Blocks(Table):
        feature_names = tuple(NAMES)
        named = rescannable = True

        def blocks(self):
            room = np.empty((50, 4))
            for start in range(0, 400, 50):
                room[:] = mixed[start : start + 50]  # the same memory again and again
                yield room

    paths = [save(f"many/{i}.parquet", NAMES, mixed[100 * i : 100 * i + 100]) for i in range(4)]
    for data in (
        mixed,
        require("pandas").DataFrame(mixed),
        require("polars").DataFrame(mixed, schema=NAMES).lazy(),
        Blocks(),
        paths,
        *(save(name, NAMES, mixed) for name in ("x.csv", "x.feather", "x.npy")),
    ):
        table = as_table(data, **SCORES)
        assert options_of(table).transform == "normal-scores"
        for _ in range(2):
            check(table, expected)
            assert table.in_memory  # the scores are kept, and files are not read again
    integers = mixed[:, :3].astype(int)
    check(as_table(integers, **SCORES), slow_scores(integers))


def test_with_other_views(mixed, expected):
    check(as_table(mixed, columns=["x2", "x0"], **SCORES), expected[:, [2, 0]])
    assert as_table(mixed, feature_names=NAMES, **SCORES).feature_names == tuple(NAMES)
    labels = np.arange(400) // 8
    table = as_table(mixed, clusters=labels, **SCORES)
    check(table, expected)
    blocks = table.reduce(lambda part: [block.clusters for block in part.blocks()], None)
    np.testing.assert_array_equal(np.concatenate(blocks), labels)
    check(as_table(np.column_stack([labels, mixed]), clusters="x0", **SCORES), expected)
    table = as_table(mixed, **SCORES)
    np.testing.assert_array_equal(all_rows(values_of(table)), mixed)
    plain = as_table(mixed)
    assert values_of(plain) is plain


def test_missing_values(save, mixed, refuses):
    """Ranks are those among the complete rows; what is left out is counted and explained."""
    X = mixed.copy()
    X[3, 1], X[200, 2], X[399, 0] = np.nan, np.inf, -np.inf
    plain = ew.edge_test(X, missing="drop", feature_names=NAMES)
    for data in (X, save("x.csv", NAMES, X)):
        table = as_table(data, missing="drop", **SCORES)
        check(table, slow_scores(X[np.isfinite(X).all(axis=1)]))
        result = ew.edge_test(data, missing="drop", feature_names=NAMES, **SCORES)
        assert (result.n_dropped, result.provenance.n_missing) == (3, plain.provenance.n_missing)
    for data, name in ((X, "x1"), (save("x.parquet", NAMES, X), "b")):
        refuses(lambda d=data: ew.edge_test(d, **SCORES), NonFiniteError, f"{name!r} (1)", "drop")


def test_more_rows_than_fit_in_memory(save, mixed, expected, refuses, monkeypatch, in_parts):
    monkeypatch.setattr(options, "MOST_RANKED", 10_000)
    parts = [in_parts(mixed, known=known) for known in (True, False)]
    for data in (*(save(name, NAMES, mixed) for name in ("x.csv", "x.parquet", "x.npy")), *parts):
        refuses(
            lambda d=data: ew.edge_test(d, **SCORES),
            DataError,
            "transform: expected at most 0 MB of numbers to rank in memory",
            "method='kendall'",
        )
        assert ew.edge_test(data, method="kendall").n_samples == 400
    check(as_table(mixed, **SCORES), expected)


def test_what_is_refused(mixed, refuses):
    for wrong in ("normal-score", "ranks", 3, np.ones(2)):
        refuses(
            lambda wrong=wrong: as_table(mixed, transform=wrong),
            ParameterError,
            "transform: expected one of 'normal-scores', 'diff', 'log-diff', None; got",
        )
    refuses(
        lambda: ew.edge_test(iter([mixed]), method="batch", **SCORES),
        DataError,
        "transform: 'normal-scores' reads the rows twice",
        "write the rows to a Parquet file",
    )
    refuses(lambda: ew.edge_test(mixed[:0], **SCORES), DataError, "0 sample(s)")
    constant = mixed * [1, 0, 1, 1] + [0, 5, 0, 0]
    refuses(lambda: ew.edge_test(constant, **SCORES), DataError, "constant column 'x1'")
