"""Dask: the same numbers as here, whatever the partitions, the data and who runs the tasks."""

from __future__ import annotations

import pickle
import shutil
import time
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import edgewise as ew
from edgewise.errors import EdgewiseWarning
from edgewise.methods.registry import METHODS
from edgewise.rows.clusters.dask import DaskTable, dask_file_table
from edgewise.rows.clusters.partition_task import PartTask
from edgewise.rows.opening import _is_dask, open_table
from edgewise.rows.passes import _counted
from edgewise.rows.readers.files import FileTable
from edgewise.states.accumulate import _merged, _taken

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

# One; two; of one row; empty ones first, last and between; many, so that the tree is deep.
MANY = (47,) * 8 + (24,)
XS = ("x0", "x1", "x2", "x3")
LENGTHS = [(400,), (150, 250), (1, 399), (0, 0, 150, 0, 250, 0), MANY]

EVERY_METHOD = [
    *((name, {}) for name in METHODS if name != "eig"),
    ("batch", {"n_batches": 7}),
    ("kendall", {"n_batches": 7, "correction": "maxt"}),
    ("kendall", {"radius": "hoeffding"}),
    ("batch", {"correction": "maxt", "random_state": 3}),
    ("score", {"min_effect": 0.1, "correction": "bh"}),
    ("trace", {"standardize": True, "mu": 0.5}),
    ("eig", {"solver": "full"}),
    ("spectral", {"radius": "eig", "solver": "full", "standardize": True}),
    ("spectral", {"radius": "hoeffding", "support": (-60, 60)}),
    ("whitened", {"radius": "hoeffding", "support": (-60, 60)}),
    ("whitened", {"radius": "bernstein", "support": (-60, 60)}),
    ("whitened", {"radius": "bernstein", "support": (-3, 3), "outside": 0.2}),
    ("whitened", {"radius": "chebyshev", "kurtosis": 4.0}),
]
MATRIX_FREE = [
    ("eig", {}),
    ("eig", {"standardize": True}),
    ("spectral", {"radius": "eig"}),
    ("whitened", {"radius": "eig"}),
]
# The distribution function of a weighted sum is known to fewer digits.
CHI2 = [
    (method, {"radius": "chi2", "solver": solver})
    for method in ("whitened", "spectral")
    for solver in ("full", "matrix-free")
]


def ids(value):
    return str(value).replace("'", "") if isinstance(value, dict) else None


@pytest.fixture(scope="module")
def stored(rows, tmp_path_factory):
    """The rows in a file, which is read again for every pass, as a cluster does."""
    path = tmp_path_factory.mktemp("stored") / "rows.npy"
    np.save(path, rows)
    return path


@pytest.fixture
def array_of(da, rows):
    def make(lengths=(150, 250), X=rows):
        return da.from_array(np.asarray(X), chunks=(lengths, X.shape[1]))

    return make


