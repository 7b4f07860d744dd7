"""Every public name is documented: numpydoc finds nothing amiss, and an example can be copied and
prints what it says."""

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

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "api" / "index.md"
SRC = ROOT / "src"
#: What these list in `__all__` is public, and the reference shows it.
MODULES = (
    "edgewise",
    "edgewise.calibrate",
    "edgewise.datasets",
    "edgewise.integrations.causal_learn",
    "edgewise.integrations.pgmpy",
    "edgewise.integrations.tigramite",
    "edgewise.simulate",
    "edgewise.plots.export",
    "edgewise.plots.plots",
    "edgewise.methods",
    "edgewise.states",
    "edgewise.errors",
)
#: What functions return is documented too.
RESULT_TYPES = (
    "edgewise.inference.intervals.ConfidenceInterval",
    "edgewise.inference.measurement.Selection",
    "edgewise.results.result.Edge",
    "edgewise.results.result.LaggedEdge",
    "edgewise.results.pair.PairTest",
    "edgewise.results.difference.EdgeDifferenceResult",
    "edgewise.results.difference.EdgeDifference",
    "edgewise.tables.open.DataToRead",
    "edgewise.tables.table.FileRead",
    "edgewise.api.plan.SamplePlan",
    "edgewise.api.compare_methods.Comparison",
    "edgewise.api.null.NullComparison",
    "edgewise.inference.diagnosis.Diagnosis",
)
#: numpydoc's complaints that are none here, and why.
IGNORED = {
    "ES01": "an extended summary: where one sentence says it, one sentence does",
    "EX01": "an example: asked for below, of functions and classes, not of errors and properties",
    "PR03": "the order of parameters: those of `edge_test` are named together",
    "SA01": "a section See Also: the reference is grouped by task",
    "SS05": "a verb in the third person: it takes every noun in the plural for one",
}
#: And of errors, and of results, which one does not construct oneself: they list their values as
#: attributes, and below is checked that they do.
RESULTS = {"PR01": "undocumented parameters"}
#: And of methods and properties, where a sentence and the annotations say it.
MEMBER = {"RT01": "a section Returns", "PR01": "undocumented parameters"}

#: What scikit-learn adds to an estimator whose `fit` takes more than rows.
OF_SKLEARN = ("set_fit_request",)

NAMES = {
    f"{path}.{name}": getattr(import_module(path), name)
    for path in MODULES
    for name in getattr(import_module(path), "__all__", dir(import_module(path)))
} | {
    path: getattr(import_module(path.rpartition(".")[0]), path.rpartition(".")[2])
    for path in RESULT_TYPES
}
CLASSES = {name: value for name, value in NAMES.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in NAMES.items() if inspect.isfunction(value)}
CONSTANTS = {name: value for name, value in NAMES.items() if isinstance(value, dict | tuple)}
ERRORS = {name for name, value in CLASSES.items() if issubclass(value, Exception)}


def members(cls: type) -> Iterator[tuple[str, object, type]]:
    """The public methods and properties of ours, each with the class whose docstring it shows."""
    if issubclass(cls, Method):
        return
    for name in dir(cls):
        homes = [home for home in cls.__mro__ if name in vars(home)]
        if name.startswith("_") or not homes[0].__module__.startswith("edgewise"):
            continue
        if name in OF_SKLEARN:
            continue
        if ".integrations." in cls.__module__ and len(homes) > 1:
            continue  # the other package calls it, and documents what it takes
        value = vars(homes[0])[name]
        if callable(getattr(cls, name)) or isinstance(value, property):
            documented = [home for home in homes if vars(home)[name].__doc__]
            yield name, value, (documented or homes)[0]


MEMBERS = {
    f"{home.__module__}.{home.__qualname__}.{name}": value
    for cls in CLASSES.values()
    for name, value, home in members(cls)
}
ALL = {**MEMBERS, **FUNCTIONS, **CLASSES}


