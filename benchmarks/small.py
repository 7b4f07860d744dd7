"""Small tables: what a call costs by itself, and what a data frame adds to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.cases import Shape, shape_name
from benchmarks.quiet import Noise
from benchmarks.report import Measurements
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.timing import Spread
from benchmarks.worker import Answer, Ask, Call, answer

SHAPE = (200, 10)
PEER = "Fisher's test in NumPy"
#: A call, and the most microseconds it should take.
CALLS: dict[str, float | None] = {PEER: None, "fisher": 500.0, "score": 500.0, "batch": None}
FRAMES = ("fisher", "score")
MOST_FRAME = 1.5
_MICROS = f"Small data, microseconds of CPU a call, {shape_name(SHAPE)}, after the first"
_FRAMES = "Small data, a pandas frame in units of an array"


def measure(
    count: int = ROUNDS, shape: Shape = SHAPE, ask: Callable[[Ask], Answer] = answer
) -> Measurements:
    noise = Noise()

    def micros(name: str, _round: int) -> float:
        return 1e6 * ask(Ask((Call(name),), shape)).cpu[0]

    def frame(name: str, _round: int) -> float:
        array, frame = (ask(Ask((Call(name),), shape, data=kind)) for kind in ("array", "pandas"))
        return frame.cpu[0] / array.cpu[0]

    visits = {(_MICROS, name): partial(micros, name) for name in CALLS}
    visits |= {(_FRAMES, name): partial(frame, name) for name in FRAMES}
    found = rounds(visits, noise, count)
    lines = [
        Spread.of(values).line(group, name, CALLS[name] if group == _MICROS else MOST_FRAME)
        for (group, name), values in found.items()
    ]
    return Measurements(lines, facts=noise.facts())
