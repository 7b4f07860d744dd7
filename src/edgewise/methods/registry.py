"""All tests of edges by name, in the order in which they are shown.

A new test is a file beside this one, and a line in `FILES`. The files are loaded when `METHODS` is
first asked for, so that the command line can name the tests in its help without waiting for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgewise.methods.method import Method

    METHODS: dict[str, Method]

#: The file of each test, where the name in capitals is its `Method`; from the most powerful to the
#: most guarded, the two baselines last.
FILES = {
    "score": "score",
    "wald": "wald",
    "batch": "batch",
    "whitened": "sharp",
    "spectral": "sharp",
    "eig": "paper",
    "trace": "paper",
    "elliptical": "fisher",
    "fisher": "fisher",
}


def __getattr__(name: str) -> Any:
    if name != "METHODS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    methods = {
        method: getattr(import_module(f"edgewise.methods.{file}"), method.upper())
        for method, file in FILES.items()
    }
    # One dictionary for everybody, also where two threads ask at once.
    return globals().setdefault("METHODS", methods)
