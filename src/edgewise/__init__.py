"""edgewise: which variables are really connected?

Distribution-free tests for the edges of undirected graphical models.

The public names, and where each of them lives, are listed once: in `__init__.pyi`, which type
checkers read too. A name is imported when it is first used, so that `import edgewise` and
`edgewise --help` cost next to nothing.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from edgewise._version import __version__ as __version__


def _listed() -> tuple[dict[str, str], tuple[str, ...]]:
    """The home of every public name, and the public modules, from the list beside this file."""
    path = os.path.join(__path__[0], "__init__.pyi")
    text = __spec__.loader.get_data(path).decode("utf-8")  # also from inside a zip file
    homes, modules = {}, []
    for home, names in re.findall(r"^from (edgewise\S*) import \(?([^)\n]+|[^)]+)", text, re.M):
        for name in re.findall(r"(\w+) as \w+", names):
            if home == "edgewise":
                modules.append(name)
            else:
                homes[name] = home
    homes.pop("__version__")
    return homes, tuple(modules)


_HOMES, _MODULES = _listed()
# A name that needs a part which is not installed says so when it is used. It is not offered: `*`,
# `help` and completion would all stumble over it.
_PARTS = {"EdgeTest": "sklearn"}
__all__ = sorted(
    name for name in (*_HOMES, *_MODULES) if name not in _PARTS or find_spec(_PARTS[name])
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"edgewise.{name}")
    if name in _HOMES:
        if name in _PARTS:
            from edgewise._optional import require

            require(_PARTS[name], "sklearn", name)
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'edgewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