@pytest.mark.usefixtures("one_after_the_other")
class TestSameAsHere:
    @pytest.mark.parametrize("lengths", LENGTHS, ids=len)
    @pytest.mark.parametrize(("method", "options"), EVERY_METHOD, ids=ids)
    def test_every_method(self, array_of, rows, same_result, method, options, lengths):
        result = ew.edge_test(array_of(lengths), method=method, **options)
        same_result(result, ew.edge_test(rows, method=method, **options))

    @pytest.mark.parametrize("lengths", LENGTHS[2:], ids=len)
    @pytest.mark.parametrize(("method", "options"), MATRIX_FREE, ids=ids)
    def test_without_the_matrix(self, array_of, stored, same_result, method, options, lengths):
        """As for files that are read here: in memory, single precision does for a start."""
        asked = {"method": method, "solver": "matrix-free", **options}
        result, here = (ew.edge_test(data, **asked) for data in (array_of(lengths), stored))
        same_result(result, here)
        assert result.options["solver"] == here.options["solver"]
        # Sums of partitions differ from those of batches in their last bits, which may decide on a
        # pass of up to four products more.
        for record, most in (("iterations", 1), ("products", 4)):
            assert result.options[record] == pytest.approx(here.options[record], abs=most)
        assert result.options["width"] == pytest.approx(here.options["width"], rel=1e-9)
        in_memory = ew.edge_test(array_of(lengths).compute(), **asked)
        np.testing.assert_allclose(result.threshold, in_memory.threshold, rtol=1e-7)

    @pytest.mark.parametrize("lengths", LENGTHS[3:], ids=len)
    @pytest.mark.parametrize(("method", "options"), CHI2, ids=ids)
    def test_sharper_radius(self, array_of, stored, method, options, lengths):
        result, here = (
            ew.edge_test(data, method=method, **options) for data in (array_of(lengths), stored)
        )
        for field in ("statistic", "threshold", "log_pvalue"):
            mine, theirs = getattr(result, field), getattr(here, field)
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)
        np.testing.assert_array_equal(result.reject, here.reject)

    def test_far_from_zero(self, array_of, rows, same_result):
        X = rows * [1e-3, 1.0, 1e3, 1.0] + [0.0, 1e5, -1e8, 3.0]
        for method in ("score", "trace", "batch"):
            result, here = (ew.edge_test(one, method=method) for one in (array_of(X=X), X))
            np.testing.assert_allclose(result.statistic, here.statistic, rtol=1e-7)
            np.testing.assert_array_equal(result.reject, here.reject)

    @pytest.mark.parametrize("kind", ["float32", "int16", "bool"])
    def test_other_numbers(self, array_of, frame_of, rows, same_result, kind):
        X = (rows * 10).astype(kind) if kind != "bool" else rows > 0.3
        expected = ew.edge_test(X)
        same_result(ew.edge_test(array_of(X=X)), expected)
        same_result(ew.edge_test(frame_of(X, (150, 250))), expected, names="abcd")

    def test_many_columns(self, da, same_result):
        X = np.random.default_rng(3).standard_normal((500, 40))
        array = da.from_array(X, chunks=(64, 40))
        for method in ("score", "whitened", "batch"):
            options = {"n_batches": 50} if method == "batch" else {}
            result = ew.edge_test(array, method=method, **options)
            same_result(result, ew.edge_test(X, method=method, **options))

    def test_concordance_of_many_rows(self, da, same_result):
        """Blocks of 128 rows, as in one stream; rows that fill none are compared at the end."""
        X = np.random.default_rng(3).standard_cauchy((14_000, 3)) @ np.tri(3)
        expected = ew.edge_test(X, method="kendall")
        result = ew.edge_test(da.from_array(X, chunks=(2000, 3)), method="kendall")
        assert result.n_samples == 14_000
        np.testing.assert_array_equal(result.reject, expected.reject)
        # Other pairs of rows: within a fraction of the standard error, 0.009.
        gap = result.partial_correlation - expected.partial_correlation
        assert np.abs(gap).max() < 0.004
        whole = ew.edge_test(da.from_array(X[: 108 * 128], chunks=(27 * 128, 3)), method="kendall")
        same_result(whole, ew.edge_test(X[: 108 * 128], method="kendall"))


