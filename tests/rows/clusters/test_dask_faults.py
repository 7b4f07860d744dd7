"""Dask: workers that die, data that cannot be tested, and one sentence for each of them."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

# `EDGEWISE_KILL_ROUNDS=10 pytest -k killed` is how often it was tried before a release.
KILL_ROUNDS = int(os.environ.get("EDGEWISE_KILL_ROUNDS", "1"))
# What a function returns of no rows; Dask would otherwise call it to find out.
META = np.empty((0, 0))


@pytest.fixture
def array(da, rows):
    return da.from_array(np.asarray(rows), chunks=(90, 4))


@pytest.fixture(params=["threads", "client"])
def engine(request):
    """Who runs the tasks; what a user sees is the same."""
    return {} if request.param == "threads" else {"client": request.getfixturevalue("client")}


@pytest.fixture
def deadly(da, tmp_path):
    """Rows of which making one partition for the nth time kills the worker, once."""
    if not hasattr(signal, "SIGKILL"):
        pytest.skip("this system cannot kill a process at once")

    def make(kill):
        folder, here = tmp_path / f"calls{len(list(tmp_path.iterdir()))}", os.getpid()
        folder.mkdir()

        def draw(block, block_id):
            number, times = block_id[0], 0
            while True:
                try:
                    with open(folder / f"{number}-{times}", "x"):
                        break
                except FileExistsError:
                    times += 1
            if (number, times) == kill:
                assert os.getpid() != here
                (folder / "killed").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            X = np.random.default_rng(number).standard_t(6, block.shape)
            X[:, 1:] += 0.6 * X[:, :-1]
            return X

        array = da.zeros((1200, 4), chunks=(150, 4)).map_blocks(draw, meta=META)
        return array, folder / "killed"

    return make


class TestKilled:
    @pytest.mark.parametrize("round_", range(KILL_ROUNDS))
    @pytest.mark.parametrize(
        ("method", "options", "kill"),
        [
            ("score", {}, (3, 0)),
            ("score", {}, (6, 1)),
            ("eig", {"solver": "matrix-free"}, (4, 3)),
        ],
        ids=["first pass", "second pass", "a product"],
    )
    def test_the_result_is_the_same_to_the_last_bit(
        self, processes, deadly, same_bits, method, options, kill, round_
    ):
        """One worker is killed while it makes a partition; what it had is made again."""
        calm, _ = deadly(None)
        expected = ew.edge_test(calm, method=method, client=processes, **options)
        array, killed = deadly(kill)
        result = ew.edge_test(array, method=method, client=processes, **options)
        assert killed.exists()
        same_bits(result, expected)
        assert result.n_samples == 1200

    def test_again_and_again(self, processes, array, monkeypatch, refuses):
        """A partition that no worker survives is named. It is alone: Dask blames all at hand."""
        monkeypatch.setattr(processes.cluster.scheduler, "allowed_failures", 0)

        def kill(block):
            os.kill(os.getpid(), signal.SIGKILL)

        deadly = array.rechunk((400, 4)).map_blocks(kill, meta=META)
        call = lambda: ew.edge_test(deadly, client=processes)  # noqa: E731
        refuses(call, DataError, "chunk 0: its workers died", "memory", "smaller")

    def test_the_one_that_is_named(self, array, client, require, monkeypatch, refuses):
        worker = SimpleNamespace(address="tcp://a:1")
        killed = require("distributed").KilledWorker("edgewise-state-0a1b-3", worker, 3)

        def compute(total):
            raise killed

        monkeypatch.setattr(client, "compute", compute)
        call = lambda: ew.edge_test(array, client=client)  # noqa: E731
        refuses(call, DataError, "chunk 3: its workers died")

    def test_a_worker_over_its_memory_limit(self, dd, pd, rows, require, tmp_path, refuses):
        """Dask's nanny kills it for real. The partition is alone: Dask blames all at hand."""
        frame, path = pd.DataFrame(np.asarray(rows), columns=list("abcd")), tmp_path / "r.parquet"
        frame.to_parquet(path)

        def eat(part):
            eaten = np.ones(100_000_000)
            time.sleep(30)  # the nanny looks ten times a second
            return part + eaten[0]

        dask, distributed = require("dask"), require("distributed")
        limits = {"distributed.scheduler.allowed-failures": 0}
        options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        with (
            dask.config.set(limits),
            distributed.LocalCluster(memory_limit="600MB", **options) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            hungry = dd.read_parquet(path).map_partitions(eat, meta=frame.iloc[:0])
            call = lambda: ew.edge_test(hungry, client=client)  # noqa: E731
            refuses(call, DataError, f"partition 0 (file '{path}')", "memory_limit", "repartition")

    def test_a_task_that_makes_a_partition(self, array, client, require, monkeypatch, refuses):
        """Chunks of a rechunked array share tasks, so that Dask makes each by itself."""
        from edgewise.rows.opening import open_table

        shared = open_table(array.map_blocks(np.copy, meta=META).rechunk((50, 4)), client=client)
        worker = SimpleNamespace(address="tcp://a:1")
        key = shared._makers[2][0].key
        killed = require("distributed").KilledWorker(key, worker, 3)

        def compute(total):
            raise killed

        monkeypatch.setattr(client, "compute", compute)
        call = lambda: ew.edge_test(shared)  # noqa: E731
        refuses(call, DataError, "chunk 2: its workers died", "smaller")

    def test_in_the_middle_of_a_merge(self, processes, array, monkeypatch, refuses):
        """Nobody's partition; the sentence says what is known."""
        from edgewise.rows.opening import open_table

        monkeypatch.setattr(processes.cluster.scheduler, "allowed_failures", 0)

        def merge(left, right):
            os.kill(os.getpid(), signal.SIGKILL)

        source = open_table(array[:180], client=processes)
        call = lambda: source.reduce(lambda part: 1, merge)  # noqa: E731
        refuses(call, DataError, "data: the cluster failed", "KilledWorker", "more memory")


class TestPartitionThatFails:
    @pytest.fixture
    def fail(self):
        def fail(block, block_id):
            if block_id[0] == 3:
                raise OSError("disk\nfull")
            return block

        return fail

    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_a_chunk(self, engine, array, fail, refuses, method):
        failing = array.map_blocks(fail, meta=META)
        call = lambda: ew.edge_test(failing, method=method, **engine)  # noqa: E731
        refuses(call, DataError, "chunk 3 cannot be read", "OSError: disk full")

    def test_a_slice_of_what_all_share(self, engine, da, rows, fail, refuses):
        class Stored:
            ndim, shape, dtype = 2, rows.shape, rows.dtype

            def __getitem__(self, where):
                if where[0].start == 270:
                    raise OSError("disk full")
                return rows[where]

        array = da.from_array(Stored(), chunks=(90, 4), asarray=False)
        call = lambda: ew.edge_test(array + 1, **engine)  # noqa: E731
        refuses(call, DataError, "chunk 3 cannot be read", "OSError: disk full")

    def test_a_task_that_several_partitions_share(self, engine, array, fail, refuses):
        """It is nobody's in particular."""
        failing = array.map_blocks(fail, meta=META).rechunk((50, 4))
        call = lambda: ew.edge_test(failing, **engine)  # noqa: E731
        refuses(call, DataError, "data: the cluster failed to make the rows", "OSError: disk full")

    def test_a_partition_of_a_frame(self, engine, dd, pd, rows, refuses):
        frame = pd.DataFrame(np.asarray(rows), columns=list("abcd"))

        def part(number):
            if number == 1:
                raise OSError("disk full")
            return frame

        failing = dd.from_map(part, range(3), meta=frame.iloc[:0])
        call = lambda: ew.edge_test(failing, **engine)  # noqa: E731
        refuses(call, DataError, "partition 1 cannot be read", "OSError: disk full")

    def test_a_file_that_is_gone(self, client, files_of, rows, refuses):
        from edgewise.rows.opening import open_table

        paths = files_of(rows, (100, 300))
        source = open_table(paths, client=client)
        os.remove(paths[1])
        refuses(lambda: ew.edge_test(source), DataError, paths[1], "no file")

    def test_a_file_that_is_damaged(self, client, files_of, rows, refuses):
        paths = files_of(rows, (100, 300))
        with open(paths[1], "a") as file:
            file.write("1,2,3\n")
        error = refuses(lambda: ew.edge_test(paths, client=client), DataError, paths[1])
        assert str(error).count(paths[1]) == 1

    def test_an_error_that_does_not_travel(self, client, array, refuses):
        """One whose arguments are not those of its message, as many are."""

        class OddError(Exception):
            def __init__(self, a, b):
                super().__init__(f"{a} and {b}")

        def fail(block):
            raise OddError("this", "that")

        call = lambda: ew.edge_test(array.map_blocks(fail, meta=META), client=client)  # noqa: E731
        refuses(call, DataError, "cannot be read", "OddError: this and that")


class TestBadData:
    @pytest.mark.parametrize("method", ["score", "batch", "fisher"])
    def test_missing_values(self, engine, da, frame_of, rows, refuses, method):
        X = rows.copy()
        X[[100, 120, 130], [1, 1, 3]] = np.nan, np.inf, np.nan
        array, frame = da.from_array(X, chunks=(90, 4)), frame_of(X, (100, 300))
        call = lambda data: ew.edge_test(data, method=method, **engine)  # noqa: E731
        fragments = ["chunk 1", "'x1' (2)", "'x3' (1)", "missing='drop'"]
        error = refuses(lambda: call(array), NonFiniteError, *fragments)
        assert error.counts.tolist() == [0, 2, 0, 1]
        error = refuses(lambda: call(frame), NonFiniteError, "partition 1", "'b' (2)", "'d' (1)")
        assert error.counts.tolist() == [0, 2, 0, 1]

    def test_missing_values_in_a_file(self, client, files_of, rows, refuses):
        X = rows.copy()
        X[150, 2] = np.nan
        paths = files_of(X, (100, 300))
        call = lambda **more: ew.edge_test(paths, client=client, **more)  # noqa: E731
        refuses(call, NonFiniteError, paths[1], "'c' (1)")
        assert call(drop_missing=True).n_dropped == 1

    def test_all_values_missing(self, array, refuses):
        call = lambda: ew.edge_test(array * np.nan, drop_missing=True)  # noqa: E731
        refuses(call, DataError, "0 sample", "every row has missing values")

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda X: np.column_stack([X, np.ones(len(X))]),
            lambda X: np.column_stack([X, X[:, 0] - 2 * X[:, 1]]),
            lambda X: X[:4],
            lambda X: X[:0],
            lambda X: X[:, :1],
            lambda X: X[:, :0],
        ],
        ids=["constant", "collinear", "too few rows", "no rows", "one column", "no column"],
    )
    def test_the_same_sentence_as_here(self, engine, da, rows, spoil):
        X = spoil(rows)
        with pytest.raises(DataError) as here:
            ew.edge_test(X)
        with pytest.raises(DataError) as there:
            ew.edge_test(da.from_array(X, chunks=(100, X.shape[1])), **engine)
        assert str(there.value) == str(here.value)

    def test_columns_that_are_no_numbers(self, frame_of, pd, rows, refuses):
        frame = frame_of(rows, (150, 250))
        frame = frame.assign(city="x", kind=frame.a.astype(object), when=pd.Timestamp("2020-01-01"))
        fragments = ["'city' (", "'kind' (object)", "'when' (datetime64", "astype"]
        error = refuses(lambda: ew.edge_test(frame), DataTypeError, *fragments)
        assert "'a'" not in str(error)
        many = frame[["a"]].assign(**{f"c{i}": "x" for i in range(8)})
        refuses(lambda: ew.edge_test(many), DataTypeError, "'c4'", "and 3 more")

    def test_a_partition_that_is_not_what_the_frame_says(self, engine, dd, pd, rows, refuses):
        frame = pd.DataFrame(np.asarray(rows), columns=list("abcd"))

        def frame_with(other):
            parts = [frame, other]
            return dd.from_map(lambda i: parts[i], range(2), meta=frame.iloc[:0])

        call = lambda other: lambda: ew.edge_test(frame_with(other), **engine)  # noqa: E731
        swapped = frame[list("abdc")]
        refuses(call(swapped), DataError, "partition 1", "'a', 'b', 'c', 'd'", "'a', 'b', 'd', 'c'")
        refuses(call(frame[list("abc")]), DataError, "partition 1", "got 'a', 'b', 'c';")
        renamed = frame.rename(columns={"d": "z"})
        refuses(call(renamed), DataError, "partition 1", "'z'")
        text = frame.assign(c="x")
        refuses(call(text), DataTypeError, "partition 1", "'c'")

    def test_a_chunk_that_is_not_what_the_array_says(self, engine, da, require, rows, refuses):
        delayed = require("dask").delayed
        narrow = da.from_delayed(delayed(rows[:, :3]), shape=(400, 4), dtype=float)
        flat = da.from_delayed(delayed(rows[:, 0]), shape=(400, 4), dtype=float)
        text = da.from_delayed(delayed(rows.astype(str)), shape=(400, 4), dtype=float)
        whole = da.from_array(np.asarray(rows), chunks=(400, 4))
        for other, error, fragment in (
            (narrow, DataError, "expected 4 columns, got 3"),
            (flat, DataError, "2D"),
            (text, DataTypeError, "numbers"),
        ):
            array = da.concatenate([whole, other])
            refuses(lambda a=array: ew.edge_test(a, **engine), error, "chunk 1", fragment)

    def test_files_of_other_columns(self, client, write_csv, tmp_path, rows, refuses):
        paths = [
            str(write_csv(tmp_path / "a.csv", "abcd", rows)),
            str(write_csv(tmp_path / "b.csv", "abcz", rows)),
        ]
        refuses(lambda: ew.edge_test(paths, client=client), DataError, paths[1], "it lacks 'd'")

    def test_not_a_table_of_numbers(self, array, frame_of, require, rows, refuses):
        for data, error, fragments in (
            (array[:, 0], DataError, ["2D", "1D"]),
            (array.sum(), DataError, ["2D", "0D"]),
            (array.reshape(400, 2, 2), DataError, ["2D", "3D"]),
            (frame_of(rows, (400,)).a, DataError, ["Series", "1D"]),
            (array * 1j, DataTypeError, ["complex128"]),
            (array.astype(str), DataTypeError, ["dtype"]),
            (array[:, array[0] > 0], DataError, ["number of columns", "compute_chunk_sizes()"]),
            (require("dask").delayed(rows), DataTypeError, ["dask.array", "Delayed"]),
            (require("dask.bag").from_sequence([1, 2]), DataTypeError, ["dask.array", "Bag"]),
        ):
            refuses(lambda data=data: ew.edge_test(data), error, *fragments)
            refuses(lambda data=data: ew.accumulate(data), error, *fragments)

    def test_columns_of_the_same_name(self, dd, frame_of, rows, refuses):
        frame = frame_of(rows, (400,))
        twice = dd.concat([frame, frame], axis=1)
        refuses(lambda: ew.edge_test(twice), DataError, "every name once", "'a'")

    def test_rows_that_change_between_passes(self, engine, array, tmp_path, refuses):
        def shrinking(block, block_id):
            seen = tmp_path / str(block_id[0])
            if seen.exists():
                return block[:-1]
            seen.touch()
            return block

        drawn = array.map_blocks(shrinking, meta=META)
        fragments = ["the first pass read 400 rows, a later one 395", "persisted"]
        refuses(lambda: ew.edge_test(drawn, method="score", **engine), DataError, *fragments)

    def test_chunks_of_other_lengths_than_they_say(self, engine, array, refuses):
        shorter = array.map_blocks(lambda block: block[:-1], meta=META)
        fragments = ["chunk ", "rows, got ", "the data changed while they were read"]
        refuses(lambda: ew.edge_test(shorter, method="batch", **engine), DataError, *fragments)

    def test_standard_input(self, client, refuses, monkeypatch, tmp_path):
        (tmp_path / "in.csv").write_text("a,b\n1,2\n")
        with (tmp_path / "in.csv").open() as stream:
            monkeypatch.setattr("sys.stdin", stream)
            call = lambda: ew.edge_test("-", client=client)  # noqa: E731
            refuses(call, DataError, "standard input", "write the rows to files")


