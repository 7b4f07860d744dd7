"""How many functions, in how many files, a call runs through: the numbers may only fall."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import edgewise as ew

SOURCE = str(Path(ew.__file__).parent)
# Functions and files, at most. The goal of each is in its line.
WALKS = {
    "array": (lambda rows, path: ew.edge_test(rows), 110, 30),  # 90, 30
    "array, score": (lambda rows, path: ew.edge_test(rows, method="score"), 108, 29),
    "CSV": (
        lambda rows, path: ew.edge_test(path, method="batch", n_batches=20),
        183,
        35,
    ),  # 130, 38
    "pairwise": (lambda rows, path: ew.edge_test(with_gaps(rows)), 180, 38),  # 120, 35
    "groups": (lambda rows, path: ew.compare_groups(rows[:150], rows[150:]), 138, 32),  # 120, 35
    "Dask": (lambda rows, path: ew.edge_test(in_dask(rows), method="batch"), 155, 33),  # 130, 38
}


def with_gaps(rows):
    return np.where(np.arange(rows.size).reshape(rows.shape) % 41, rows, np.nan)


def in_dask(rows):
    array = pytest.importorskip("dask.array")
    return array.from_array(rows, chunks=(len(rows) // 3, rows.shape[1]))


def touched(call: Callable[[], object]) -> set[tuple[str, str]]:
    """The functions of edgewise that a call runs, with their files."""
    found = set()

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE):
            found.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    # Comprehensions are frames of their own in some versions of Python; module bodies run once.
    return {(file, name) for file, name in found if not name.endswith(">")}


@pytest.mark.filterwarnings("ignore::edgewise.errors.BrokenAssumptionWarning")
@pytest.mark.parametrize("name", WALKS)
def test_the_walk_from_data_to_result(name, rows, csv_file):
    call, functions, files = WALKS[name]
    synchronous = nullcontext()
    if name == "Dask":  # other threads are not seen
        synchronous = pytest.importorskip("dask").config.set(scheduler="synchronous")
    with synchronous:
        call(rows, csv_file)  # modules that are imported when they are first needed
        found = touched(lambda: call(rows, csv_file))
    assert len(found) <= functions
    assert len({file for file, _ in found}) <= files