@pytest.mark.usefixtures("one_after_the_other")
class TestWhateverDaskHas:
    @pytest.mark.parametrize("method", ["score", "batch", "trace"])
    @pytest.mark.parametrize("lengths", LENGTHS, ids=len)
    def test_a_frame(self, frame_of, rows, same_result, method, lengths):
        result = ew.edge_test(frame_of(rows, lengths), method=method)
        same_result(result, ew.edge_test(rows, method=method), names="abcd")

    def test_a_frame_of_nullable_numbers(self, frame_of, rows, same_result):
        frame = frame_of(np.round(100 * rows), (150, 250)).astype("Int64")
        same_result(ew.edge_test(frame), ew.edge_test(np.round(100 * rows)), names="abcd")

    def test_a_frame_of_files(self, dd, files_of, rows, same_result):
        paths = files_of(rows, (100, 300))
        frame = dd.read_csv(paths)
        same_result(ew.edge_test(frame), ew.edge_test(rows), names="abcd")
        fewer = ew.edge_test(frame[frame.a > 0][["d", "b"]])
        same_result(fewer, ew.edge_test(rows[rows[:, 0] > 0][:, [3, 1]]), names="db")

    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_unknown_chunk_sizes(self, array_of, rows, same_result, method):
        array = array_of((60,) * 6 + (40,))
        array = array[array[:, 0] > 0.5]
        assert all(np.isnan(length) for length in array.chunks[0])
        expected = ew.edge_test(rows[rows[:, 0] > 0.5], method=method)
        same_result(ew.edge_test(array, method=method), expected)

    def test_several_chunks_along_the_columns(self, da, rows, same_result):
        array = da.from_array(np.asarray(rows), chunks=(90, 3))
        with pytest.warns(EdgewiseWarning, match="2 chunks along its columns") as caught:
            result = ew.edge_test(array)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        same_result(result, ew.edge_test(rows))

    def test_rows_that_are_cut_anew(self, array_of, rows, same_result):
        same_result(ew.edge_test(array_of().rechunk((70, 4))), ew.edge_test(rows))

    def test_what_a_graph_computes(self, da, same_result):
        drawn = da.random.default_rng(4).standard_normal((500, 3), chunks=(120, 3))
        array = drawn @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
        same_result(ew.edge_test(array), ew.edge_test(array.compute()))

    def test_other_names(self, array_of, frame_of, rows):
        for data in (array_of(), frame_of(rows, (400,))):
            result = ew.edge_test(data, feature_names=list("wxyz"))
            assert result.feature_names == tuple("wxyz")
        assert ew.edge_test(array_of()).feature_names == ("x0", "x1", "x2", "x3")

    @pytest.mark.parametrize("method", ["score", "fisher", "eig", "batch"])
    def test_missing_values_are_left_out_and_counted(self, da, frame_of, rows, same_result, method):
        X = rows.copy()
        X[[0, 7, 7, 350], [1, 2, 3, 0]] = np.nan, np.inf, np.nan, -np.inf
        options = {"n_batches": 20} if method == "batch" else {}
        expected = ew.edge_test(X, method=method, drop_missing=True, **options)
        assert expected.n_dropped == 3
        array = da.from_array(X, chunks=(90, 4))
        for data in (array, frame_of(X, (8, 392))):
            result = ew.edge_test(data, method=method, drop_missing=True, **options)
            assert result.n_dropped == 3
            same_result(result, expected, names=result.feature_names)
        nothing = ew.edge_test(array[10:300], method=method, drop_missing=True, **options)
        assert nothing.n_dropped == 0

    def test_what_is_of_dask(self, array_of, frame_of, rows, require):
        require("dask.bag")
        assert _is_dask(array_of())
        assert _is_dask(frame_of(rows, (400,)))
        for other in (rows, rows.tolist(), "rows.csv", None, require("dask")):
            assert not _is_dask(other)


