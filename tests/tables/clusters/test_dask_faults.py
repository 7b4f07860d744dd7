"""Dask where something breaks: one sentence, nothing hangs, and no result but the right one."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.tables.open import as_table

# What a function returns of no rows; Dask would otherwise call it to find out.
META = np.empty((0, 0))


@pytest.fixture
def array(da, rows):
    return da.from_array(np.asarray(rows), chunks=(90, 4))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="cannot kill a process at once")
@pytest.mark.parametrize("time", [0, 1], ids=["first pass", "second pass"])
def test_a_worker_that_is_killed(client, array, tmp_path, same_bits, time):
    """What it had is made again, and the result is the same to the last bit."""
    here = os.getpid()

    def draw(block, block_id, deadly):
        if deadly and block_id[0] == 3:
            times = len(os.listdir(tmp_path))
            (tmp_path / str(times)).touch()
            if times == time:
                assert os.getpid() != here
                os.kill(os.getpid(), signal.SIGKILL)
        return block + 1

    calm, deadly = (array.map_blocks(draw, deadly=kind, meta=META) for kind in (False, True))
    result = ew.edge_test(ew.open_table(deadly, client=client))
    assert len(os.listdir(tmp_path)) >= 3
    same_bits(result, ew.edge_test(ew.open_table(calm, client=client)))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="cannot kill a process at once")
def test_rows_that_no_worker_survives(client, array, monkeypatch, refuses):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)

    def kill(block):
        os.kill(os.getpid(), signal.SIGKILL)

    deadly = array.rechunk((400, 4)).map_blocks(kill, meta=META)
    call = lambda: ew.edge_test(ew.open_table(deadly, client=client))  # noqa: E731
    refuses(call, DataError, "the workers that read it died", "memory_limit", "smaller")


@pytest.mark.parametrize("where", ["threads", "client"])
def test_rows_that_cannot_be_made(request, where, array, dd, pd, rows, refuses, files_of):
    class OddError(Exception):
        """One whose arguments are not those of its message, as many are."""

        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    def fail(block, block_id):
        if block_id[0] == 3:
            raise OSError("disk\nfull")
        return block

    def odd(block):
        raise OddError("this", "that")

    given = {} if where == "threads" else {"client": request.getfixturevalue("client")}
    for data, said in (
        (array.map_blocks(fail, meta=META), "OSError: disk full"),
        (array.map_blocks(fail, meta=META).rechunk((50, 4)), "OSError: disk full"),
        (array.map_blocks(odd, meta=META), "OddError: this and that"),
    ):
        for method in ("score", "batch"):
            call = lambda d=data, m=method: ew.edge_test(  # noqa: E731
                ew.open_table(d, **given), method=m
            )
            refuses(call, DataError, "data: the cluster failed to make the rows", said)


def test_files_that_are_gone_or_damaged(client, files_of, rows, refuses, monkeypatch, tmp_path):
    paths = files_of(rows, (100, 300))
    table = as_table(paths, client=client)
    with open(paths[0], "a") as file:
        file.write("1,2,3\n")
    error = refuses(lambda: ew.edge_test(ew.open_table(paths, client=client)), DataError, paths[0])
    assert str(error).count(paths[0]) == 1
    os.remove(paths[1])
    refuses(lambda: ew.edge_test(table), DataError, "part")
    path = files_of(rows, (400,))[0]
    with open(path) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        call = lambda: ew.edge_test(ew.open_table("-", client=client))  # noqa: E731
        refuses(call, DataError, "standard input", "write the rows to files")


@pytest.mark.usefixtures("one_after_the_other")
def test_missing_values_are_named_and_counted(da, frame_of, rows, refuses):
    X = rows.copy()
    X[[100, 120, 130], [1, 1, 3]] = np.nan, np.inf, np.nan
    for data, where in (
        (da.from_array(X, chunks=(90, 4)), "chunk 1"),
        (frame_of(X, (100, 300)), "partition 1"),
    ):
        for method in ("score", "batch"):
            fragments = [where, "'x1' (2)", "'x3' (1)", "missing='drop'"]
            call = lambda d=data, m=method: ew.edge_test(d, method=m, missing="raise")  # noqa: E731
            error = refuses(call, NonFiniteError, *fragments)
            assert error.counts.tolist() == [0, 2, 0, 1]
        nothing = data * np.nan
        refuses(lambda d=nothing: ew.edge_test(d, missing="drop"), DataError, "0 sample")


@pytest.mark.usefixtures("one_after_the_other")
def test_the_same_sentence_as_here(da, rows):
    for X in (
        np.column_stack([rows, np.ones(len(rows))]),
        np.column_stack([rows, rows[:, 0] - 2 * rows[:, 1]]),
        *(rows[:4], rows[:0], rows[:, :1]),
    ):
        with pytest.raises(DataError) as here:
            ew.edge_test(X)
        with pytest.raises(DataError) as there:
            ew.edge_test(da.from_array(X, chunks=(100, X.shape[1])))
        assert str(there.value) == str(here.value)


def test_data_that_are_no_table_of_numbers(array, da, dd, frame_of, pd, require, rows, refuses):
    frame = frame_of(rows, (150, 250))
    mixed = frame.assign(city="x", when=pd.Timestamp("2020-01-01"))
    for data, error, fragments in (
        (array[:, 0], DataError, ["2D", "1D"]),
        (array.reshape(400, 2, 2), DataError, ["2D", "3D"]),
        (frame.x0, DataError, ["Series", "1D"]),
        (array * 1j, DataTypeError, ["complex128"]),
        (array.astype(str), DataTypeError, ["dtype"]),
        (array[:, array[0] > 0], DataError, ["number of columns", "compute_chunk_sizes()"]),
        (require("dask").delayed(rows), DataTypeError, ["dask.array", "Delayed"]),
        (require("dask.bag").from_sequence([1, 2]), DataTypeError, ["dask.array", "Bag"]),
        (dd.concat([frame, frame], axis=1), DataError, ["every name once", "'x0'"]),
    ):
        refuses(lambda d=data: ew.edge_test(d), error, *fragments)
    assert as_table(mixed).left_out == {"city": "text", "when": "dates"}
    options = [("alpha", {"alpha": 2}), ("n_batches", {"method": "batch", "n_batches": 1})]
    failing = array.map_blocks(lambda block: pytest.fail("it was made"), meta=META)
    for name, asked in options:
        refuses(lambda a=asked: ew.edge_test(failing, **a), ParameterError, name)


@pytest.mark.usefixtures("one_after_the_other")
def test_partitions_that_are_not_what_the_whole_says(da, dd, pd, require, rows, refuses):
    delayed, frame = require("dask").delayed, pd.DataFrame(np.asarray(rows), columns=list("abcd"))
    whole = da.from_array(np.asarray(rows), chunks=(400, 4))
    for part, error, fragment in (
        (rows[:, :3], DataError, "expected 4 columns, got 3"),
        (rows[:, 0], DataError, "2D"),
        (rows.astype(str), DataTypeError, "numbers"),
    ):
        other = da.from_delayed(delayed(part), shape=(400, 4), dtype=float)
        X = da.concatenate([whole, other])
        refuses(lambda X=X: ew.edge_test(X), error, "chunk 1", fragment)
    for part, error, fragment in (
        (frame[list("abdc")], DataError, "('a', 'b', 'd', 'c')"),
        (frame.rename(columns={"d": "z"}), DataError, "'z'"),
        (frame.assign(c="x"), DataTypeError, "'c'"),
    ):
        data = dd.from_map(lambda i, p=part: [frame, p][i], range(2), meta=frame.iloc[:0])
        refuses(lambda d=data: ew.edge_test(d), error, "partition 1", fragment)


@pytest.mark.usefixtures("one_after_the_other")
def test_rows_that_change_between_passes(array, tmp_path, refuses):
    def shrinking(block, block_id):
        seen = tmp_path / str(block_id[0])
        if seen.exists():
            return block[:-1]
        seen.touch()
        return block

    drawn = array.map_blocks(shrinking, meta=META)
    fragments = ["the first pass read 400 rows, a later one 395", "persisted"]
    refuses(lambda: ew.edge_test(drawn), DataError, *fragments)
    shorter = array.map_blocks(lambda block: block[:-1], meta=META)
    fragments = ["chunk ", "rows, got ", "the data changed while they were read"]
    refuses(lambda: ew.edge_test(shorter, method="batch"), DataError, *fragments)


def test_futures_that_are_gone(client, array, da, require, rows, refuses):
    def fail():
        raise OSError("disk full")

    future = client.scatter(np.asarray(rows))
    X = da.from_delayed(require("dask").delayed(future), (400, 4), dtype=float)
    assert ew.edge_test(ew.open_table(X, client=client)).n_samples == 400
    refuses(
        lambda: ew.edge_test(ew.open_table(future, client=client)),
        ParameterError,
        "client",
        "Future",
    )
    client.cancel([future])
    fragments = ["cancelled", "keep the futures", "try again"]
    refuses(lambda: ew.edge_test(ew.open_table(X, client=client)), DataError, *fragments)
    failed = require("dask").delayed(client.submit(fail, pure=False))
    X = da.from_delayed(failed, (400, 4), dtype=float)
    refuses(
        lambda: ew.edge_test(ew.open_table(X, client=client)),
        DataError,
        "the cluster failed",
        "disk full",
    )
