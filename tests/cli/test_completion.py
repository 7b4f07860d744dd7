"""Shell completion, through the real program: the script of bash is run by bash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from edgewise.cli.main import cli
from edgewise.cli.options import CORRECTION_NAMES
from edgewise.methods.registry import CLASSES

BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join([BIN, os.environ["PATH"]])}
COMMANDS = cli.list_commands(click.Context(cli))


def run(*arguments, **variables):
    done = subprocess.run(
        arguments,
        env={**ENVIRONMENT, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


# What bash does when TAB is pressed. Outside of a completion `compopt` only complains: here it says
# what it was asked for.
PRESS_TAB = """
source "$1"; shift
compopt() { echo "compopt $1 $2"; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
complete -p edgewise | grep -q -- '-F _edgewise_completion'
_edgewise_completion edgewise
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def press_tab(tmp_path_factory, require):
    """What bash would offer after these words."""
    bash = require("bash")
    script = tmp_path_factory.mktemp("completion") / "edgewise.bash"
    script.write_text("\n".join(run("edgewise", "completion", "bash")))

    def press(*words):
        out = run(bash, "-eu", "-c", PRESS_TAB, "bash", str(script), "edgewise", *words)
        return [line for line in out if line]

    return press


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ([""], COMMANDS),
        (["co"], ["compare", "completion"]),
        (["test", "--method", ""], [*CLASSES]),
        (["test", "x.csv", "--method", "w"], ["wald", "whitened"]),
        (["compare", "--correction", ""], [*CORRECTION_NAMES]),
        (["test", "--graph"], ["--graphml", "--graph"]),
        (["report", "x.csv", "--no"], ["--no-header", "--no-compare", "--no-rows"]),
        (["simulate", "--distribution", "l"], ["laplace", "lognormal"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        # Names of files are the shell's business.
        (["test", ""], ["compopt -o default"]),
        (["test", "x.csv", "y"], ["compopt -o default"]),
        (["test", "x.csv", "--csv", ""], ["compopt -o default"]),
        (["merge", "a.state", ""], ["compopt -o default"]),
        (["accumulate", "x.csv", "-o", "s"], ["compopt -o default"]),
        # Nothing sensible to offer.
        (["test", "--alpha", ""], []),
    ],
    ids=" ".join,
)
def test_bash(press_tab, words, offers):
    assert press_tab(*words) == offers


def test_zsh():
    """click asks for the words, and answers in threes: kind, value, help."""
    out = run("edgewise", _EDGEWISE_COMPLETE="zsh_complete", COMP_WORDS="edgewise ", COMP_CWORD="1")
    assert out[1::3] == COMMANDS
    assert set(out[::3]) == {"plain"}
    assert "Test the edges among the columns of DATA." in out[2::3]


def test_fish():
    words = {"COMP_WORDS": "edgewise test --method", "COMP_CWORD": "s"}
    out = run("edgewise", _EDGEWISE_COMPLETE="fish_complete", **words)
    assert [line for line in out if line] != []
    assert [word for word in ("score", "spectral") if not any(word in line for line in out)] == []


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o nosort -F _edgewise_completion edgewise"),
        ("zsh", "#compdef edgewise"),
        ("fish", "complete --no-files --command edgewise"),
    ],
)
def test_the_script_is_that_of_click(shell, line):
    script = run("edgewise", "completion", shell)
    assert any(line in written for written in script)
    # Who knows click may ask for it in click's own way.
    own = run("edgewise", _EDGEWISE_COMPLETE=f"{shell}_source")
    assert "\n".join(script).rstrip() == "\n".join(own).rstrip()


def test_wrong_shells(run_main):
    for arguments in (["completion"], ["completion", "tcsh"]):
        _, err = run_main(*arguments, status=2)
        assert "bash" in err
        assert "fish" in err