class TestFiles:
    LENGTHS = (100, 0, 1, 299)

    @pytest.fixture
    def saved(self, tmp_path, files_of, rows, require):
        """The same rows in files of each kind."""
        pa, pq = require("pyarrow"), require("pyarrow.parquet")
        pieces = np.split(rows, np.cumsum(self.LENGTHS)[:-1])
        kinds = {"csv": files_of(rows, self.LENGTHS), "parquet": [], "npy": []}
        for number, piece in enumerate(pieces):
            kinds["parquet"].append(str(tmp_path / f"part{number}.parquet"))
            table = pa.table(dict(zip("abcd", np.ascontiguousarray(piece.T), strict=True)))
            # The columns in another order: they are matched by name.
            order = list("cabd" if number == 3 else "abcd")
            pq.write_table(table.select(order), kinds["parquet"][-1], row_group_size=64)
            kinds["npy"].append(tmp_path / f"part{number}.npy")
            np.save(kinds["npy"][-1], piece)
        return kinds

    @pytest.mark.parametrize("kind", ["parquet", "npy"])
    @pytest.mark.parametrize("method", ["score", "batch", "eig"])
    def test_one_task_each(self, client, saved, rows, same_result, kind, method):
        options = {"solver": "matrix-free"} if method == "eig" else {}
        result = ew.edge_test(saved[kind], method=method, client=client, **options)
        here = ew.edge_test(saved[kind], method=method, **options)
        same_result(result, here)
        assert result.n_samples == 400
        assert result.feature_names == tuple("abcd" if kind == "parquet" else XS)

    def test_csv(self, client, saved, rows, same_result):
        paths = [saved["csv"][i] for i in (0, 3)]
        result = ew.edge_test(paths, client=client)
        same_result(result, ew.edge_test(np.delete(rows, 100, axis=0)), names="abcd")

    def test_a_folder_a_pattern_and_a_single_file(self, client, saved, tmp_path, same_result):
        expected = ew.edge_test(saved["parquet"], method="fisher")
        pattern = str(tmp_path / "part*.parquet")
        same_result(ew.edge_test(pattern, method="fisher", client=client), expected)
        (tmp_path / "all").mkdir()
        for number, path in enumerate(saved["parquet"]):
            shutil.copy(path, tmp_path / f"all/{number}.parquet")
        same_result(ew.edge_test(tmp_path / "all", method="fisher", client=client), expected)
        one = saved["parquet"][3]
        for path in (one, [one]):
            result = ew.edge_test(path, method="fisher", client=client)
            same_result(result, ew.edge_test(one, method="fisher"))

    def test_workers_in_another_folder(self, client, saved, tmp_path, monkeypatch):
        """A path is that of whoever gave it."""
        monkeypatch.chdir(tmp_path)
        source = open_table(["part0.npy", "./part3.npy"], client=client)
        monkeypatch.chdir("/")
        assert ew.edge_test(source).n_samples == 399

    def test_rows_are_known_before_they_are_read(self, saved):
        tables = [dask_file_table(FileTable(saved[kind])) for kind in ("parquet", "csv")]
        assert tables[0].part_rows() == list(self.LENGTHS)
        assert tables[0].n_rows == sum(self.LENGTHS)
        assert tables[1].part_rows() == [None] * len(self.LENGTHS)
        assert tables[1].n_rows is None

    def test_chosen_columns(self, client, saved, rows, same_result):
        files = FileTable(saved["parquet"], columns=["d", "a"])
        result = ew.edge_test(dask_file_table(files, client=client))
        same_result(result, ew.edge_test(rows[:, [3, 0]]), names="da")


class TestWhoeverRunsIt:
    @pytest.mark.parametrize("method", ["score", "batch", "whitened", "eig"])
    def test_to_the_last_bit(self, client, require, array_of, same_bits, method):
        """The tree decides the order of sums, not who was faster."""
        options = {"solver": "matrix-free"} if method == "eig" else {}
        call = partial(ew.edge_test, array_of(MANY), method=method, **options)
        once, again = call(client=client), call(client=client)
        same_bits(once, again)
        for scheduler in ("threads", "sync"):
            with require("dask").config.set(scheduler=scheduler):
                same_bits(call(), once)

    def test_the_last_partition_first(self, client, array_of, same_bits):
        """Those that come first take longest."""
        array = array_of((50,) * 8)

        def slow(block, block_id):
            time.sleep(0.02 * (7 - block_id[0]))
            return block

        late = array.map_blocks(slow, dtype=float)
        same_bits(
            ew.edge_test(late, method="fisher", client=client),
            ew.edge_test(array, method="fisher", client=client),
        )

    def test_processes(self, processes, array_of, same_bits, client):
        call = partial(ew.edge_test, array_of((90, 90, 90, 130)), method="score")
        same_bits(call(client=processes), call(client=client))

    def test_daskes_default_client(self, client, array_of, same_bits):
        with client.as_current():
            same_bits(ew.edge_test(array_of()), ew.edge_test(array_of(), client=client))

    def test_a_frame(self, client, frame_of, rows, same_bits):
        call = partial(ew.edge_test, frame_of(rows, MANY))
        same_bits(call(client=client), call())


