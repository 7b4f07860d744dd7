"""Tensors of other libraries, with stand-ins that behave like the real ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.object_arrays import OnlyDLPack, Told

import edgewise as ew
from edgewise.rows.opening import open_table
from edgewise.rows.readers.tensors import from_tensor


def test_values_are_not_copied(rows):
    X = rows.copy()
    assert np.shares_memory(from_tensor(Told(X)), X)
    assert np.shares_memory(from_tensor(OnlyDLPack(X)), X)


def test_every_question_can_be_asked(rows, same_result):
    same_result(ew.edge_test(Told(rows)), ew.edge_test(rows))
    table = open_table(OnlyDLPack(rows), columns=["x2", "x0"])
    assert table.feature_names == ("x2", "x0")
    assert ew.EdgeTest().fit(Told(rows)).n_features_in_ == 4


@pytest.mark.parametrize("error", [RuntimeError("odd"), NotImplementedError(), KeyError("k")])
def test_no_error_of_another_library_comes_through(rows, refuses, error):
    refuses(lambda: open_table(Told(rows, error)), ew.DataTypeError, "NumPy array")
    refuses(lambda: open_table({"a": Told(rows[:, 0], error)}), ew.DataTypeError, "'a'")


def test_a_device_that_does_not_say(rows, refuses):
    class Silent(Told):
        def __dlpack_device__(self):
            raise ValueError("Unknown device type")

    silent = Silent(rows, TypeError("no"))
    refuses(lambda: open_table(silent), ew.DataTypeError, "NumPy cannot read")
