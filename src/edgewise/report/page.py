"""What all pages share: their files, the hashes that allow them, and places on a screen."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

import numpy as np

from edgewise._linalg import FloatArray

#: The script of a report, in the order in which its parts need each other.
_SCRIPTS = (
    "core",
    "decisions",
    "controls",
    "graph_places",
    "graph_scene",
    "graph_labels",
    "graph_paint",
    "graph_tools",
    "graph_hands",
    "graph_saving",
    "graph",
    "card",
    "side",
    "table",
    "pictures",
    "heat",
    "centrality",
    "agreement",
    "detectable",
    "main",
)
#: What holds on paper comes last, because it overrules the others.
STYLES = ("base", "graph", "side", "table", "figures", "print")


def own_file(name: str) -> str:
    """The text of a file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def script() -> str:
    """The script of a report: all its parts in one function, so that nothing else sees them."""
    parts = "".join(own_file(f"script/{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def style(*names: str) -> str:
    """The style sheet with these parts."""
    return "".join(own_file(f"style/{name}.css") for name in names)


def content_hash(text: str) -> str:
    """The name of a source in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def unit_square(positions: FloatArray) -> FloatArray:
    """Places between 0 and 1, y downwards as on a screen."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    scaled: FloatArray = (positions - low) / np.where(high > low, high - low, 1.0)
    # A graph on a line, or of one node, is drawn in the middle.
    scaled[:, high <= low] = 0.5
    return np.column_stack([scaled[:, 0], 1 - scaled[:, 1]])
