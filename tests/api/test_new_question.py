"""The public names: few of them, listed once, and a new question is one file and one line."""

from __future__ import annotations

import ast
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import edgewise as ew

PACKAGE = Path(ew.__file__).parent

QUESTION = '''
"""How many rows does each edge stand on?"""

from edgewise.api.edge_test import edge_test


def rows_per_edge(data, **how):
    """Rows over edges."""
    result = edge_test(data, **how)
    return result.n_samples / max(result.n_edges, 1)
'''
USE = """
import numpy as np
import edgewise as ew

assert "rows_per_edge" in dir(ew) and "rows_per_edge" in ew.__all__
a, b = np.random.default_rng(0).standard_normal((2, 500))
assert ew.rows_per_edge(np.column_stack([a, a + b]), method="fisher") == 500
"""


def test_a_question_is_one_file_and_one_line(tmp_path):
    line = '    "rows_per_edge": "api.rows_per_edge",\n'
    copy = tmp_path / "edgewise"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "api" / "rows_per_edge.py").write_text(QUESTION)
    names = (copy / "__init__.py").read_text(encoding="utf-8")
    (copy / "__init__.py").write_text(names.replace("HOMES = {\n", "HOMES = {\n" + line, 1))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, env=environment, check=True)


def test_type_checkers_see_the_same_names():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    listed = {
        alias.asname: node.module.removeprefix("edgewise").removeprefix(".")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("edgewise")
        for alias in node.names
    }
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    listed |= {name: ew.HOMES[name] for name in defined}
    assert listed == {**ew.HOMES, **dict.fromkeys(ew.MODULES, ""), "__version__": "_version"}


def test_they_are_few():
    assert len(dir(ew)) <= 26
    parameters = inspect.signature(ew.edge_test).parameters.values()
    assert sum(one.kind is not one.VAR_KEYWORD for one in parameters) <= 14
    assert len(inspect.getdoc(ew.edge_test).splitlines()) <= 70
    shared = set(inspect.signature(ew.edge_test).parameters) - {"data", "feature_names"}
    own = set(inspect.signature(ew.EdgeTest).parameters)
    assert shared - own == {"transform"}
    assert own - shared == {"column_transform"}
