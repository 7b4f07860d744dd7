"""Dask clusters for the tests of engines, and the same rows in whatever Dask has."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest


@pytest.fixture(scope="session")
def cluster_of(require):
    """A Dask cluster of two workers of a thread each; for `with`."""

    def make(**options):
        return require("distributed").LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", **options
        )

    return make


@pytest.fixture(scope="session")
def client(cluster_of, require):
    """Of two workers within this process; not Dask's default, so that it is used where given."""
    with (
        cluster_of(processes=False) as cluster,
        require("distributed").Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture(scope="session")
def process_cluster(cluster_of, require):
    """Of two processes, for what only real machines do: die, and send each other data."""
    # A local cluster gives up a worker that is not up this long after a death: if it has died again
    # in between, as in tests that kill it time after time, that is not because it was lost.
    patience = {"distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        require("dask").config.set(patience),
        cluster_of(processes=True) as cluster,
        require("distributed").Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture
def processes(process_cluster):
    """The same with both of them up, whatever the test before has done to them."""
    process_cluster.wait_for_workers(2, timeout=60)
    return process_cluster


@pytest.fixture(scope="session")
def da(require):
    require("distributed")
    return require("dask.array")


@pytest.fixture(scope="session")
def dd(require):
    require("distributed")
    return require("dask.dataframe")


@pytest.fixture(scope="session")
def pd(require):
    return require("pandas")


@pytest.fixture
def one_after_the_other(require):
    """Dask without a cluster, in this thread: the quickest way to many small results."""
    with require("dask").config.set(scheduler="sync"):
        yield


@pytest.fixture(scope="session")
def frame_of(dd, pd):
    """A `dask.dataframe` of rows called a, b, …, cut into partitions of given lengths."""

    def make(X, lengths):
        cuts = np.cumsum([0, *lengths])
        frame = pd.DataFrame(np.asarray(X), columns=list("abcdefgh"[: np.shape(X)[1]]))
        assert cuts[-1] == len(frame)

        def part(number):
            return frame.iloc[cuts[number] : cuts[number + 1]]

        return dd.from_map(part, range(len(lengths)), meta=frame.iloc[:0])

    return make


@pytest.fixture
def files_of(tmp_path, write_csv):
    """``files_of(X, [100, 300])``: CSV files of so many rows each, columns a, b, …"""

    def write(X, lengths):
        names = "abcdefgh"[: X.shape[1]]
        pieces = np.split(X, np.cumsum(lengths)[:-1])
        return [
            str(write_csv(tmp_path / f"part{number}.csv", names, piece))
            for number, piece in enumerate(pieces)
        ]

    return write


@pytest.fixture(scope="session")
def same_bits():
    """Two results or states agree in every bit of every array.

    For the same partitions, which are added up in the same order by workers on the same CPU.
    """

    def check(one, other):
        mine, theirs = _arrays(one), _arrays(other)
        assert mine.keys() == theirs.keys()
        assert len(mine) >= 4
        for name, array in mine.items():
            assert array.tobytes() == theirs[name].tobytes(), name

    return check


def _arrays(value):
    if hasattr(value, "_contents"):
        return value._contents().arrays
    found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return {name: np.asarray(v) for name, v in found.items() if isinstance(v, np.ndarray | float)}
