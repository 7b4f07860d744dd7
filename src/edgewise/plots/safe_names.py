"""Names as text that is safe to show, short, and never twice the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

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
    with, then those that all have inside; what is still too long loses its middle. Names that then
    look the same show where they differ, and as a last resort a number.
    """
    full = [printable(name) for name in names]
    if len(full) > 1 and max(map(len, full)) > most:
        full = _without_common_words(full)
    if len(full) > 1 and max(map(len, full)) > most:
        full = _without_inner_words(full)
    short = [re.sub("…+", "…", shortened_inside(name, most)) for name in full]
    for text, times in Counter(short).items():
        if times > 1:
            alike = [k for k, one in enumerate(short) if one == text]
            for k, told in zip(alike, _told_apart([full[k] for k in alike], most), strict=True):
                short[k] = told
    return _numbered(short, most)


def _common_start(names: Sequence[str]) -> str:
    """The letters that all names begin with."""
    first, last = min(names), max(names)
    alike = (a == b for a, b in zip(first, last, strict=False))
    return first[
        : next((k for k, same in enumerate(alike) if not same), min(len(first), len(last)))
    ]


def _without_common_words(names: list[str]) -> list[str]:
    """The names without the whole words that all of them begin and end with."""
    end = _common_start([name[::-1] for name in names])[::-1]
    starts = [found.start() for found in _WORD_END.finditer(end)]
    tail = len(end) - starts[0] if starts else 0
    rest = [name[: len(name) - tail] for name in names]
    start = _common_start(rest)
    ends = [0, *(found.end() for found in _WORD_END.finditer(start))]
    cut = ends[-1]
    if len(ends) > 1 and all(_NUMBER.fullmatch(name[cut:]) for name in rest):
        cut = ends[-2]  # "channel 12" says more than "12"
    rest = [name[cut:] for name in rest]
    return rest if all(rest) else names


def _without_inner_words(names: list[str]) -> list[str]:
    """The names with an ellipsis for words inside that all of them have."""
    words = [set(_WORD_END.split(name)) for name in names]
    common = set.intersection(*words) - {""}
    if not common:
        return names
    some = "|".join(re.escape(word) for word in sorted(common, key=lambda word: (-len(word), word)))
    gap = _WORD_END.pattern
    runs = re.compile(rf"(?<=\S){gap}(?:(?:{some}){gap})+(?=\S)")
    shorter = [runs.sub("…", name) for name in names]
    return shorter if len(set(shorter)) == len(set(names)) else names


def _told_apart(names: list[str], most: int) -> list[str]:
    """Names that were cut to the same text, cut to where they begin to differ."""
    same = len(_common_start(names))
    lead = max(min(same, most // 3), 1)
    room = most - lead - 1
    return [
        name[:lead] + "…" + (name[same : same + room] if len(name) - same > room else name[-room:])
        for name in names
    ]


def _numbered(names: list[str], most: int) -> list[str]:
    """The names, with a number where two are still the same."""
    taken = set(names)
    seen: set[str] = set()
    told = []
    for name in names:
        made, number = name, 1
        while made in seen or (number > 1 and made in taken):
            number += 1
            mark = f"·{number}"
            made = shortened_inside(name, max(most - len(mark), 1)) + mark
        seen.add(made)
        told.append(made)
    return told
