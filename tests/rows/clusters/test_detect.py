"""Which data lie on a cluster, and what may be given together with one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError
from edgewise.rows.clusters.dask import DaskSource
from edgewise.rows.clusters.detect import partitioned_source


def test_data_that_are_here(rows, csv_file, require):
    for data in (
        *(rows, rows.tolist(), iter([rows]), str(csv_file), csv_file, [csv_file], None, 3),
        *(require("pandas").DataFrame(np.asarray(rows)), ew.accumulate(rows)),
    ):
        assert partitioned_source(data) is None


def test_data_of_dask(da, frame_of, rows):
    for data in (da.from_array(np.asarray(rows)), frame_of(rows, (400,))):
        source = partitioned_source(data)
        assert isinstance(source, DaskSource)
        assert partitioned_source(source) is source
        assert len(source.feature_names) == 4
    assert source.named
    assert not source.rescannable


@pytest.mark.parametrize("kind", [str, Path, lambda path: [path], lambda path: (str(path),)])
def test_files_go_to_a_cluster_where_there_is_one(client, csv_file, kind):
    source = partitioned_source(kind(csv_file), client=client)
    assert isinstance(source, DaskSource)
    assert source.feature_names == tuple("abcd")


def test_a_client_and_data_that_are_here(client, rows, refuses, require):
    frame = require("pandas").DataFrame(np.asarray(rows))
    for data in (rows, rows.tolist(), frame, iter([rows]), None, []):
        call = lambda d=data: partitioned_source(d, client=client)  # noqa: E731
        name = type(data).__name__
        refuses(call, ParameterError, "client: expected with a dask.array", f"got {name};")


def test_the_client_is_looked_at_first(rows, refuses, da):
    for data in (rows, "no/such/file.csv", da.from_array(np.asarray(rows))):
        call = lambda d=data: partitioned_source(d, client="tcp://a:1")  # noqa: E731
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
