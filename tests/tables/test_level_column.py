"""A column of labels from every kind of data."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.errors import DataError, DataTypeError
from edgewise.tables.open import column_of_labels, labels_of

TEXTS = ["x", "y", None, "x"]


@pytest.fixture
def frame(require):
    return require("pandas").DataFrame({"v": [1.0, 2.0, 3.0, 4.0], "g": TEXTS})


def test_numbers(tmp_path):
    X = np.array([[1.0, 5.0], [2.0, np.nan]])
    np.save(tmp_path / "a.npy", X)
    for data in (X, tmp_path / "a.npy"):
        assert column_of_labels(data, "x1").tolist() == [5.0, None]


def test_gaps_of_every_library(require):
    import pyarrow as pa

    pandas = require("pandas")
    column = pandas.Series([1, None, 3], dtype="Int64")
    for values in (column, pa.array([1, None, 3]), [1, float("nan"), 3]):
        assert labels_of(values).tolist() == [1, None, 3]
    dates = pandas.to_datetime(["2024-01-01", None])
    assert labels_of(dates)[1] is None


def test_a_column_that_turns_to_text_late(tmp_path):
    """The types of CSV columns come from their first rows; labels are text whatever they are."""
    path = tmp_path / "a.csv"
    path.write_text("g,v\n" + "1,1\n" * 300_000 + "late,2\n", encoding="utf-8")
    labels = column_of_labels(path, "g")
    assert labels[0] == "1"
    assert labels[-1] == "late"


def test_refused(frame, tmp_path, refuses):
    refuses(lambda: column_of_labels(frame, "h"), DataError, "by: X has no column 'h'")
    frame.to_csv(tmp_path / "a.csv", index=False)
    refuses(lambda: column_of_labels(tmp_path / "a.csv", "G"), DataError, "a.csv", "'v', 'g'")
    refuses(lambda: column_of_labels(tmp_path / "b.csv", "g"), DataError, "b.csv")
    refuses(lambda: column_of_labels("-", "g"), DataError, "standard input")
    refuses(lambda: column_of_labels(iter([[[1, 2]]]), "x0"), DataTypeError, "by: ", "iterator")
