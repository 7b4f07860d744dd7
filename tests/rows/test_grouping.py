"""A column of labels that is read along: the same groups from data of every kind."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, ParameterError
from edgewise.rows.grouping import GroupedRows, GroupedTable
from edgewise.rows.opening import open_table

N_GROUPS = 25


@pytest.fixture(scope="module")
def labels():
    """The group of each of the 400 rows, in no order."""
    return np.random.default_rng(4).permutation(400) % N_GROUPS


@pytest.fixture(scope="module")
def names(labels):
    return [f"subject {label:02}" for label in labels]


@pytest.fixture(scope="module")
def expected(rows, labels):
    return ew.edge_test(rows, groups=labels, feature_names=list("abcd"))


@pytest.fixture(scope="module")
def table(rows, names):
    """The labels stand between the variables."""
    columns = dict(zip("abcd", rows.T, strict=True))
    return pa.table({"a": columns.pop("a"), "subject": names, **columns})


def written(table, path):
    """The table as a file of the kind that its name says, in odd pieces."""
    if path.name.endswith(".parquet"):
        parquet.write_table(table, path, row_group_size=37)
    elif path.name.endswith(".feather"):
        feather.write_feather(table, path, chunksize=37)
    else:
        lines = [",".join(table.column_names)]
        lines += [",".join(map(str, row.values())) for row in table.to_pylist()]
        text = ("\n".join(lines) + "\n").encode()
        path.write_bytes(gzip.compress(text) if path.name.endswith(".gz") else text)
    return path


def gathered(table):
    """The rows of a grouped table and their groups."""

    def one_pass(part):
        blocks = list(part.blocks())
        assert all(isinstance(block, GroupedRows) for block in blocks)
        return np.concatenate([*map(np.asarray, blocks)]), np.concatenate(
            [block.groups for block in blocks]
        )

    return table.reduce(one_pass, None)


class TestReading:
    @pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.parquet", "r.feather"])
    def test_files(self, tmp_path, table, expected, same_result, name):
        result = ew.edge_test(written(table, tmp_path / name), groups="subject")
        same_result(result, expected)
        assert result.options == {"groups": "subject", "n_groups": N_GROUPS}

    def test_groups_span_files(self, tmp_path, table, expected, same_result):
        for number, start in enumerate(range(0, 400, 130)):
            written(table.slice(start, 130), tmp_path / f"{number}.parquet")
        same_result(ew.edge_test(tmp_path, groups="subject"), expected)

    def test_files_of_two_kinds(self, tmp_path, rows, labels, expected, same_result):
        """In CSV a label is text, in Parquet a number."""
        data = pa.table({**dict(zip("abcd", rows.T, strict=True)), "s": labels.astype(np.int32)})
        paths = [
            written(data.slice(0, 150), tmp_path / "0.csv"),
            written(data.slice(150), tmp_path / "1.parquet"),
        ]
        same_result(ew.edge_test(paths, groups="s"), expected)

    def test_npy(self, tmp_path, rows, labels, same_result):
        path = tmp_path / "r.npy"
        np.save(path, np.column_stack([labels, rows]))
        result = ew.edge_test(path, groups="x0")
        same_result(result, ew.edge_test(rows, groups=labels), names=["x1", "x2", "x3", "x4"])

    def test_standard_input_is_read_once(self, run_edgewise, tmp_path, table, expected):
        text = written(table, tmp_path / "r.csv").read_text()
        done = run_edgewise("test", "-", "--groups", "subject", input=text)
        assert done.stdout.startswith(expected.headline())

    @pytest.mark.parametrize("kind", ["object", "string", "category", "int64", "float64"])
    def test_pandas(self, require, rows, labels, names, expected, same_result, kind):
        frame = require("pandas").DataFrame(rows, columns=list("abcd"))
        text = kind in ("object", "string", "category")
        frame.insert(2, "subject", names if text else labels)
        frame["subject"] = frame["subject"].astype(kind)
        same_result(ew.edge_test(frame, groups="subject"), expected)

    def test_polars(self, require, rows, names, expected, same_result):
        frame = require("polars").DataFrame(
            {"subject": names, **dict(zip("abcd", rows.T, strict=True))}
        )
        same_result(ew.edge_test(frame, groups="subject"), expected)

    @pytest.mark.parametrize(
        "kind",
        [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())],
        ids=str,
    )
    def test_arrow(self, table, expected, same_result, kind):
        data = table.set_column(1, "subject", table["subject"].cast(kind))
        same_result(ew.edge_test(data, groups="subject"), expected)

    def test_a_stream(self, table, expected, same_result):
        """What a test of groups needs is summed in one pass."""
        stream = pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(37)))
        same_result(ew.edge_test(stream, groups="subject"), expected)

    def test_an_iterator(self, table, expected, same_result):
        batches = (table.slice(start, 70) for start in range(0, 400, 70))
        same_result(ew.edge_test(batches, groups="subject"), expected)

    def test_an_array_with_a_column_of_labels(self, rows, labels, same_result):
        X = np.column_stack([rows[:, :1], labels, rows[:, 1:]])
        result = ew.edge_test(X, groups="x1")
        same_result(result, ew.edge_test(rows, groups=labels), names=["x0", "x2", "x3", "x4"])

    @pytest.mark.parametrize("kind", ["ints", "texts", "objects"])
    def test_labels_beside_any_rows_in_memory(
        self, require, table, rows, labels, names, expected, same_result, kind
    ):
        given = {"ints": labels, "texts": names, "objects": [("s", label) for label in labels]}
        frame = require("pandas").DataFrame(rows, columns=list("abcd"))
        for data in (frame, table.drop_columns("subject")):
            same_result(ew.edge_test(data, groups=given[kind]), expected)


class TestChoosing:
    def test_the_column_is_no_variable(self, table):
        result = ew.edge_test(table, columns=["d", "subject", "a", "b"], groups="subject")
        assert result.feature_names == ("d", "a", "b")
        assert ew.edge_test(table, exclude="a", groups="subject").feature_names == ("b", "c", "d")

    def test_variables_can_be_renamed(self, table, labels):
        names = list("wxyz")
        assert ew.edge_test(table, groups="subject", feature_names=names).feature_names == (
            *"wxyz",
        )
        data = table.drop_columns("subject")
        assert ew.edge_test(data, groups=labels, feature_names=names).feature_names == (*"wxyz",)

    def test_the_nearest_name(self, refuses, table, tmp_path):
        refuses(
            lambda: ew.edge_test(table, groups="subjct"),
            DataError,
            "groups: X has no column 'subjct' (did you mean 'subject'?); it has 'a', 'subject'",
        )
        path = written(table, tmp_path / "r.csv")
        refuses(lambda: ew.edge_test(path, groups="zzz"), DataError, "no column 'zzz'; it has 'a'")

    def test_text_is_for_labels_only(self, refuses, tmp_path, table):
        path = written(table, tmp_path / "r.csv")
        refuses(lambda: ew.edge_test(path, groups="a"), DataTypeError, "'subject' must hold number")


class TestMissing:
    @pytest.fixture
    def gaps(self, table):
        names = table["subject"].to_pylist()
        names[3] = names[200] = None
        return table.set_column(1, "subject", pa.array(names))

    def test_are_refused(self, refuses, gaps):
        refuses(
            lambda: ew.edge_test(gaps, groups="subject"),
            DataError,
            "groups: expected a label for every row, got missing ones in column 'subject'",
            "missing='drop'",
        )

    def test_can_be_left_out(self, gaps, rows, labels, same_result):
        kept = np.delete(np.arange(400), [3, 200])
        result = ew.edge_test(gaps, groups="subject", drop_missing=True)
        same_result(result, ew.edge_test(rows[kept], groups=labels[kept]), names="abcd")
        assert result.n_dropped == 2

    @pytest.mark.parametrize("text", ["", "NA", "nan", "NULL"])
    def test_in_csv(self, refuses, tmp_path, table, text):
        path = written(table, tmp_path / "r.csv")
        path.write_text(path.read_text().replace("subject 07", text, 1))
        refuses(lambda: ew.edge_test(path, groups="subject"), DataError, "got missing ones")
        result = ew.edge_test(path, groups="subject", drop_missing=True)
        assert (result.n_dropped, result.n_samples) == (1, 399)

    def test_labels_stay_beside_their_rows(self, rows, labels, same_result):
        X = rows.copy()
        X[[5, 100, 399], 2] = np.nan
        kept = np.delete(np.arange(400), [5, 100, 399])
        result = ew.edge_test(X, groups=labels, drop_missing=True)
        same_result(result, ew.edge_test(rows[kept], groups=labels[kept]))

    def test_of_an_array(self, refuses, rows, labels):
        gaps = np.where(np.arange(400) == 7, np.nan, labels)
        refuses(lambda: ew.edge_test(rows, groups=gaps), DataError, "missing ones in the labels")

    def test_missing_values_of_variables_are_named(self, refuses, table):
        values = table["c"].to_pylist()
        values[17] = None
        data = table.set_column(3, "c", pa.array(values))
        refuses(lambda: ew.edge_test(data, groups="subject"), DataError, "in column 'c' (1)")


class TestRefuses:
    @pytest.mark.parametrize("count", [0, 399, 401])
    def test_another_number_of_labels(self, refuses, rows, count):
        refuses(
            lambda: ew.edge_test(rows, groups=np.zeros(count, dtype=int)),
            ParameterError,
            f"groups: expected one label for each of 400 rows, got {count} labels.",
        )

    def test_an_array_beside_rows_elsewhere(self, refuses, csv_file, labels):
        refuses(
            lambda: ew.edge_test(csv_file, groups=labels),
            ParameterError,
            "groups: expected the name of a column, because the rows are not in memory",
        )

    @pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
    def test_a_column_of_measurements(self, refuses, tmp_path, rows, name):
        path = written(pa.table(dict(zip("abcd", rows.T, strict=True))), tmp_path / name)
        if name == "r.parquet":
            refuses(lambda: ew.edge_test(path, groups="d"), DataError, "groups: expected labels")
        else:
            # In CSV a label is text; there are as many as rows.
            assert ew.edge_test(path, groups="d").options["n_groups"] == 400

    def test_a_column_of_measurements_in_an_array(self, refuses, rows):
        refuses(lambda: ew.edge_test(rows, groups="x3"), DataError, "a column of measurements?")

    def test_a_column_of_lists(self, refuses, table):
        data = table.append_column("lists", pa.array([[1]] * 400))
        refuses(
            lambda: ew.edge_test(data, exclude="subject", groups="lists"),
            DataTypeError,
            "groups: column 'lists' must hold labels",
        )


class TestTable:
    def test_blocks_carry_their_groups(self, table, rows, labels):
        grouped = open_table(table, groups="subject")
        assert isinstance(grouped, GroupedTable)
        assert grouped.feature_names == ("a", "b", "c", "d")
        X, groups = gathered(grouped)
        np.testing.assert_array_equal(X, rows)
        for group in np.unique(groups):
            assert len(set(labels[groups == group])) == 1
        assert len(np.unique(groups)) == N_GROUPS

    def test_opened_again_it_is_the_same_table(self, table):
        grouped = open_table(table, groups="subject")
        assert open_table(grouped) is grouped

    @pytest.mark.parametrize(
        "asked", [{"columns": "a"}, {"missing": "drop"}, {"groups": "b"}], ids=str
    )
    def test_nothing_is_changed_afterwards(self, refuses, table, asked):
        grouped = open_table(table, groups="subject")
        refuses(lambda: open_table(grouped, **asked), ParameterError, "got a table of groups")

    def test_a_progress_bar_sees_all_rows(self, table):
        told = []
        grouped = open_table(table, groups="subject", progress=told.append)
        gathered(grouped)
        assert sum(told) == 400

    def test_other_passes_see_the_variables_only(self, table, rows):
        assert ew.diagnose(open_table(table, groups="subject")).n_features == 4
