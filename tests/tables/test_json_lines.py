"""JSON lines: any keys in any line, in pieces, from any row on."""

from __future__ import annotations

import json

import numpy as np
import pytest

import edgewise as ew
from edgewise.tables.formats import open_file


@pytest.fixture
def saved(tmp_path):
    def save(*lines):
        path = tmp_path / "x.jsonl"
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(text), encoding="utf-8")
        return path

    return save


def test_columns_of_all_lines(saved, all_rows):
    file = open_file(saved({"a": 1}, "", {"b": 2.5, "a": True}, {"ü": None}))
    assert (file.names, file.n_rows, file.kind) == (("a", "b", "ü"), 3, "JSON lines")
    nan = np.nan
    expected = [[1, nan, nan], [1, 2.5, nan], [nan, nan, nan]]
    np.testing.assert_array_equal(all_rows(file.read(file.names, 0)), expected)
    np.testing.assert_array_equal(all_rows(file.read(("b",), 1)), [[2.5], [nan]])


def test_labels(saved, all_rows):
    file = open_file(saved({"g": "u", "a": 1}, {"g": "v", "a": 2}, {"a": 3}))
    assert file.texts == {"g": "text, first 'u' in line 1"}
    assert file.values("g") == ["u", "v", None]
    labels = all_rows(file.read(("a", "g"), 0, ("g",)))[:, 1]
    assert labels[0] != labels[1]
    assert np.isnan(labels[2])


def test_numbers_that_are_large(saved, all_rows):
    file = open_file(saved('{"a": 9007199254740993, "b": 1' + "0" * 5000 + "}", '{"a": 1e400}'))
    np.testing.assert_array_equal(
        all_rows(file.read(("a", "b"), 0)), [[2.0**53, np.inf], [np.inf, np.nan]]
    )


@pytest.mark.parametrize(
    ("line", "fragments"),
    [
        ("[1, 2]", ["a list"]),
        ("7", ["a value"]),
        ("{'a': 1}", ["not JSON"]),
        ('{"a": 1} {"a": 2}', ["not JSON"]),
        ("[" * 100_000, ["not JSON"]),
    ],
)
def test_lines_that_are_no_objects(saved, refuses, line, fragments):
    path = saved({"a": 1}, line)
    refuses(lambda: open_file(path), ew.errors.DataError, "line 2", str(path), *fragments)
