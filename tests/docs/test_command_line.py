"""The page on the command line has the help of every command, as the program prints it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def command_line(script):
    return script("command_line.py")


@pytest.fixture(scope="module")
def page(command_line):
    return command_line.markdown()


def printed(*arguments):
    """What the program prints on a terminal of 80 columns."""
    return subprocess.run(
        [sys.executable, "-m", "edgewise", *arguments],
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout


def test_the_help_of_every_command_is_there(page):
    root = printed("--help")
    commands = re.findall(r"^  (\w+) ", root.partition("Commands:")[2].partition("\n\n")[0], re.M)
    assert "accumulate" in commands
    assert re.findall(r"^## edgewise (\w+)$", page, re.M) == commands
    for command in commands:
        manual, examples = printed(command, "--help").split("\nExamples:\n")
        assert manual.strip() in page
        for line in examples.splitlines():
            assert line.strip() in page
