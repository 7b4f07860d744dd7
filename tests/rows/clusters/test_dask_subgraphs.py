"""A partition is made inside its own task, unless others need the same tasks."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest

from edgewise.rows.clusters.dask_subgraphs import is_complete, own_subgraphs


class Stored:
    """Slices, and nothing else, as from a file of HDF5 or Zarr."""

    ndim = 2

    def __init__(self, X):
        self._X, self.shape, self.dtype = X, X.shape, X.dtype

    def __getitem__(self, where):
        return self._X[where]


def parts_of(array, **options):
    return array.to_delayed(**options).ravel().tolist()


def called(made):
    """What a maker makes, its inputs computed by Dask."""
    call, *inputs = made
    return call(*(one.compute(scheduler="sync") for one in inputs))


@pytest.fixture
def array(da, rows):
    return da.from_array(np.asarray(rows), chunks=(90, 4))


def test_tasks_of_its_own(array, rows):
    made = own_subgraphs(parts_of((array + 1)[array[:, 0] > 0]))
    assert [len(one) for one in made] == [1] * 5
    found = np.concatenate([called(one) for one in made])
    np.testing.assert_array_equal(found, (rows + 1)[rows[:, 0] > 0])


def test_it_takes_its_own_rows_and_no_others(da):
    X = np.zeros((10_000, 4))
    made = own_subgraphs(parts_of(da.from_array(X, chunks=(100, 4)) + 1))
    assert len(made) == 100
    assert 3200 < len(pickle.dumps(made[7][0])) < 2 * 3200


def test_an_array_that_all_are_slices_of_comes_from_outside(da, rows):
    stored = Stored(rows)
    array = da.from_array(stored, chunks=(90, 4), asarray=False) * 2
    made = own_subgraphs(parts_of(array))
    assert [len(one) for one in made] == [2] * 5
    assert len({one[1].key for one in made}) == 1
    np.testing.assert_array_equal(np.concatenate([called(one) for one in made]), 2 * rows)
    assert len(pickle.dumps(made[0][0])) < 2000


def test_tasks_that_several_need_are_run_once(require, array, rows):
    """Not once for each of them: rows that are cut anew are in two partitions."""
    count = Counter()

    def counted(block, block_id):
        count[block_id[0]] += 1
        return block

    parts = parts_of(array.map_blocks(counted, dtype=float).rechunk((50, 4)))
    made = own_subgraphs(parts)
    assert made == [(part,) for part in parts]
    found = require("dask").compute(*(one[0] for one in made), scheduler="sync")
    np.testing.assert_array_equal(np.concatenate(found), rows)
    assert count == dict.fromkeys(range(5), 1)


def test_whoever_said_where_tasks_must_run_is_obeyed(require, array):
    with require("dask").annotate(workers="far away"):
        parts = parts_of((array + 1), optimize_graph=False)
    assert own_subgraphs(parts) == [(part,) for part in parts]


def test_callbacks_are_not_told_of_what_is_inside(require, array):
    told = []
    made = own_subgraphs(parts_of(array + 1))
    with require("dask.callbacks").Callback(pretask=lambda *args: told.append(args)):
        called(made[0])
    assert told == []


@pytest.mark.usefixtures("da")
def test_of_nothing():
    assert own_subgraphs([]) == []


class TestFutures:
    def test_rows_that_the_cluster_holds(self, array, client):
        held = client.persist(array)
        parts = parts_of(held, optimize_graph=False)
        assert is_complete(parts)
        assert own_subgraphs(parts) == [(part,) for part in parts]

    def test_more_tasks_on_them(self, array, client, rows):
        """The rows come from where they are, the task upon them is the partition's own."""
        held = client.persist(array) + 1
        assert not is_complete(parts_of(held))
        parts = parts_of(held, optimize_graph=False)
        assert is_complete(parts)
        made = own_subgraphs(parts)
        assert [len(one) for one in made] == [2] * 5
        values = client.gather([client.compute(one[1]) for one in made])
        found = [one[0](value) for one, value in zip(made, values, strict=True)]
        np.testing.assert_array_equal(np.concatenate(found), rows + 1)

    def test_whose_nodes_are_left_out_of_the_graph(self, da, client, require, rows):
        """As Dask does with futures among the arguments of a call."""
        futures = client.scatter([rows[:100], rows[100:]])
        joined = require("dask").delayed(np.concatenate)(futures)
        parts = parts_of(da.from_delayed(joined, shape=(400, 4), dtype=float))
        assert not is_complete(parts)
        assert own_subgraphs(parts) == [(part,) for part in parts]
