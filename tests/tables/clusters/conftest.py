"""One Dask cluster of two processes for all tests, and the same rows in whatever Dask has."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def dask_cluster(require):
    distributed = require("distributed")
    # A local cluster gives up a worker that is not up this long after a death: if it has died again
    # in between, as in tests that kill it time after time, that is not because it was lost.
    patience = {"distributed.deploy.lost-worker-timeout": "1 hour"}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        require("dask").config.set(patience),
        distributed.LocalCluster(**options) as cluster,
        # Not Dask's default, so that it is used where given.
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture
def client(dask_cluster):
    """A client with both workers up, whatever the test before has done to them."""
    dask_cluster.wait_for_workers(2)
    return dask_cluster


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
    """A `dask.dataframe` of rows called x0, x1, …, cut into partitions of given lengths."""

    def make(X, lengths):
        cuts = np.cumsum([0, *lengths])
        frame = pd.DataFrame(np.asarray(X), columns=[f"x{j}" for j in range(np.shape(X)[1])])
        assert cuts[-1] == len(frame)

        def part(number):
            return frame.iloc[cuts[number] : cuts[number + 1]]

        return dd.from_map(part, range(len(lengths)), meta=frame.iloc[:0])

    return make


@pytest.fixture
def files_of(tmp_path, write_csv):
    """``files_of(X, [100, 300])``: CSV files of so many rows each, columns x0, x1, …"""

    def write(X, lengths):
        names = [f"x{j}" for j in range(X.shape[1])]
        pieces = np.split(X, np.cumsum(lengths)[:-1])
        return [
            str(write_csv(tmp_path / f"part{number}.csv", names, piece))
            for number, piece in enumerate(pieces)
        ]

    return write


@pytest.fixture(scope="session")
def same_bits():
    """Two results agree to the last bit, as for the same partitions on the same CPU."""

    def check(one, other):
        for field in ("covariance", "partial_correlation", "statistic", "log_pvalue", "threshold"):
            mine, theirs = (np.asarray(getattr(result, field)) for result in (one, other))
            assert mine.tobytes() == theirs.tobytes(), field

    return check
