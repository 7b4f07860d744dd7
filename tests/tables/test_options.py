"""The protocol of a table, what is put around one, and a later pass that must see the same."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.open import as_table
from edgewise.tables.options import chosen_columns, view
from edgewise.tables.table import Rescan, Table, all_rows


class Shrinking(Table):
    """Hands out as many rows as told for each pass."""

    feature_names = ("a", "b", "c", "d")
    named = rescannable = True

    def __init__(self, X, *sizes):
        self._values = X
        self._sizes = iter(sizes)

    def blocks(self):
        size = next(self._sizes)
        yield self._values[: size // 2]
        yield self._values[size // 2 : size]


WRAPPERS = {
    "finite": lambda table: view(table, missing="drop"),
    "renamed": lambda table: view(table, names=tuple("pqrs")),
    "watched": lambda table: view(table, progress=lambda rows: None),
    "chosen": lambda table: chosen_columns(table, ("c", "a")),
}


def gather(part):
    """A pass: all rows, and how many were left out."""
    return np.concatenate(
        [np.empty((0, len(part.feature_names))), *part.blocks()]
    ), part.counts.n_dropped


def joined(a, b):
    return np.concatenate([a[0], b[0]]), a[1] + b[1]


class TestElsewhere:
    """A view works around partitions as it does around rows that are here."""

    @pytest.mark.parametrize("wrapper", ["finite", "renamed", "watched", "chosen"])
    def test_the_same_rows(self, rows, in_parts, wrapper):
        X = rows.copy()
        X[[5, 150, 151, 399], [0, 2, 2, 1]] = np.nan
        named = view(ArrayTable(X), names=("a", "b", "c", "d"))
        here, there = (WRAPPERS[wrapper](table) for table in (named, in_parts(X)))
        expected, dropped = here.reduce(gather, joined)
        found, dropped_there = there.reduce(gather, joined)
        np.testing.assert_array_equal(found, expected)
        assert dropped == dropped_there == {"finite": 4}.get(wrapper, 0)

    def test_every_third_row_of_each_part(self, rows, in_parts):
        parts = np.array_split(rows, 3)
        expected = np.concatenate([part[::3] for part in parts])
        np.testing.assert_array_equal(all_rows(in_parts(rows), 3), expected)

    def test_parts_of_unknown_number(self, rows, in_parts):
        for wrap in WRAPPERS.values():
            table = wrap(in_parts(rows, known=False))
            assert table.partition_rows() is None
            assert table.n_rows is None

    def test_one_around_the_other(self, rows, in_parts):
        X = rows.copy()
        X[:7, 3] = np.inf
        table = as_table(
            in_parts(X),
            columns=["d", "b"],
            feature_names=["x", "y"],
            missing="drop",
            progress=lambda n: None,
        )
        found, dropped = table.reduce(gather, joined)
        np.testing.assert_array_equal(found, rows[7:, [3, 1]])
        assert dropped == 7
        assert table.feature_names == ("x", "y")


def test_finite_rows(rows):
    X = rows.copy()
    X[[0, 7, 7, 399], [0, 1, 2, 3]] = np.nan, np.inf, np.nan, -np.inf
    table = view(ArrayTable(X), missing="drop")
    for _ in range(2):  # counted anew in each pass
        found, dropped = table.reduce(gather, joined)
        np.testing.assert_array_equal(found, np.delete(rows, [0, 7, 399], axis=0))
        assert dropped == 3


def test_watched_rows(rows):
    told = []
    watched = view(Shrinking(rows, 301, 400), progress=told.append)

    def work(part):
        for block in part.blocks():
            told.append(-len(block))  # a block is told after it was worked on

    watched.reduce(work, None)
    assert told == [-150, 150, -151, 151]
    told.clear()
    found, _ = watched.reduce(gather, joined)
    np.testing.assert_array_equal(found, rows)
    assert told == [200, 200]


def test_another_number_of_rows_in_the_second_pass(rows, refuses, same_result):
    for method in ("score", "wald", "whitened", "elliptical"):
        for first, second in ((400, 0), (400, 399), (300, 400)):
            table = Shrinking(rows, first, *[second] * 3)
            refuses(
                lambda table=table, method=method: ew.edge_test(table, method=method),
                DataError,
                f"the first pass read {first} rows, a later one ",
                "method='batch'",
            )
    same_result(ew.edge_test(Shrinking(rows, *[400] * 9)), ew.edge_test(rows), names="abcd")
    again = Rescan(Shrinking(rows, 400), 400)
    assert again.sums(lambda blocks: (len(next(blocks)),), whole=False) == (200,)
    # One that forgot that it can be read once.
    forgetful, blocks = Shrinking(rows), iter(np.split(rows, 4))
    forgetful.blocks = lambda: blocks
    refuses(lambda: ew.edge_test(forgetful), DataError, "read 400 rows, a later one 0")
