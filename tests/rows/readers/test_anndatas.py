"""AnnData: X or a layer, in memory or in a file."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from tests.corpus.kit import NAMES, Kit
from tests.corpus.object_labelled import anndata, backed

import edgewise as ew
from edgewise.rows.level_column import column_of_labels
from edgewise.rows.opening import open_table
from edgewise.rows.readers.anndatas import AnnDataRows
from edgewise.rows.readers.sliced import SlicedTable

# anndata 0.12 knows pandas 2; with pandas 3 it works, and warns.
pytestmark = pytest.mark.filterwarnings("ignore:.*infer_string")


@pytest.fixture
def kit(rows, require, tmp_path):
    kit = Kit(rows, require, tmp_path)
    yield kit
    for thing in kit.opened:
        thing.close()


def test_a_layer(kit, all_rows):
    counts = scipy.sparse.csr_matrix(np.rint(10 * kit.rows))
    data = anndata(kit, kit.rows, counts=counts)
    table = SlicedTable(AnnDataRows(data, "counts"), columns=["d", "a"])
    assert table.feature_names == ("d", "a")
    np.testing.assert_array_equal(all_rows(table), counts.toarray()[:, [3, 0]])
    np.testing.assert_array_equal(all_rows(SlicedTable(AnnDataRows(data))), kit.rows)
    labels = AnnDataRows(data, "counts").labels("b")
    np.testing.assert_array_equal(labels, counts.toarray()[:, 1])


def test_labels_need_no_matrix(kit):
    data = anndata(kit, None, counts=kit.rows)
    assert column_of_labels(data, "donor").tolist() == ["u", "v"] * 200


def test_a_layer_that_is_not_there(kit, refuses):
    data = anndata(kit, kit.rows, counts=kit.rows)
    refuses(lambda: AnnDataRows(data, "count"), ew.ParameterError, "layer", "'counts'", "'count'")


def test_names_twice(kit, refuses):
    data = anndata(kit, kit.rows)
    data.var_names = ["a", "b", "b", "d"]
    refuses(lambda: open_table(data), ew.DataError, "'b'", "var_names_make_unique()")


def test_a_file_is_read_by_block(kit, block_size, monkeypatch):
    block_size(50)
    data = backed(kit, scipy.sparse.csr_matrix(kit.rows))
    table = open_table(data)
    assert not table.in_memory
    asked = []
    kind = type(data.X)
    plain = kind.__getitem__
    monkeypatch.setattr(kind, "__getitem__", lambda self, at: asked.append(at) or plain(self, at))
    blocks = list(table.blocks())
    assert [len(block) for block in blocks] == [50] * 8
    assert asked == [slice(start, start + 50) for start in range(0, 400, 50)]
    np.testing.assert_array_equal(np.concatenate(blocks), kit.rows)


def test_groups_of_a_file(kit, same_result):
    data = backed(kit, kit.rows)
    expected = ew.edge_test(kit.rows, groups=np.tile(["u", "v"], 200))
    same_result(ew.edge_test(data, groups="donor"), expected, names=NAMES)


def test_categories_of_obs_are_labels(kit, same_result):
    data = anndata(kit, kit.rows)
    donors = np.repeat(np.arange(10), 40).astype(str)
    data.obs["donor"] = kit.require("pandas").Categorical(donors)
    same_result(
        ew.edge_test(data, groups="donor"), ew.edge_test(kit.rows, groups=donors), names=NAMES
    )
