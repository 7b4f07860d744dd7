"""`accumulate` on a cluster, with checkpoints, with progress; see also tests/sums."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")

KINDS = [{}, {"order": 2}, {"n_batches": 20}, {"n_batches": 150}]


@pytest.fixture
def array(require, rows):
    return require("dask.array").from_array(np.asarray(rows), chunks=((1, 0, 149, 250), 4))


@pytest.fixture
def frame(require, rows):
    frame = require("pandas").DataFrame(np.asarray(rows), columns=list("abcd"))
    return require("dask.dataframe").from_pandas(frame, npartitions=3)


@pytest.fixture
def client(require):
    distributed = require("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, threads_per_worker=2, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


def assert_same_state(state, expected):
    assert type(state) is type(expected)
    assert (state.n_samples, state.n_features) == (expected.n_samples, expected.n_features)
    np.testing.assert_allclose(state.mean(), expected.mean(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(state.covariance(), expected.covariance(), rtol=1e-12)
    if isinstance(state, ew.states.BatchMoments):
        assert state.batch_counts().tolist() == expected.batch_counts().tolist()


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_the_state_is_that_of_the_rows(array, frame, rows, options):
    expected = ew.accumulate(rows, **options)
    for data, names in ((array, None), (frame, tuple("abcd"))):
        state = ew.accumulate(data, **options)
        assert_same_state(state, expected)
        assert state.feature_names == names


def test_files_with_a_client(client, csv_file, rows):
    for options in KINDS:
        state = ew.accumulate(ew.open_table([csv_file], client=client), **options)
        assert_same_state(state, ew.accumulate(rows, **options))
        assert state.feature_names == tuple("abcd")


class StopError(Exception):
    pass


def stop(rows):
    raise StopError


class TestCheckpoints:
    """`checkpoint=` in Python. tests/sums/test_checkpoint.py has what can go wrong with one."""

    @pytest.fixture
    def paths(self, rows, tmp_path, write_csv):
        pieces = enumerate(np.split(rows, 4))
        return [write_csv(tmp_path / f"{i}.csv", "abcd", piece) for i, piece in pieces]

    @pytest.mark.parametrize("options", KINDS, ids=str)
    def test_broken_off_and_gone_on_with(self, paths, rows, tmp_path, options):
        kept = tmp_path / "x.checkpoint"
        with pytest.raises(StopError):
            ew.accumulate(paths, checkpoint=kept, every=1e-9, progress=stop, **options)
        told = []
        state = ew.accumulate(
            paths, checkpoint=kept, every=1e-9, resume=True, progress=told.append, **options
        )
        assert told == [100] * 4  # what the checkpoint has, then a file at a time
        assert_same_state(state, ew.accumulate(rows, **options))
        assert state.feature_names == tuple("abcd")
        assert kept.exists()

    def test_what_they_are_not_for(self, rows, csv_file, client, tmp_path, refuses):
        kept = {"checkpoint": tmp_path / "c"}
        for data in (rows, iter([rows])):
            call = lambda d=data: ew.accumulate(d, **kept)  # noqa: E731
            refuses(call, DataError, "expected a path", "checkpoint")
        call = lambda: ew.accumulate(ew.open_table(csv_file, client=client), **kept)  # noqa: E731
        refuses(call, ParameterError, "`checkpoint` and a cluster")
        refuses(lambda: ew.accumulate(csv_file, resume=True), ParameterError, "resume: ")
        for every in (0, -1, "x"):
            call = lambda e=every: ew.accumulate(csv_file, every=e, **kept)  # noqa: E731
            refuses(call, ParameterError, "every: expected a number above 0")
