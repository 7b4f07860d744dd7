"""Weights from a column or an array, beside rows of every kind; and every bad one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, ParameterError
from edgewise.rows.opening import open_table
from edgewise.rows.weighting import (
    RepeatedRows,
    WeightedRows,
    WeightedTable,
    checked_weights,
    has_copies,
    weighted_columns,
    weights_of,
)

FREQUENCY = {"weight_kind": "frequency"}


@pytest.fixture(scope="module")
def weights():
    w = np.random.default_rng(6).exponential(size=400) + 0.1
    w[::50] = 0.0
    w.flags.writeable = False
    return w


@pytest.fixture(scope="module")
def counts():
    n = np.random.default_rng(7).integers(0, 4, 400)
    n.flags.writeable = False
    return n


@pytest.fixture(scope="module")
def expected(rows, weights):
    return ew.edge_test(rows, weights=weights, feature_names=list("abcd"))


@pytest.fixture
def table(rows, weights):
    """The weights stand between the variables."""
    columns = dict(zip("abcd", rows.T, strict=True))
    return pa.table({"a": columns.pop("a"), "w": weights, **columns})


@pytest.fixture(scope="module")
def wide(rows, weights):
    """The same as an array."""
    return np.column_stack([rows[:, :1], weights, rows[:, 1:]])


def gathered(table):
    """The rows of a weighted table and their weights."""

    def one_pass(part):
        blocks = list(part.blocks())
        assert all(isinstance(block, WeightedRows) for block in blocks)
        assert part.feature_names == table.feature_names
        X = np.concatenate([*map(np.asarray, blocks)])
        return X, np.concatenate([block.weights for block in blocks])

    return table.reduce(one_pass, None)


class TestKindsOfData:
    @pytest.mark.parametrize("name", ["r.csv", "r.parquet", "r.feather"])
    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_files(self, save, wide, rows, weights, same_result, name, method):
        result = ew.edge_test(save(name, "awbcd", wide), weights="w", method=method)
        same_result(result, ew.edge_test(rows, weights=weights, method=method), names="abcd")
        assert result.options["weights"] == "w"

    def test_npy(self, save, wide, expected, same_result):
        result = ew.edge_test(save("r.npy", None, wide), weights="x1")
        same_result(result, expected, names=["x0", "x2", "x3", "x4"])

    def test_several_files(self, save, tmp_path, wide, expected, same_result):
        for number, start in enumerate(range(0, 400, 130)):
            save(f"parts/{number}.csv", "awbcd", wide[start : start + 130])
        same_result(ew.edge_test(tmp_path / "parts", weights="w"), expected)

    def test_a_column_of_a_frame(self, require, table, expected, same_result):
        frame = table.to_pandas()
        assert list(frame.columns) == ["a", "w", "b", "c", "d"]
        for data in (table, frame, require("polars").from_arrow(table)):
            same_result(ew.edge_test(data, weights="w"), expected)

    def test_a_column_of_an_array(self, wide, expected, same_result):
        result = ew.edge_test(wide, weights="x1")
        same_result(result, expected, names=["x0", "x2", "x3", "x4"])

    @pytest.mark.parametrize("kind", ["array", "list", "series", "float32", "decimal"])
    def test_beside_any_rows_in_memory(self, require, table, rows, same_result, kind):
        pd = require("pandas")
        numbers = np.arange(400) % 4 + 0.5
        given = {
            "array": numbers,
            "list": numbers.tolist(),
            "series": pd.Series(numbers),
            "float32": numbers.astype(np.float32),
            "decimal": numbers.astype(object),
        }[kind]
        expected = ew.edge_test(rows, weights=numbers)
        assert expected.options["weights"] == "given"
        frame = pd.DataFrame(rows, columns=list("abcd"))
        polars = require("polars").DataFrame(frame.to_dict("list"))
        for data in (frame, table.drop_columns("w"), polars):
            same_result(ew.edge_test(data, weights=given), expected, names="abcd")

    def test_an_iterator(self, table, rows, weights, same_result):
        batches = (table.slice(start, 70) for start in range(0, 400, 70))
        result = ew.edge_test(batches, weights="w", method="batch")
        same_result(result, ew.edge_test(rows, weights=weights, method="batch"), names="abcd")

    def test_standard_input(self, run_edgewise, write_csv, tmp_path, wide, rows, weights):
        text = write_csv(tmp_path / "r.csv", "awbcd", wide).read_text()
        done = run_edgewise("test", "-", "--weights", "w", "--method", "batch", input=text)
        expected = ew.edge_test(rows, weights=weights, method="batch")
        assert " ".join(done.stdout.split()).startswith(expected.headline())

    def test_parts(self, in_parts, rows, weights, same_result):
        X = np.column_stack([rows[:, :3], weights])
        for known in (True, False):
            for method in ("score", "batch"):
                result = ew.edge_test(in_parts(X, known=known), weights="d", method=method)
                expected = ew.edge_test(rows[:, :3], weights=weights, method=method)
                same_result(result, expected, names="abc")


class TestChoosing:
    def test_the_column_is_no_variable(self, table):
        assert ew.edge_test(table, weights="w").feature_names == ("a", "b", "c", "d")
        chosen = ew.edge_test(table, columns=["d", "a", "b"], weights="w")
        assert chosen.feature_names == ("d", "a", "b")
        assert ew.edge_test(table, exclude="a", weights="w").feature_names == ("b", "c", "d")
        # To exclude the weights from the variables says it twice.
        both = ew.edge_test(table, exclude=["a", "w"], weights="w")
        assert both.feature_names == ("b", "c", "d")

    def test_the_order_of_columns(self, table, same_result):
        chosen = ew.edge_test(table, columns=["d", "a", "b"], weights="w")
        expected = ew.edge_test(table.select(["d", "a", "b", "w"]), weights="w")
        same_result(chosen, expected)

    def test_variables_can_be_renamed(self, table, weights, expected, same_result):
        how = {"feature_names": list("wxyz")}
        same_result(ew.edge_test(table, weights="w", **how), expected, names="wxyz")
        data = table.drop_columns("w")
        same_result(ew.edge_test(data, weights=weights, **how), expected, names="wxyz")

    def test_columns_of_an_array_of_weights(self, rows, weights, same_result):
        result = ew.edge_test(rows, columns=["x2", "x0", "x1"], weights=weights)
        expected = ew.edge_test(rows[:, [2, 0, 1]], weights=weights)
        same_result(result, expected, names=["x2", "x0", "x1"])

    def test_which_columns_are_read(self, refuses):
        assert weighted_columns(None, None, "w") == (None, None)
        assert weighted_columns(["b", "a"], None, "w") == (["b", "a", "w"], None)
        assert weighted_columns(None, ["a", "w"], "w") == (None, ["a"])
        refuses(lambda: weighted_columns(["a", "w"], None, "w"), ParameterError, "not tested")


class TestMissing:
    def test_weights_stay_beside_their_rows(self, rows, weights, same_result):
        X = np.array(rows)
        X[[5, 101, 399], 2] = np.nan
        kept = np.delete(np.arange(400), [5, 101, 399])
        result = ew.edge_test(X, weights=weights, missing="drop")
        same_result(result, ew.edge_test(rows[kept], weights=weights[kept]))
        assert result.n_dropped == 3
        assert result.n_missing == (0, 0, 3, 0)

    @pytest.mark.parametrize("method", ["score", "wald", "batch"])
    def test_weights_are_no_leave_to_lack_values(self, rows, weights, refuses, method):
        X = np.array(rows)
        X[np.flatnonzero(weights)[:3], 2] = np.nan
        asked = ["'x2' (3)", "missing='pairwise'"]
        refuses(lambda: ew.edge_test(X, method=method, weights=weights), ew.NonFiniteError, *asked)
        refuses(lambda: ew.accumulate(X, weights=weights), ew.NonFiniteError, *asked)
        fit = ew.EdgeTest(method=method).fit
        refuses(lambda: fit(X, sample_weight=weights), ew.NonFiniteError, *asked)

    @pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e160, 1e300])
    def test_only_proportions_matter(self, rows, weights, expected, unit):
        result = ew.edge_test(rows, weights=weights * unit)
        np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-9)
        assert result.options == pytest.approx(expected.options | {"weights": "given"})

    def test_rows_of_weight_zero_may_lack_values(self, rows, weights, expected, same_result):
        X = np.array(rows)
        X[weights == 0, 1] = np.nan
        same_result(ew.edge_test(X, weights=weights), expected, names=["x0", "x1", "x2", "x3"])

    def test_a_missing_weight(self, save, wide, refuses):
        X = wide.copy()
        X[7, 1] = np.nan
        path = save("r.csv", "awbcd", X)
        for missing in ("raise", "drop", "pairwise"):
            refuses(
                lambda missing=missing: ew.edge_test(path, weights="w", missing=missing),
                DataError,
                "weights: expected finite numbers of at least 0, got missing ones (NaN) in column "
                "'w' (1 row)",
            )

    def test_with_pairwise(self, rows, weights):
        X = np.array(rows)
        X[:40, 1] = np.nan
        result = ew.edge_test(X, weights=weights, missing="pairwise")
        assert result.n_missing == (0, 40 - (weights[:40] == 0).sum(), 0, 0)
        assert result.n_samples == (weights > 0).sum()
        assert {"missing", "weights", "effective_rows"} <= set(result.options)


class TestBadWeights:
    """In an array, in a column of a table, and in a file."""

    @pytest.mark.parametrize(
        ("value", "what"),
        [(-1.0, "got -1 in "), (np.nan, "got missing ones (NaN) in "), (np.inf, "got inf in ")],
        ids=["negative", "nan", "inf"],
    )
    @pytest.mark.parametrize("kind", WEIGHT_KINDS := ["sampling", "frequency"])
    def test_single_ones(self, save, rows, refuses, value, what, kind):
        w = np.ones(400)
        w[[3, 9]] = value
        X = np.column_stack([rows, w])
        how = {"weight_kind": kind}
        refuses(
            lambda: ew.edge_test(rows, weights=w, **how),
            DataError,
            "weights: expected finite numbers of at least 0, ",
            what + "the weights (2 rows)",
        )
        for data, name in ((X, "x4"), (save("r.parquet", "abcdw", X), "w")):
            refuses(
                lambda data=data, name=name: ew.edge_test(data, weights=name, **how),
                DataError,
                what + f"column {name!r}",
            )

    @pytest.mark.parametrize("kind", WEIGHT_KINDS)
    def test_zeros_only(self, save, rows, refuses, kind):
        how = {"weight_kind": kind}
        refuses(
            lambda: ew.edge_test(rows, weights=np.zeros(400), **how),
            DataError,
            "weights: expected a positive weight for some row, got zeros only",
        )
        path = save("r.csv", "abcdw", np.column_stack([rows, np.zeros(400)]))
        error = refuses(lambda: ew.edge_test(path, weights="w", **how), DataError)
        if kind == "sampling":
            assert "weights: expected a positive weight for some row, got none" in str(error)

    @pytest.mark.parametrize("count", [0, 1, 399, 401])
    def test_another_number_of_them(self, rows, refuses, count):
        refuses(
            lambda: ew.edge_test(rows, weights=np.ones(count)),
            ParameterError,
            f"weights: expected one weight for each of 400 rows, got {count} weights.",
        )

    @pytest.mark.parametrize(
        "bad",
        [np.ones((400, 1)), np.ones((400, 2)), 1.0, ["heavy"] * 400, {"w": 1}, [None] * 400],
        ids=["column", "matrix", "number", "text", "mapping", "none"],
    )
    def test_what_is_no_array_of_numbers(self, rows, refuses, bad):
        error = refuses(lambda: ew.edge_test(rows, weights=bad), ValueError, "weights: expected")
        assert isinstance(error, ParameterError | DataError)

    def test_complex_numbers_and_dates(self, refuses):
        for bad in (np.ones(3) + 1j, np.array(["2020-01-01"] * 3, dtype="datetime64[D]")):
            error = refuses(lambda bad=bad: checked_weights(bad), ValueError, "weights: expected")
            assert isinstance(error, ParameterError)

    def test_a_series_with_another_index(self, require, rows, refuses):
        pd = require("pandas")
        frame = pd.DataFrame(rows, columns=list("abcd"))
        moved = pd.Series(np.ones(400), index=np.arange(400)[::-1])
        refuses(lambda: ew.edge_test(frame, weights=moved), ParameterError, "weights", "index")

    def test_a_column_that_is_tested_too(self, table, refuses):
        refuses(
            lambda: ew.edge_test(table, columns=["a", "b", "w"], weights="w"),
            ParameterError,
            "weights: expected a column that is not tested, got 'w'",
        )
        for more in ({"given": ["w"]}, {"pairs": [("a", "w")]}):
            refuses(lambda more=more: ew.edge_test(table, weights="w", **more), DataError, "'w'")

    @pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
    def test_an_unknown_column(self, save, table, wide, refuses, name):
        path = save(name, ["a", "weight", "b", "c", "d"], wide)
        for data, near in ((path, "'weight'"), (table, "'w'")):
            error = refuses(lambda data=data: ew.edge_test(data, weights="wight"), DataError)
            assert "has no column 'wight'" in str(error)
            assert near in str(error)

    def test_a_column_of_text(self, table, refuses):
        data = table.set_column(1, "w", pa.array(["heavy"] * 400))
        refuses(lambda: ew.edge_test(data, weights="w"), DataTypeError, "'w' must hold numbers")

    def test_an_array_beside_rows_elsewhere(self, csv_file, weights, refuses):
        refuses(
            lambda: ew.edge_test(csv_file, weights=weights),
            ParameterError,
            "weights: expected the name of a column, because the rows are not in memory, got "
            "ndarray; write the weights into a column",
        )

    def test_few_rows_with_all_the_weight(self, rows, refuses):
        w = np.full(400, 1e-9)
        w[:3] = 1.0
        refuses(
            lambda: ew.edge_test(rows, weights=w),
            DataError,
            "weights: expected them to be worth more than 5 rows of equal weight",
            "got 3 ",
        )


class TestRefuses:
    def test_groups(self, rows, weights, counts, refuses):
        for how in ({"weights": weights}, {"weights": counts, **FREQUENCY}):
            refuses(
                lambda how=how: ew.edge_test(rows, groups=np.arange(400) // 8, **how),
                ParameterError,
                "weights: expected without groups, got both",
            )

    def test_ranks_of_sampled_rows(self, rows, weights, refuses):
        refuses(
            lambda: ew.edge_test(rows, weights=weights, transform="normal-scores"),
            ParameterError,
            "weights: expected without transform, got both; ranks of weighted rows",
        )

    @pytest.mark.parametrize("method", ["fisher", "nodewise", "trace", "kendall", "entrywise"])
    def test_other_methods(self, rows, weights, refuses, method):
        for data, how in ((rows, {"weights": weights}), (open_table(rows, weights=weights), {})):
            refuses(
                lambda data=data, how=how: ew.edge_test(data, method=method, **how),
                ParameterError,
                "weights: expected none with this method, whose errors are those of rows that",
                "use method 'score', 'wald' or 'batch', or weight_kind='frequency'",
            )

    def test_a_budget(self, rows, weights, refuses):
        for data, how in ((rows, {"weights": weights}), (open_table(rows, weights=weights), {})):
            refuses(
                lambda data=data, how=how: ew.edge_test(data, budget=1, **how),
                ParameterError,
                "budget: expected without weights, got both",
            )

    def test_other_kinds(self, rows, weights, refuses):
        for bad in ("freq", None, 1):
            refuses(
                lambda bad=bad: ew.edge_test(rows, weights=weights, weight_kind=bad),
                ParameterError,
                "weight_kind: expected one of",
            )

    def test_with_a_state(self, rows, weights, refuses):
        state = ew.BatchMoments().update(rows)
        refuses(
            lambda: ew.edge_test(state, method="batch", weights=weights),
            ParameterError,
            "got a state",
        )

    def test_a_table_that_has_weights(self, table, refuses):
        opened = open_table(table, weights="w")
        assert open_table(opened) is opened
        for more in ({"columns": "a"}, {"missing": "drop"}, {"weights": "b"}, {"groups": "b"}):
            refuses(
                lambda more=more: open_table(opened, **more),
                ParameterError,
                "expected rows whose weights are not yet known, got a table of weights",
            )


class TestTable:
    def test_blocks_carry_their_weights(self, table, rows, weights):
        weighted = open_table(table, weights="w")
        assert isinstance(weighted, WeightedTable)
        assert (weighted.weights_name, weighted.n_rows) == ("w", None)
        X, w = gathered(weighted)
        used = weights > 0
        np.testing.assert_array_equal(X, rows[used])
        np.testing.assert_array_equal(w, weights[used])

    def test_slices_of_a_block(self, rows, weights):
        block = WeightedRows(rows, weights)
        np.testing.assert_array_equal(block[10:20].weights, weights[10:20])
        np.testing.assert_array_equal(np.asarray(block[10:20]), rows[10:20])
        assert weights_of(block) is block.weights
        assert weights_of(rows) is None

    def test_a_progress_bar_sees_all_rows(self, table):
        told = []
        gathered(open_table(table, weights="w", progress=told.append))
        assert sum(told) == 400

    def test_other_passes_see_the_variables_only(self, table):
        assert ew.diagnose(open_table(table, weights="w")).n_features == 4


class TestFrequency:
    def test_rows_come_so_often(self, rows, counts, all_rows):
        table = open_table(rows, weights=counts, **FREQUENCY)
        assert isinstance(table, RepeatedRows)
        assert has_copies(table)
        assert not has_copies(open_table(rows))
        assert (counts == 0).any()
        np.testing.assert_array_equal(all_rows(table), np.repeat(rows, counts, axis=0))

    def test_a_column_of_a_file(self, save, rows, counts, same_result):
        path = save("r.csv", "abcdw", np.column_stack([rows, counts]))
        result = ew.edge_test(path, weights="w", **FREQUENCY)
        same_result(result, ew.edge_test(np.repeat(rows, counts, axis=0)), names="abcd")

    def test_many_copies_come_in_blocks(self, rows, block_size):
        block_size(64)
        times = np.ones(400, dtype=int)
        times[[0, 3, 399]] = 1000, 0, 65
        lengths = []
        table = open_table(rows, weights=times, **FREQUENCY)
        table.reduce(lambda part: [lengths.append(len(b)) for b in part.blocks()], None)
        assert sum(lengths) == times.sum()
        assert max(lengths) <= 64

    def test_a_billion_copies_need_no_memory(self, rows):
        table = open_table(rows, weights=np.full(400, 10**9), **FREQUENCY)

        def first_block(part):
            return next(iter(part.blocks())).shape

        n, p = table.reduce(first_block, None)
        assert p == 4
        assert n <= 1 << 20

    def test_with_missing_values(self, rows, counts, same_result):
        X = np.array(rows)
        X[:40, 1] = np.nan
        for missing in ("drop", "pairwise"):
            result = ew.edge_test(X, weights=counts, missing=missing, **FREQUENCY)
            same_result(result, ew.edge_test(np.repeat(X, counts, axis=0), missing=missing))

    def test_ranks_of_repeated_rows(self, rows, counts, same_result):
        how = {"transform": "normal-scores"}
        result = ew.edge_test(rows, weights=counts, **FREQUENCY, **how)
        same_result(result, ew.edge_test(np.repeat(rows, counts, axis=0), **how))

    @pytest.mark.parametrize("bad", [0.5, 2.25, 1e17])
    def test_parts_of_a_row(self, save, rows, refuses, bad):
        times = np.ones(400)
        times[9] = bad
        path = save("r.parquet", "abcdw", np.column_stack([rows, times]))
        for data, weights, where in ((rows, times, "the weights"), (path, "w", "column 'w'")):
            refuses(
                lambda data=data, weights=weights: ew.edge_test(data, weights=weights, **FREQUENCY),
                DataError,
                f"weights: expected whole numbers of rows (weight_kind='frequency'), got {bad:g} "
                f"in {where}",
            )
