"""`edgewise test --engine spark`."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgewise as ew
from edgewise.rows.clusters import connecting as clusters


@pytest.fixture
def run_spark(run_main, spark, monkeypatch):
    """`edgewise test … --engine spark` in the session that is there already."""

    @contextmanager
    def session(master):
        yield spark

    monkeypatch.setattr(clusters, "spark_session", session)
    return lambda *arguments, **options: run_main(
        "test", *arguments, "--engine", "spark", **options
    )


@pytest.fixture
def gaps(tmp_path, rows):
    """Two Parquet files of rows with two gaps in one of them."""
    X = rows.copy()
    X[[3, 299], 1] = np.nan
    table = pa.table(dict(zip(["a.1", "b 2", "c", "d"], X.T, strict=True)))
    for start, name in enumerate(("one", "two")):
        pq.write_table(table.slice(200 * start, 200), tmp_path / f"{name}.parquet")
    return X


def test_the_real_thing(run_edgewise, require, gaps, tmp_path):
    require("pyspark")
    require("java")
    done = run_edgewise(
        *("test", tmp_path / "one.parquet", tmp_path / "two.parquet", "--engine", "spark"),
        *("--master", "local[1]", "--columns", "d,a.1,b 2", "--drop-missing", "--json", "-"),
        *("--method", "fisher"),
    )
    document = json.loads(done.stdout)
    expected = ew.edge_test(gaps[:, [3, 0, 1]], method="fisher", drop_missing=True)
    assert document["feature_names"] == ["d", "a.1", "b 2"]
    np.testing.assert_allclose(document["precision"], expected.precision, rtol=1e-12)
    np.testing.assert_allclose(document["statistic"][0][1:], expected.statistic[0, 1:], rtol=1e-12)
    assert document["n_dropped"] == 2
    said = [
        line for line in done.stderr.splitlines() if not line.startswith("WARNING: Using incub")
    ]
    assert [line for line in said if "caution" not in line] == said[:2]
    assert "2 rows" in said[0]
    assert "b 2 ▏········· 2 missing" in said[1]


def test_outputs_and_warnings(run_spark, gaps, tmp_path):
    out, err = run_spark(
        *("one.parquet", "two.parquet", "--drop-missing", "--method", "trace", "--alpha", "0.1"),
        *("--report", "x.html", "--csv", "x.csv"),
    )
    assert out.startswith("0 of 6 possible edges among 4 variables, from 398 rows")
    assert "infinite threshold" in err
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "a.1" in json.loads(page.split('id="data">')[1].split("<")[0])["names"]
    assert len((tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()) == 2 + 6


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["one.parquet"], 1, ["'b 2' (1)", "--missing drop"]),
        (["one.parquet", "--columns", "c,zz"], 1, ["no column 'zz'"]),
        (["one.parquet", "x.npy"], 1, ["x.npy"]),
        (["nope.parquet"], 1, ["there is no file", "nope.parquet"]),
        (["one.parquet", "--budget", "1", "--method", "eig"], 2, ["budget: ", "cluster"]),
        (["one.parquet", "--mu", "1"], 2, ["mu: ", "'score'"]),
    ],
    ids=["gaps", "column", "kinds", "missing", "budget", "option"],
)
def test_one_sentence_for_whatever_is_wrong(run_spark, gaps, arguments, status, fragments):
    np.save("x.npy", gaps[:, :2])
    out, err = run_spark(*arguments, status=status)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("edgewise: ")
    for fragment in fragments:
        assert fragment in line


def test_addresses(run_main, require, gaps):
    require("pyspark")
    spark = ("test", "one.parquet", "--engine", "spark")
    for arguments, status, fragment in (
        (
            (*spark, "--master", "spark://127.0.0.1:1"),
            2,
            "no Spark master answered at 'spark://127",
        ),
        ((*spark, "--master", "elsewhere"), 2, "master: expected an address"),
        ((*spark, "--scheduler", "tcp://127.0.0.1:1"), 2, "add --engine dask"),
        (("test", "one.parquet", "--master", "local"), 2, "add --engine spark"),
    ):
        out, err = run_main(*arguments, status=status)
        assert out == ""
        assert fragment in err


def test_without_pyspark(run_main, monkeypatch, gaps):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    _, err = run_main("test", "one.parquet", "--engine", "spark", status=1)
    assert "[spark]'`" in err
    assert len(err.splitlines()) == 1


def test_groups(run_spark, tmp_path, rows):
    labels = np.arange(400) % 25
    names = [f"s{label}" for label in labels]
    table = pa.table({"who is it": names, **dict(zip("abcd", rows.T, strict=True))})
    pq.write_table(table, tmp_path / "rows.parquet")
    out, _ = run_spark(tmp_path / "rows.parquet", "--groups", "who is it", "--json", "-")
    document = json.loads(out)
    assert document["options"] == {"groups": "who is it", "n_groups": 25}
    np.testing.assert_allclose(
        np.array(document["statistic"], dtype=float),
        ew.edge_test(rows, groups=labels).statistic,
        rtol=1e-12,
    )
