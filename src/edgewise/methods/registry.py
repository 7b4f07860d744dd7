"""All methods by name, in the order in which they are shown.

A new method is a file beside this one, and a line in `CLASSES`. The files are loaded when
`registered` is first called, so that the command line can name the methods without loading them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from edgewise._checks import check_choice
from edgewise._text import FOREIGN, joined, nearest
from edgewise.errors import ParameterError

if TYPE_CHECKING:
    from edgewise.methods.method import Feature, Method

#: The file and the class of each method: the one that chooses, then from the most powerful to the
#: most guarded, the two baselines last.
CLASSES = {
    "auto": "auto:Auto",
    "score": "score:Score",
    "nodewise": "nodewise:Nodewise",
    "wald": "wald:Wald",
    "batch": "batch:Batch",
    "kendall": "kendall:Kendall",
    "sequential": "sequential:Sequential",
    "entrywise": "bounds:Entrywise",
    "whitened": "bounds:Whitened",
    "spectral": "bounds:Spectral",
    "eig": "bounds:Eig",
    "trace": "bounds:Trace",
    "elliptical": "gaussian:Elliptical",
    "fisher": "gaussian:Fisher",
}
DEFAULT_METHOD = "auto"


@cache
def registered(*more: str) -> dict[str, type[Method]]:
    """All methods by name but the one that chooses, unless it is named as one more."""
    names = [*more, *(name for name in CLASSES if name != DEFAULT_METHOD)]
    places = {name: CLASSES[name].partition(":") for name in names}
    return {
        name: getattr(import_module(f"edgewise.methods.{file}"), kind)
        for name, (file, _, kind) in places.items()
    }


def supporting(*features: Feature) -> list[str]:
    """The names of the methods that support all of this."""
    return [name for name, kind in registered().items() if {*features} <= kind.supports]


def method_of(
    method: object,
    options: Mapping[str, Any] | None = None,
    function: Callable[..., Any] | None = None,
) -> Method:
    """The method that a user named, with its options as keywords of `function`; or the object."""
    from edgewise.methods.method import Method

    options = options or {}
    if isinstance(method, type) and issubclass(method, Method):
        raise ParameterError(
            f"method: expected a method object, got the class; write {method.__name__}(...)."
        )
    if isinstance(method, Method):
        kind = type(method)
    else:
        check_choice("method", method, tuple(CLASSES))
        kind = registered(DEFAULT_METHOD)[str(method)]
    known = {field.name for field in fields(kind)}
    for name in options:
        if name not in known:
            _raise_for_unknown_option(name, kind, function)
        if isinstance(method, Method):
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


def _raise_for_unknown_option(
    name: str, kind: type[Method], function: Callable[..., Any] | None
) -> NoReturn:
    """Say what the user may have meant by a keyword of `function`, or by an option."""
    method = kind.name
    options = {name: [one.name for one in kinds] for name, kinds in method_options().items()}
    own = sorted(field.name for field in fields(kind))
    has = f"its options are {', '.join(own)}" if own else "it has no options"

    def home(option: str) -> str:
        return f"an option of {joined([repr(one) for one in options[option]], 'and')}"

    if name in options:
        raise ParameterError(
            f"{name}: method {method!r} does not take it ({has}); it is {home(name)}."
        )
    if function is None:
        raise ParameterError(f"{name}: method {method!r} does not take it; {has}.")
    # Where something went wrong, and not in every run.
    from inspect import Parameter, signature

    from edgewise.tables.open import open_table

    caller = function.__name__
    if name in signature(open_table).parameters:
        raise ParameterError(
            f"{name}: {caller} has no such argument; pass ew.open_table(path, {name}=...) as the "
            "data."
        )
    parameters = signature(function).parameters.values()
    arguments = [one.name for one in parameters if one.kind is not Parameter.VAR_KEYWORD]
    known = [*own, *arguments, *options]
    guess = FOREIGN.get(name)
    if guess not in known:
        guess = nearest(name, known)
    if guess is None:
        raise ParameterError(
            f"{name}: {caller} has no such argument, and method {method!r} does not take it as an "
            f"option; {has}."
        )
    where = "" if guess in (*own, *arguments) else f", which is {home(guess)}"
    raise ParameterError(f"{name}: {caller} has no such argument (did you mean {guess}{where}?).")
