"""The protocol of a source, what is put around one, and a second pass that must see the same."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.questions.edge_test import _same_rows_again
from edgewise.rows.readers.arrays import ArraySource
from edgewise.rows.table import Source, batch_rows, in_memory
from edgewise.rows.views import FiniteRows, RenamedColumns, StridedRows, WatchedRows


class Shrinking:
    """Hands out as many rows as told for each pass."""

    feature_names = ("a", "b", "c", "d")
    named = rescannable = True
    n_rows = estimated_rows = None

    def __init__(self, X, *sizes):
        self._values = X
        self._sizes = iter(sizes)

    def batches(self):
        size = next(self._sizes)
        yield self._values[: size // 2]
        yield self._values[size // 2 : size]


WRAPPERS = {
    "finite": FiniteRows,
    "strided": lambda source: StridedRows(source, 3),
    "renamed": lambda source: RenamedColumns(source, tuple("pqrs")),
    "watched": lambda source: WatchedRows(source, lambda rows: None),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("rescannable", [True, False])
def test_wrappers_are_sources_and_pass_on_what_they_wrap(rows, wrapper, rescannable):
    inner = Shrinking(rows, 400)
    inner.rescannable = rescannable
    inner.estimated_rows = 380
    outer = WRAPPERS[wrapper](inner)
    assert isinstance(outer, Source)
    assert outer.rescannable == rescannable
    assert outer.named
    assert outer.estimated_rows is not None
    assert outer.n_rows is None
    assert outer.feature_names == tuple("pqrs" if wrapper == "renamed" else "abcd")


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("told", [True, False])
def test_wrappers_cost_what_they_wrap(rows, wrapper, told):
    inner = Shrinking(rows, 400)
    inner.in_memory = told
    assert in_memory(WRAPPERS[wrapper](inner)) == told


def test_a_source_that_does_not_say_is_thought_costly(rows):
    assert not in_memory(Shrinking(rows, 400))
    assert not in_memory(FiniteRows(Shrinking(rows, 400)))


@pytest.mark.parametrize(
    ("wrapper", "n_rows"), [("finite", None), ("strided", 134), ("renamed", 400), ("watched", 400)]
)
def test_how_many_rows_a_wrapper_knows_of(rows, wrapper, n_rows):
    assert WRAPPERS[wrapper](ArraySource(rows)).n_rows == n_rows


def test_a_class_that_lacks_a_part_is_no_source():
    whole = {name: getattr(Shrinking, name) for name in dir(Source) if not name.startswith("_")}
    assert set(whole) == {
        *("feature_names", "named", "n_rows", "estimated_rows", "rescannable", "batches"),
    }
    assert isinstance(type("Whole", (), whole)(), Source)
    for name in whole:
        parts = {key: value for key, value in whole.items() if key != name}
        assert not isinstance(type("Part", (), parts)(), Source)


def test_finite_rows(rows, all_rows):
    X = rows.copy()
    X[[0, 7, 7, 399], [0, 1, 2, 3]] = np.nan, np.inf, np.nan, -np.inf
    source = FiniteRows(ArraySource(X))
    for _ in range(2):  # counted anew in each pass
        np.testing.assert_array_equal(all_rows(source), np.delete(rows, [0, 7, 399], axis=0))
        assert source.n_dropped == 3


def test_finite_batches_are_not_copied(rows):
    source = FiniteRows(ArraySource(rows))
    assert all(np.shares_memory(batch, rows) for batch in source.batches())
    assert source.n_dropped == 0


def test_no_row_is_finite(refuses):
    X = np.full((20, 2), np.nan)
    refuses(lambda: ew.edge_test(X, drop_missing=True), ew.DataError, "0 sample", "every row")


def test_renamed_columns_are_named(rows):
    source = ArraySource(rows)
    assert not source.named
    assert RenamedColumns(source, tuple("pqrs")).named
    assert source.feature_names == ("x0", "x1", "x2", "x3")


def test_watched_rows(rows):
    told = []
    watched = WatchedRows(Shrinking(rows, 301, 400), told.append)
    for batch in watched.batches():
        told.append(-len(batch))  # a batch is told after it was worked on
    assert told == [-150, 150, -151, 151]
    told.clear()
    np.testing.assert_array_equal(np.concatenate(list(watched.batches())), rows)
    assert told == [200, 200]


def test_rows_at_once():
    for p in (1, 2, 16, 17, 100, 1000, 1024, 5000, 100_000):
        rows = batch_rows(p)
        assert 1024 <= rows <= 65536
        assert rows == 1024 or rows * p <= 1 << 20
    assert batch_rows(0) == batch_rows(1) == 65536


@pytest.mark.parametrize("second", [0, 120, 399])
def test_fewer_rows_in_the_second_pass(rows, refuses, second):
    for method in ("score", "wald", "whitened", "elliptical"):
        source = Shrinking(rows, 400, second, second, second)
        refuses(
            lambda source=source, method=method: ew.edge_test(source, method=method),
            ew.DataError,
            "the first pass read 400 rows",
            f"the second {second}",
            "method='batch'",
        )


def test_more_rows_in_the_second_pass(rows, refuses):
    source = Shrinking(rows, 300, 400)
    refuses(lambda: ew.edge_test(source), ew.DataError, "read 300 rows, the second 400")


def test_as_many_rows_again(rows, same_result):
    source = Shrinking(rows, *[400] * 9)
    same_result(ew.edge_test(source), ew.edge_test(rows), names="abcd")
    scan = _same_rows_again(Shrinking(rows, 400, 400), 400)
    for _ in range(2):
        assert sum(len(batch) for batch in scan()) == 400


def test_a_source_that_forgot_that_it_can_be_read_once(rows, refuses):
    batches = iter(np.split(rows, 4))

    class Forgetful(Shrinking):
        def batches(self):
            return batches

    refuses(lambda: ew.edge_test(Forgetful(rows)), ew.DataError, "read 400 rows, the second 0")
