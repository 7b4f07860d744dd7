"""Text for terminals and pipes that cannot show every character.

Python gives an error handler those characters that the encoding of a stream lacks. This one spells
out what our own sentences and tables use, such as Θ and –; any other character, as in the name of a
column, becomes its number, so that no two names look the same.
"""

from __future__ import annotations

import codecs
import unicodedata

#: The name under which Python knows the handler.
PLAIN = "edgewise-plain"

_SPELLED = {
    **dict.fromkeys("‐‑‒–—−－", "-"),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("“”″", '"'),
    "…": "...",
    "×": "x",
    "·": "*",
    "±": "+/-",
    "∓": "-/+",
    "√": "sqrt",
    "∞": "inf",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "→": "->",
    "←": "<-",
    "‖": "||",
    "∝": "~",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "\u0302": "^",
    "\u0304": "-",
    "ᵀ": "^T",
    "�": "?",
    "\u00a0": " ",
    "\u202f": " ",
    "•": "*",
    "●": "@",
    "▲": "^",
    "∫": "integral",
    "∘": "o",
}


def spelled(character: str) -> str:
    """A character in ASCII.

    Examples
    --------
    >>> "".join(map(spelled, "|Θ| – 4³ é"))
    '|Theta| - 4^3 \\\\xe9'
    """
    if character.isascii():
        return character
    if character in _SPELLED:
        return _SPELLED[character]
    name = unicodedata.name(character, "")
    kind, _, letter = name.rpartition(" LETTER ")
    if kind in ("GREEK SMALL", "GREEK CAPITAL") and letter.isalpha():
        return letter.lower() if kind == "GREEK SMALL" else letter.title()
    mark = {"SUPERSCRIPT": "^", "SUBSCRIPT": "_"}.get(name.partition(" ")[0])
    basic = unicodedata.normalize("NFKD", character)
    if mark is not None and basic != character:
        return mark + "".join(map(spelled, basic))
    return _line(name) or character.encode("ascii", "backslashreplace").decode("ascii")


def _line(name: str) -> str:
    """A part of a frame, a bar or a spinner, by its name in Unicode; empty for other characters."""
    if name.startswith("BOX DRAWINGS "):
        across = any(way in name for way in ("HORIZONTAL", "LEFT", "RIGHT"))
        down = any(way in name for way in ("VERTICAL", "UP", "DOWN"))
        return "+" if across == down else "-" if across else "|"
    if name.startswith("BRAILLE PATTERN"):
        return "*"
    return "#" if name.endswith(" BLOCK") else ""


def plain(text: str, encoding: str | None) -> str:
    """The text as a stream of this encoding shows it; as long as that, for tables."""
    name = encoding or "utf-8"
    return text.encode(name, PLAIN).decode(name)


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(spelled, error.object[error.start : error.end])), error.end


codecs.register_error(PLAIN, _spell)