class TestRowsThatTheClusterHolds:
    def test_persisted(self, client, array_of, frame_of, rows, same_result):
        expected = ew.edge_test(rows)
        for data in (array_of(), frame_of(rows, (150, 250))):
            held = client.persist(data)
            result = ew.edge_test(held, client=client)
            same_result(result, expected, names=result.feature_names)
            same_result(
                ew.edge_test(held * 2, client=client),
                ew.edge_test(2 * rows),
                names=result.feature_names,
            )

    def test_they_are_kept_as_long_as_they_are_needed(self, client, array_of, dd, pd, rows):
        """Nobody else has a name for them."""
        source = open_table(client.persist(array_of()), client=client)
        assert ew.edge_test(source).n_samples == 400
        frame = pd.DataFrame(np.asarray(rows), columns=list("abcd"))
        futures = client.map(lambda i: frame.iloc[i::2], range(2), pure=False)
        source = open_table(dd.from_delayed(futures, meta=frame.iloc[:0]), client=client)
        del futures
        assert ew.edge_test(source).n_samples == 400

    def test_futures(self, client, da, dd, pd, require, rows, same_result):
        delayed = require("dask").delayed
        futures = client.scatter([rows[:150], rows[150:]])
        expected = ew.edge_test(rows)
        pieces = [
            da.from_delayed(delayed(future), shape=shape, dtype=float)
            for future, shape in zip(futures, [(150, 4), (250, 4)], strict=True)
        ]
        same_result(ew.edge_test(da.concatenate(pieces), client=client), expected)
        joined = da.from_delayed(delayed(np.concatenate)(futures), shape=(400, 4), dtype=float)
        same_result(ew.edge_test(joined, client=client), expected)


class TestTraffic:
    """What moves is a state for each partition, of a size that the rows have no part in."""

    @pytest.fixture
    def work(self):
        return PartTask(partial(_taken, state=ew.Moments(), after=None, looks=False), 20, None)

    def graph_of(self, source, work):
        return dict(source.planned(work, _merged).dask)

    @pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
    @pytest.mark.parametrize("kind", ["array", "frame", "files"])
    def test_the_graph(self, da, frame_of, tmp_path, work, n_parts, kind):
        if kind == "array":
            drawn = da.random.default_rng(1).standard_normal((n_parts * 10, 20), chunks=(10, 20))
            source = open_table((drawn + 1)[drawn[:, 0] > 0])
        elif kind == "frame":
            frame = frame_of(np.zeros((n_parts, 3)), (1,) * n_parts)
            source = open_table(frame[frame.a == 0] + 1)
        else:
            for number in range(n_parts):
                np.save(tmp_path / f"{number}.npy", np.zeros((5, 20)))
            source = dask_file_table(FileTable([tmp_path]))
        graph = self.graph_of(source, work)
        carried, states, merges = (
            {key for key in graph if str(key).startswith(f"edgewise-{what}-")}
            for what in ("carried", "state", "merge")
        )
        assert (len(carried), len(states), len(merges)) == (1, n_parts, n_parts - 1)
        assert set(graph) == carried | states | merges
        for key in states:
            assert graph[key].dependencies == carried
        needed = [dependency for key in merges for dependency in graph[key].dependencies]
        assert all(len(graph[key].dependencies) == 2 for key in merges)
        # Every state and every sum but the last goes into one sum.
        assert len(needed) == len(set(needed)) == 2 * (n_parts - 1)
        assert set(needed) <= states | merges

    def test_what_the_passes_carry_is_one_node(self, array_of, same_result, monkeypatch):
        """Θ̂ goes to a worker once, not with every task."""
        planned, graphs = DaskTable.planned, []

        def watched(self, work, merge):
            made = planned(self, work, merge)
            graphs.append(dict(made.dask))
            return made

        monkeypatch.setattr(DaskTable, "planned", watched)
        X = np.random.default_rng(1).standard_normal((200, 60))
        ew.edge_test(array_of((20,) * 10, X=X), method="wald")
        assert len(graphs) == 2
        sizes = {key: len(pickle.dumps(graphs[1][key])) for key in graphs[1]}
        (carried,) = (size for key, size in sizes.items() if "carried" in key)
        states = [size for key, size in sizes.items() if "state" in key]
        assert carried > 60 * 60 * 8
        # The rows of an array that is here are in the graph, and nothing else of size.
        assert max(states) < 20 * 60 * 8 + 3000
        assert max(size for key, size in sizes.items() if "merge" in key) < 2000

    @pytest.mark.parametrize("p", [5, 20, 80])
    def test_a_state_is_of_the_order_of_the_columns_squared(self, p):
        sizes = {}
        for n in (1000, 16_000):
            X = np.random.default_rng(1).standard_normal((n, p))
            for order in (2, 4):
                work = PartTask(
                    partial(_taken, state=ew.Moments(order=order), after=None, looks=False), p, None
                )
                sizes[n, order] = len(pickle.dumps(work(0, "chunk 0", lambda X=X: X)))
        assert sizes[1000, 2] == sizes[16_000, 2] < 8 * 2 * p * p + 1500
        assert abs(sizes[1000, 4] - sizes[16_000, 4]) < 50
        assert sizes[1000, 4] < 8 * 4 * p * p + 2500

    def test_so_is_what_later_passes_add_up(self, da, monkeypatch):
        """Also that of a product with Cov(U(Σ̂))."""
        seen = []
        monkeypatch.setattr(
            "edgewise.rows.passes._counted",
            lambda part, one_pass: seen.append(_counted(part, one_pass)) or seen[-1],
        )
        p = 12
        array = da.random.default_rng(0).standard_normal((4000, p), chunks=(2000, p))
        for method in ("score", "wald", "elliptical", "whitened", "spectral", "trace", "eig"):
            options = {
                "spectral": {"radius": "eig", "solver": "matrix-free"},
                "trace": {"standardize": True},
                "eig": {"solver": "matrix-free"},
            }
            ew.edge_test(array, method=method, **options.get(method, {}))
        assert len(seen) > 20
        # A pass multiplies up to four matrices.
        assert max(len(pickle.dumps(sums)) for sums in seen) < 8 * 4 * p * p + 1500

    def test_between_processes(self, processes, da):
        """Measured: bytes that the workers write, and which keys go from one to the other."""
        n_parts, n, p = 12, 10_000, 20

        def draw(block, block_id):
            return np.random.default_rng(block_id[0]).standard_normal(block.shape)

        def watch():
            from distributed.comm.tcp import TCP

            async def write(self, *args, **options):
                written = await plain(self, *args, **options)
                TCP.edgewise_total += written
                return written

            plain, TCP.edgewise_total, TCP.edgewise_plain = TCP.write, 0, TCP.write
            TCP.write = write

        def unwatch():
            from distributed.comm.tcp import TCP

            TCP.write = TCP.edgewise_plain
            return TCP.edgewise_total

        def sent_keys(dask_worker):
            return [str(key) for one in dask_worker.transfer_outgoing_log for key in one["keys"]]

        array = da.zeros((n_parts * n, p), chunks=(n, p)).map_blocks(draw, dtype=float)
        before = sum(map(len, processes.run(sent_keys).values()))
        processes.run(watch)
        try:
            result = ew.edge_test(array, method="score", client=processes)
        finally:
            written = sum(processes.run(unwatch).values())
        assert result.n_samples == n_parts * n
        keys = [key for keys in processes.run(sent_keys).values() for key in keys]
        assert all(key.startswith("edgewise-") for key in keys)
        # Two passes: of each a state and a sum for each partition at most, and what is carried.
        assert len(keys) - before <= 2 * (2 * n_parts)
        state = 8 * 4 * p * p + 2500
        # And a glance at the first 1600 rows or so, which may be sent on with each sum.
        glance = n_parts * 8 * p * 1700
        assert written < 2 * (2 * n_parts) * state + glance + 500_000
        # Usually a twentieth of the rows; which worker merges what decides, and that is chance.
        assert written < 0.25 * array.nbytes


