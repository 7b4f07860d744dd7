"""Arrays of every kind and layout give what the plain float64 array gives."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.kit import NAMES, Kit

import edgewise as ew
from edgewise.errors import DataError
from edgewise.sums.blocks import Centre
from edgewise.tables.arrays import ArrayTable, SlicedTable, check_column
from edgewise.tables.open import as_table, check_is_rows, column_of_labels
from edgewise.tables.table import ColumnBlock


def test_batches_are_views_that_hold_every_row_once(rows):
    source = ArrayTable(rows)
    for _ in range(2):  # a source can be read again and again
        batches = list(source.blocks())
        assert all(np.shares_memory(batch, rows) for batch in batches)
        np.testing.assert_array_equal(np.concatenate(batches), rows)
    assert source.feature_names == ("x0", "x1", "x2", "x3")
    assert (source.n_rows, source.estimated_rows) == (400, 400)
    assert source.rescannable
    assert not source.named


# Blocks of rows: columns of a table stand for the array of their rows.


@st.composite
def blocks(draw):
    """A `ColumnBlock` of columns of several types, and the array that it stands for."""
    length = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kinds = draw(st.lists(st.sampled_from([np.float64, np.float32, np.int64]), min_size=1))
    columns = [(100 * rng.standard_normal(length)).astype(kind) for kind in kinds]
    return ColumnBlock(columns), np.array(columns, dtype=float).T


@given(blocks())
def test_a_column_block_stands_for_its_rows(both):
    block, array = both
    assert block.shape == array.shape
    assert len(block) == len(array)
    np.testing.assert_array_equal(np.asarray(block), array)


@given(blocks(), st.integers(0, 30), st.integers(0, 30))
def test_slices_are_those_of_the_array(both, start, stop):
    block, array = both
    part = block[start:stop]
    assert part.shape == array[start:stop].shape
    np.testing.assert_array_equal(np.asarray(part), array[start:stop])


@given(blocks())
def test_subtracting_is_done_in_double_precision(both):
    block, array = both
    origin = np.linspace(0.1, 0.7, array.shape[1])
    out = np.empty((array.shape[1], len(array) + 2))
    for rows in (block, array):
        centred = Centre(origin, None).subtract_from(rows, out)
        np.testing.assert_array_equal(centred, array.T - origin[:, None])


# Columns by name: what is a column, what is missing, what is not a number.


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, None, 2.5], [1, np.nan, 2.5]),
        ([True, False, True], [1, 0, 1]),
        ([Decimal("1.5"), 2, 3], [1.5, 2, 3]),
        (range(3), [0, 1, 2]),
        (np.ma.masked_array([1, 2, 3], [False, True, False]), [1, np.nan, 3]),
        (np.array([1, None, 3], dtype=object), [1, np.nan, 3]),
    ],
)
def test_columns(values, expected):
    column = check_column(values, "a")
    np.testing.assert_array_equal(np.asarray(column, dtype=np.float64), expected)


@pytest.mark.parametrize(
    ("values", "fragments"),
    [
        (["x", "y"], ["'a' must hold numbers", "text", "exclude"]),
        ([1, "y"], ["'a' must hold numbers", "'", "exclude"]),
        ([1, object()], ["'a' must hold numbers", "exclude"]),
        ([1j, 2], ["'a' must hold numbers", "complex"]),
        ([[1, 2], [3, 4]], ["'a' must have one value for each row", "shape (2, 2)"]),
        ([[1, 2], [3]], ["'a'", "ragged"]),
        (np.zeros(2, "timedelta64[s]"), ["'a' must hold numbers", "durations"]),
    ],
)
def test_no_columns(refuses, values, fragments):
    refuses(lambda: check_column(values, "a"), DataError, *fragments)


# Objects that are one step away from rows: the remedy that the sentence names works.


def test_rows_are_let_through(rows, table):
    for data in (rows, rows.tolist(), table, {"a": rows[:, 0]}, iter([rows]), [], ()):
        check_is_rows(data)


@pytest.mark.parametrize("lengths", [[100] * 4, [50, 200, 150]])
def test_series_of_subjects_as_the_sentence_says(rows, refuses, lengths):
    data = np.split(rows, np.cumsum(lengths)[:-1])
    said = str(refuses(lambda: ew.edge_test(data), DataError, "subjects"))
    known = {"np": np, "data": data}
    stacked = eval(said[said.index("np.conc") : said.index(" and clusters")], known)
    groups = eval(said[said.index("np.repeat") : -1], known)
    np.testing.assert_array_equal(stacked, rows)
    np.testing.assert_array_equal(groups, np.repeat(range(len(lengths)), lengths))
    assert ew.edge_test(stacked, clusters=groups).n_samples == 400


def test_three_dimensions_as_the_sentence_says(rows, refuses):
    X = rows.reshape(5, 80, 4)
    said = str(refuses(lambda: ew.edge_test(X), DataError, "5 series of 80 rows"))
    stacked = eval(said[said.index("X.reshape") : said.index(" and pass")], {"X": X})
    groups = eval(said[said.index("np.repeat") : -1], {"np": np})
    np.testing.assert_array_equal(stacked, rows)
    assert ew.edge_test(stacked, clusters=groups).n_samples == 400


# Sparse matrices: dense only a block at a time.


@pytest.fixture
def thin():
    rng = np.random.default_rng(1)
    return scipy.sparse.random_array((60_000, 100), density=0.01, random_state=rng, format="csr")


def test_never_dense_as_a_whole(thin):
    whole = 8 * thin.shape[0] * thin.shape[1]
    table = as_table(thin)
    tracemalloc.start()
    total = sum(np.asarray(block).sum() for block in table.blocks())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == pytest.approx(thin.sum(), rel=1e-12)
    assert peak < whole / 2


def test_the_same_as_the_dense_matrix(thin, same_result):
    some = thin[:3000, :5]
    same_result(ew.edge_test(some), ew.edge_test(some.toarray()))
    same_result(
        ew.edge_test(thin, columns=["x7", "x3"]),
        ew.edge_test(thin[:, [7, 3]].toarray()),
        names=("x7", "x3"),
    )


def test_a_column_of_labels(rows, same_result):
    labels = np.repeat(np.arange(10.0), 40)
    data = scipy.sparse.csc_array(np.column_stack([rows, labels]))
    result = ew.edge_test(data, clusters="x4")
    same_result(result, ew.edge_test(rows, clusters=labels))


# Objects that can be sliced: whatever is asked of a table can be asked of them.


SUBJECT = np.repeat([f"s{i}" for i in range(10)], 40)
MAKERS = {
    "mapping": lambda kit: kit.columns | {"subject": SUBJECT},
    "records": lambda kit: [
        {**record, "subject": subject}
        for record, subject in zip(kit.records, SUBJECT.tolist(), strict=True)
    ],
}


@pytest.fixture
def kit(rows, require, tmp_path):
    return Kit(rows, require, tmp_path)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*infer_string")
class TestLabels:
    def test_groups(self, kit, same_result, kind):
        result = ew.edge_test(MAKERS[kind](kit), clusters="subject")
        same_result(result, ew.edge_test(kit.rows, clusters=SUBJECT), names=NAMES)

    def test_levels(self, kit, refuses, kind):
        data = MAKERS[kind](kit)
        assert column_of_labels(data, "subject").tolist() == SUBJECT.tolist()
        assert column_of_labels(data, "b").tolist() == kit.rows[:, 1].tolist()
        refuses(lambda: column_of_labels(data, "zz"), DataError, "by:", "'zz'")
        assert len(ew.compare_groups(data, by="subject").levels) == 10

    def test_an_unknown_label(self, kit, refuses, kind):
        call = lambda: ew.edge_test(MAKERS[kind](kit), clusters="subjekt")  # noqa: E731
        refuses(call, DataError, "clusters:", "'subjekt'", "did you mean 'subject'?")


PLAIN = {
    "mapping": lambda kit: kit.columns,
    "sparse": lambda kit: scipy.sparse.csr_array(kit.rows),
}


@pytest.mark.parametrize("kind", PLAIN)
class TestRows:
    def test_blocks_of_one_size(self, kit, block_size, kind):
        block_size(37)
        table = as_table(PLAIN[kind](kit))
        assert isinstance(table, SlicedTable)
        assert (table.n_rows, table.rescannable, table.in_memory) == (400, True, True)
        for _ in range(2):
            blocks = list(table.blocks())
            assert [len(block) for block in blocks] == [37] * 10 + [30]
            np.testing.assert_array_equal(np.concatenate(blocks), kit.rows)

    def test_reading_from_any_row(self, kit, block_size, kind):
        block_size(37)
        table = as_table(PLAIN[kind](kit))
        for row in (0, 1, 37, 250, 399):
            assert row in table.entries()
            rest = np.concatenate(list(table.blocks(row)))
            np.testing.assert_array_equal(rest, kit.rows[row:])
