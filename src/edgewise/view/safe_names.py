"""Names as text that is safe to show."""

from __future__ import annotations


def printable(name: str) -> str:
    """A name without control characters, which could do harm on a terminal or in a picture."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def shortened(name: str, most: int) -> str:
    """A printable name of at most `most` characters."""
    text = printable(name)
    return text if len(text) <= most else text[: most - 1] + "…"