class TestPasses:
    @pytest.fixture
    def passes(self, monkeypatch):
        reduced, count = DaskTable._reduced, []

        def counted(self, work, merge):
            count.append(work)
            return reduced(self, work, merge)

        monkeypatch.setattr(DaskTable, "_reduced", counted)
        return count

    @pytest.mark.parametrize(
        ("method", "expected"),
        [("fisher", 1), ("trace", 1), ("batch", 1), ("score", 2), ("wald", 2)],
    )
    def test_as_often_as_the_method_reads(self, array_of, passes, method, expected):
        ew.edge_test(array_of(), method=method)
        assert len(passes) == expected

    def test_one_for_each_product(self, array_of, passes):
        result = ew.edge_test(array_of(), method="eig", solver="matrix-free")
        assert result.options["solver"] == "matrix-free"
        assert len(passes) == 1 + result.options["iterations"]

    def test_rows_of_unknown_number_are_counted_first(self, array_of, passes):
        array = array_of()
        ew.edge_test(array[array[:, 0] > 0], method="batch", n_batches=20)
        assert len(passes) == 2

    def test_a_large_graph_is_no_matter_for_a_warning(self, client, array_of):
        """16 MB that go to every worker, once."""
        source = open_table(array_of((200, 200)), client=client)
        large = partial(lambda part, matrix: matrix[:2].sum(), matrix=np.ones((1400, 1430)))
        found = source.reduce(large, lambda a, b: a + b)
        assert found == 2 * 2 * 1430


