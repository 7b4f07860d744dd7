"""Every object in memory is read right, or refused in one sentence with the remedy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.kit import Kit
from tests.corpus.objects import CASES

import edgewise as ew
from edgewise.rows.collecting import all_rows
from edgewise.rows.opening import open_table

READ = [name for name, case in CASES.items() if not case.says]
REFUSED = [name for name, case in CASES.items() if case.says]


@pytest.fixture
def kit(rows, require, tmp_path):
    kit = Kit(rows, require, tmp_path)
    yield kit
    for thing in kit.opened:
        thing.close()


@pytest.mark.parametrize("name", READ)
def test_read(kit, name):
    case = CASES[name]
    table = open_table(case.make(kit), **case.options)
    assert table.feature_names == tuple(case.names)
    np.testing.assert_array_equal(all_rows(table), np.asarray(case.rows(kit), dtype=np.float64))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(kit, refuses, name):
    case = CASES[name]
    refuses(lambda: all_rows(open_table(case.make(kit), **case.options)), ew.DataError, *case.says)


@pytest.mark.parametrize("name", READ)
def test_tested(kit, same_result, name):
    """What is read can be tested, by a method of one pass; the same rows have the same result."""
    case = CASES[name]
    expected = np.asarray(case.rows(kit), dtype=np.float64)
    if len(expected) < 30 or not np.isfinite(expected).any(axis=0).all():
        pytest.skip("too few rows")
    result = ew.edge_test(case.make(kit), method="fisher", drop_missing=True, **case.options)
    told = ew.edge_test(expected, method="fisher", drop_missing=True)
    same_result(result, told, names=case.names)
    assert result.n_dropped == np.isnan(expected).any(axis=1).sum()


def test_the_corpus_is_large():
    assert len(CASES) >= 120
    assert len(REFUSED) >= 50
