"""The version is written in one place; whatever else shows it agrees."""

from __future__ import annotations

import re
from importlib.metadata import metadata, version
from pathlib import Path

import edgewise

ROOT = Path(__file__).parents[1]


def written_in(name: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_package(run_edgewise):
    assert written_in("src/edgewise/_version.py", r'^__version__ = "(.*)"$') == [
        edgewise.__version__
    ]
    assert version("edgewise") == edgewise.__version__, "install again: pip install -e ."
    assert run_edgewise("--version").stdout == f"edgewise, version {edgewise.__version__}\n"


def test_pyproject_takes_it_from_there():
    assert written_in("pyproject.toml", r"^dynamic = (.*)$") == ['["version"]']
    assert written_in("pyproject.toml", r"^version = ") == []
    assert written_in("pyproject.toml", r'^path = "(.*_version.py)"$') == [
        "src/edgewise/_version.py"
    ]


def test_the_citation():
    assert written_in("CITATION.cff", r"^version: (.*)$") == [edgewise.__version__]


def test_the_documentation():
    assert written_in("docs/conf.py", r"^release = version = (.*)$") == ["edgewise.__version__"]


def test_the_recipe_of_conda():
    assert written_in("packaging/conda/recipe.yaml", r'^  version: "(.*?)"') == [
        edgewise.__version__
    ]


def test_the_changelog():
    """The newest heading is of this version, and says so if it is not out yet."""
    (newest, when), *older = written_in("CHANGELOG.md", r"^## \[(.*?)\] - (.*)$")
    release, dev, _ = edgewise.__version__.partition(".dev")
    assert newest == release
    assert (when == "unreleased") == bool(dev)
    assert all(re.match(r"\d{4}-\d\d-\d\d", date) for _, date in older)


def test_types_are_promised_where_they_are():
    assert "Typing :: Typed" in metadata("edgewise").get_all("Classifier", [])
    assert (Path(edgewise.__file__).parent / "py.typed").is_file()
