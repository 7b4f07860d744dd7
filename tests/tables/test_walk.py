"""How many functions, in how many files, a call runs through: the numbers may only fall."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import edgewise as ew

SOURCE = str(Path(ew.__file__).parent)
# Functions and files, at most. The goal: 110 in 35 for an array, 150 in 42 for CSV with batches.
WALKS = {
    "array": (lambda rows, path: ew.edge_test(rows, method="score"), 140, 35),
    "array, auto": (lambda rows, path: ew.edge_test(rows), 145, 36),
    "CSV": (lambda rows, path: ew.edge_test(path, method="batch", n_batches=20), 210, 39),
}


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
    call(rows, csv_file)  # modules that are imported when they are first needed
    found = touched(lambda: call(rows, csv_file))
    assert len(found) <= functions
    assert len({file for file, _ in found}) <= files
