"""`edgewise.integrations` itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

import edgewise as ew


def test_imports_nothing_before_it_is_used():
    code = (
        "import sys, edgewise\n"
        "edgewise.integrations\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'numpy', 'causallearn', 'pgmpy', 'tigramite'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_knows_its_adapters():
    assert dir(ew.integrations) == ["causal_learn", "pgmpy", "tigramite"]
    with pytest.raises(AttributeError, match="no attribute 'pcalg'"):
        _ = ew.integrations.pcalg
