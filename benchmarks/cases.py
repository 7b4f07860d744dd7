"""What is measured, and what it should cost. A new case is a new line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from edgewise import edge_test

Shape = tuple[int, int]

#: The paper's authors' own program at (100 000, 14), in units of numpy.cov on the same data. We
#: were given this number; we did not measure it.
AUTHORS_RATIO = 4_700
AUTHORS_SHAPE = (100_000, 14)

LONG = (1_000_000, 14)
MIDDLE = (100_000, 50)
WIDE = (100_000, 200)
WIDEST = (20_000, 500)


@dataclass(frozen=True)
class Case:
    """A call on an array of `shape`, and the most it may cost in units of numpy.cov."""

    name: str
    shape: Shape
    call: Callable[[Any], object]
    target: float | None = None


@dataclass(frozen=True)
class MemoryCase:
    """A statement about `X`, run in a process of its own, and the most MB it may need beside X."""

    name: str
    statement: str
    target: float | None = None


@dataclass(frozen=True)
class StartCase:
    """A command, the command it is compared with, and the most their ratio may be."""

    name: str
    command: tuple[str, ...]
    baseline: tuple[str, ...]
    target: float | None = None


def method(name: str, **options: Any) -> Callable[[Any], object]:
    """`edge_test` end to end: from the array to the frozen result."""
    return partial(edge_test, method=name, **options)


def eig_and_trace(X: Any) -> object:
    """Both thresholds of the paper, which is what its authors' program computes."""
    return edge_test(X, method="eig"), edge_test(X, method="trace")


def python(statement: str) -> tuple[str, ...]:
    return (sys.executable, "-c", statement)


CASES = (
    Case("fisher", LONG, method("fisher")),
    Case("trace", LONG, method("trace"), 1.2),
    Case("score", LONG, method("score"), 2.5),
    Case("eig", LONG, method("eig"), 6),
    Case("whitened", LONG, method("whitened"), 4),
    Case("wald", LONG, method("wald"), 5),
    Case("batch", LONG, method("batch"), 2.5),
    Case("trace", MIDDLE, method("trace"), 1.2),
    Case("score", MIDDLE, method("score"), 3),
    Case("eig", MIDDLE, method("eig"), 25),
    Case("trace", WIDE, method("trace"), 1.2),
    Case("score", WIDE, method("score"), 4),
    Case("eig", WIDE, method("eig"), 60),
    Case("trace", WIDEST, method("trace"), 1.2),
    Case("score", WIDEST, method("score"), 5),
    Case("eig", WIDEST, method("eig"), 80),
)

AUTHORS_CASE = Case("eig + trace", AUTHORS_SHAPE, eig_and_trace)
SPEEDUP_TARGET = 500

MEMORY_CASES = (
    MemoryCase("numpy.cov", "numpy.cov(X, rowvar=False)"),
    MemoryCase("fisher", "edge_test(X, method='fisher')", 150),
    MemoryCase("trace", "edge_test(X, method='trace')", 150),
    MemoryCase("score", "edge_test(X, method='score')", 150),
    MemoryCase("eig", "edge_test(X, method='eig')", 150),
    MemoryCase("batch", "edge_test(X, method='batch')"),
)

# `import edgewise` loads its parts on first use, so the whole of it gets a line too.
START_CASES = (
    StartCase("import edgewise", python("import edgewise"), python("import sklearn.base"), 1.3),
    StartCase(
        "from edgewise import EdgeTest, edge_test",
        python("from edgewise import EdgeTest, edge_test"),
        python("import sklearn.base"),
    ),
    StartCase(
        "edgewise --help",
        (str(Path(sys.executable).parent / "edgewise"), "--help"),
        python("import scipy.stats"),
        0.5,
    ),
)


def shape_name(shape: Shape) -> str:
    return f"{shape[0]:,} × {shape[1]}"
