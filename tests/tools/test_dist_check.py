"""What `make dist-check` says of archives with too little or too much in them."""

from __future__ import annotations

import pytest
from tools.dist_check import (
    RESOURCES,
    ROOT,
    files_under,
    sdist_problems,
    wheel_problems,
)

MODULES = {"edgewise/__init__.py", "edgewise/datasets/data/README.md", *RESOURCES}
ABOUT = {
    f"edgewise-1.0.dist-info/{name}"
    for name in ("METADATA", "entry_points.txt", "licenses/LICENSE")
}


def test_a_good_wheel():
    assert wheel_problems(MODULES | ABOUT, MODULES, "1.0") == []


@pytest.mark.parametrize("missing", ["edgewise/py.typed", "edgewise/__init__.py", *sorted(ABOUT)])
def test_a_wheel_that_lacks(missing):
    assert wheel_problems((MODULES | ABOUT) - {missing}, MODULES, "1.0") == [
        f"the wheel lacks {missing}"
    ]


@pytest.mark.parametrize("junk", ["tests/test_it.py", "edgewise/__pycache__/a.pyc", "notes.txt"])
def test_a_wheel_with_junk(junk):
    assert wheel_problems({*MODULES, *ABOUT, junk}, MODULES, "1.0") == [
        f"the wheel should not have {junk}"
    ]


def test_the_sdist_is_the_repository():
    only = {".ci/run", ".github/workflows/tests.yml", ".readthedocs.yaml"}
    repository = {"pyproject.toml", "src/edgewise/__init__.py", "tests/test_it.py"}
    assert sdist_problems({*repository, "PKG-INFO"}, repository | only) == []
    assert sdist_problems({*repository, "a.log"}, repository) == ["the sdist should not have a.log"]
    assert sdist_problems(repository - {"tests/test_it.py"}, repository) == [
        "the sdist lacks tests/test_it.py"
    ]


def test_the_resources_are_where_they_are_looked_for():
    package = {path.relative_to(ROOT / "src").as_posix() for path in files_under(ROOT / "src")}
    assert set(RESOURCES) <= package
