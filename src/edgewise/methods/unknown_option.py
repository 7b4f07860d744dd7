"""A keyword that is neither an argument of a function nor an option of the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NoReturn

from edgewise._base.text import joined, nearest
from edgewise.errors import ParameterError
from edgewise.rows.reading import Reading

# Keywords of `read_table` only, and not of every function.
READING_OPTIONS = tuple(field.name for field in fields(Reading))


def raise_for_unknown_option(
    name: str,
    method: str,
    options: Mapping[str, Sequence[str]],
    function: Callable[..., Any] | None = None,
) -> NoReturn:
    """Say what the user may have meant.

    Parameters
    ----------
    name : str
        The keyword.
    method : str
        The method that has no such option.
    options : mapping of str to sequence of str
        All options, each with the names of the methods that have it.
    function : callable, optional
        The function that got the keyword; None if only an option can be meant.
    """
    own = sorted(option for option, methods in options.items() if method in methods)
    has = f"its options are {', '.join(own)}" if own else "it has no options"
    if name in options:
        raise ParameterError(
            f"{name}: method {method!r} does not take it ({has}); it is {_home(options[name])}."
        )
    if function is None:
        raise ParameterError(f"{name}: method {method!r} does not take it; {has}.")
    caller = function.__name__
    if name in READING_OPTIONS:
        raise ParameterError(
            f"{name}: {caller} has no such argument; pass ew.read_table(path, {name}=...) as the "
            "data."
        )
    from inspect import Parameter, signature  # where something went wrong, and not in every run

    arguments = [
        key
        for key, parameter in signature(function).parameters.items()
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    guess = nearest(name, [*own, *arguments, *options])
    if guess is None:
        raise ParameterError(
            f"{name}: {caller} has no such argument, and method {method!r} does not take it as an "
            f"option; {has}."
        )
    elsewhere = guess not in own and guess not in arguments
    where = f", which is {_home(options[guess])}" if elsewhere else ""
    raise ParameterError(f"{name}: {caller} has no such argument (did you mean {guess}{where}?).")


def _home(methods: Sequence[str]) -> str:
    return f"an option of {joined([repr(name) for name in methods], 'and')}"
