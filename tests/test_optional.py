"""How a missing part is reported: one sentence, with the command for the copy at hand."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

from edgewise._optional import (
    check_installed,
    install_command,
    is_installed,
    missing_dependency,
    require,
)
from edgewise.errors import MissingDependencyError

ROOT = Path(__file__).parents[1]


class Copy:
    """A distribution that was installed from `url`; from an index if there is none."""

    def __init__(self, url, **about):
        self._origin = None if url is None else json.dumps({"url": url, **about})

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._origin


@pytest.mark.parametrize(
    ("copy", "command"),
    [
        (Copy("file:///a%20b", dir_info={}), "'edgewise[tables] @ file:///a%20b'"),
        (Copy("file:///a%20b", dir_info={"editable": True}), "-e '/a b[tables]'"),
        (
            Copy("https://example.org/edgewise.zip"),
            "'edgewise[tables] @ https://example.org/edgewise.zip'",
        ),
        (Copy(None), "'edgewise[tables]'"),
        (None, f"-e '{ROOT}[tables]'"),
    ],
)
def test_the_command_for_each_kind_of_copy(monkeypatch, copy, command):
    def distribution(name):
        assert name == "edgewise"
        if copy is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return copy

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    assert install_command.__wrapped__("tables") == f"pip install {command}"


class TestRequire:
    def test_a_module_that_is_there(self):
        assert require("json.decoder", "tables", "A page") is json.decoder
        check_installed("json", "tables", "A page")
        assert is_installed("json")

    def test_a_module_that_is_missing(self, refuses, monkeypatch):
        monkeypatch.setitem(sys.modules, "sklearn", None)
        fragments = ["EdgeTest needs scikit-learn, which is not installed; ", "[sklearn]"]
        for find in (require, check_installed):
            error = refuses(lambda f=find: f("sklearn", "sklearn", "EdgeTest"), ImportError)
            assert isinstance(error, MissingDependencyError)
            assert all(fragment in str(error) for fragment in fragments)

    def test_a_module_that_is_broken(self):
        # It is there, but a library of its own is missing.
        error = ImportError("libarrow.so.2600: cannot open shared object file", name="pyarrow.lib")
        said = str(missing_dependency("pyarrow", "tables", "A Parquet file", error))
        assert "which cannot be imported (libarrow.so.2600: cannot open" in said
        other = ModuleNotFoundError("No module named 'numba'", name="numba")
        assert "cannot be imported (No module named 'numba')" in str(
            missing_dependency("pyarrow", "tables", "A Parquet file", other)
        )
