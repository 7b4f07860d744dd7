"""Frames that are read a slice at a time: pandas, lazy frames."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.kit import NAMES, Kit
from tests.corpus.objects import answered, likert

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.open import as_table


@pytest.fixture
def kit(rows, require, tmp_path):
    return Kit(rows, require, tmp_path)


class TestLazyFrames:
    def test_pieces(self, kit, block_size, all_rows):
        block_size(37)
        table = as_table(kit.polars.lazy())
        assert (table.n_rows, table.rescannable, table.in_memory) == (None, True, False)
        for _ in range(2):
            assert [len(block) for block in table.blocks()] == [37] * 10 + [30]
        np.testing.assert_array_equal(all_rows(table), kit.rows)

    def test_only_the_columns_that_are_read_are_computed(self, kit, all_rows):
        polars = kit.require("polars")
        asked = []
        told = polars.col("a").map_batches(lambda s: asked.append(1) or s, polars.Float64)
        query = kit.polars.lazy().with_columns(told.alias("e"))
        all_rows(as_table(query, exclude="e"))
        assert not asked
        all_rows(as_table(query))
        assert asked

    def test_labels(self, kit, same_result):
        subjects = [f"s{i // 40}" for i in range(400)]
        query = kit.polars.lazy().with_columns(kit.require("polars").Series("subject", subjects))
        expected = ew.edge_test(kit.rows, clusters=subjects)
        same_result(ew.edge_test(query, clusters="subject"), expected, names=NAMES)
        levels = ["u" if i < 150 else "v" for i in range(400)]
        query = kit.polars.lazy().with_columns(kit.require("polars").Series("level", levels))
        result = ew.compare_groups(query, by="level")
        expected = ew.compare_groups(kit.rows, by=levels)
        np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9)

    def test_a_query_that_fails_while_it_runs(self, kit, refuses):
        polars = kit.require("polars")
        text = polars.lit("x") + polars.col("a").cast(polars.String)
        query = kit.polars.lazy().with_columns(text.cast(polars.Float64).alias("a"))
        refuses(lambda: ew.edge_test(query), DataError, "the query cannot be read")


def test_ordered_categories_in_a_parquet_file(kit, same_result, tmp_path):
    likert(kit).to_parquet(tmp_path / "answers.parquet")
    result = ew.edge_test(tmp_path / "answers.parquet")
    same_result(result, ew.edge_test(answered(kit)), names=NAMES)
