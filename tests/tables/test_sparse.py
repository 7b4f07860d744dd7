"""Sparse matrices: dense only a block at a time, and the memory of what is dense is told."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

import edgewise as ew
from edgewise.tables.open import as_table


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
