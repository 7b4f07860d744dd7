"""Is anybody else at work? What is measured beside a neighbour says something about the neighbour.

The load of a machine has us in it: a measurement makes a load of one, or of two with all threads.
So the load is asked once, before the first section; after that we count the time that the cores
gave to others, which is all they gave minus what our own processes took.
"""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

MOST_LOAD = 1.5
#: Cores that others may take: while we wait, and while something is measured.
MOST_AT_REST = 0.5
MOST_BESIDE = 0.2
_REST_SECONDS = 3.0
_SYSTEM = Path("/proc/stat")


class NotQuietError(RuntimeError):
    """The machine is too busy for its times to mean something."""


def anyway() -> bool:
    """Whether the user wants numbers from a busy machine too."""
    return os.environ.get("ANYWAY", "") not in ("", "0")


class Watch:
    """Counts the cores that others use from now on."""

    def __init__(self) -> None:
        self._others, self._start = _others_seconds(), perf_counter()

    def foreign(self) -> float | None:
        """Cores that others had since the start, on average; None where no system tells.

        Of our own processes only those count that have ended.
        """
        now = _others_seconds()
        if now is None or self._others is None:
            return None
        # The system counts in hundredths of a second, so a quiet moment may come out below zero.
        return max(0.0, (now - self._others) / (perf_counter() - self._start))


def refuse_if_busy(*, first: bool, rest: float = _REST_SECONDS) -> str:
    """What was seen before a section, in words; `NotQuietError` if it is too much."""
    load = os.getloadavg()[0]
    watch = Watch()
    sleep(rest)
    foreign = watch.foreign()
    words = f"load {load:.1f}, others {_cores(foreign)}"
    complaint = None
    if first and load > MOST_LOAD:
        complaint = f"the load of this machine is {load:.1f}, above {MOST_LOAD:g}"
    elif foreign is not None and foreign > MOST_AT_REST:
        complaint = f"other programs use {_cores(foreign)} of this machine, above {MOST_AT_REST:g}"
    if complaint is None:
        return words
    if not anyway():
        raise NotQuietError(
            f"not measured: {complaint}; wait until it is quiet, or set ANYWAY=1 to measure all "
            "the same."
        )
    return f"{words}; **measured all the same (ANYWAY=1): {complaint}**"


@dataclass
class Noise:
    """What others did beside the measurements of a section."""

    kept: list[float] = field(default_factory=list)
    dropped: list[float] = field(default_factory=list)
    unknown: int = 0

    def accepts(self, foreign: float | None) -> bool:
        """Note what others did beside a measurement, and whether it counts."""
        if foreign is None:
            self.unknown += 1
            return True
        fine = foreign <= MOST_BESIDE or anyway()
        (self.kept if fine else self.dropped).append(foreign)
        return fine

    def facts(self) -> dict[str, str]:
        name = "others beside the measurements"
        if not self.kept:
            return {name: "not known on this system"} if self.unknown else {}
        every = len(self.kept) + len(self.dropped)
        loud = sum(foreign > MOST_BESIDE for foreign in self.kept)
        words = (
            f"median {median(self.kept):.2f}, at most {max(self.kept):.2f} cores; "
            f"{len(self.dropped)} of {every} measurements dropped and repeated "
            f"(above {MOST_BESIDE:g})"
        )
        if loud:
            words += f"; **{loud} above it kept (ANYWAY=1)**"
        return {name: words}


def _cores(foreign: float | None) -> str:
    return "unknown" if foreign is None else f"{foreign:.2f} cores"


def _others_seconds() -> float | None:
    """CPU seconds of everybody but us, and those that a hypervisor took away, since some time."""
    try:
        ticks = [
            int(text) for text in _SYSTEM.read_text(encoding="utf-8").split("\n")[0].split()[1:]
        ]
    except OSError:
        return None
    user, nice, system, _idle, _waiting, interrupts, soft, stolen, *_ = ticks
    busy = (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")
    return busy - own_seconds()


def own_seconds() -> float:
    """CPU seconds of this process and of all it started that have ended."""
    return children_seconds() + _seconds(resource.RUSAGE_SELF)


def children_seconds() -> float:
    return _seconds(resource.RUSAGE_CHILDREN)


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