class TestBlas:
    @pytest.mark.parametrize("where", ["threads", "client"])
    def test_one_thread_in_a_task(self, request, require, da, where):
        def threads(block):
            np.zeros((2, 2)) @ np.zeros((2, 2))
            found = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
            return np.full((100, 2), max(found, default=1)) + np.random.default_rng(1).normal(
                0, 1e-3, (100, 2)
            )

        array = da.zeros((400, 2), chunks=(100, 2)).map_blocks(threads, dtype=float)
        given = None if where == "threads" else request.getfixturevalue(where)
        with require("threadpoolctl").threadpool_limits(limits=2, user_api="blas"):
            before = threadpool_info()
            state = ew.accumulate(array, order=2, client=given)
            assert threadpool_info() == before
        np.testing.assert_allclose(state.mean(), 1.0, atol=0.01)


class TestProgress:
    def test_daskes_own_bar(self, array_of, require, capsys):
        with require("dask.diagnostics").ProgressBar():
            ew.edge_test(array_of(), method="fisher")
        out, _ = capsys.readouterr()
        assert "[####" in out
        assert "100% Completed" in out
        ew.edge_test(array_of(), method="fisher")
        assert capsys.readouterr() == ("", "")

    def test_the_same_with_a_cluster(self, client, array_of, require, capsys):
        """One for each pass, and none for what happens inside a task."""
        with require("dask.diagnostics").ProgressBar():
            ew.edge_test(array_of() + 1, method="fisher", client=client)
        out, err = capsys.readouterr()
        assert out == ""
        assert "100% Completed" in err
        assert err.rstrip("\n").count("\n") == 0
        ew.edge_test(array_of(), method="fisher", client=client)
        assert capsys.readouterr() == ("", "")

    def test_where_asked_for(self, client, files_of, rows, capsys):
        files = FileTable(files_of(rows, (150, 250)))
        ew.edge_test(dask_file_table(files, client=client, progress=True), method="fisher")
        out, err = capsys.readouterr()
        assert out == ""
        assert "100% Completed" in err


class TestColumns:
    """`columns=`, `exclude=` and `feature_names`, which were refused once."""

    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_of_an_array(self, array_of, rows, same_result, method):
        result = ew.edge_test(array_of(), columns=["x3", "x0"], method=method)
        same_result(result, ew.edge_test(rows[:, [3, 0]], method=method), names=("x3", "x0"))
        result = ew.edge_test(array_of(), exclude="x1", feature_names=list("pqr"), method=method)
        same_result(result, ew.edge_test(rows[:, [0, 2, 3]], method=method), names="pqr")

    @pytest.mark.parametrize("method", ["score", "batch"])
    def test_of_a_frame(self, frame_of, rows, same_result, method):
        frame = frame_of(rows, (150, 250)).assign(city="x")
        result = ew.edge_test(frame, columns=["d", "a"], method=method)
        same_result(result, ew.edge_test(rows[:, [3, 0]], method=method), names="da")
        result = ew.edge_test(frame, exclude="city", feature_names=list("pqrs"), method=method)
        same_result(result, ew.edge_test(rows, method=method), names="pqrs")
        assert ew.accumulate(frame, exclude=["city", "a"]).feature_names == ("b", "c", "d")

    def test_of_a_frame_whose_names_are_numbers(self, dd, pd, rows):
        frame = dd.from_pandas(pd.DataFrame(np.asarray(rows)), npartitions=2)
        assert ew.edge_test(frame, columns=[2, 0]).feature_names == ("2", "0")

    def test_that_are_not_there(self, array_of, frame_of, rows, refuses):
        call = lambda data: lambda: ew.edge_test(data, exclude=["z"])  # noqa: E731
        refuses(call(array_of()), ew.DataError, "exclude: the array has no column 'z'", "'x0'")
        refuses(call(frame_of(rows, (400,))), ew.DataError, "the data frame has no column", "'a'")
