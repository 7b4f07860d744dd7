"""`to_json`: a text, or a file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew


@pytest.fixture(scope="module")
def results(rows):
    levels = np.arange(len(rows)) % 3
    return {
        "result": ew.edge_test(rows),
        "difference": ew.compare_groups(rows[:200], rows[200:]),
        "differences": ew.compare_groups(rows, by=levels),
        "pair": ew.partial_test(rows, "x0", "x1", given=["x2"]),
    }


@pytest.mark.parametrize("kind", ["result", "difference", "differences", "pair"])
class TestToJson:
    def test_writes_what_it_returns(self, tmp_path, results, kind):
        for name in ("as text.json", Path("as path.json")):
            path = tmp_path / name
            assert results[kind].to_json(path, indent=2) is None
            assert path.read_text("utf-8") == results[kind].to_json(indent=2) + "\n"
            assert results[kind].to_json(os.fspath(path)) is None
            assert path.read_text("utf-8") == results[kind].to_json() + "\n"

    def test_a_file_is_replaced_whole(self, tmp_path, results, kind, monkeypatch, refuses):
        path = tmp_path / "x.json"
        path.write_text("old")

        def fail(*arguments, **options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pathlib.Path.write_text", fail)
        refuses(lambda: results[kind].to_json(path), ew.DataError, "No space left on device")
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["x.json"]

    def test_what_cannot_be_written(self, tmp_path, results, kind, refuses):
        path = tmp_path / "no" / "x.json"
        refuses(lambda: results[kind].to_json(path), ew.DataError, f"cannot write '{path}'")

    def test_can_be_read(self, tmp_path, results, kind):
        if kind == "pair":
            pytest.skip("an answer is not read again")
        results[kind].to_json(tmp_path / "x.json")
        again = type(results[kind]).from_json(tmp_path / "x.json")
        assert again.to_json() == results[kind].to_json()


def test_calls_of_older_versions(results):
    for kind in ("result", "difference", "differences"):
        assert results[kind].to_json(2) == results[kind].to_json(indent=2)
        assert results[kind].to_json(None) == results[kind].to_json()
    pair = results["pair"]
    assert pair.to_json(0.9) == pair.to_json(level=0.9) != pair.to_json()
