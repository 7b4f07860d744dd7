"""Database cursors and iterators of batches: read once, in blocks, whatever their rows look like."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.corpus.kit import NAMES
from tests.corpus.objects import query

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.open import as_table


class Cursor:
    """The parts of DB-API 2 that edgewise uses, and nothing else."""

    def __init__(self, names, rows):
        self.description = [(name, None, None, None, None, None, None) for name in names]
        self._rows, self.sizes = list(rows), []

    def fetchmany(self, size):
        self.sizes.append(size)
        some, self._rows = self._rows[:size], self._rows[size:]
        return some


def test_one_pass(kit, same_result):
    result = ew.edge_test(query(kit), method="batch", n_batches=20)
    same_result(result, ew.edge_test(kit.rows, method="batch", n_batches=20), names=NAMES)


def test_blocks(rows, block_size):
    block_size(37)
    cursor = Cursor(NAMES, rows.tolist())
    blocks = list(as_table(cursor).blocks())
    assert [len(block) for block in blocks] == [37] * 10 + [30]
    assert set(cursor.sizes) == {37}
    np.testing.assert_array_equal(np.concatenate(blocks), rows)


def test_read_once(kit, refuses, all_rows):
    table = as_table(query(kit))
    assert (table.rescannable, table.n_rows, table.named) == (False, None, True)
    all_rows(table)
    refuses(lambda: all_rows(table), DataError, "read already", "execute the query again")
    refuses(
        lambda: ew.edge_test(query(kit), method="score"), DataError, "reads the rows twice", "batch"
    )


def test_labels_come_along(kit, all_rows):
    table = as_table(query(kit, "SELECT * FROM r ORDER BY rowid"), clusters="kind")
    assert table.feature_names == NAMES
    groups = table.reduce(lambda part: [block.clusters for block in part.blocks()], None)
    assert len(np.unique(np.concatenate(groups))) == 2


def test_a_statement_that_gives_no_rows(kit, refuses):
    cursor = query(kit, "DELETE FROM r WHERE a > 1e9")
    refuses(lambda: ew.edge_test(cursor, method="batch"), DataError, "executed none", "SELECT")
    empty = query(kit, "SELECT a, b FROM r WHERE a > 1e9")
    refuses(lambda: ew.edge_test(empty, method="batch"), DataError, "0 sample")


@pytest.fixture
def stream(rows):
    """``stream(cuts)``: the rows as an iterator of arrays."""
    return lambda *cuts: iter(np.split(rows, cuts))


def test_any_cuts_and_empty_batches(stream, rows, same_result):
    expected = ew.edge_test(rows, method="batch", n_batches=20)
    for cuts in ([], [1, 2, 3], [0, 0, 200, 200, 399], range(400)):
        result = ew.edge_test(stream(*cuts), method="batch", n_batches=20)
        same_result(result, expected)


def test_batches_are_made_one_by_one(rows, all_rows):
    made = []

    def make():
        for i in range(8):
            made.append(i)
            yield rows[50 * i : 50 * i + 50]

    source = as_table(make())
    assert made == [0]  # the first is needed for the columns
    for number, batch in enumerate(source.blocks()):
        assert made[-1] == number
        np.testing.assert_array_equal(batch, rows[50 * number : 50 * number + 50])
    assert len(made) == 8


def test_batches_of_many_kinds(rows, table, save, require, same_result):
    frame = require("pandas").DataFrame(rows, columns=list("abcd"))
    batches = [
        table.slice(0, 60),
        frame[60:100],
        rows[100:140],  # without names: taken in order
        require("polars").from_arrow(table.slice(140, 60)),
        table.slice(200, 60).to_reader(max_chunksize=7),
        save("part.parquet", "abcd", rows[260:300]),
        rows[300:350].tolist(),
        iter([rows[350:360], rows[360:]]),
    ]
    result = ew.edge_test(iter(batches), method="fisher")
    same_result(result, ew.edge_test(rows, method="fisher"), names="abcd")


def test_columns_are_matched_by_name(rows, table, all_rows):
    batches = [table.slice(0, 100), table.slice(100).select(list("dbac"))]
    source = as_table(iter(batches))
    assert source.feature_names == tuple("abcd")
    np.testing.assert_array_equal(all_rows(source), rows)


@pytest.mark.parametrize("names", ["abc", "abcde", "abcz"])
def test_other_columns_are_refused(table, refuses, names):
    other = pa.table({name: np.arange(5.0) for name in names})
    batches = [table, table, other]
    refuses(
        lambda: ew.edge_test(iter(batches), method="fisher"),
        DataError,
        "batch 2 differs from the first one: it",
        "all batches need the same columns",
    )


class Restarts:
    """Begins anew for every loop, and goes on with `next`, as some loaders do."""

    def __init__(self, batches):
        self._batches = batches

    def __iter__(self):
        self._left = iter(self._batches)
        return self

    def __next__(self):
        return next(self._left)


def test_an_iterator_that_restarts_is_read_once(rows, all_rows):
    batches = Restarts(np.split(rows, 10))
    assert ew.edge_test(batches, method="batch", n_batches=20).n_samples == 400
    np.testing.assert_array_equal(all_rows(as_table(Restarts(np.split(rows, 10)))), rows)


@pytest.mark.parametrize("bad", [None, 3, [1.0, 2.0], {"a": 1}, np.array([["x", "y"]])], ids=repr)
def test_items_that_are_no_batches(rows, refuses, bad):
    refuses(lambda: ew.edge_test(iter([bad]), method="fisher"), DataError, "expected")
    refuses(lambda: ew.edge_test(iter([rows[:, :2], bad]), method="fisher"), DataError, "expected")
