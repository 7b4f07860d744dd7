"""How a missing part is reported: one sentence, with the command for the copy at hand."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

from edgewise import _optional
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


@pytest.fixture
def command_of(monkeypatch):
    """The command for a copy."""

    def command(found, system="posix"):
        def distribution(name):
            assert name == "edgewise"
            if found is None:
                raise importlib.metadata.PackageNotFoundError(name)
            return found

        monkeypatch.setattr(importlib.metadata, "distribution", distribution)
        monkeypatch.setattr(_optional.os, "name", system)
        return install_command.__wrapped__("tables")

    return command


class TestInstallCommand:
    def test_a_folder(self, command_of):
        folder = ROOT.as_uri()
        assert command_of(Copy(folder, dir_info={})) == f"pip install '{ROOT}[tables]'"
        editable = Copy(folder, dir_info={"editable": True})
        assert command_of(editable) == f"pip install -e '{ROOT}[tables]'"

    def test_an_address(self, command_of):
        url = "https://example.org/edgewise.zip"
        assert command_of(Copy(url)) == f"pip install 'edgewise[tables] @ {url}'"

    def test_a_package_index(self, command_of):
        assert command_of(Copy(None)) == "pip install 'edgewise[tables]'"

    def test_a_copy_that_was_never_installed(self, command_of):
        assert command_of(None) == f"pip install '{ROOT}[tables]'"


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
