"""pandas frames without pyarrow: the same numbers, or a sentence that names the extra."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import edgewise as ew
from edgewise.rows.readers.plain_frames import PlainFrameRows
from edgewise.rows.readers.sliced import SlicedTable

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
print(ew.edge_test(frame, groups="who").options["n_groups"])
try:
    ew.edge_test(frame)
except ew.MissingPartError as error:
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


def test_the_numbers_are_those_of_other_frames(require, rows, same_result):
    frame = require("pandas").DataFrame(rows, columns=list("abcd")).assign(e=np.arange(400) % 3)
    plain = SlicedTable(PlainFrameRows(frame), exclude=["b"])
    same_result(ew.edge_test(plain), ew.edge_test(frame, exclude="b"))
