"""Labels of groups as numbers: equal where labels are, and NaN where they are missing."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import numpy as np
import pytest

from edgewise.errors import DataError, DataTypeError, ParameterError
from edgewise.tables.open import column_of_labels, labels_of
from edgewise.tables.options import label_number, label_numbers

SAME = [
    (12, "12", 12.0, np.int64(12), np.float32(12), "12.0", decimal.Decimal("12")),
    (-3, "-3", -3.0, "-3.0"),
    (0, "0", False, np.bool_(False), 0.0),
    (2**60, str(2**60), np.uint64(2**60)),
    ("ann", np.str_("ann")),
    (dt.date(2024, 2, 29), "2024-02-29"),
]
DIFFERENT = ["7", "007", "7a", "a7", "+7", "7.5", "-0", "1e3", "Ann", "ann", "é", b"x", 2**53]
MISSING = [
    None,
    np.nan,
    float("nan"),
    np.float32("nan"),
    "",
    "nan",
    "NaN",
    np.datetime64("NaT", "D"),
]


def test_one_label_in_other_words():
    for labels in SAME:
        assert len({label_number(label) for label in labels}) == 1, labels
    for number in (0, 1, 12, -7, 2**52, 10**15):  # whole numbers stand for themselves
        assert label_number(number) == number


def test_labels_that_differ():
    numbers = {label_number(label) for label in [*DIFFERENT, ("a", 1), ("a", 2), uuid.UUID(int=1)]}
    assert len(numbers) == len(DIFFERENT) + 3
    many = label_numbers([f"subject {i}" for i in range(20_000)])
    assert len(set(many)) == 20_000
    assert ((many == np.floor(many)) & (many >= 0) & (many < 2**53)).all()


def test_missing_labels(require):
    pd = require("pandas")
    for label in (*MISSING, pd.NA, pd.NaT):
        assert np.isnan(label_number(label))
        assert np.isnan(label_numbers([1, label])[1])
    for series in (pd.Series(["a", None], dtype="string"), pd.Series([3, None], dtype="Int64")):
        assert np.isnan(label_numbers(series)).tolist() == [False, True]
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    np.testing.assert_array_equal(label_numbers(masked), [1.0, np.nan, 3.0])


def test_every_kind_of_array(require):
    pd, labels = require("pandas"), ["b", "a", "b", "c"]
    expected = [label_number(one) for one in labels]
    for given in (
        labels,
        tuple(labels),
        np.array(labels),
        np.array(labels, dtype=object),
        pd.Categorical(labels),
        pd.Series(labels, index=range(5, 9)),
        require("pyarrow").array(labels),
    ):
        numbers = label_numbers(given)
        assert numbers.dtype == np.float64
        np.testing.assert_array_equal(numbers, expected)
    assert len(set(label_numbers(np.array([b"b", b"a", b"b"])))) == 2
    for dtype in (np.int8, np.int64, np.uint16, bool, np.float32, np.float64):
        np.testing.assert_array_equal(label_numbers(np.array([1, 0, 1], dtype)), [1.0, 0.0, 1.0])
    large = np.array([2**60, 2**60 + 1, 2**60], dtype=np.int64)  # beyond float64 they stay apart
    for given in (large, [("a", 1), ("a", 2), ("a", 1)]):
        numbers = label_numbers(given)
        assert numbers[0] == numbers[2] != numbers[1]
    np.testing.assert_array_equal(label_numbers(large), label_numbers(list(map(str, large))))


def test_what_are_no_labels(refuses):
    for labels in (np.array([1.0, 0.37]), [1, 0.37], [np.inf, 1], np.array([np.inf])):
        call = lambda one=labels: label_numbers(one)  # noqa: E731
        refuses(call, DataError, "clusters: expected labels", "measurements?")
    for labels, fragment in (
        ([["a"], ["b"]], "got others"),
        (np.zeros((3, 2)), "of 2 dimensions"),
        (5, "of 0 dimensions"),
    ):
        call = lambda one=labels: label_numbers(one)  # noqa: E731
        refuses(call, ParameterError, "clusters: expected", fragment)


# A column of labels from every kind of data.


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
