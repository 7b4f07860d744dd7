"""Even samples that can grow: which rows they have, whatever the table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.rows.opening import open_table
from edgewise.rows.sampling import (
    KeptRows,
    SectionRuns,
    SpreadRuns,
    UntilRows,
    bottom_of,
    kept,
    spread_order,
    stretched,
)
from edgewise.rows.table import LocalTable

N = 1000
X = np.arange(3.0 * N).reshape(N, 3)


class Sections(LocalTable):
    """Rows that can be entered at some places, and that count what is read of them."""

    feature_names = ("a", "b", "c")
    named = rescannable = True

    def __init__(self, entries):
        self._entries, self.read = entries, 0

    @property
    def n_rows(self):
        return N

    def entries(self):
        return self._entries

    def blocks(self):
        return self.blocks_from(0)

    def blocks_from(self, row):
        for start in range(row, N, 7):
            block = X[start : start + 7]
            self.read += len(block)
            yield block


@given(st.integers(1, 500), st.data())
def test_any_first_few_are_spread_evenly(count, data):
    order = spread_order(count, 0, count)
    assert sorted(order) == list(range(count))
    k = data.draw(st.integers(1, count))
    first = np.sort(order[:k])
    gaps = np.diff([*first, first[0] + count])
    # Three lengths at most; the longest of golden multiples is below 2.2/k, plus the rounding of
    # the ratio to a fraction of `count`.
    assert len(set(gaps)) <= 3
    assert gaps.max() <= max(2.2 * count / k, 1) + k


@given(st.integers(1, 300), st.integers(0, 50), st.integers(0, 50))
def test_runs_are_every_row_once(length, first, more):
    sample = SpreadRuns(open_table(X), N, length)
    first = min(first, sample.count - 1)
    last = min(first + 1 + more, sample.count)
    picked = np.concatenate([np.arange(a, b) for a, b in sample.runs(first, last)])
    np.testing.assert_array_equal(kept(sample.rows(first, last)), X[picked])
    np.testing.assert_array_equal(sample.numbers(first, last, np.arange(len(picked))), picked)
    head = np.concatenate([np.arange(a, b) for a, b in sample.runs(0, last)])[:25]
    np.testing.assert_array_equal(sample.head(last, 25), X[head])
    rest = [sample.runs(a, b) for a, b in ((0, first), (first, last), (last, sample.count))]
    everything = np.concatenate([np.arange(a, b) for runs in rest for a, b in runs])
    np.testing.assert_array_equal(np.sort(everything), np.arange(N))


def test_how_many_runs():
    table = open_table(X)
    sample = SpreadRuns.for_rows(table, N, 500)
    assert (sample.length, sample.count) == (10, 100)
    assert [sample.count_of(n) for n in (0, 9, 10, 99, 500, 10**9)] == [1, 1, 1, 9, 50, 100]
    assert sample.rows(0, 100) is table
    uneven = SpreadRuns(table, N, 7)  # the last run is shorter
    assert (uneven.count, uneven.count_of(N), uneven.count_of(N - 1)) == (143, 143, 142)
    wanted = (10, 10**4, 10**5, 10**8)
    lengths = [SpreadRuns.for_rows(table, 10**9, rows).length for rows in wanted]
    assert lengths == [64, 100, 1000, 4096]
    assert SpreadRuns.for_rows(table, 7, 10**4).length == 1


def test_words():
    sample = SpreadRuns(open_table(X), N, 10)
    assert sample.described(100, N) == "all rows"
    assert sample.described(3, 30) == "3 runs of 10 rows, evenly spread"
    assert sample.described(1, 10) == "10 rows from row 1 on"
    assert sample.described(3, 25) == "25 rows of 3 runs; the clock stopped the last reading"


def test_sections_are_entered_one_after_the_other():
    table = Sections(range(0, N, 100))
    sample = SectionRuns.for_rows(table, N, 400, 10)
    # Ten sections, each 40 rows deep in eight runs of five.
    heads = sample.runs(0, 10)
    np.testing.assert_array_equal(heads[:, 0], np.arange(0, N, 100))
    np.testing.assert_array_equal(heads[:, 1] - heads[:, 0], 5)
    np.testing.assert_array_equal(sample.runs(10, 20)[:, 0], np.arange(5, N, 100))
    assert [sample.count_of(n) for n in (0, 5, 9, 50, 400)] == [1, 1, 1, 10, 80]
    picked = np.concatenate([np.arange(a, a + 40) for a in range(0, N, 100)])
    np.testing.assert_array_equal(kept(sample.rows(0, 80)), X[picked])
    assert table.read <= 10 * (40 + 7)
    np.testing.assert_array_equal(sample.numbers(0, 80, np.arange(400)), picked)
    assert sample.described(80, 400) == "10 runs of 40 rows, evenly spread"
    everything = [np.arange(a, b) for a, b in sample.runs(0, sample.count)]
    np.testing.assert_array_equal(np.concatenate(everything), np.arange(N))


def test_few_sections():
    table = Sections(range(0, N, 100))
    one = SectionRuns.for_rows(table, N, 400, 1)
    np.testing.assert_array_equal(one.runs(0, 2), [[0, 50], [50, 100]])
    three = SectionRuns.for_rows(table, N, 400, 3)
    np.testing.assert_array_equal(three.runs(0, 3)[:, 0], [0, 300, 600])


def _file(tmp_path, kind):
    table = pa.table({name: X[:, k] for k, name in enumerate("abc")})
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=130)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, path, chunksize=130)
    else:
        np.save(path, X)
    return path


@pytest.mark.parametrize("kind", ["parquet", "feather", "npy", "pandas", "arrow", "array", "two"])
def test_runs_of_every_kind_of_table(tmp_path, kind):
    frame = pd.DataFrame(X, columns=list("abc"))
    if kind in ("parquet", "feather", "npy"):
        data = _file(tmp_path, kind)
    else:
        made = {"pandas": frame, "arrow": pa.Table.from_pandas(frame), "array": X, "two": None}
        data = made[kind]
    expected = X
    if data is None:
        data, expected = [_file(tmp_path, "parquet"), tmp_path / "later.parquet"], np.r_[X, -X]
        later = pa.table({name: -X[:, k] for k, name in enumerate("abc")})
        pq.write_table(later, data[1], row_group_size=130)
    table = open_table(data, feature_names=list("uvw"))
    runs = np.array([[0, 3], [3, 5], [128, 133], [400, 700], [999, len(X)]])
    if kind == "two":
        runs = np.concatenate([runs, [[1300, 1500], [1999, 2000]]])
    picked = np.concatenate([np.arange(a, b) for a, b in runs])
    some = stretched(table, runs)
    np.testing.assert_array_equal(kept(some), expected[picked])
    assert some.feature_names == ("u", "v", "w")
    assert some.n_rows == len(picked)
    np.testing.assert_array_equal(kept(some, 6), expected[picked[:6]])
    entries = bottom_of(table).entries()
    assert entries[0] == 0
    assert all(a < b for a, b in pairwise(entries))
    for row in (0, 129, 130, 131, entries[len(entries) // 2]):
        blocks = bottom_of(table).blocks_from(row)
        np.testing.assert_array_equal(np.asarray(next(blocks))[0], expected[row])


def test_empty_files_are_passed_over(tmp_path):
    for name, rows in (("a", X[:10]), ("b", X[:0]), ("c", X[10:30])):
        table = pa.table({column: rows[:, k] for k, column in enumerate("uvw")})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=5)
    files = bottom_of(open_table(tmp_path))
    for row in (0, 5, 10, 15, 20, 25):
        np.testing.assert_array_equal(np.asarray(next(files.blocks_from(row)))[0], X[row])


def test_parquet_is_entered_at_row_groups(tmp_path):
    assert list(bottom_of(open_table(_file(tmp_path, "parquet"))).entries()) == [*range(0, N, 130)]


def test_a_table_that_ends_early():
    asked = iter([False, False, True])
    table = UntilRows(KeptRows(("a", "b", "c"), X, 10), lambda: next(asked))
    np.testing.assert_array_equal(kept(table), X[:30])
