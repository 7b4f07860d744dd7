"""The tests of edges: a method is an object whose fields are its options, as in `Batch(n_batches=50)`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgewise.methods.registry import CLASSES

if TYPE_CHECKING:
    from edgewise.methods.auto import Auto as Auto
    from edgewise.methods.batch import Batch as Batch
    from edgewise.methods.bounds import Eig as Eig
    from edgewise.methods.bounds import Entrywise as Entrywise
    from edgewise.methods.bounds import Spectral as Spectral
    from edgewise.methods.bounds import Trace as Trace
    from edgewise.methods.bounds import Whitened as Whitened
    from edgewise.methods.gaussian import Elliptical as Elliptical
    from edgewise.methods.gaussian import Fisher as Fisher
    from edgewise.methods.kendall import Kendall as Kendall
    from edgewise.methods.nodewise import Nodewise as Nodewise
    from edgewise.methods.score import Score as Score
    from edgewise.methods.sequential import Sequential as Sequential
    from edgewise.methods.wald import Wald as Wald


def __getattr__(name: str) -> Any:
    for home in CLASSES.values():
        file, _, kind = home.partition(":")
        if kind == name:
            return getattr(import_module(f"edgewise.methods.{file}"), name)
    raise AttributeError(f"module 'edgewise.methods' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(home.partition(":")[2] for home in CLASSES.values())
