"""Files that Spark reads: the same rows as are read here, by the same rules."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError
from edgewise.rows.clusters.spark_files import _NUMBER, spark_file_table


@pytest.fixture
def read(spark):
    """A state of all rows of some files."""

    def state_of(*paths, drop_missing=False, **choice):
        source = spark_file_table(spark, [str(path) for path in paths], **choice)
        return ew.accumulate(source, order=2, drop_missing=drop_missing)

    return state_of


@pytest.fixture(scope="module")
def table(rows):
    return pa.table(dict(zip("abcd", rows.T, strict=True)))


def same_state(state, X, names=tuple("abcd")):
    assert state.feature_names == tuple(names)
    assert state.n_samples == len(X)
    np.testing.assert_allclose(state.mean(), X.mean(axis=0), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(state.covariance(), np.cov(X.T), rtol=1e-11, atol=1e-13)


def test_parquet_in_any_order_of_columns(spark, table, rows, tmp_path, same_result):
    pq.write_table(table.slice(0, 150), tmp_path / "a.parquet")
    pq.write_table(table.slice(150).select(list("dcba")), tmp_path / "b.parquet")
    source = spark_file_table(spark, [str(tmp_path)], columns=["d", "a", "b"])
    same_result(ew.edge_test(source), ew.edge_test(rows[:, [3, 0, 1]]), names="dab")


def test_names_of_files_are_taken_as_they_are(read, table, rows, tmp_path, monkeypatch, refuses):
    # Spark takes some of these for patterns, which would match the others too.
    names = ["x*y.parquet", "x[1].parquet", "x{a,b}.parquet", "x?y.parquet", "x y%20#ü.PARQUET"]
    others = ["x1.parquet", "x--y.parquet", "_hidden.parquet", "x:y.parquet"]
    for k, name in enumerate([*names, *others]):
        pq.write_table(table.slice(40 * k, 40), tmp_path / name)
    monkeypatch.chdir(tmp_path)  # not the folder that Java was started in
    same_state(read(*names), rows[:200])
    # It would leave this one out without a word, and the other one it cannot read.
    refuses(lambda: read(names[0], "_hidden.parquet"), DataError, "begin with _", "_hidden.parquet")
    refuses(lambda: read("x:y.parquet"), DataError, "x:y.parquet")


def test_columns_with_names_of_all_sorts(read, rows, tmp_path, write_csv):
    names = ("a.b", "c d", "`e`", 'say "f, g"')
    write_csv(tmp_path / "x.csv", names, rows)
    pq.write_table(pa.table(dict(zip(names, rows.T, strict=True))), tmp_path / "x.parquet")
    order = [3, 0, 2]
    for ending in ("csv", "parquet"):
        chosen = [names[i] for i in order]
        same_state(read(tmp_path / f"x.{ending}", columns=chosen), rows[:, order], chosen)


def test_csv_means_what_it_means_here(read, tmp_path, refuses):
    lines = ["a,b,t", *(f"{i}.25,{i * i % 7},{'true' if i % 3 else 'FALSE'}" for i in range(40))]
    gaps = ["NA,1,true", '2,"",true', "3,,true", "nan,1,true", "4,inf,true", '5,"NULL",true']
    for name, content in {"x": lines, "gaps": [*lines, *gaps]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(content), encoding="utf-8-sig")
    expected = ew.accumulate(tmp_path / "x.csv", order=2)
    X = np.array([[i + 0.25, i * i % 7, i % 3 > 0] for i in range(40)])
    for state in (expected, read(tmp_path / "x.csv")):
        same_state(state, X, "abt")
    same_state(read(tmp_path / "gaps.csv", drop_missing=True), X, "abt")
    refuses(lambda: read(tmp_path / "gaps.csv"), NonFiniteError, "'a' (2), 'b' (4)")
    # By a URL, the file is not looked at before Spark does.
    same_state(read(f"file://{tmp_path}/x.csv", exclude=["b"]), X[:, [0, 2]], "at")


def test_csv_that_is_wrong_where_nobody_looked(read, tmp_path, refuses):
    for name, line in {"text": "1,two", "long": "1,2,3", "short": "1"}.items():
        (tmp_path / f"{name}.csv").write_text(f"a,b\n1,2\n{line}\n")
    (tmp_path / "ab.csv").write_text("a,b\n1,2\n")
    (tmp_path / "ba.csv").write_text("b,a\n1,2\n")
    url = f"file://{tmp_path}"
    refuses(lambda: read(f"{url}/text.csv"), DataError, "'b' of ", "text.csv", "got 'two'")
    for name in ("long", "short"):
        refuses(lambda n=name: read(f"{url}/{n}.csv"), DataError, f"{name}.csv", "Malformed")
    refuses(lambda: read(tmp_path / "ab.csv", tmp_path / "ba.csv"), DataError, "one form", "order")


def test_damaged_parquet_is_named(read, table, tmp_path, refuses):
    pq.write_table(table, tmp_path / "good.parquet")
    whole = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-20])
    noise = np.random.default_rng(0).bytes(300)
    (tmp_path / "torn.parquet").write_bytes(whole[:4] + noise + whole[304:])
    refuses(lambda: read(tmp_path / "cut.parquet"), DataError, "cut.parquet", "cannot be read")
    refuses(lambda: read(f"file://{tmp_path}/cut.parquet"), DataError, "cut.parquet")
    refuses(lambda: read(tmp_path), DataError, "cut.parquet")
    # Only the rows are damaged: Spark finds out.
    torn = tmp_path / "torn.parquet"
    refuses(lambda: read(torn), DataError, "torn.parquet", "Spark could not make the rows")


@pytest.mark.parametrize(
    ("paths", "choice", "error", "fragments"),
    [
        (
            ["a.parquet", "a.csv"],
            {},
            DataError,
            ["a.csv", ".parquet files only or .csv files only"],
        ),
        (["a.npy"], {}, DataError, ["a.npy", "use --engine local"]),
        (["nope.parquet"], {}, DataError, ["there is no file", "nope.parquet"]),
        (["nope*.parquet"], {}, DataError, ["no file matches", "nope*.parquet"]),
        (["a.csv"], {"columns": ["a", "z"]}, DataError, ["a.csv", "no column 'z'"]),
        (["a.csv"], {"exclude": ["a", "b"]}, DataError, ["got none"]),
        (["text.parquet"], {}, DataTypeError, ["text.parquet", "column 'b'", "string"]),
        (["file://{}/a.parquet"], {"columns": ["z"]}, DataError, ["no column 'z'"]),
        (["file://{}/nope.parquet"], {}, DataError, ["nope.parquet"]),
        (["file://{}/text.parquet"], {}, DataTypeError, ["'b' (string)"]),
        (["case.parquet"], {}, DataError, ["`a` already exists"]),
        (["nosuch://host/a.parquet"], {}, DataError, ["nosuch"]),
    ],
)
def test_refusals(read, tmp_path, monkeypatch, refuses, paths, choice, error, fragments):
    monkeypatch.chdir(tmp_path)
    numbers = {"a": [1.0, 2.0], "b": [2.0, 1.0]}
    pq.write_table(pa.table(numbers), "a.parquet")
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": ["x", "y"]}), "text.parquet")
    pq.write_table(pa.table({"a": [1.0, 2.0], "A": [2.0, 1.0]}), "case.parquet")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n2,1\n")
    np.save("a.npy", np.eye(2))
    named = [path.format(tmp_path) for path in paths]
    refuses(lambda: read(*named, **choice), error, *fragments)


def test_standard_input_cannot_be_sent_to_a_cluster(spark, monkeypatch, refuses, tmp_path):
    (tmp_path / "in").write_text("a,b\n1,2\n")
    with (tmp_path / "in").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        refuses(lambda: spark_file_table(spark, ["-"]), DataError, "standard input")


def test_what_only_java_takes_for_a_number(spark, tmp_path):
    # Far behind what is looked at before: only Spark sees it.
    path = tmp_path / "rows.csv"
    lines = ["a,b", *(f"{k % 7}.5,{k % 11}.25" for k in range(250_000)), "0x1p3,1.0"]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="'0x1p3'"):
        ew.accumulate(spark_file_table(spark, [str(path)]))


@pytest.mark.parametrize("text", ["1", "-1.5", "+.5", "5.", "1e-3", " 2E+7 ", "nan", "-Infinity"])
def test_numbers(text):
    assert re.search(_NUMBER, text)


@pytest.mark.parametrize("text", ["12d", "3F", "0x1p3", "1e", "1_000", "", ".", "1 2", "1,5"])
def test_no_numbers(text):
    assert not re.search(_NUMBER, text)
