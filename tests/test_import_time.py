"""`import edgewise` and `edgewise --help` load next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import edgewise

HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "matplotlib", "networkx", "pandas", "rich")

HELP = """
import sys
sys.argv = ["edgewise", "--help"]
from edgewise.cli.main import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""


@pytest.mark.parametrize("code", ["import edgewise", HELP], ids=["import", "help"])
def test_loads_nothing_heavy(code):
    report = f"import json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_every_public_name_is_there():
    assert set(edgewise.__all__) <= set(dir(edgewise))
    for name in edgewise.__all__:
        assert getattr(edgewise, name) is not None
    assert {"edge_test", "EdgeTest", "edge_test_within"} <= {*edgewise.__all__}
    with pytest.raises(AttributeError, match=r"'edgewise' has no attribute 'nope'"):
        edgewise.nope  # noqa: B018
