"""Files that one can read in a sitting, and functions that fit on a screen.

A file or function that is too long does several things: give each of them a name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "edgewise"
LONGEST_FILE = 350
LONGEST_BODY = 50

FILES = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}


def body_lengths(text: str) -> Iterator[tuple[str, int]]:
    """Every function and the lines of its body, without the signature and the docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            yield node.name, node.end_lineno - body[0].lineno + 1 if body else 0


def test_lengths_of_bodies():
    text = '''
def documented(
    a,
):
    """One line.

    Another.
    """
    b = a

    return b

class C:
    def nothing(self):
        """Says what it is."""

    async def outer(self):
        def inner():
            return 1
        return inner
'''
    assert dict(body_lengths(text)) == {"documented": 3, "nothing": 0, "outer": 3, "inner": 1}


@pytest.mark.parametrize("name", FILES)
def test_size(name):
    text = FILES[name].read_text(encoding="utf-8")
    lines = len(text.splitlines())
    assert lines <= LONGEST_FILE, f"{name} has {lines} lines"
    for function, length in body_lengths(text):
        assert length <= LONGEST_BODY, f"{name}::{function}: {length} lines"
