"""The core alone: NumPy, SciPy and edgewise, with every other package hidden."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tools.core_check import NEEDS, WORKS, problem
from tools.dist_check import ROOT


def run_hidden(*options):
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "core_check.py", "--hide", *options],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def outcomes():
    return json.loads(run_hidden().stdout)


@pytest.mark.parametrize("name", [*WORKS, *NEEDS])
def test_outcome(outcomes, name):
    assert problem(name, outcomes[name]) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("edge_test", "ValueError: no"),
        ("plot", None),
        ("plot", "ModuleNotFoundError: No module named 'matplotlib'"),
        ("plot", "A plot needs matplotlib, which is not installed; install it with `pip install "
         "'edgewise[cli]'`."),
    ],
)  # fmt: skip
def test_what_counts_as_a_problem(name, said):
    assert problem(name, said).startswith(f"{name}: expected")
