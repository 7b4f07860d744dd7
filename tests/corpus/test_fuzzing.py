"""Damaged files: rows or one sentence; no traceback, no crash, no hang, no flood of memory.

``EDGEWISE_FUZZ=10000`` reads as many damaged CSVs, and a tenth of that of each other kind.
"""

from __future__ import annotations

import os
import sys

import pytest
from tests.corpus.fuzzing import KINDS, LIMIT, outcomes

COUNT = int(os.environ.get("EDGEWISE_FUZZ", "160"))
# Arrow reads ahead in blocks and starts threads, whatever the size of a file.
CONSTANT = 200 << 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind):
    found = list(outcomes(kind, COUNT if kind == "csv" else COUNT // 10))
    wrong = [one for one in found if one["wrong"]]
    assert not wrong, (
        f"{len(wrong)} of {len(found)}, the first with seed {wrong[0]['seed']}:\n"
        + (wrong[0]["wrong"])
    )
    assert max(one["seconds"] for one in found) <= LIMIT
    for one in found:
        assert one["memory"] <= 4 * one["size"] + CONSTANT, one
    assert any(one["said"] for one in found)
