"""The scripts of the documentation, which are no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="package")
def script():
    """``script("check_links.py")``: that file of docs/, imported."""
    with pytest.MonkeyPatch.context() as patch:

        def load(path):
            name = Path(path).stem
            spec = importlib.util.spec_from_file_location(name, DOCS / path)
            module = importlib.util.module_from_spec(spec)
            # Dataclasses look their own module up by name.
            patch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
            return module

        yield load
