"""State files made to do harm: their checksum is right, and still nothing of them is believed."""

from __future__ import annotations

import pickle
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from edgewise import BatchMoments, ConfidenceSequence, Moments
from edgewise.errors import StateFileError
from edgewise.states.file_format import read_state


class _Bomb:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


def test_a_pickle_is_not_run(craft, tmp_path, refuses):
    marker, path = tmp_path / "marker", tmp_path / "x.ews"
    bomb = pickle.dumps(_Bomb(marker))
    pickle.loads(bomb)
    assert marker.exists()
    marker.unlink()
    inside = bomb.ljust(8 * (len(bomb) // 8 + 1), b"\0")
    header = {"kind": "moments", "columns": None, "n_samples": 3, "meta": {"order": 2}}
    for dtype in ("|O", "<O", "O", "|V8", "<U2"):
        arrays = [{"name": "origin", "dtype": dtype, "shape": [len(inside) // 8]}]
        craft(path, {**header, "arrays": arrays}, inside)
        refuses(lambda: Moments.load(path), StateFileError, "not describe plain arrays")
    path.write_bytes(bomb)
    refuses(lambda: Moments.load(path), StateFileError, "not one that edgewise wrote")
    craft(path, bomb)
    refuses(lambda: Moments.load(path), StateFileError, "not JSON")
    assert not marker.exists()


@pytest.mark.parametrize("shape", [[1 << 20, 1 << 20], [1 << 39], [1 << 39] * 3])
def test_terabytes_are_refused_before_memory_is_taken(craft, parts, saved, refuses, shape):
    header, body = parts(saved)
    header["arrays"][2]["shape"] = shape
    craft(saved, header, body)
    tracemalloc.start()
    try:
        refuses(lambda: Moments.load(saved), StateFileError, "damaged", f"'{saved}'")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [0, 1, 10_000, 1 << 26, (1 << 32) - 1])
def test_a_wrong_length_of_the_header(craft, parts, saved, refuses, length):
    craft(saved, *parts(saved), length=length)
    refuses(lambda: Moments.load(saved), StateFileError, f"'{saved}'")


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\xff", b"[]", b"1", b"null", b"{}", b"{", b"[" * 200_000, b'{"a":' * 100_000),
        b'{"n_samples": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda text: text[:8].decode("latin-1") or "nothing",
)
def test_headers_that_are_none(craft, tmp_path, refuses, text):
    path = craft(tmp_path / "x.ews", text)
    for load in (read_state, Moments.load, BatchMoments.load):
        refuses(lambda load=load: load(path), StateFileError, f"'{path}'", "damaged")


@pytest.mark.parametrize(
    "changes",
    [
        *({"n_samples": bad} for bad in (-1, "3", None, 3.0, float("nan"), [3])),
        *({"columns": bad} for bad in ("abcd", 4, ["a"], ["a", "b", "c", 4], [["a"]] * 4)),
        {"columns": ["a", "a", "b", "c"]},
        *({"meta": bad} for bad in (None, [], "order", {}, {"order": "4"}, {"order": 3})),
        *({"meta": {"order": bad}} for bad in (True, -4, 4.0, None, [4], 10**30)),
        *({"arrays": bad} for bad in (None, [], "origin", {"a": 1}, [None], [[]])),
        {"kind": None},
        {"kind": ["moments"]},
    ],
    ids=str,
)
def test_fields_that_make_no_sense(craft, parts, saved, refuses, changes):
    header, body = parts(saved)
    craft(saved, header | changes, body)
    error = refuses(lambda: Moments.load(saved), ValueError)
    assert type(error).__module__ == "edgewise.errors"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("dtype", bad) for bad in ("|O", ">f8", "<f4", "float64", "", None, 8, "<U2")),
        *(("shape", bad) for bad in ([-4], [4.0], [True], "4", None, 4, [1] * 65, [-2, -2])),
        *(("shape", bad) for bad in ([1 << 63], ["4"], [[4]])),
    ],
)
def test_arrays_that_are_none(craft, parts, saved, refuses, field, value):
    header, body = parts(saved)
    header["arrays"][0][field] = value
    craft(saved, header, body)
    refuses(lambda: Moments.load(saved), StateFileError, "not describe plain arrays", f"'{saved}'")


@pytest.mark.parametrize("which", range(7))
def test_arrays_that_lack(craft, parts, saved, refuses, which):
    header, body = parts(saved)
    header["arrays"][which]["name"] += "?"
    craft(saved, header, body)
    refuses(lambda: Moments.load(saved), StateFileError, "expected")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("n_batches", bad) for bad in (None, 1, -5, "8", 8.0, True, [8])),
        *(("batch_rows", bad) for bad in (None, 0, "3", 1.5, {})),
        *(("tuned_for", bad) for bad in (None, 1, "3")),
        *(("alpha", bad) for bad in (None, 0, 1, "0.05", float("inf"), [0.1])),
    ],
)
def test_options_that_make_no_sense(craft, parts, tmp_path, rows, refuses, field, value):
    path = tmp_path / "x.ews"
    ConfidenceSequence(n_batches=8).update(rows).save(path)
    header, body = parts(path)
    header["meta"][field] = value
    craft(path, header, body)
    error = refuses(lambda: ConfidenceSequence.load(path), ValueError, field)
    assert type(error).__module__ == "edgewise.errors"


@pytest.mark.parametrize("counts", [[0, 1], [-1, 2], [2, 2], [1 << 62, 1 << 62]])
def test_batches_of_impossible_lengths(craft, parts, tmp_path, refuses, counts):
    path = tmp_path / "x.ews"
    BatchMoments(2).update(np.eye(2)).save(path)
    header, body = parts(path)
    assert header["arrays"][0]["name"] == "n"
    craft(path, header, struct.pack("<2q", *counts) + body[16:])
    refuses(lambda: BatchMoments.load(path), StateFileError, "expected batches of")
