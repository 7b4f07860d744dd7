"""Dask: data of every form, the same bits whoever does the work, and little that travels."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import MissingDependencyError, ParameterError
from edgewise.tables.open import as_table
from edgewise.tables.table import Table

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")


@pytest.fixture
def array(da, rows):
    return da.from_array(np.asarray(rows), chunks=(47, 4))


@pytest.mark.usefixtures("one_after_the_other")
def test_data_of_every_form(array, da, frame_of, dd, files_of, rows, same_result):
    positive = rows[rows[:, 0] > 0.5]
    tenths = np.round(10 * rows)
    drawn = da.random.default_rng(4).standard_normal((500, 3), chunks=(120, 3))
    for data, here in (
        (array.rechunk((70, 4)), rows),
        (array[array[:, 0] > 0.5], positive),  # of unknown lengths
        (drawn @ np.tri(3), (drawn @ np.tri(3)).compute()),
        (da.from_array(tenths.astype("int16"), chunks=(90, 4)), tenths),
        (da.from_array(rows > 0.3, chunks=(90, 4)), rows > 0.3),
        (array * [1, 1e3, 1e-3, 1] + [0, 1e5, 0, 3], rows * [1, 1e3, 1e-3, 1] + [0, 1e5, 0, 3]),
        (frame_of(tenths, (150, 250)).astype("Int64"), tenths),
        (dd.read_csv(files_of(rows, (100, 300))), rows),
    ):
        for method in ("score", "batch"):
            result, expected = (ew.edge_test(one, method=method) for one in (data, here))
            assert result.n_samples == expected.n_samples
            np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-7, atol=1e-9)
    result = ew.edge_test(da.from_array(np.asarray(rows), chunks=(90, 3)))  # joined, to whole rows
    same_result(result, ew.edge_test(rows))


def test_files_of_every_kind(client, tmp_path, rows, save, monkeypatch, same_result):
    """Columns are matched by name, and paths are those of whoever gave them."""
    expected = ew.edge_test(rows, feature_names=list("abcd"))
    order = [2, 0, 1, 3]
    for kind in ("parquet", "feather", "csv"):
        save(f"{kind}/0.{kind}", "abcd", rows[:150])
        save(f"{kind}/1.{kind}", [*"cabd"], rows[150:, order])
        result = ew.edge_test(ew.open_table(tmp_path / kind, client=client))
        same_result(result, expected)
        assert [file.rows for file in result.files][: kind != "csv"] in ([], [150])
    monkeypatch.chdir(tmp_path)
    table = as_table(["parquet/0.parquet", "./parquet/1.parquet"], client=client)
    assert table.n_rows == 400
    monkeypatch.chdir("/")
    same_result(ew.edge_test(table), expected)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask itself, in pandas 3.1
def test_parquet_that_dask_reads(client, dd, tmp_path, rows, save, same_result):
    """Workers read the files of a bare `read_parquet` themselves; its rows are those of the frame."""
    X = np.random.default_rng(2).standard_normal((600, 4)).cumsum(axis=0)
    for number, part in enumerate(np.array_split(X, 12)):  # in the order of numbers, as Dask has it
        save(f"walk/part.{number}.parquet", [*"dbca"], part)
    frame = dd.read_parquet(tmp_path / "walk")
    as_frame = frame.map_partitions(lambda part: part)
    for method in ("score", "batch"):
        for chosen in ({}, {"columns": ["a", "b", "c"]}):
            files, expected = (
                ew.edge_test(ew.open_table(data, client=client), method=method, **chosen)
                for data in (frame, as_frame)
            )
            assert (len(files.files), len(expected.files)) == (12, 0)
            same_result(files, expected, names=expected.feature_names)
    same_result(files, ew.edge_test(X[:, [3, 1, 2]], method=method), names="abc")
    positive = dd.read_parquet(tmp_path / "walk", filters=[("a", ">", np.median(X[:, 3]))])
    for other in (frame[["a", "b"]], frame.partitions[:5], frame * 2, positive):
        result = ew.edge_test(other)
        assert result.files == ()
        assert result.n_samples == len(other)


def test_the_same_bits_whoever_does_the_work(client, array, require, same_bits):
    """The tree decides the order of sums, not who was faster."""
    for method in ("score", "batch"):
        expected = ew.edge_test(ew.open_table(array, client=client), method=method)
        same_bits(ew.edge_test(ew.open_table(array, client=client), method=method), expected)
        for scheduler in ("threads", "sync"):
            with require("dask").config.set(scheduler=scheduler):
                same_bits(ew.edge_test(array, method=method), expected)
    with client.as_current():
        same_bits(ew.edge_test(array, method="batch"), expected)


def test_rows_that_the_cluster_holds(client, array, frame_of, da, dd, pd, rows, same_result):
    """Nobody else has a name for them."""
    expected, frame = ew.edge_test(rows), pd.DataFrame(np.asarray(rows))
    for data in (array, array * 1, frame_of(rows, (150, 250))):
        held = as_table(client.persist(data), client=client)
        same_result(ew.edge_test(held), expected)
        same_result(ew.edge_test(ew.open_table(client.persist(data) * 1, client=client)), expected)
    futures = client.map(lambda i: frame.iloc[200 * i : 200 * i + 200], range(2), pure=False)
    held = as_table(dd.from_delayed(futures, meta=frame.iloc[:0]), client=client)
    del futures
    same_result(ew.edge_test(held), expected, names="0123")


def test_what_a_pass_carries_is_one_node_of_the_graph(array, require, monkeypatch):
    """Θ̂ goes to a worker once, not with every task."""
    delayed, graphs = require("dask.delayed").Delayed, []
    compute = delayed.compute
    monkeypatch.setattr(delayed, "compute", lambda one: graphs.append(one.dask) or compute(one))
    X = np.random.default_rng(1).standard_normal((200, 60))
    ew.edge_test(require("dask.array").from_array(X, chunks=(20, 60)), method="wald")
    _, second = graphs
    sizes = {str(key): len(pickle.dumps(node)) for key, node in dict(second).items()}
    assert sum("edgewise-state" in key for key in sizes) == 10
    large = [key for key, size in sizes.items() if size > 60 * 60 * 8]
    # And the array itself, which is here.
    assert sum("edgewise-pass" in key for key in large) == 1
    assert len(large) <= 2


def test_what_goes_to_a_cluster(client, rows, csv_file, refuses, pd):
    for data in (rows, rows.tolist(), str(csv_file), [csv_file], pd.DataFrame(np.asarray(rows))):
        assert isinstance(as_table(data), Table)
    for data in (rows, rows.tolist(), pd.DataFrame(np.asarray(rows)), iter([rows]), None, []):
        fragments = ["client: expected with a dask.array", f"got {type(data).__name__};"]
        refuses(
            lambda d=data: ew.edge_test(ew.open_table(d, client=client)), ParameterError, *fragments
        )


def test_clients_that_are_none(client, csv_file, require, refuses, monkeypatch, rows):
    for wrong in ("tcp://127.0.0.1:8786", object(), client.cluster):
        fragments = ["client: expected a distributed.Client", f"got {type(wrong).__name__}"]
        refuses(
            lambda w=wrong: ew.edge_test(ew.open_table(csv_file, client=w)),
            ParameterError,
            *fragments,
        )
    other = require("distributed").Client(client.cluster, set_as_default=False)
    other.close()
    refuses(
        lambda: ew.accumulate(ew.open_table(csv_file, client=other)),
        ParameterError,
        "that is connected",
    )
    monkeypatch.setitem(sys.modules, "distributed", None)
    fragments = ["Dask needs distributed", "pip install ", "[dask]"]
    refuses(lambda: ew.edge_test(ew.open_table(rows, client=1)), MissingDependencyError, *fragments)


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
