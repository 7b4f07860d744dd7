"""Every public name is documented: numpydoc finds nothing amiss, and an example can be copied.

`--doctest-modules` runs the examples; here is checked that they are there, and that each imports
whatever it uses.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

from edgewise.methods.method import Method

REFERENCE = Path(__file__).parents[1] / "docs" / "api" / "index.md"
#: What these list in `__all__` is public, and the reference shows it.
MODULES = (
    "edgewise",
    "edgewise.calibrate",
    "edgewise.datasets",
    "edgewise.integrations.causal_learn",
    "edgewise.integrations.pgmpy",
    "edgewise.integrations.tigramite",
    "edgewise.simulate",
    "edgewise.view.export",
    "edgewise.view.plots",
)
#: numpydoc's complaints that are none here, and why.
IGNORED = {
    "ES01": "an extended summary: where one sentence says it, one sentence does",
    "EX01": "an example: asked for below, of functions and classes, not of errors and properties",
    "SA01": "a section See Also: the reference is grouped by task",
    "SS05": "a verb in the third person: it takes every noun in the plural for one",
}
#: And of errors, and of results, which one does not construct oneself: they list their values as
#: attributes, and below is checked that they do.
RESULTS = {"PR01": "undocumented parameters"}

#: What only warns and says where to go.
DEPRECATED = {"EdgeTestResult": ("interval_rule",)}
#: What scikit-learn adds to an estimator whose `fit` takes more than rows.
OF_SKLEARN = ("set_fit_request", "set_partial_fit_request")

NAMES = {
    f"{path}.{name}": getattr(import_module(path), name)
    for path in MODULES
    for name in import_module(path).__all__
}
CLASSES = {name: value for name, value in NAMES.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in NAMES.items() if inspect.isfunction(value)}
CONSTANTS = {name: value for name, value in NAMES.items() if isinstance(value, dict | tuple)}
ERRORS = {name for name, value in CLASSES.items() if issubclass(value, Exception)}


def members(cls: type) -> Iterator[tuple[str, object, type]]:
    """The public methods and properties of ours, each with the class whose docstring it shows.

    What overrides a documented method without a word does what is said there; Sphinx shows it so.
    A method of testing is chosen, not called: what it is made of is for developers.
    """
    if issubclass(cls, Method):
        return
    for name in dir(cls):
        homes = [home for home in cls.__mro__ if name in vars(home)]
        if name.startswith("_") or not homes[0].__module__.startswith("edgewise"):
            continue
        if name in (*DEPRECATED.get(cls.__name__, ()), *OF_SKLEARN):
            continue
        value = vars(homes[0])[name]
        if callable(getattr(cls, name)) or isinstance(value, property):
            documented = [home for home in homes if vars(home)[name].__doc__]
            yield name, value, (documented or homes)[0]


MEMBERS = {
    f"{home.__module__}.{home.__qualname__}.{name}": value
    for cls in CLASSES.values()
    for name, value, home in members(cls)
}
PROPERTIES = {name for name, value in MEMBERS.items() if isinstance(value, property)}


def sections(value: object) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(value) or "")


def values_of(cls: type) -> set[str]:
    """The names of a dataclass's or a named tuple's values."""
    if dataclasses.is_dataclass(cls):
        return {field.name for field in dataclasses.fields(cls)}
    return set(getattr(cls, "_fields", ()))


def described(cls: type, *titles: str) -> set[str]:
    """What these sections of a class name."""
    documented = sections(cls)
    return {
        name
        for title in titles
        for line in documented[title]
        for name in line.name.split(", ")
        if "".join(line.desc)
    }


def is_result(name: str) -> bool:
    """Whether the docstring of a class has its values as attributes, and so not as parameters."""
    values = values_of(CLASSES[name]) if name in CLASSES else set()
    return bool(values) and values <= described(CLASSES[name], "Attributes")


def examples(value: object) -> str:
    """The code of a docstring's examples."""
    text = "\n".join(sections(value)["Examples"])
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS, *MEMBERS])
def test_numpydoc_finds_nothing_amiss(name):
    ignored = {*IGNORED, *(RESULTS if name in ERRORS or is_result(name) else ())}
    found = [f"{code}: {why}" for code, why in validate(name)["errors"] if code not in ignored]
    assert not found, "\n".join([name, *found])


@pytest.mark.parametrize("name", CLASSES)
def test_every_value_and_property_of_a_class_is_described(name):
    cls = CLASSES[name]
    properties = {member for member, value, _ in members(cls) if isinstance(value, property)}
    assert values_of(cls) | properties <= described(cls, "Parameters", "Attributes")


@pytest.mark.parametrize("name", sorted({*CLASSES, *FUNCTIONS} - ERRORS))
def test_every_function_and_class_has_an_example(name):
    code = examples(NAMES[name])
    # What one does not construct oneself is shown where it comes from.
    assert code if name in CLASSES else name.rpartition(".")[2] in code


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_method_is_in_an_example(name):
    """Of its own, of its class, or of the class that it comes from."""
    cls = CLASSES[name]
    for method, value, home in members(cls):
        if not isinstance(value, property):
            shown = [examples(where) for where in (getattr(home, method), home, cls)]
            assert any(f".{method}(" in code for code in shown), method


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS, *MEMBERS])
def test_an_example_imports_what_it_uses(name):
    code = examples(NAMES.get(name, MEMBERS.get(name)))
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {*dir(builtins)}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    assert {node.id for node in names} <= bound


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS, *MEMBERS])
def test_no_bars_that_sphinx_takes_for_a_substitution(name):
    text = inspect.getdoc(NAMES.get(name, MEMBERS.get(name))) or ""
    assert not re.findall(r"(?<!\\)\|\S[^|\n]*\|", re.sub(r"``.*?``", "", text))


def test_every_public_module_says_what_it_is_for():
    assert [path for path in MODULES if not import_module(path).__doc__] == []


def test_the_reference_lists_every_name_once_and_nothing_else():
    page = REFERENCE.read_text(encoding="utf-8")
    names = [f"edgewise.{name}" for name in re.findall(r"^   ([\w.]+\w)$", page, re.MULTILINE)]
    constants = re.findall(r"^\.\. py:data:: (\S+)$", page, re.MULTILINE)
    public = [name for name, value in NAMES.items() if not inspect.ismodule(value)]
    assert sorted([*names, *constants]) == sorted(public)


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_reference_says_what_is_in_a_constant(name):
    told = REFERENCE.read_text(encoding="utf-8").partition(f".. py:data:: {name}\n")[2]
    told = re.split(r"^(?:```|\.\. py:data::)", told, flags=re.MULTILINE)[0]
    assert [key for key in CONSTANTS[name] if isinstance(key, str) and f'"{key}"' not in told] == []
