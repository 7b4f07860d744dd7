"""What the recipe, the workflows and the pages say of the package is what pyproject.toml says."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
from tools.dist_check import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# What conda calls by another name.
CONDA = {"matplotlib": "matplotlib-base"}

repository = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def packages(extra):
    """The packages of an extra, and of the extras in it, as "name >=version"."""
    for wanted in EXTRAS[extra]:
        if inner := re.fullmatch(r"edgewise\[(.*)\]", wanted):
            for one in inner[1].split(","):
                yield from packages(one)
        else:
            yield re.sub(r"^([\w-]+)(?:\[.*\])?", r"\1 ", wanted)


def test_the_core_is_small():
    names = [re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]]
    assert names == ["numpy", "scipy", "threadpoolctl"]


def test_all_is_all_but_the_engines():
    extras = ("tables", "sklearn", "plot", "cli", "excel")
    assert set(packages("all")) == {one for extra in extras for one in packages(extra)}
    for extra in ("dev", "dev-all", "docs", "bench"):
        assert set(packages("all")) <= set(packages(extra))


def test_the_recipe_asks_for_the_same():
    recipe = text("packaging/conda/recipe.yaml")
    run, bounds = (
        re.search(rf"^  {part}:\n((?:    - .*\n)+)", recipe, re.M)[1].replace("    - ", "")
        for part in ("run", "run_constraints")
    )
    core = [one.replace(">=", " >=") for one in PROJECT["dependencies"]]
    assert run.splitlines() == ["python >=${{ python_min }}", *core]
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in recipe
    wanted = {
        " ".join([CONDA.get(n := one.split()[0], n), one.split()[1]]) for one in packages("all")
    }
    assert set(bounds.splitlines()) == wanted
    (script,) = re.findall(r"- edgewise = (\S+)", recipe)
    assert script == PROJECT["scripts"]["edgewise"]


@repository
def test_workflows_are_valid(require):
    require("check_jsonschema")
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run(
        [sys.executable, *command, *WORKFLOWS], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_little(path):
    written = path.read_text(encoding="utf-8")
    assert "secrets" not in written
    (default,) = re.findall(r"^permissions:(.*(?:\n  .*)*)", written, re.M)
    assert default.split() in (["{}"], ["contents:", "read"])
    assert len(re.findall(r": write", written)) == (path.name == "release.yml")
    for action in re.findall(r"uses: (\S+)", written):
        assert action.startswith("./") or re.search(r"@(v\d+|release/v\d+)$", action), action
    checkouts, kept = (written.count(one) for one in ("checkout@", "persist-credentials: false"))
    assert checkouts == kept
