"""Words for messages: lists of names, other libraries' errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

_SHOWN = 5  # columns named in a message before it says "and n more"


def listed(items: Sequence[str]) -> str:
    """Items for a message; only the first few if there are many."""
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def joined(items: Sequence[str], word: str) -> str:
    """Items of a sentence, with a word before the last one."""
    *first, last = items
    return f"{', '.join(first)} {word} {last}" if first else last


#: Words of the paper and of other packages for arguments and their values, and ours.
FOREIGN = {
    "fdr_bh": "'bh'",
    "fdr_by": "'by'",
    "spearman": "'kendall', or transform='normal-scores'",
    "edgetest-eig": "'eig'",
    "edgetest-trace": "'trace'",
    "delta": "alpha",
    "covar": "given",
    "seed": "random_state",
    "groups": "clusters",
}


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a name, or begins with it; None if none is."""
    import difflib  # where something went wrong, and not in every run

    alike: dict[str, str] = {}
    for one in known:
        alike.setdefault(one.casefold(), one)
    written = name.casefold()
    near = difflib.get_close_matches(written, alike, n=1)
    if not near and len(written) > 1:
        near = [one for one in alike if one.startswith(written)]
    return alike[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to add to a message about a name that is not known; empty if none is like it."""
    guess = FOREIGN.get(name.casefold())
    if guess is None and (near := nearest(name, known)) is not None:
        guess = repr(near)
    return "" if guess is None else f" (did you mean {guess}?)"


def one_line(error: Exception) -> str:
    """Another library's message, as part of our sentence."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= 200 else shown[:199] + "…"


def by_reason(failures: Iterable[tuple[str, str]]) -> list[str]:
    """Names and what happened to each, a line for each reason: often many share one."""
    names: dict[str, list[str]] = {}
    for name, reason in failures:
        names.setdefault(reason, []).append(name)
    return [f"{listed(own)}: {reason}" for reason, own in names.items()]


def distinct_texts(names: Iterable[str], change: Callable[[str], str]) -> dict[str, str]:
    """`change(name)` for each name, with primes if that is taken; unchanged names come first."""
    texts = {name: change(name) for name in names}
    taken = {name for name, text in texts.items() if text == name}
    for name, text in texts.items():
        if text != name:
            while text in taken:
                text += "\u2032"
            taken.add(text)
            texts[name] = text
    return texts
