"""Which data lie on a cluster, and what may be given together with one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edgewise.errors import ParameterError
from edgewise.rows.clusters.dask import DaskTable
from edgewise.rows.opening import open_table
from edgewise.rows.table import LocalTable


def test_data_that_are_here(rows, csv_file, require):
    for data in (
        *(rows, rows.tolist(), iter([rows]), str(csv_file), csv_file, [csv_file]),
        require("pandas").DataFrame(np.asarray(rows)),
    ):
        assert isinstance(open_table(data), LocalTable)


def test_data_of_dask(da, frame_of, rows):
    for data in (da.from_array(np.asarray(rows)), frame_of(rows, (400,))):
        source = open_table(data)
        assert isinstance(source, DaskTable)
        assert open_table(source) is source
        assert len(source.feature_names) == 4
    assert source.named
    assert source.rescannable
    assert not source.in_memory


@pytest.mark.parametrize("kind", [str, Path, lambda path: [path], lambda path: (str(path),)])
def test_files_go_to_a_cluster_where_there_is_one(client, csv_file, kind):
    source = open_table(kind(csv_file), client=client)
    assert isinstance(source, DaskTable)
    assert source.feature_names == tuple("abcd")


def test_a_client_and_data_that_are_here(client, rows, refuses, require):
    frame = require("pandas").DataFrame(np.asarray(rows))
    for data in (rows, rows.tolist(), frame, iter([rows]), None, []):
        call = lambda d=data: open_table(d, client=client)  # noqa: E731
        name = type(data).__name__
        refuses(call, ParameterError, "client: expected with a dask.array", f"got {name};")


def test_the_client_is_looked_at_first(rows, refuses, da):
    for data in (rows, "no/such/file.csv", da.from_array(np.asarray(rows))):
        call = lambda d=data: open_table(d, client="tcp://a:1")  # noqa: E731
        refuses(call, ParameterError, "client: expected a distributed.Client, got str")


def test_nothing_is_imported_for_data_that_are_here(tmp_path, rows):
    np.save(tmp_path / "rows.npy", rows)
    code = (
        "import sys, numpy as np, edgewise as ew\n"
        f"ew.edge_test(np.load({str(tmp_path / 'rows.npy')!r}))\n"
        f"ew.EdgeTest().fit({str(tmp_path / 'rows.npy')!r})\n"
        "print(sorted({'dask', 'distributed', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
