"""Frames that are read a slice at a time: pandas and its subclasses, datasets, lazy frames."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.corpus.kit import NAMES, Kit
from tests.corpus.object_frames import answered, hugging_face, likert

import edgewise as ew
from edgewise.rows.opening import open_table
from edgewise.rows.readers.frames import rows_of_dataset


@pytest.fixture
def kit(rows, require, tmp_path):
    return Kit(rows, require, tmp_path)


class TestDatasets:
    def test_slices(self, kit, block_size, all_rows):
        block_size(37)
        table = open_table(hugging_face(kit).select(range(399, -1, -1)))
        assert (table.n_rows, table.rescannable, table.in_memory) == (400, True, True)
        assert [len(block) for block in table.blocks()] == [37] * 10 + [30]
        np.testing.assert_array_equal(all_rows(table), kit.rows[::-1])
        rest = np.concatenate(list(table.blocks_from(250)))
        np.testing.assert_array_equal(rest, kit.rows[::-1][250:])

    def test_filtered(self, kit, all_rows):
        data = hugging_face(kit).filter(lambda row: row["a"] > 0)
        np.testing.assert_array_equal(all_rows(open_table(data)), kit.rows[kit.rows[:, 0] > 0])

    @pytest.mark.parametrize(
        "change",
        [
            lambda data: data,
            lambda data: data.shuffle(seed=2).select(range(10, 300)),
            lambda data: data.shard(3, 1),
            lambda data: data.train_test_split(0.2, seed=0)["test"],
        ],
        ids=["as it is", "shuffled, selected", "shard", "split"],
    )
    def test_the_rows_that_the_package_gives(self, kit, all_rows, change):
        data = change(hugging_face(kit))
        given = data.with_format("arrow")[:]
        expected = np.column_stack([given[name].to_numpy() for name in NAMES])
        np.testing.assert_array_equal(all_rows(open_table(data)), expected)
        public = SimpleNamespace(with_format=data.with_format)  # without what is not public
        assert rows_of_dataset(public, 3, 50).equals(rows_of_dataset(data, 3, 50))

    def test_labels(self, kit, same_result):
        subjects = [f"s{i // 40}" for i in range(400)]
        data = hugging_face(kit).add_column("subject", subjects)
        expected = ew.edge_test(kit.rows, groups=subjects)
        same_result(ew.edge_test(data, groups="subject"), expected, names=NAMES)
        levels = ["u" if i < 150 else "v" for i in range(400)]
        data = hugging_face(kit).add_column("level", levels).shuffle(seed=1)
        result = ew.compare_groups(data, by="level")
        expected = ew.compare_groups(kit.rows, by=levels)
        np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9)

    def test_the_estimator_learns_the_names(self, kit):
        assert list(ew.EdgeTest().fit(hugging_face(kit)).feature_names_in_) == list(NAMES)


class TestLazyFrames:
    def test_pieces(self, kit, block_size, all_rows):
        block_size(37)
        table = open_table(kit.polars.lazy())
        assert (table.n_rows, table.rescannable, table.in_memory) == (None, True, False)
        for _ in range(2):
            assert [len(block) for block in table.blocks()] == [37] * 10 + [30]
        np.testing.assert_array_equal(all_rows(table), kit.rows)

    def test_polars_without_batches(self, kit, all_rows, monkeypatch):
        monkeypatch.delattr(kit.require("polars").LazyFrame, "collect_batches")
        np.testing.assert_array_equal(all_rows(open_table(kit.polars.lazy())), kit.rows)

    def test_only_the_columns_that_are_read_are_computed(self, kit, all_rows):
        polars = kit.require("polars")
        asked = []
        told = polars.col("a").map_batches(lambda s: asked.append(1) or s, polars.Float64)
        query = kit.polars.lazy().with_columns(told.alias("e"))
        all_rows(open_table(query, exclude="e"))
        assert not asked
        all_rows(open_table(query))
        assert asked

    def test_labels(self, kit, same_result):
        subjects = [f"s{i // 40}" for i in range(400)]
        query = kit.polars.lazy().with_columns(kit.require("polars").Series("subject", subjects))
        expected = ew.edge_test(kit.rows, groups=subjects)
        same_result(ew.edge_test(query, groups="subject"), expected, names=NAMES)
        levels = ["u" if i < 150 else "v" for i in range(400)]
        query = kit.polars.lazy().with_columns(kit.require("polars").Series("level", levels))
        result = ew.compare_groups(query, by="level")
        expected = ew.compare_groups(kit.rows, by=levels)
        np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9)

    def test_a_query_that_fails_while_it_runs(self, kit, refuses):
        polars = kit.require("polars")
        text = polars.lit("x") + polars.col("a").cast(polars.String)
        query = kit.polars.lazy().with_columns(text.cast(polars.Float64).alias("a"))
        refuses(lambda: ew.edge_test(query), ew.DataError, "LazyFrame", "polars could not run")


def test_categories_become_numbers_in_every_method(kit, same_result):
    for method in ("score", "batch", "fisher"):
        expected = ew.edge_test(answered(kit), method=method)
        same_result(ew.edge_test(likert(kit), method=method), expected, names=NAMES)


def test_ordered_categories_in_a_parquet_file(kit, same_result, tmp_path):
    likert(kit).to_parquet(tmp_path / "answers.parquet")
    result = ew.edge_test(tmp_path / "answers.parquet")
    same_result(result, ew.edge_test(answered(kit)), names=NAMES)


def test_a_subclass_of_a_frame_has_no_index_as_a_variable(kit, require):
    pandas = require("pandas")

    class Survey(pandas.DataFrame):
        pass

    frame = Survey(kit.pandas.set_index(pandas.Index(range(7, 407), name="id")))
    assert open_table(frame).feature_names == NAMES
