"""Names as text that is safe to show."""

from __future__ import annotations


def printable(name: str, keep: str = "") -> str:
    """A name without control characters, which could do harm on a terminal or in a picture.

    Those in `keep` stay.
    """
    return "".join(
        character if character.isprintable() or character in keep else "\ufffd"
        for character in name
    )


def shortened(name: str, most: int) -> str:
    """A printable name of at most `most` characters."""
    text = printable(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_inside(name: str, most: int) -> str:
    """A printable name of at most `most` characters, which keeps its start and its end.

    Examples
    --------
    >>> shortened_inside("temperature_2023", 9)
    'temp…2023'
    """
    text = printable(name)
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return text[: most - 1 - end] + "…" + text[len(text) - end :]