class TestFuturesThatAreGone:
    def test_cancelled(self, client, da, dd, pd, require, rows, refuses):
        frame = pd.DataFrame(np.asarray(rows), columns=list("abcd"))
        futures = client.map(lambda i: frame.iloc[i::2], range(2), pure=False)
        data = dd.from_delayed(futures, meta=frame.iloc[:0])
        client.cancel(futures)
        fragments = ["cancelled", "keep the futures", "try again"]
        refuses(lambda: ew.edge_test(data, client=client), DataError, *fragments)
        scattered = client.scatter(np.asarray(rows))
        array = da.from_delayed(require("dask").delayed(scattered), (400, 4), dtype=float)
        assert ew.edge_test(array, client=client).n_samples == 400
        client.cancel([scattered])
        refuses(lambda: ew.edge_test(array, client=client), DataError, *fragments)

    def test_one_that_failed(self, client, da, require, refuses):
        def fail():
            raise OSError("disk full")

        future = client.submit(fail, pure=False)
        array = da.from_delayed(require("dask").delayed(future), (400, 4), dtype=float)
        call = lambda: ew.edge_test(array, client=client)  # noqa: E731
        refuses(call, DataError, "data: the cluster failed to make the rows", "disk full")

    def test_a_future_is_no_data(self, client, rows, refuses):
        future = client.scatter(np.asarray(rows))
        refuses(lambda: ew.edge_test(future), DataTypeError, "Future")
        refuses(lambda: ew.edge_test(future, client=client), ParameterError, "client", "Future")

    def test_of_a_cluster_that_is_gone(self, cluster_of, require, array, refuses):
        with cluster_of(processes=False) as cluster:
            other = require("distributed").Client(cluster, set_as_default=False)
            held = other.persist(array)
        fragments = ["client", "got one that is closed", "new one"]
        refuses(lambda: ew.edge_test(held, client=other), ParameterError, *fragments)
        other.close()

    def test_in_the_middle(self, cluster_of, require, array, tmp_path, refuses):
        """It is ended while partitions are made."""

        def slow(block):
            (tmp_path / "begun").touch()
            time.sleep(0.5)
            return block

        def end(cluster):
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            cluster.close()

        with cluster_of(processes=False) as cluster:
            other = require("distributed").Client(cluster, set_as_default=False)
            ender = threading.Thread(target=end, args=(cluster,))
            ender.start()
            late = array.map_blocks(slow, meta=META)
            call = lambda: ew.edge_test(late, client=other)  # noqa: E731
            refuses(call, DataError, "the cluster cancelled the work", "try again")
            ender.join()
        other.close()


def test_an_in_memory_array_needs_no_client(client, rows, refuses, pd):
    for data in (rows, rows.tolist(), pd.DataFrame(np.asarray(rows))):
        refuses(lambda d=data: ew.edge_test(d, client=client), ParameterError, "leave client out")


def test_a_budget(client, array, refuses):
    for given in ({}, {"client": client}):
        call = lambda g=given: ew.edge_test(array, method="trace", budget=1.0, **g)  # noqa: E731
        refuses(call, ParameterError, "budget", "on a cluster", "leave it out")


def test_options_are_checked_before_anything_runs(array, refuses):
    def fail(block):
        raise AssertionError("nothing should be made")

    data = array.map_blocks(fail, meta=META)
    refuses(lambda: ew.edge_test(data, alpha=2), ParameterError, "alpha")
    refuses(lambda: ew.edge_test(data, mu=2), ParameterError, "mu", "'score'")
    refuses(lambda: ew.edge_test(data, method="batch", n_batches=1), ParameterError, "n_batches")
    refuses(lambda: ew.accumulate(data, order=3), ParameterError, "order")
