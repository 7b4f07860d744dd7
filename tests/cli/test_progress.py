"""What `--verbose` says about memory."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from edgewise.cli.progress import peak_memory


# Linux counts in KiB, macOS in bytes; Windows has no such module.
@pytest.mark.parametrize(("system", "most"), [("linux", 300 * 1024), ("darwin", 300 * 2**20)])
def test_the_unit_of_the_system(monkeypatch, system, most):
    usage = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: SimpleNamespace(ru_maxrss=most))
    monkeypatch.setitem(sys.modules, "resource", usage)
    monkeypatch.setattr(sys, "platform", system)
    assert peak_memory() == "peak memory 300 MB"


def test_where_nothing_tells(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() == "peak memory unknown"


def test_this_system(require):
    require("resource")
    assert 10 < float(peak_memory().removeprefix("peak memory ").split()[0].replace(",", "")) < 1e5
