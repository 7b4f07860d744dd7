"""Objects that people have in memory: each is read right, or refused in one sentence.

All of them are made of the same rows, `Kit.rows`, whose columns are a, b, c and d. A new kind of
object is one more line of its group.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.objects import (
    DATABASES,
    FRAMES,
    NAMED,
    OTHERS,
    PLAIN,
    SPARSE,
    STREAMS,
    TENSORS,
)

from edgewise.errors import DataError
from edgewise.tables.open import as_table
from edgewise.tables.table import all_rows

CASES = {
    **PLAIN,
    **SPARSE,
    **STREAMS,
    **TENSORS,
    **DATABASES,
    **NAMED,
    **FRAMES,
    **OTHERS,
}


@pytest.mark.parametrize("name", CASES)
def test_read_or_refused(kit, refuses, name):
    case = CASES[name]
    if case.says:
        made = case.make(kit)
        refuses(lambda: all_rows(as_table(made, **case.options)), DataError, *case.says)
        return
    table = as_table(case.make(kit), **case.options)
    assert table.feature_names == tuple(case.names)
    np.testing.assert_array_equal(all_rows(table), np.asarray(case.rows(kit), dtype=np.float64))
