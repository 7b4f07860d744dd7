"""A column of labels that is read along: the same groups from data of every kind."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, ParameterError

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
    return ew.edge_test(rows, clusters=labels, feature_names=list("abcd"))


@pytest.fixture(scope="module")
def table(rows, names):
    """The labels stand between the variables."""
    columns = dict(zip("abcd", rows.T, strict=True))
    return pa.table({"a": columns.pop("a"), "subject": names, **columns})


def written(table, path):
    """The table as a file of the kind that its name says, in odd pieces."""
    path.parent.mkdir(exist_ok=True)
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


def test_a_column_of_every_kind_of_data(tmp_path, require, table, rows, labels, expected,
                                        same_result):  # fmt: skip
    require("pandas")
    for number, start in enumerate(range(0, 400, 130)):
        written(table.slice(start, 130), tmp_path / f"parts/{number}.parquet")
    frame = table.to_pandas()
    names = ("r.csv", "r.csv.gz", "r.parquet", "r.feather")
    kinds = (pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string()))
    for data in (
        *(written(table, tmp_path / name) for name in names),
        tmp_path / "parts",
        *(frame.astype({"subject": kind}) for kind in ("object", "string", "category")),
        *(frame.assign(subject=labels.astype(kind)) for kind in ("int64", "float64")),
        require("polars").from_arrow(table),
        *(table.set_column(1, "subject", table["subject"].cast(kind)) for kind in kinds),
        # What a test of groups needs is summed in one pass.
        pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(37))),
        (table.slice(start, 70) for start in range(0, 400, 70)),
    ):
        result = ew.edge_test(data, clusters="subject")
        same_result(result, expected)
        assert result.options == {"clusters": "subject", "n_clusters": N_GROUPS}
    X = np.column_stack([rows[:, :1], labels, rows[:, 1:]])
    np.save(tmp_path / "r.npy", X)
    for data in (X, tmp_path / "r.npy"):
        result = ew.edge_test(data, clusters="x1")
        same_result(result, expected, names=["x0", "x2", "x3", "x4"])
    # In CSV a label is text, in Parquet a number.
    data = pa.table({**dict(zip("abcd", rows.T, strict=True)), "s": labels.astype(np.int32)})
    paths = [
        written(data.slice(0, 150), tmp_path / "0.csv"),
        written(data.slice(150), tmp_path / "1.parquet"),
    ]
    same_result(ew.edge_test(paths, clusters="s"), expected)


def test_standard_input_is_read_once(run_edgewise, tmp_path, table, expected):
    text = written(table, tmp_path / "r.csv").read_text()
    done = run_edgewise("test", "-", "--clusters", "subject", input=text)
    assert done.stdout.startswith(expected.headline())


def test_labels_beside_any_rows_in_memory(require, table, rows, labels, names, expected,
                                          same_result):  # fmt: skip
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    for data in (frame, table.drop_columns("subject")):
        for given in (labels, names, [("s", label) for label in labels]):
            same_result(ew.edge_test(data, clusters=given), expected)


def test_the_column_is_no_variable(table, labels, refuses, tmp_path):
    for chosen, names in (
        ({"columns": ["d", "subject", "a", "b"]}, "dab"),
        ({"exclude": "a"}, "bcd"),
        ({"feature_names": list("wxyz")}, "wxyz"),
    ):
        assert ew.edge_test(table, clusters="subject", **chosen).feature_names == tuple(names)
    bare = table.drop_columns("subject")
    assert ew.edge_test(bare, clusters=labels, feature_names=list("wxyz")).feature_names[0] == "w"
    refuses(
        lambda: ew.edge_test(table, clusters="subjct"),
        DataError,
        "clusters: X has no column 'subjct' (did you mean 'subject'?); it has 'a', 'subject'",
    )
    path = written(table, tmp_path / "r.csv")
    refuses(lambda: ew.edge_test(path, clusters="zzz"), DataError, "no column 'zzz'; it has 'a'")


def test_missing_labels(tmp_path, table, rows, labels, same_result, refuses):
    names = table["subject"].to_pylist()
    names[3] = names[200] = None
    gaps = table.set_column(1, "subject", pa.array(names))
    said = "clusters: expected a label for every row, got missing ones in column 'subject'"
    refuses(lambda: ew.edge_test(gaps, clusters="subject"), DataError, said, "missing='drop'")
    kept = np.delete(np.arange(400), [3, 200])
    result = ew.edge_test(gaps, clusters="subject", missing="drop")
    same_result(result, ew.edge_test(rows[kept], clusters=labels[kept]), names="abcd")
    assert result.n_dropped == 2
    path = written(table, tmp_path / "r.csv")
    whole = path.read_text()
    for text in ("", "NA", "nan", "NULL"):
        path.write_text(whole.replace("subject 07", text, 1))
        refuses(lambda: ew.edge_test(path, clusters="subject"), DataError, "got missing ones")
        result = ew.edge_test(path, clusters="subject", missing="drop")
        assert (result.n_dropped, result.n_samples) == (1, 399)
    holes = np.where(np.arange(400) == 7, np.nan, labels)
    refuses(lambda: ew.edge_test(rows, clusters=holes), DataError, "missing ones; fill them in")


def test_labels_stay_beside_their_rows(table, rows, labels, same_result, refuses):
    X = rows.copy()
    X[[5, 100, 399], 2] = np.nan
    kept = np.delete(np.arange(400), [5, 100, 399])
    result = ew.edge_test(X, clusters=labels, missing="drop")
    same_result(result, ew.edge_test(rows[kept], clusters=labels[kept]))
    data = table.set_column(3, "c", pa.array([None, *table["c"].to_pylist()[1:]]))
    refuses(lambda: ew.edge_test(data, clusters="subject"), DataError, "in column 'c' (1)")


def test_what_are_no_labels(tmp_path, rows, labels, table, csv_file, refuses):
    for count in (0, 399, 401):
        refuses(
            lambda c=count: ew.edge_test(rows, clusters=np.zeros(c, dtype=int)),
            ParameterError,
            f"clusters: expected one label for each of 400 rows, got {count} labels.",
        )
    refuses(
        lambda: ew.edge_test(csv_file, clusters=labels),
        ParameterError,
        "clusters: expected the name of a column, because the rows are not in memory",
    )
    bare = pa.table(dict(zip("abcd", rows.T, strict=True)))
    path = written(bare, tmp_path / "r.parquet")
    for data, name in ((path, "d"), (bare, "d"), (rows, "x3")):
        call = lambda d=data, n=name: ew.edge_test(d, clusters=n)  # noqa: E731
        refuses(call, DataError, "clusters: expected labels", "a column of measurements?")
    # In CSV a label is text; there are as many as rows.
    text = written(bare, tmp_path / "r.csv")
    assert ew.edge_test(text, clusters="d").options["n_clusters"] == 400
    lists = bare.append_column("lists", pa.array([[1]] * 400))
    call = lambda: ew.edge_test(lists, clusters="lists")  # noqa: E731
    refuses(call, DataTypeError, "clusters: column 'lists' must hold labels", "list")
