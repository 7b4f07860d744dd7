"""Words for messages: lists of names, other libraries' errors."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 5  # columns named in a message before it says "and n more"


def listed(items: Sequence[str]) -> str:
    """Items for a message; only the first few if there are many."""
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def one_line(error: Exception) -> str:
    """Another library's message, as part of our sentence."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= 200 else shown[:199] + "…"
