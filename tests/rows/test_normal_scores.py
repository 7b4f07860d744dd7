"""Normal scores of rows of every kind, against scipy.stats on the same rows in an array."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.rows import normal_scores
from edgewise.rows.collecting import all_rows
from edgewise.rows.normal_scores import scores_under, transform_of, values_under
from edgewise.rows.opening import open_table
from edgewise.rows.score_map import ScoreMap
from edgewise.rows.table import LocalTable
from edgewise.states.accumulate import read_into
from edgewise.states.moments import Moments

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


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(8)
    X = rng.standard_t(3, (30_000, 3))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.round(X[:, 2])
    return X


def check(table, expected):
    np.testing.assert_allclose(all_rows(table), expected, rtol=1e-12, atol=1e-14)


class TestSources:
    def test_an_array(self, mixed, expected):
        table = open_table(mixed, **SCORES)
        check(table, expected)
        check(table, expected)
        assert table.in_memory
        assert transform_of(table) == "normal-scores"

    @pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
    def test_other_numbers(self, mixed, dtype):
        X = (mixed[:, :3] > 0 if dtype is bool else mixed[:, :3]).astype(dtype)
        check(open_table(X, **SCORES), slow_scores(X))

    def test_frames(self, require, mixed, expected):
        check(open_table(require("pandas").DataFrame(mixed), **SCORES), expected)
        frame = require("polars").DataFrame(mixed, schema=NAMES)
        check(open_table(frame, **SCORES), expected)
        check(open_table(frame.lazy(), **SCORES), expected)

    @pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.feather", "x.npy"])
    def test_files(self, save, mixed, expected, name):
        table = open_table(save(name, NAMES, mixed), **SCORES)
        assert not table.in_memory
        check(table, expected)
        assert table.in_memory  # the scores are kept, and the file is not read again

    def test_many_files(self, save, mixed, expected):
        paths = [save(f"{i}.parquet", NAMES, mixed[100 * i : 100 * i + 100]) for i in range(4)]
        check(open_table(paths, **SCORES), expected)

    def test_a_table_of_the_user(self, mixed, expected):
        class Blocks(LocalTable):
            feature_names = tuple(NAMES)
            named = rescannable = True

            def blocks(self):
                room = np.empty((50, 4))
                for start in range(0, 400, 50):
                    room[:] = mixed[start : start + 50]  # the same memory again and again
                    yield room

        check(open_table(Blocks(), **SCORES), expected)


class TestWithOtherViews:
    def test_columns(self, mixed, expected):
        check(open_table(mixed, columns=["x2", "x0"], **SCORES), expected[:, [2, 0]])

    def test_names(self, mixed, expected):
        table = open_table(mixed, feature_names=NAMES, **SCORES)
        assert table.feature_names == tuple(NAMES)
        check(table, expected)

    @pytest.mark.parametrize("name", [None, "x.csv"])
    def test_missing_values(self, save, mixed, name):
        """Ranks are those among the complete rows."""
        X = mixed.copy()
        X[3, 1], X[200, 2], X[399, 0] = np.nan, np.inf, -np.inf
        whole = X[np.isfinite(X).all(axis=1)]
        data = X if name is None else save(name, NAMES, X)
        table = open_table(data, missing="drop", **SCORES)
        check(table, slow_scores(whole))
        for _ in range(2):  # each pass counts them
            assert read_into(Moments(order=2), table)[1] == 3

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    @pytest.mark.parametrize("kind", ["array", "file", "sketch"])
    def test_missing_values_are_named(self, save, mixed, refuses, monkeypatch, value, kind):
        X = mixed.copy()
        X[[3, 300], 1] = value
        data = X if kind == "array" else save("x.parquet", NAMES, X)
        if kind == "sketch":
            monkeypatch.setattr(normal_scores, "MOST_HERE", 1000)
        refuses(
            lambda: ew.edge_test(data, **SCORES),
            NonFiniteError,
            f"in column {'x1' if kind == 'array' else 'b'!r} (2); drop those rows",
        )

    def test_labels_stay(self, mixed, expected):
        labels = np.arange(400) // 8
        table = open_table(mixed, groups=labels, **SCORES)
        check(table, expected)
        assert scores_under(table) is not None
        blocks = table.reduce(lambda part: [block.groups for block in part.blocks()], None)
        np.testing.assert_array_equal(np.concatenate(blocks), labels)
        numbers = np.column_stack([labels, mixed])
        check(open_table(numbers, groups="x0", **SCORES), expected)

    def test_the_values_under_it(self, mixed):
        table = open_table(mixed, **SCORES)
        np.testing.assert_array_equal(all_rows(values_under(table)), mixed)
        plain = open_table(mixed)
        assert values_under(plain) is plain
        assert transform_of(plain) is None

    def test_progress_of_the_pass_that_ranks(self, mixed):
        told = []
        check(open_table(mixed, progress=told.append, **SCORES), slow_scores(mixed))
        assert sum(told) == 400


class TestOtherRows:
    def test_through_a_known_map(self, mixed, expected):
        table = open_table(mixed, **SCORES)
        known = table.known()
        check(table, expected)
        check(open_table(mixed[::-1], transform=known), expected[::-1])
        other = all_rows(open_table(iter([mixed[:5] + 0.01]), transform=known))
        assert np.isfinite(other).all()

    def test_known_after_the_scores_were_read(self, mixed, expected):
        table = open_table(mixed, **SCORES)
        check(table, expected)
        assert isinstance(table.known(), ScoreMap)
        check(table, expected)

    def test_over_another_table(self, mixed, expected):
        table = open_table(mixed, **SCORES)
        check(table.over(open_table(mixed[:7])), expected[:7])


class TestSketches:
    """More rows than the limit; ranks of so few rows are wrong by a few at most."""

    @pytest.fixture(autouse=True)
    def few(self, require, monkeypatch):
        require("datasketches")
        monkeypatch.setattr(normal_scores, "MOST_HERE", 50_000)

    @pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.npy"])
    def test_files(self, save, many, name):
        table = open_table(save(name, "abc", many, piece=5000), **SCORES)
        found, expected = all_rows(table), slow_scores(many)
        assert not table.in_memory
        assert np.sqrt(np.mean((found - expected) ** 2)) < 0.01
        assert np.abs(found - expected).max() < 0.1
        for value in np.unique(many[:, 2]):
            assert len(np.unique(found[many[:, 2] == value, 2])) == 1

    def test_a_test(self, save, many):
        path = save("x.parquet", "abc", many, piece=5000)
        found, exact = ew.edge_test(path, **SCORES), ew.edge_test(many, **SCORES)
        assert found.options == {"transform": "normal-scores"}
        pairs = found.tested_pairs()
        # In 5 million rows, statistics of pairs without an edge move by 0.02.
        np.testing.assert_allclose(found.statistic[pairs], exact.statistic[pairs], atol=0.2)

    def test_rows_in_memory_are_ranked_exactly(self, many):
        check(open_table(many, **SCORES), slow_scores(many))

    def test_missing_rows_are_counted(self, save, many):
        X = many.copy()
        X[::1000, 0] = np.nan
        table = open_table(save("x.parquet", "abc", X), missing="drop", **SCORES)
        assert read_into(Moments(order=2), table)[1] == 30

    def test_the_missing_package(self, save, many, refuses, monkeypatch):
        monkeypatch.setattr("edgewise._base.parts.find_spec", lambda name: None)
        path = save("x.parquet", "abc", many)
        refuses(
            lambda: ew.edge_test(path, **SCORES),
            ew.MissingPartError,
            "rows that do not fit in memory needs datasketches, which is not installed",
            "[ranks]",
        )


class TestRefuses:
    def test_what_it_does_not_know(self, mixed, refuses):
        for wrong in ("normal-score", "ranks", 3, np.ones(2)):
            refuses(
                lambda wrong=wrong: open_table(mixed, transform=wrong),
                ParameterError,
                "transform: expected one of 'normal-scores', None; got",
            )

    def test_a_stream(self, mixed, refuses):
        refuses(
            lambda: ew.edge_test(iter([mixed]), method="batch", **SCORES),
            DataError,
            "transform: 'normal-scores' reads the rows twice",
            "write the rows to a Parquet file",
        )

    def test_a_table_of_groups(self, mixed, refuses):
        grouped = open_table(mixed, groups=np.arange(400) // 8)
        refuses(lambda: open_table(grouped, **SCORES), ParameterError, "table of groups")

    def test_no_rows(self, mixed, refuses):
        refuses(lambda: ew.edge_test(mixed[:0], **SCORES), DataError, "0 sample(s)")

    def test_a_constant_column(self, mixed, refuses):
        X = mixed.copy()
        X[:, 1] = 5
        refuses(lambda: ew.edge_test(X, **SCORES), DataError, "constant column 'x1'")
