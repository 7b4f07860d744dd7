"""Datasets, folders of partitions, lakes and addresses: the rows of today, or one sentence."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.arrow import BatchTable
from edgewise.tables.files import FileTable
from edgewise.tables.open import as_table


@pytest.fixture
def folder(tmp_path, table):
    """The rows in folders such as site=u/year=2020."""
    sites = pa.array(["u", "v"] * 200)
    years = pa.array([2020] * 200 + [2021] * 200)
    more = table.append_column("site", sites).append_column("year", years)
    parquet.write_to_dataset(more, tmp_path / "hive", partition_cols=["site", "year"])
    return tmp_path / "hive"


def test_datasets_are_read_again_and_scanners_if_they_can(tmp_path, table, rows, same_result):
    parquet.write_table(table, tmp_path / "r.parquet", row_group_size=70)
    data = ds.dataset(tmp_path / "r.parquet")
    expected = ew.edge_test(rows)
    for same in (data, data.scanner(), ds.InMemoryDataset(table)):
        same_result(ew.edge_test(same), expected, names="abcd")
    assert as_table(data).n_rows == 400
    some = ew.edge_test(data.scanner(columns=["d", "a"]), columns=["a", "d"])
    same_result(some, ew.edge_test(rows[:, [0, 3]]), names="ad")
    once = ds.Scanner.from_batches(table.to_reader())
    assert ew.edge_test(once, method="batch").n_samples == 400
    with pytest.raises(DataError, match="method='batch'"):
        ew.edge_test(ds.Scanner.from_batches(table.to_reader()), method="score")


def test_a_dataset_whose_files_change_is_refused(tmp_path, table):
    parquet.write_table(table, tmp_path / "r.parquet")
    opened = as_table(ds.dataset(tmp_path / "r.parquet"))
    parquet.write_table(table.slice(1), tmp_path / "r.parquet")
    with pytest.raises(DataError, match="changed while it was in use"):
        list(opened.blocks())


def test_folders_of_partitions(folder, table, rows, same_result):
    order = np.lexsort((np.arange(400), np.arange(400) >= 200, np.arange(400) % 2))
    found = as_table(folder)
    assert found.feature_names == tuple("abcd")
    assert found.left_out == {"site": "categories", "year": "categories"}
    for table in (found, FileTable([folder])):
        blocks = [np.asarray(block) for block in table.blocks()]
        np.testing.assert_array_equal(np.concatenate(blocks), rows[order])
    compared = ew.compare_groups(folder, by="site")
    assert (compared.group_names, compared.n_samples) == (("u", "v"), (200, 200))
    clustered = ew.edge_test(folder, clusters="year", method="score", alpha=0.5)
    assert clustered.feature_names == tuple("abcd")
    whole = ds.dataset(folder, partitioning="hive")
    assert as_table(whole).feature_names == (*"abcd", "year")


class Delta:
    """What edgewise uses of a DeltaTable."""

    def __init__(self, table):
        self.table = table

    def to_pyarrow_dataset(self):
        return ds.dataset(self.table)


class Scan:
    """What edgewise uses of a scan of Iceberg."""

    def __init__(self, table):
        self.table = table

    def to_arrow_batch_reader(self):
        return self.table.to_reader(max_chunksize=37)


@pytest.mark.parametrize("lake", [Delta, Scan])
def test_tables_of_lakes(table, rows, same_result, lake):
    opened = as_table(lake(table), columns=["d", "b"])
    assert isinstance(opened, BatchTable)
    same_result(ew.edge_test(opened), ew.edge_test(rows[:, [3, 1]]), names="db")


@pytest.mark.parametrize(
    ("log", "said"), [("_delta_log/0.json", "Delta Lake"), ("metadata/v1.metadata.json", "Iceberg")]
)
def test_a_lake_is_never_read_as_plain_files(folder, refuses, log, said):
    (folder / log).parent.mkdir()
    (folder / log).write_text("{}")
    inside = folder / "site=u" / "year=2020"
    for path in (folder, folder.parent, folder / "**" / "*.parquet", inside, *inside.iterdir()):
        refuses(lambda p=path: FileTable([str(p)]), DataError, said, "pass ")


def test_addresses(require, table, rows, same_result, refuses, write_csv, tmp_path):
    memory = require("fsspec").filesystem("memory")

    def put(name, content):
        with memory.open(f"/r/{name}", "wb") as file:
            file.write(content)

    packed, buffers = io.BytesIO(), {name: io.BytesIO() for name in ("parquet", "feather", "npy")}
    parquet.write_table(table, buffers["parquet"])
    feather.write_feather(table, buffers["feather"])
    np.save(buffers["npy"], rows)
    with pa.CompressedOutputStream(packed, "gzip") as stream:
        stream.write(write_csv(tmp_path / "r.csv", "abcd", rows).read_bytes())
        stream.flush()
    put("1.csv", (tmp_path / "r.csv").read_bytes())
    put("all/1.parquet", buffers["parquet"].getvalue())
    put("all/_tmp/2.parquet", b"")
    for ending, buffer in buffers.items():
        put(f"r.{ending}", buffer.getvalue())
    expected = ew.edge_test(rows)
    for name in ("1.csv", "r.parquet", "r.feather", "r.npy", "all"):
        names = ("x0", "x1", "x2", "x3") if name == "r.npy" else "abcd"
        same_result(ew.edge_test(f"memory://r/{name}"), expected, names=names)
    opened = FileTable(["memory://r/1.csv"])
    put("1.csv", b"a,b,c,d\n1,2,3,4\n")
    refuses(lambda: list(opened.blocks()), DataError, "changed", "memory://r/1.csv")
    put("lake/_delta_log/0.json", b"{}")
    for wrong, said in (
        ("memory://r/none.csv", "no file"),
        ("foo://r.csv", "foo"),
        ("memory://r/lake", "Delta Lake"),
    ):
        refuses(lambda path=wrong: FileTable([path]), DataError, said)
