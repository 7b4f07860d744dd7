"""Objects that can be sliced: whatever is asked of a table can be asked of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from tests.corpus.kit import NAMES, Kit

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.arrays import SlicedTable
from edgewise.tables.open import as_table, column_of_labels

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
