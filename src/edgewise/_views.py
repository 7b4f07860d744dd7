"""What layers above make of results: pictures, pages, files of graphs. `edgewise` names them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def register(**homes: str) -> None:
    """Where each view is, as in ``plot="edgewise.plots.plots:plot"``; imported when it is used."""
    _HOMES.update(homes)


def view(name: str) -> Any:
    """The function that makes this of a result."""
    module, _, function = _HOMES[name].partition(":")
    return getattr(import_module(module), function)
