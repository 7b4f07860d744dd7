"""The version is written in one place; whatever else shows it agrees."""

import re
from importlib.metadata import metadata, version
from pathlib import Path

import edgewise

ROOT = Path(__file__).parents[1]


def test_whatever_shows_the_version(run_edgewise):
    wanted = {
        ("src/edgewise/_version.py", r'^__version__ = "(.*)"$'): [edgewise.__version__],
        ("pyproject.toml", r"^dynamic = (.*)$"): ['["version"]'],
        ("pyproject.toml", r"^version = "): [],
        ("pyproject.toml", r'^path = "(.*_version.py)"$'): ["src/edgewise/_version.py"],
        ("CITATION.cff", r"^version: (.*)$"): [edgewise.__version__],
        ("docs/conf.py", r"^release = version = (.*)$"): ["edgewise.__version__"],
        ("packaging/conda/recipe.yaml", r'^  version: "(.*?)"'): [edgewise.__version__],
    }
    for (name, pattern), shown in wanted.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(pattern, text, re.MULTILINE) == shown, name
    assert version("edgewise") == edgewise.__version__, "install again: pip install -e ."
    assert run_edgewise("--version").stdout == f"edgewise, version {edgewise.__version__}\n"


def test_the_changelog():
    """The newest heading is of this version, and says so if it is not out yet."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (newest, when), *older = re.findall(r"^## \[(.*?)\] - (.*)$", text, re.MULTILINE)
    release, dev, _ = edgewise.__version__.partition(".dev")
    assert newest == release
    assert (when == "unreleased") == bool(dev)
    assert all(re.match(r"\d{4}-\d\d-\d\d", date) for _, date in older)


def test_types_are_promised_where_they_are():
    assert "Typing :: Typed" in metadata("edgewise").get_all("Classifier", [])
    assert (Path(edgewise.__file__).parent / "py.typed").is_file()
