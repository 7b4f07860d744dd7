"""Database cursors: read once, in blocks, whatever their rows look like."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.kit import NAMES, Kit
from tests.corpus.object_columns import query

import edgewise as ew
from edgewise.tables.open import as_table


@pytest.fixture
def kit(rows, require, tmp_path):
    kit = Kit(rows, require, tmp_path)
    yield kit
    for thing in kit.opened:
        thing.close()


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
    refuses(lambda: all_rows(table), ew.errors.DataError, "read already", "execute the query again")
    refuses(
        lambda: ew.edge_test(query(kit), method="score"),
        ew.errors.DataError,
        "reads the rows twice",
        "batch",
    )


def test_labels_come_along(kit, all_rows):
    table = as_table(query(kit, "SELECT * FROM r ORDER BY rowid"), clusters="kind")
    assert table.feature_names == NAMES
    groups = table.reduce(lambda part: [block.clusters for block in part.blocks()], None)
    assert len(np.unique(np.concatenate(groups))) == 2


def test_a_statement_that_gives_no_rows(kit, refuses):
    cursor = query(kit, "DELETE FROM r WHERE a > 1e9")
    refuses(
        lambda: ew.edge_test(cursor, method="batch"), ew.errors.DataError, "executed none", "SELECT"
    )
    empty = query(kit, "SELECT a, b FROM r WHERE a > 1e9")
    refuses(lambda: ew.edge_test(empty, method="batch"), ew.errors.DataError, "0 sample")
