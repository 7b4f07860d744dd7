"""Everything once, then everything again: what changes during a run meets all of it alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from benchmarks.quiet import MOST_BESIDE, Noise, NotQuietError, Watch

#: Of a measurement, each in a process of its own.
ROUNDS = 7
#: As many more, in all, for those that others disturbed.
_EXTRA = 3

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


def rounds(
    visits: Mapping[Key, Callable[[int], Found]], noise: Noise, count: int = ROUNDS
) -> dict[Key, list[Found]]:
    """What `count` visits of each key found while nobody else was at work.

    A visit gets the number of its round. One that others disturbed is dropped, and its key is
    visited in one more round.
    """
    found: dict[Key, list[Found]] = {key: [] for key in visits}
    for number in range(count * (1 + _EXTRA)):
        for key in [key for key, values in found.items() if len(values) < count]:
            watch = Watch()
            value = visits[key](number)
            if noise.accepts(watch.foreign()):
                found[key].append(value)
    short = [key for key, values in found.items() if len(values) < count]
    if short:
        first = getattr(short[0], "name", short[0])
        raise NotQuietError(
            f"stopped: in {count * (1 + _EXTRA)} rounds fewer than {count} measurements of {first} "
            f"had at most {MOST_BESIDE:g} cores of other programs beside them; wait until the "
            "machine is quiet, or set ANYWAY=1 to keep what is disturbed."
        )
    return found
