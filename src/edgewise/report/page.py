"""What all pages share: their files, the hashes that allow them, and places on a screen."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from importlib.resources import files

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.report.smaller import smaller_script, smaller_style

#: What a test needs whose rows belong together.
CONDITION_OF_GROUPS = (
    "many groups that are independent of each other, of any distribution with fourth moments; rows "
    "of one group may depend on each other"
)
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
#: Of every page; the others are only of use where the script runs, and are packed with it.
_STYLES = ("base",)
# What holds on paper comes last, because it overrules the others.
_STYLES_OF_THE_SCRIPT = ("graph", "side", "table", "figures", "print")

#: The letters of base 85 that mean something in HTML, and what stands for them.
_SAFE = str.maketrans("&<>", ",./")


def own_file(name: str) -> str:
    """The text of a file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def script() -> str:
    """The script of a report: all its parts in one function, so that nothing else sees them."""
    parts = "".join(own_file(f"script/{name}.js") for name in _SCRIPTS)
    styles = json.dumps(style(*_STYLES_OF_THE_SCRIPT))
    return f'"use strict";(()=>{{const STYLES={styles};\n{smaller_script(parts)}}})();'


def packed(text: str) -> str:
    """A text in a third of its size or so, for `unpack.js`: deflated, five letters for four bytes.

    The policy of a page names the hash of the script inside, so nothing else can take its place.
    """
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    small = pack.compress(text.encode("utf-8")) + pack.flush()
    return base64.b85encode(small).decode("ascii").translate(_SAFE)


def unpacked(text: str) -> str:
    """The text that was packed.

    Examples
    --------
    >>> unpacked(packed("to be < or & not")), "<" in packed("to be < or & not" * 9)
    ('to be < or & not', False)
    """
    small = base64.b85decode(text.translate({new: old for old, new in _SAFE.items()}))
    return zlib.decompress(small, -zlib.MAX_WBITS).decode("utf-8")


def style(*names: str) -> str:
    """The style sheet of every page, and of these parts."""
    sheets = (own_file(f"style/{name}.css") for name in names or _STYLES)
    return smaller_style("".join(sheets))


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
