"""The help of every command: tidy, and with examples that run."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
from dataclasses import fields
from datetime import date, timedelta
from pathlib import Path

import click
import numpy as np
import pytest

import edgewise as ew
from edgewise.cli.main import cli
from edgewise.methods.registry import registered

# With its settings: a command keeps the help option that it was first asked for.
PROGRAM = click.Context(cli, info_name="edgewise", **cli.context_settings)
COMMANDS = {name: cli.get_command(PROGRAM, name) for name in cli.list_commands(PROGRAM)}


def help_of(name: str) -> str:
    if name == "edgewise":
        return cli.get_help(PROGRAM)
    command = COMMANDS[name]
    assert command is not None
    return command.get_help(click.Context(command, PROGRAM, info_name=name))


def examples_of(name: str) -> str:
    """The lines between "Examples:" and the next heading."""
    _, _, after = help_of(name).partition("\nExamples:\n")
    lines = after.splitlines()
    ends = [number for number, line in enumerate(lines) if not line.startswith("  ")]
    return "\n".join(line[2:] for line in lines[: min(ends, default=len(lines))])


@pytest.fixture(scope="module")
def data_of_the_examples(tmp_path_factory, rows, write_csv):
    """The files that the examples read, small."""
    from pyarrow import csv, parquet

    folder = tmp_path_factory.mktemp("examples")
    first = date(2024, 1, 1)
    dates = [(first + timedelta(days=day)).isoformat() for day in range(len(rows))]
    dated = np.column_stack([np.array(dates, dtype=object), rows.astype(object)])
    write_csv(folder / "returns.csv", ["Date", "a", "b", "c", "d"], dated)
    (folder / "returns.csv.gz").write_bytes(gzip.compress((folder / "returns.csv").read_bytes()))
    today = write_csv(folder / "today.csv", "abcd", rows[:100])
    write_csv(folder / "before.csv", "abcd", rows[: len(rows) // 2])
    write_csv(folder / "after.csv", "abcd", rows[len(rows) // 2 :])
    arms = np.array(["drug", "placebo"], dtype=object)[np.arange(len(rows)) % 2]
    trial = np.column_stack([arms, rows.astype(object)])
    write_csv(folder / "trial.csv", ["treatment", "a", "b", "c", "d"], trial)
    table = csv.read_csv(today)
    for start, year in enumerate(("2023", "2024")):
        (folder / year).mkdir()
        parquet.write_table(table[start:60], folder / year / "a.parquet")
        parquet.write_table(table[60:], folder / year / "b.parquet")
        ew.accumulate(folder / year, n_batches=100).save(folder / f"{year}.state")
    return folder


@pytest.mark.parametrize("name", ["edgewise", *(name for name in COMMANDS if name != "demo")])
def test_examples_run(name, data_of_the_examples, run_edgewise, tmp_path, monkeypatch):
    """All of one command, in order; those with a pipe by a shell that finds the real program."""
    for path in data_of_the_examples.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.setenv("BROWSER", "true")  # a program that shows nothing
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    script = examples_of(name).replace("\\\n", " ")
    lines = [line for line in script.splitlines() if line and line[0] != "#"]
    for line in lines:
        program, *arguments = shlex.split(line, comments=True)
        if program == "edgewise" and not set(line) & set("|<>$&;"):
            run_edgewise(*arguments, cwd=tmp_path)
        else:
            done = subprocess.run(
                ["bash", "-eu", "-o", "pipefail", "-c", line],
                cwd=tmp_path,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["edgewise", *COMMANDS])
def test_80_columns(name):
    text = help_of(name)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert all(line == line.rstrip() for line in text.splitlines())
    parts = [line for line in text.splitlines() if line and line[0] != " "]
    assert parts[0].startswith("Usage: edgewise")
    assert "Examples:" in parts[-2:]


def test_options_stand_in_sections_on_two_screens(run_edgewise):
    text = run_edgewise("test", "--help").stdout
    assert len(text.splitlines()) <= 70
    headings = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    sections = ["Rows and columns:", "The test:", "Output:", "Files that are read wrongly:"]
    assert headings == [*sections, "Examples:"]


def test_options_of_methods_stand_in_a_topic_of_their_own(run_edgewise):
    text = run_edgewise("help", "methods").stdout
    assert max(map(len, text.splitlines())) <= 80
    for name, kind in registered().items():
        part = text.partition(f"{name} ({kind.guarantee}):\n")[2].partition("\n\n")[0]
        assert part
        for field in fields(kind):
            name = "seed" if field.name == "random_state" else field.name.replace("_", "-")
            assert f"  --{name} " in part


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_once(name):
    command = COMMANDS[name]
    text = help_of(name)
    for parameter in command.get_params(click.Context(command, PROGRAM, info_name=name)):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, parameter.opts
            start = "\n  " + ", ".join(sorted(parameter.opts, key=len))
            assert start in text
