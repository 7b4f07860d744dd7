"""The options of all methods as options of a command, read from the methods' fields."""

from __future__ import annotations

from dataclasses import Field, fields
from functools import cache
from typing import Any

import click

from edgewise.cli.guesses import Choice
from edgewise.methods.registry import method_options


@cache
def _fields() -> dict[str, tuple[Field[Any], str]]:
    """Every option by name: the field with the most choices, and the names of its methods."""
    found = {}
    for name, kinds in method_options().items():
        own = [field for kind in kinds for field in fields(kind) if field.name == name]
        widest = max(own, key=lambda field: len(field.metadata["choices"]))
        found[name] = widest, ", ".join(kind.name for kind in kinds)
    return found


def method_parameters() -> list[click.Parameter]:
    """One option for each field, without a default here, so that it shows what the user gave."""
    made: list[click.Parameter] = []
    for name, (field, methods) in _fields().items():
        told = field.metadata
        without = field.default is None or field.default is False
        default = "" if without else f"  [default: {field.default}]"
        kind = Choice(told["choices"]) if told["choices"] else told["kind"]
        option = click.Option(
            [f"--{name.replace('_', '-')}"],
            type=kind,
            is_flag=kind is bool,
            default=None,
            metavar=told["metavar"],
            help=f"{told['help']} ({methods}){default}",
        )
        option.section = "Details of some methods"  # type: ignore[attr-defined]
        made.append(option)
    return made


def asked_options(asked: dict[str, Any]) -> dict[str, Any]:
    """The options of methods that the user gave on the command line, ready to pass on."""
    found = {}
    for name, (field, _) in _fields().items():
        value = asked.get(name)
        if value is not None and value is not False:
            parse = field.metadata["parse"]
            found[name] = value if parse is None else parse(value)
    return found
