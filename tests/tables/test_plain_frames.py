"""pandas frames without Arrow: the same numbers, or a sentence that names the extra."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from edgewise.tables.kinds import kind_of
from edgewise.tables.open import open_columns
from edgewise.tables.sliced import SlicedTable, is_plain

WITHOUT_PYARROW = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

sys.meta_path.insert(0, Hidden())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pyarrow" else find(name, *rest)
import numpy as np, pandas as pd, edgewise as ew

X = np.random.default_rng(0).standard_normal((60, 3))
frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.arange(60) % 2 == 0)
frame["who"] = pd.Series([f"s{k // 2}" for k in range(60)], dtype=object)
print(ew.edge_test(frame, exclude="who").feature_names)
print(ew.edge_test(frame, clusters="who").options["n_clusters"])
try:
    ew.edge_test(frame)
except ew.errors.MissingDependencyError as error:
    print(error)
"""


def test_where_pyarrow_is_missing(require):
    require("pandas")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=True
    )
    names, groups, sentence = done.stdout.splitlines()
    assert names == "('a', 'b', 'c', 'd')"
    assert groups == "30"
    assert sentence.startswith("Column 'who' of the data frame, which holds object, needs pyarrow")
    assert "[tables]" in sentence


def mixed(require, rows):
    """Columns of several types of numbers, in several blocks."""
    frame = require("pandas").DataFrame(rows, columns=list("abcd")).assign(e=np.arange(400) % 3)
    frame["f"] = rows[:, 0] > rows[:, 1]
    frame["g"] = np.exp(rows[:, 2]).astype(np.float32)
    return frame.assign(h=np.random.default_rng(1).integers(0, 200, 400).astype(np.uint8))


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"exclude": ["b"]},
        {"columns": ["g", "a", "e"]},
        {"exclude": ["e"], "along": ["e"]},
    ],
)
@pytest.mark.parametrize("make", [mixed, lambda require, rows: mixed(require, rows).astype(float)])
def test_the_numbers_are_those_of_arrow(require, rows, make, chosen):
    require("pyarrow")
    from edgewise.tables.arrow import PandasTable

    frame = make(require, rows)
    plain, by_arrow = open_columns(frame, **chosen), PandasTable(frame, **chosen)
    assert isinstance(plain, SlicedTable)
    assert plain.feature_names == by_arrow.feature_names
    for start in (0, 399):
        ours, theirs = (
            np.concatenate([np.asarray(block) for block in table.blocks_from(start)])
            for table in (plain, by_arrow)
        )
        np.testing.assert_array_equal(ours, theirs)  # numbers that are only copied


def test_which_types_are_plain():
    plain = ["f2", "f4", "f8", "i1", "i8", "u4", "?"]
    others = ["M8[ns]", "m8[s]", "O", "c16", "S3"]
    assert all(is_plain(np.dtype(name)) for name in plain)
    assert not any(is_plain(np.dtype(name)) for name in others)
    assert not is_plain(np.dtype("f8").newbyteorder())
    assert not is_plain("category")
    assert np.dtype(np.longdouble).itemsize == 8 or not is_plain(np.dtype(np.longdouble))


@pytest.mark.parametrize("kind", ["Float64", "Int64", "category", "string", "datetime64[ns]"])
def test_other_types_are_left_to_arrow(require, rows, kind):
    frame = require("pandas").DataFrame(np.round(rows)).astype({0: "int64"}).astype({0: kind})
    found = kind_of(frame)
    assert found.reader == "arrow:PandasTable"
