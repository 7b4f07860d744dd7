"""What is measured, and what it should cost. A new case is a new line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from edgewise import edge_test

#: The paper's authors' own program at (100 000, 14), in units of numpy.cov on the same data. We
#: were given this number; we did not measure it.
AUTHORS_RATIO = 4_700
AUTHORS_SHAPE = (100_000, 14)

LONG = (1_000_000, 14)
WIDE = (100_000, 200)


@dataclass(frozen=True)
class Case:
    """A call on an array of `shape`, and the most it may cost in units of numpy.cov."""

    name: str
    shape: tuple[int, int]
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


def method(name: str) -> Callable[[Any], object]:
    """`edge_test` end to end: from the array to the frozen result."""
    return partial(edge_test, method=name)


def eig_and_trace(X: Any) -> object:
    """Both thresholds of the paper, which is what its authors' program computes."""
    return edge_test(X, method="eig"), edge_test(X, method="trace")


def python(statement: str) -> tuple[str, ...]:
    return (sys.executable, "-c", statement)


CASES = (
    Case("fisher", LONG, method("fisher")),
    Case("trace", LONG, method("trace"), 1.5),
    Case("score", LONG, method("score"), 4),
    Case("eig", LONG, method("eig"), 7),
    Case("whitened", LONG, method("whitened"), 4),
    Case("wald", LONG, method("wald"), 5),
    Case("batch", LONG, method("batch"), 2.5),
    Case("trace", WIDE, method("trace"), 1.5),
)

AUTHORS_CASE = Case("eig + trace", AUTHORS_SHAPE, eig_and_trace)
SPEEDUP_TARGET = 500

MEMORY_CASES = (
    MemoryCase("numpy.cov", "numpy.cov(X, rowvar=False)"),
    MemoryCase("fisher", "edge_test(X, method='fisher')", 150),
    MemoryCase("trace", "edge_test(X, method='trace')", 150),
    MemoryCase("score", "edge_test(X, method='score')", 150),
    MemoryCase("eig", "edge_test(X, method='eig')", 150),
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
