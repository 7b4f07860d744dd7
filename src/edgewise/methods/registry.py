"""All methods by name, in the order in which they are shown.

A new method is a file beside this one, and a line in `CLASSES`. The files are loaded when `METHODS`
is first used, so that the command line can name the methods without loading them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgewise._base.checks import check_choice
from edgewise.errors import ParameterError
from edgewise.methods.unknown_option import raise_for_unknown_option

if TYPE_CHECKING:
    from edgewise.methods.method import Method

    METHODS: dict[str, type[Method]]

#: The file and the class of each method; from the most powerful to the most guarded, the two
#: baselines last.
CLASSES = {
    "score": "score:Score",
    "nodewise": "nodewise:Nodewise",
    "wald": "wald:Wald",
    "batch": "batch:Batch",
    "kendall": "kendall:Kendall",
    "sequential": "sequential:Sequential",
    "entrywise": "entrywise:Entrywise",
    "whitened": "whitened:Whitened",
    "spectral": "spectral:Spectral",
    "eig": "eig:Eig",
    "trace": "trace:Trace",
    "elliptical": "elliptical:Elliptical",
    "fisher": "fisher:Fisher",
}
DEFAULT_METHOD = "score"


_loaded: dict[str, type[Method]] = {}


def registered() -> dict[str, type[Method]]:
    """All methods by name; one dictionary for everybody."""
    if not _loaded:
        methods = {}
        for name, home in CLASSES.items():
            file, _, kind = home.partition(":")
            methods[name] = getattr(import_module(f"edgewise.methods.{file}"), kind)
        _loaded.update(methods)  # in one step, because two threads may load them at once
    return _loaded


def __getattr__(name: str) -> Any:
    if name != "METHODS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return registered()


def method_of(
    method: object,
    options: Mapping[str, Any] | None = None,
    asked_by: Callable[..., Any] | None = None,
) -> Method:
    """The method that a user named, with its options; or the object that the user passed.

    `asked_by` is the function whose keywords the options are, for messages about unknown ones.
    """
    from edgewise.methods.method import Method

    options = options or {}
    if isinstance(method, type) and issubclass(method, Method):
        raise ParameterError(
            f"method: expected a method object, got the class; write {method.__name__}(...)."
        )
    methods = registered()
    given = isinstance(method, Method)
    if not given:
        check_choice("method", method, tuple(methods))
    kind = type(method) if isinstance(method, Method) else methods[str(method)]
    known = {field.name for field in fields(kind)}
    for name in options:
        if name not in known:
            homes = {key: [one.name for one in kinds] for key, kinds in method_options().items()}
            raise_for_unknown_option(name, kind.name, homes, asked_by)
        if given:
            raise ParameterError(
                f"{name}: expected as an option of the method object, as in "
                f"{kind.__name__}({name}=...), got it beside the object."
            )
    return method if isinstance(method, Method) else kind(**options)


def method_options() -> dict[str, list[type[Method]]]:
    """The names of all options, each with the methods that have it."""
    found: dict[str, list[type[Method]]] = {}
    for kind in registered().values():
        for field in fields(kind):
            found.setdefault(field.name, []).append(kind)
    return found