def examples(value: object) -> str:
    """The code of a docstring's examples."""
    text = "\n".join(NumpyDocString(inspect.getdoc(value) or "")["Examples"])
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def described(cls: type, *titles: str) -> set[str]:
    """What these sections of a class name."""
    documented = NumpyDocString(inspect.getdoc(cls) or "")
    lines = [line for title in titles for line in documented[title] if "".join(line.desc)]
    return {name for line in lines for name in line.name.split(", ")}


def values_of(cls: type) -> set[str]:
    """The names of a dataclass's or a named tuple's values."""
    if dataclasses.is_dataclass(cls):
        return {field.name for field in dataclasses.fields(cls)}
    return set(getattr(cls, "_fields", ()))


def test_numpydoc_finds_nothing_amiss():
    found = []
    for name in ALL:
        values = values_of(CLASSES[name]) if name in CLASSES else set()
        is_result = bool(values) and values <= described(CLASSES[name], "Attributes")
        ignored = {*IGNORED, *(RESULTS if name in ERRORS or is_result else ())}
        ignored |= {*(MEMBER if name in MEMBERS else ())}
        found += [f"{name}: {c} {why}" for c, why in validate(name)["errors"] if c not in ignored]
    assert not found, "\n".join(found)


def test_every_value_and_property_of_a_class_is_described():
    """The values by the class, a property by itself."""
    lacking = {}
    for name, cls in CLASSES.items():
        named = described(cls, "Parameters", "Attributes")
        silent = {
            member
            for member, value, home in members(cls)
            if isinstance(value, property) and not inspect.getdoc(vars(home)[member])
        }
        lacking[name] = (values_of(cls) | silent) - named
    assert not {name: lacks for name, lacks in lacking.items() if lacks}


def test_every_function_and_class_has_an_example():
    """What one does not construct oneself, and families, are shown where they come from."""
    # The example of a method is that of `edge_test`.
    methods = {name for name, value in CLASSES.items() if issubclass(value, Method)}
    found = {name: examples(NAMES[name]) for name in {*CLASSES, *FUNCTIONS} - ERRORS - methods}
    shown = {word for code in found.values() for word in re.findall(r"\w+", code)}
    unshown = {name for name in found if name.rpartition(".")[2] not in shown}
    assert {name for name in unshown if name in FUNCTIONS or not found[name]} == set()


FOLDERS = sorted({path.parent for path in SRC.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_examples_print_what_they_say(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for path in sorted(folder.glob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
            failed, tried = doctest.testmod(import_module(name), optionflags=options)
            assert tried, f"{name}: examples that no test finds"
            assert not failed, name


def test_an_example_imports_what_it_uses():
    lacking = {}
    for name, value in ALL.items():
        tree = ast.parse(examples(value))
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {*dir(builtins)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                bound.add(node.name)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
        lacking[name] = {node.id for node in names} - bound
    assert not {name: lacks for name, lacks in lacking.items() if lacks}


def test_no_bars_that_sphinx_takes_for_a_substitution():
    texts = {
        name: re.sub(r"``.*?``", "", inspect.getdoc(value) or "") for name, value in ALL.items()
    }
    assert not [name for name, text in texts.items() if re.search(r"(?<!\\)\|\S[^|\n]*\|", text)]


def test_the_reference_lists_every_name_once_and_nothing_else():
    assert [path for path in MODULES if not import_module(path).__doc__] == []
    page = REFERENCE.read_text(encoding="utf-8")
    names = [f"edgewise.{name}" for name in re.findall(r"^   ([\w.]+\w)$", page, re.MULTILINE)]
    constants = re.findall(r"^\.\. py:data:: (\S+)$", page, re.MULTILINE)
    public = [name for name, value in NAMES.items() if not inspect.ismodule(value)]
    assert sorted([*names, *constants]) == sorted(public)
    for name, value in CONSTANTS.items():
        text = page.partition(f".. py:data:: {name}\n")[2]
        text = re.split(r"^(?:```|\.\. py:data::)", text, flags=re.MULTILINE)[0]
        assert [key for key in value if isinstance(key, str) and f'"{key}"' not in text] == []
