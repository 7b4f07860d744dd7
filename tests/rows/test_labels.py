"""Labels of groups as numbers: equal where labels are, and NaN where they are missing."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import numpy as np
import pytest

from edgewise.errors import DataError, ParameterError
from edgewise.rows.labels import label_number, label_numbers

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


@pytest.mark.parametrize("labels", SAME, ids=str)
def test_one_label_in_other_words(labels):
    assert len({label_number(label) for label in labels}) == 1


def test_labels_that_differ():
    numbers = {label_number(label) for label in [*DIFFERENT, ("a", 1), ("a", 2), uuid.UUID(int=1)]}
    assert len(numbers) == len(DIFFERENT) + 3


@pytest.mark.parametrize("label", MISSING, ids=repr)
def test_missing_labels(label):
    assert np.isnan(label_number(label))
    assert np.isnan(label_numbers([1, label])[1])


def test_missing_labels_of_pandas(require):
    pd = require("pandas")
    assert np.isnan([label_number(pd.NA), label_number(pd.NaT)]).all()
    assert np.isnan(label_numbers(pd.Series(["a", None], dtype="string"))).tolist() == [False, True]
    assert np.isnan(label_numbers(pd.Series([3, None], dtype="Int64"))).tolist() == [False, True]


@pytest.mark.parametrize("number", [0, 1, 12, -7, 2**52, 10**15])
def test_whole_numbers_stand_for_themselves(number):
    assert label_number(number) == number


def test_numbers_of_labels_are_whole_and_exact():
    numbers = label_numbers([f"subject {i}" for i in range(20_000)])
    assert len(set(numbers)) == 20_000
    assert (numbers == np.floor(numbers)).all()
    assert (numbers >= 0).all()
    assert (numbers < 2**53).all()


ARRAYS = {
    "list": lambda labels: labels,
    "tuple": tuple,
    "text": np.array,
    "bytes": lambda labels: np.array([label.encode() for label in labels]),
    "objects": lambda labels: np.array(labels, dtype=object),
    "categorical": lambda labels: pytest.importorskip("pandas").Categorical(labels),
    "series": lambda labels: pytest.importorskip("pandas").Series(labels, index=range(5, 9)),
    "arrow": lambda labels: pytest.importorskip("pyarrow").array(labels),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_every_kind_of_array(kind):
    numbers = label_numbers(ARRAYS[kind](["b", "a", "b", "c"]))
    assert numbers.dtype == np.float64
    assert numbers[0] == numbers[2]
    assert len(set(numbers)) == 3
    if kind != "bytes":
        np.testing.assert_array_equal(numbers, [label_number(one) for one in "babc"])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool, np.float32, np.float64])
def test_arrays_of_numbers(dtype):
    np.testing.assert_array_equal(label_numbers(np.array([1, 0, 1], dtype)), [1.0, 0.0, 1.0])


def test_numbers_beyond_float64_stay_apart():
    large = np.array([2**60, 2**60 + 1, 2**60], dtype=np.int64)
    numbers = label_numbers(large)
    assert numbers[0] == numbers[2] != numbers[1]
    np.testing.assert_array_equal(numbers, label_numbers(list(map(str, large))))


def test_masked_labels_are_missing():
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    np.testing.assert_array_equal(label_numbers(masked), [1.0, np.nan, 3.0])


def test_tuples_are_labels():
    numbers = label_numbers([("a", 1), ("a", 2), ("a", 1)])
    assert numbers[0] == numbers[2] != numbers[1]


@pytest.mark.parametrize(
    "labels", [np.array([1.0, 0.37]), [1, 0.37], [np.inf, 1], np.array([np.inf])]
)
def test_measurements_are_no_labels(refuses, labels):
    refuses(lambda: label_numbers(labels), DataError, "groups: expected labels", "measurements?")


@pytest.mark.parametrize(
    ("labels", "fragment"),
    [
        ([["a"], ["b"]], "cannot be compared"),
        (np.zeros((3, 2)), "of 2 dimensions"),
        (5, "of 0 dimensions"),
    ],
)
def test_what_is_no_sequence_of_labels(refuses, labels, fragment):
    refuses(lambda: label_numbers(labels), ParameterError, "groups: expected", fragment)
