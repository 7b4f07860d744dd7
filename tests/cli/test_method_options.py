"""The options of methods on the command line are their fields, and nothing else."""

from __future__ import annotations

from dataclasses import MISSING, fields

import click
import pytest

from edgewise.cli.main import cli
from edgewise.cli.method_options import asked_options, method_parameters
from edgewise.errors import ParameterError
from edgewise.methods.registry import METHODS, method_of, method_options

#: Of the first method with the most choices.
FIELDS = {
    field.name: field
    for field in sorted(
        (field for kind in reversed(METHODS.values()) for field in fields(kind)),
        key=lambda field: len(field.metadata["choices"]),
    )
}
PARAMETERS = {parameter.name: parameter for parameter in method_parameters()}
#: What to write on the command line, and the value it stands for.
GIVEN = {
    "n_batches": ("20", 20),
    "random_state": ("7", 7),
    "tuned_for": ("400", 400),
    "tuned_level": ("0.2", 0.2),
    "radius": ("hoeffding", "hoeffding"),
    "support": ("-1,2.5", (-1.0, 2.5)),
    "outside": ("0.01", 0.01),
    "kurtosis": ("1.5", 1.5),
    "solver": ("matrix-free", "matrix-free"),
    "standardize": (None, True),
    "mu": ("0.5", 0.5),
    "penalty": ("1.5", 1.5),
    "max_neighbours": ("4", 4),
}


def test_every_field_is_an_option_and_every_option_a_field():
    assert set(PARAMETERS) == set(FIELDS) == set(method_options()) == set(GIVEN)


@pytest.mark.parametrize("command", ["test", "report"])
def test_the_commands_that_test_have_them(command):
    # A command keeps its help option from the first context that asks for it.
    context = click.Context(cli, **cli.context_settings)
    found = cli.get_command(context, command).get_params(context)
    assert set(PARAMETERS) <= {parameter.name for parameter in found}
    sections = {getattr(parameter, "section", None) for parameter in method_parameters()}
    assert sections == {"Details of some methods"}


@pytest.mark.parametrize("name", FIELDS)
def test_the_help_names_the_methods_and_the_default(name):
    text = PARAMETERS[name].help
    methods = ", ".join(kind.name for kind in method_options()[name])
    assert f"({methods})" in text
    default = FIELDS[name].default
    assert default is not MISSING
    if default is not None and default is not False:
        assert text.endswith(f"[default: {default}]")
    assert PARAMETERS[name].opts == [f"--{name.replace('_', '-')}"]


@pytest.mark.parametrize("name", FIELDS)
def test_the_types_and_choices_are_those_of_the_field(name):
    parameter, told = PARAMETERS[name], FIELDS[name].metadata
    if told["choices"]:
        assert tuple(parameter.type.choices) == told["choices"]
    assert parameter.is_flag == (told["kind"] is bool)
    text, value = GIVEN[name]
    command = click.Command("x", params=[parameter], callback=lambda **asked: asked)
    written = [parameter.opts[0]] if text is None else [parameter.opts[0], text]
    asked = command.main(written, standalone_mode=False)
    assert asked_options(asked) == {name: value}
    assert asked_options(command.main([], standalone_mode=False)) == {}


def test_what_nobody_asked_for_is_not_passed_on():
    """So that a method that does not have the option does not refuse it."""
    nothing = dict.fromkeys(FIELDS) | {"standardize": False}
    assert asked_options(nothing) == {}
    assert asked_options({"alpha": 0.05, "mu": 0.5}) == {"mu": 0.5}
    # Zero is a seed that was asked for.
    assert asked_options({"random_state": 0}) == {"random_state": 0}


@pytest.mark.parametrize("text", ["0;1", "1", "0,1,2", "a,b", ""])
def test_an_interval_is_two_numbers(text, refuses):
    refuses(
        lambda: asked_options({"support": text}),
        ParameterError,
        "support: expected two numbers separated by a comma",
        f"got {text!r}",
    )


def test_together_they_make_the_method():
    asked = {"radius": "hoeffding", "support": "-1,2.5", "standardize": True, "solver": None}
    found = method_of("spectral", asked_options(asked))
    assert found == METHODS["spectral"](radius="hoeffding", support=(-1.0, 2.5), standardize=True)
