"""Names as text that is safe to show, short, and never twice the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix  # of letters, not of paths

#: Where a name may be cut: after what separates its words.
_WORD_END = re.compile(r"[\s_\-.:/|,;]+")
_NUMBER = re.compile(r"\d*")


def printable(name: str, keep: str = "") -> str:
    """A name without control characters, which could do harm, except those in `keep`."""
    return "".join(
        character if character.isprintable() or character in keep else "\ufffd"
        for character in name
    )


def shortened(name: str, most: int) -> str:
    """A printable name of at most `most` characters."""
    text = printable(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_inside(name: str, most: int) -> str:
    """A printable name of at most `most` characters, which keeps its start and its end."""
    text = printable(name)
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return text[: most - 1 - end] + "…" + text[len(text) - end :]


def short_names(names: Sequence[str], most: int) -> list[str]:
    """Printable names of at most `most` characters, no two of them the same.

    Names that fit stay as they are. If one does not fit, all lose the words that all begin or end
    with; what is still too long loses its middle, and what then looks the same gets a number.
    """
    full = [printable(name) for name in names]
    if len(full) > 1 and max(map(len, full)) > most:
        full = _without_common_words(full)
    short = [re.sub("…+", "…", shortened_inside(name, most)) for name in full]
    taken, seen, made = set(short), set[str](), list[str]()
    for name in short:
        text, number = name, 1
        while text in seen or (number > 1 and text in taken):
            number += 1
            mark = f"·{number}"
            text = shortened_inside(name, max(most - len(mark), 1)) + mark
        seen.add(text)
        made.append(text)
    return made


def _without_common_words(names: list[str]) -> list[str]:
    """The names without the whole words that all of them begin and end with."""
    end = commonprefix([name[::-1] for name in names])[::-1]  # noqa: RUF071
    starts = [found.start() for found in _WORD_END.finditer(end)]
    tail = len(end) - starts[0] if starts else 0
    rest = [name[: len(name) - tail] for name in names]
    start = commonprefix(rest)  # noqa: RUF071
    ends = [0, *(found.end() for found in _WORD_END.finditer(start))]
    cut = ends[-1]
    if len(ends) > 1 and all(_NUMBER.fullmatch(name[cut:]) for name in rest):
        cut = ends[-2]  # "channel 12" says more than "12"
    rest = [name[cut:] for name in rest]
    return rest if all(rest) else names
